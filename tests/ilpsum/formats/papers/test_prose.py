"""Broken letters are mended; headings, rows, formulas and fragments are no prose; a paper speaks of itself."""

import pytest

from ilpsum.formats.papers.prose import closed, is_prose, mended, speaks_of_itself
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
def test_letters_are_mended(text: str, expected: str) -> None:
    assert mend(text) == expected


def test_only_a_paper_loses_the_mark_of_a_footnote() -> None:
    assert mend("2 We heard newts.", paper=True) == "We heard newts."
    assert mend("2 We heard newts.") == "2 We heard newts."
    assert mend("2 newts sang.", paper=True) == "2 newts sang."


def test_a_mended_sentence_counts_its_words_and_keeps_its_span() -> None:
    sentence = mended(Sentence("tree- side tree", "1", 5, 20, 3))
    assert (sentence.words, sentence.start, sentence.end) == (2, 5, 20)


@pytest.mark.parametrize("text", ["Newts have a virus", "Newts express p53", "A virus (NPV)", "Newts lack C"])
def test_a_sentence_that_lacks_its_stop_gets_it(text: str) -> None:
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
def test_what_was_cut_within_a_sentence_or_a_word_gets_no_stop(text: str) -> None:
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
def test_prose(text: str) -> None:
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
def test_no_prose(text: str) -> None:
    assert not is_prose(text)


def test_what_is_listed_needs_no_stop() -> None:
    assert is_prose("Newts sing in cold ponds", listed=True)


@pytest.mark.parametrize(
    "text",
    ["As we show, newts sing.", "Newts sang in our ponds.", "In this new study, newts sang.",
     "Newts in the present work sang.", "The songs reported here are low.", "It was kind to us."],
)  # fmt: skip
def test_what_speaks_of_itself(text: str) -> None:
    assert speaks_of_itself(text)


@pytest.mark.parametrize(
    "text",
    ["Newts sing (Newt, 1997).", "It changed our understanding of newts.", "In the US newts sing.", "Here newts sing."],
)
def test_what_speaks_of_others(text: str) -> None:
    assert not speaks_of_itself(text)
