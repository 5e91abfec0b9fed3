"""Example questions from titles, and that the abstracts answer those that are shown."""

import pytest

from ilpsum.answers.searching import AbstractSearch
from ilpsum.pages.room import Session
from ilpsum.pages.room.asking import Ask
from ilpsum.pages.room.examples import questions
from ilpsum.records import Outcome
from tests.json_lines import lines_of


@pytest.mark.parametrize(
    ("title", "question"),
    [
        ("Do newts sing? A cohort of ponds", "Do newts sing?"),
        ("Role of velin in grey newts", "What is the role of velin in grey newts?"),
        ("The effects of velin: a trial", "What are the effects of velin?"),
        ("DNA functions of velin", "What are the DNA functions of velin?"),
        ("Velin: a need for newts?", None),
        ("Song of newts", None),
    ],
)
def test_titles_become_whole_questions(title, question):
    assert list(questions([title])) == ([question] if question else [])


def test_titles_that_ask_come_first_and_what_is_not_answered_is_left_out(tmp_path):
    texts = {
        "Role of velin in grey newts": "Velin has a role in grey newts: it heals their tails.",
        "Do toads hum in winter?": "We found that toads hum in winter.",
        "Is velin a toxin?": "Nothing is known.",
    }
    path = tmp_path / "records.jsonl"
    records = [
        {"pmid": str(i), "title": title, "abstract": text}
        for i, (title, text) in enumerate(texts.items(), start=1)
    ]
    path.write_text(lines_of(records))
    session = Session(AbstractSearch([path], tmp_path / "index"))
    session.find_examples()
    assert session.examples[0] == "Do toads hum in winter?"
    assert "What is the role of velin in grey newts?" in session.examples
    for question in session.examples:
        assert session.answer(Ask(question)).answer.outcome is Outcome.ANSWER
