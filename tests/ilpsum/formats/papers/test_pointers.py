"""Citations, pointers and labels leave the text that is read; numbers, intervals and names stay."""

import time

import pytest

from ilpsum.formats.papers.prose import points_away, without_pointers

READ = [
    ("RESULTS: Newts sing [8], [9].", "Newts sing."),
    ("Newts sing [3–5, 7] and toads [12] do not.[14]", "Newts sing and toads do not."),
    ("Newts sing [10] and [11].", "Newts sing."),
    ("Newts sing [1], [2], and [3] at dusk [4]-[6], [7, 8 and 9].", "Newts sing at dusk."),
    ("Newts sing (Newt et al., 1998) and (as toads do; Toad and Olm 2001, 2002a; Fig. 2) swim.",
     "Newts sing and (as toads do) swim."),
    ("Newts sing (reviewed in Newt, 1998 and Toad et al., 2000).", "Newts sing."),
    ("Newts sing (see Table S1), as shown in Figure 3A, and swim (data not shown).", "Newts sing and swim."),
    ("Newts sing (A. Newt, unpublished data), data not shown.", "Newts sing."),
    ("Newts sing (Supplementary Table 3; Additional file 2).", "Newts sing."),
    ("Newts sing.12,14–16 Toads croak.", "Newts sing. Toads croak."),
    ("Newts sing in ponds³,⁴ and rivers.", "Newts sing in ponds and rivers."),
]  # fmt: skip
KEPT = [
    "Newts (n = 12; 5%) sing (95% CI 3-4) at 5 m² (P < 0.05).",
    "Strains G1P[8] and G2P[4] sing (mean age 12, 14).",
    "The newt (described by us in May 2003; old) sings (as toads do).",
    "Similarly, (Newt, 1998) uses toads.",
    "As in (Newt, 1998) toads sing.",
    "This was shown in [3].",
    "It is proposed in (Newt et al., 2005).",
    "Newts sing in 10⁻³ of ponds and in Pond 4.5.",
]


@pytest.mark.parametrize(("text", "expected"), READ)
def test_what_leaves_the_text(text: str, expected: str) -> None:
    assert without_pointers(text) == expected
    assert points_away(text)
    assert without_pointers(expected) == expected


@pytest.mark.parametrize("text", KEPT)
def test_what_stays(text: str) -> None:
    assert without_pointers(text) == text


def test_numbers_in_round_brackets_are_citations_in_papers_only() -> None:
    text = "Newts sing (38, 39) in ponds (95% CI 12, 45) at dusk (7)."
    assert without_pointers(text) == text
    assert without_pointers(text, paper=True) == "Newts sing in ponds (95% CI 12, 45) at dusk."


def test_a_sentence_of_pointers_only_stays() -> None:
    assert without_pointers("(Newt, 1998) [3].") == "(Newt, 1998)."
    assert without_pointers("[3].") == "[3]."


@pytest.mark.parametrize(
    "text", ["Figure 2 shows newts.", "Newts sing as described above.", "Newt et al. heard toads."]
)
def test_pointers_that_are_part_of_a_sentence_are_found(text: str) -> None:
    assert points_away(text)


@pytest.mark.parametrize("unit", ["(", "[1", " ", "(a;", "a et al ", "[3],", "(Newt et al., 1998; ", ",.", "\u00b9,"])
def test_long_repetitions_take_linear_time(unit: str) -> None:
    times = []
    for count in (2_000, 16_000):
        start = time.process_time()
        without_pointers("Newts " + unit * count)
        times.append(time.process_time() - start)
    assert times[1] < 0.05 + 40 * times[0]
