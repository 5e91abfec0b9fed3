"""Words as numbers: equal words, and only those, have equal numbers; stems are those of the stemmer."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.text import porter
from ilpsum.metrics import numbering
from ilpsum.metrics.numbering import Stems, numbered

LONG = "acetylcholinesterases"


def tokens(text):
    return re.findall("[a-z0-9]+", "".join(c.lower() if c.isascii() else " " for c in text))


def by_text(words):
    return [
        words.numbers[a:b].tolist() for a, b in zip(words.bounds, words.bounds[1:], strict=False)
    ]


words = st.sampled_from(
    [
        "a",
        "A",
        "b2",
        "\u212a",
        "-",
        "\n",
        "\ud800",
        "\U0001f600",
        "x\x00y",
        LONG,
        LONG[:-1],
        LONG[:8],
        LONG[:9],
    ]
)
texts = st.lists(st.lists(words, max_size=8).map(" ".join), max_size=4)


@given(texts)
def test_words_have_equal_numbers_if_they_are_equal(several):
    found = by_text(numbered(several))
    expected = [tokens(text) for text in several]
    assert [len(numbers) for numbers in found] == [len(of_text) for of_text in expected]
    number = {}
    for numbers, of_text in zip(found, expected, strict=True):
        for n, token in zip(numbers, of_text, strict=True):
            assert number.setdefault(token, n) == n
    assert len(set(number.values())) == len(number)


@given(st.text("ab1", min_size=1, max_size=40), st.text("ab1", min_size=1, max_size=40))
def test_words_of_any_length_are_told_apart(first, second):
    (a,), (b,) = (numbered([word]).numbers for word in (first, second))
    assert (a == b) == (first == second)


@pytest.mark.parametrize("slots", [17, 1])
def test_stems_whatever_the_size_of_the_tables(monkeypatch, slots):
    monkeypatch.setattr(numbering, "_SLOTS", slots)
    table = Stems()
    said = "the genes of a gene were treated and treats mouse mice geese cells cell running run as was".split()
    number = {}
    for _ in range(3):
        found = numbered([" ".join(said)], table).numbers.tolist()
        for n, word in zip(found, said, strict=True):
            assert number.setdefault(porter(word), n) == n
    assert len(set(number.values())) == len(number)


def test_every_word_of_the_real_abstracts_has_a_number_of_its_own(real_data):
    import gzip

    with gzip.open(real_data / "bioasq" / "abstracts.jsonl.gz", "rt", encoding="utf-8") as file:
        text = file.read()
    numbers, expected = numbered([text]).numbers, tokens(text)
    assert len(numbers) == len(expected)
    assert len(np.unique(numbers)) == len(set(expected)) > 40_000
