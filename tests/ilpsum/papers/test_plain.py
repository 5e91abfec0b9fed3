"""What stands beside the prose of news."""

import pytest

from ilpsum.papers.layout import sentences
from ilpsum.papers.plain import is_beside, without_dateline
from ilpsum.pipeline.candidates import candidates
from ilpsum.records import Document, Topic
from ilpsum.records.tables import CandidateTable


@pytest.mark.parametrize(
    "line",
    [
        "By Ada Ulm and Ben Carr, Reporters",
        "(Photo: The choir at the pond, Tuesday, March 4. Ben Carr/AP)",
        "Copyright 2024 The Oakum Observer. All rights reserved. This material may not be published.",
        "© 2024 The Oakum Observer",
        "Reporting by Ada Ulm; editing by Ben Carr",
        "Last updated: 4 March",
        "ADVERTISEMENT",
        "Read more: Ten ponds to visit this spring",
    ],
)
def test_lines_beside_the_prose(line):
    assert is_beside(line)
    text = f"The newts sang at night in the pond.\n{line}\nToads were silent in the pond."
    assert [s.text for s in sentences(Document("a", text))] == [
        text.split("\n")[0],
        text.split("\n")[2],
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Photos of newts are rare.",
        "By Tuesday the newts had left the pond.",
        "Copyright law protects songs of newts.",
        "Published songs of newts are few.",
        "Updated plans show a pond.",
        "Advertisements were removed from the bank of the pond.",
        "Reporting bylaws to the council took a week.",
    ],
)
def test_prose_that_begins_like_them(line):
    assert not is_beside(line)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("OAKUM, England (AP) -- The newts sang.", "The newts sang."),
        ("NEW OAKUM, FEB 26 - Newts sang.", "Newts sang."),
        ("OAKUM (Reuters) - Newts sang.", "Newts sang."),
        ("ST. OAKUM, Ark., March 4, 2024 — “Newts sang,” he said.", "“Newts sang,” he said."),
        ("NEWT-A - a gene of newts - is known.", "NEWT-A - a gene of newts - is known."),
        ("Oakum -- the town -- slept.", "Oakum -- the town -- slept."),
        ("The newts - all of them - sang.", "The newts - all of them - sang."),
    ],
)
def test_a_dateline_goes(text, rest):
    assert without_dateline(text, first=True) == rest
    assert without_dateline(text, first=False) == text


def test_only_the_first_sentence_of_a_general_text_has_a_dateline():
    text = "OAKUM (AP) -- The newts sang at night.\nPOND -- The toads were silent.\n- Frogs swam in the pond."
    document = Document("a", text)
    (first, second, third) = candidates(
        Topic("t", documents=(document,), kind="texts"), CandidateTable()
    )
    assert first.text == "The newts sang at night."
    assert first.words == 5
    assert document.text[first.start : first.end].startswith("OAKUM (AP)")
    assert (second.text, third.text) == (
        "POND -- The toads were silent.",
        "Frogs swam in the pond.",
    )
    assert candidates(Topic("t", documents=(document,)), CandidateTable())[0].text.startswith(
        "OAKUM (AP)"
    )
