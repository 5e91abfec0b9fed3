"""Each fault of a sentence is found where it is one, and only there."""

import pytest

from experiments.readability_faults import faults
from ilpsum.records import Document, Topic

POND = Document("1", "Grey newts sing in ponds [3]. They also swim in cold rivers. However, toads croak at night.")
TOPIC = Topic("t", documents=(POND,))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Grey newts sing in ponds.", [()]),
        ("Grey newts sing in ponds.\nThey also swim in cold rivers.", [(), ()]),
        ("They also swim in cold rivers.", [("opener",)]),
        ("Grey newts sing in ponds.\nHowever, toads croak at night.", [(), ("opener",)]),
        ("Grey newts sing in", [("fragment",)]),
        ("of grey newts in ponds.", [("fragment",)]),
        ("RESULTS: Grey newts sing in ponds.", [("fragment",)]),
        ("4.1 The Grey Newts.", [("fragment",)]),
        ("Grey newts sing in ponds [3].", [("pointer",)]),
        ("Grey newts sing in ponds (Fig. 2).", [("pointer",)]),
        ("However, grey newts sing [3]", [("opener", "fragment", "pointer")]),
        ("We hear grey newts.", [()]),
        ("Old grey newts sing in cold ponds.\nIn ponds, grey newts sing.", [(), ("duplicate",)]),
        ("", []),
    ],
)
def test_faults(text: str, expected: list[tuple[str, ...]]) -> None:
    assert faults(text, TOPIC) == expected


def test_we_is_foreign_unless_the_paper_says_it() -> None:
    paper = Document("p", "We hear grey newts in ponds.", role="reference")
    citing = Document("c", "In this study, grey toads croak.", role="citing")
    topic = Topic("t", documents=(paper, citing))
    text = "We hear grey newts in ponds.\nIn this study, grey toads croak."
    assert faults(text, topic) == [(), ("foreign",)]
