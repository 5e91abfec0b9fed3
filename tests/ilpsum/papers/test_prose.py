"""Broken letters are mended; what is no prose; what speaks of its own paper; citations and pointers leave the text."""

import time

import pytest

from ilpsum.papers.prose import closed, is_prose, mended, speaks_of_itself, without_pointers
from ilpsum.records import Sentence


def mend(text: str, *, paper: bool = False) -> str:
    return mended(Sentence(text, "1", 3, 3 + len(text), len(text.split())), paper=paper).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("An eÆcient newt, coeÆcients of ﬁve ﬂat toads.", "An efficient newt, coefficients of five flat toads."),
        ("Æther and the Æ of Ælfric stay.", "Æther and the Æ of Ælfric stay."),
        ("Simi\u00ad larity of con\u00adtexts.", "Similarity of contexts."),
        ("Gime´nez, Grac¸a, na¨ıve Garc´ıa and Morcˇe´.", "Giménez, Graça, naïve García and Morčé."),
        ("Marks ´ alone and 5¨ stay.", "Marks ´ alone and 5¨ stay."),
        ("Source- side, six- to tenfold; pre- and postnatal, co- or self-made.",
         "Source-side, six- to tenfold; pre- and postnatal, co- or self-made."),
        (": Newts sing.", "Newts sing."),
        ("• Newts sing.", "Newts sing."),
        (".5 of newts sing.", ".5 of newts sing."),
    ],
)  # fmt: skip
def test_letters_are_mended(text, expected):
    assert mend(text) == expected


def test_only_a_paper_loses_the_mark_of_a_footnote():
    assert mend("2 We heard newts.", paper=True) == "We heard newts."
    assert mend("2 We heard newts.") == "2 We heard newts."
    assert mend("2 newts sang.", paper=True) == "2 newts sang."


def test_a_mended_sentence_counts_its_words_and_keeps_its_span():
    sentence = mended(Sentence("tree- side tree", "1", 5, 20, 3))
    assert (sentence.words, sentence.start, sentence.end) == (2, 5, 20)


@pytest.mark.parametrize(
    "text", ["Newts have a virus", "Newts express p53", "A virus (NPV)", "Newts lack C"]
)
def test_a_sentence_that_lacks_its_stop_gets_it(text):
    assert closed(text) == f"{text}."


@pytest.mark.parametrize(
    "text",
    [
        "Newts have a virus.",
        "Do newts sing?",
        "of newts with a virus",
        "Newts have a viru",
        "Newts have a virus of",
        "Newts have a virus,",
        "Newts have (a virus",
        "Newts cf",
        "",
        "x" * 100_000,
    ],
)
def test_what_was_cut_within_a_sentence_or_a_word_gets_no_stop(text):
    assert closed(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "Newts sing in 12 ponds.",
        "p53 is lost.",
        "“Newts sing,” he said.",
        "It is so.[3]",
        "2.5 mg was enough for newts.",
    ],
)
def test_prose(text):
    assert is_prose(text)


@pytest.mark.parametrize(
    "text",
    [
        "4.1 The Pond and the Newts.",
        "2.1. Singing.",
        "Songs of the Newt as a Whole.",
        "Newt 19.5 F30 19.2 IBM4 18.7 2 4 8.",
        "n e w t s s i n g.",
        "x = ( a , b ) .",
        "sing in ponds.",
        ", and newts sing.",
        "Newts sing the following songs:",
        "Songs of the newt",
    ],
)
def test_no_prose(text):
    assert not is_prose(text)


def test_what_is_listed_needs_no_stop():
    assert is_prose("Newts sing in cold ponds", listed=True)


@pytest.mark.parametrize(
    "text",
    ["As we show, newts sing.", "Newts sang in our ponds.", "In this new study, newts sang.",
     "Newts in the present work sang.", "The songs reported here are low.", "It was kind to us."],
)  # fmt: skip
def test_what_speaks_of_itself(text):
    assert speaks_of_itself(text)


@pytest.mark.parametrize(
    "text",
    [
        "Newts sing (Newt, 1997).",
        "It changed our understanding of newts.",
        "In the US newts sing.",
        "Here newts sing.",
    ],
)
def test_what_speaks_of_others(text):
    assert not speaks_of_itself(text)


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
def test_what_leaves_the_text(text, expected):
    assert without_pointers(text) == expected
    assert without_pointers(expected) == expected


@pytest.mark.parametrize("text", KEPT)
def test_what_stays(text):
    assert without_pointers(text) == text


def test_numbers_in_round_brackets_are_citations_in_papers_only():
    text = "Newts sing (38, 39) in ponds (95% CI 12, 45) at dusk (7)."
    assert without_pointers(text) == text
    assert without_pointers(text, paper=True) == "Newts sing in ponds (95% CI 12, 45) at dusk."


def test_a_sentence_of_pointers_only_stays():
    assert without_pointers("(Newt, 1998) [3].") == "(Newt, 1998)."
    assert without_pointers("[3].") == "[3]."


@pytest.mark.parametrize(
    "unit", ["(", "[1", " ", "(a;", "a et al ", "[3],", "(Newt et al., 1998; ", ",.", "\u00b9,"]
)
def test_long_repetitions_take_linear_time(unit):
    for _ in range(3):  # other work can slow one measurement, not three
        times = []
        for count in (2_000, 16_000):
            start = time.process_time()
            without_pointers("Newts " + unit * count)
            times.append(time.process_time() - start)
        if times[1] < 0.05 + 40 * times[0]:
            return
    pytest.fail(f"{times} seconds")
