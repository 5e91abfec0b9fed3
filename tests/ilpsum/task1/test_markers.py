"""Citation markers are removed, and nothing else."""

import pytest

from ilpsum.records import Citance, Span
from ilpsum.task1.terms import strip_markers, without_markers


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Cells died [9].", "Cells died ."),
        ("Cells died [3, 5–7, 12] early.", "Cells died early."),
        ("Cells died (Roe et al., 2004; Poe and Doe, 2001b).", "Cells died ."),
        ("Roe et al. (2004) saw cells die.", "saw cells die."),
        ("Cells died (12).", "Cells died ."),
        ("Cells died.12,13 Then", "Cells died. Then"),
        ("Cells died¹²,¹³ early", "Cells died early"),
        ("The p53 gene and miR-372 (n = 4) at 37 °C", "The p53 gene and miR-372 (n = 4) at 37 °C"),
        ("Doses (see the text below) grew", "Doses (see the text below) grew"),
    ],
)
def test_text_that_looks_like_a_marker_is_removed(text, bare):
    assert strip_markers(text) == bare


def test_the_annotated_marker_is_removed_even_if_it_looks_like_a_word():
    text = "As shown in Marrow, cells died."
    place = text.index("Marrow")
    citance = Citance(
        1, "a.txt", 100, 100 + len(text), text, Span(100 + place, 106 + place), "Marrow"
    )
    assert without_markers(citance) == "As shown in , cells died."


def test_a_marker_outside_the_citance_changes_nothing():
    citance = Citance(1, "a.txt", 100, 111, "Cells died.", Span(300, 302), "12")
    assert without_markers(citance) == "Cells died."
