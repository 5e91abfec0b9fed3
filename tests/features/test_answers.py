"""What questions ask for and what sentences offer."""

import pytest

from features.answers import COLUMNS, answers, asked_for
from features.context import Context


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("Is velin a protein?", {"whether", "molecule"}),
        ("Which drugs treat newt pox?", {"list", "treatment"}),
        ("List signs of newt pox.", {"list"}),
        ("What is newt pox?", {"definition"}),
        ("What is the prevalence of newt pox?", {"quantity"}),
        ("How does velin bind frost?", {"reason"}),
        ("How many newts have newt pox?", {"reason", "quantity"}),
        ("Which gene is mutated in newt pox?", {"molecule"}),
        ("Newt pox", set()),
    ],
)
def test_a_question_asks_for(question, kinds):
    assert asked_for(question) == kinds


def test_a_sentence_offers():
    sentences = [
        "Newt pox is a disease of the Velin River.",
        "Drugs such as VX-770, Mirolone and mirolone heal 42% of 1,300 newts with Newt pox.",
    ]
    rows = answers(Context.of_texts("What is Newt pox?", sentences))
    first, second = (dict(zip(COLUMNS, row, strict=True)) for row in rows.tolist())
    assert (first["names"], first["numbers"], first["defines"], first["treats"]) == (2, 0, 1, 0)
    # VX and Mirolone; the question has Newt.
    assert second["names"] == 2
    # 770, 42% and 1,300.
    assert (second["numbers"], second["enumerations"], second["treats"]) == (3, 1, 1)
    assert first["asks-for-definition"] == second["asks-for-definition"] == 1
    assert first["asks-for-list"] == 0
