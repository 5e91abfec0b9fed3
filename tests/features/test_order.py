"""Features of the order of documents, against the loop over all words."""

from dataclasses import replace

import numpy as np
import pytest

from features.context import Context
from features.order import BIGRAM_COLUMNS, COLUMNS, bigram_order, order
from features.text import Passage

TEXTS = ["velin binds the wing", "the wing of moths", "moths of velin binds the wing", ""]


def context(padding: int = 0) -> Context:
    """Three documents, the first followed by that many further words."""
    documents = [TEXTS[0] + " x" * padding, *TEXTS[1:3]]
    return replace(Context.of_texts("", TEXTS, documents), document=np.array([0, 1, 2, 2]))


@pytest.mark.parametrize("padding", [0, 77, 196, 600])
@pytest.mark.parametrize("stems", [False, True])
def test_the_place_of_a_bigram_is_its_first_in_any_document(padding, stems):
    around = context(padding)
    # Three bigrams of the documents, and one that only a sentence has.
    around = replace(
        around,
        sentences=(*around.sentences, Passage("not there")),
        document=np.zeros(5, dtype=np.int64),
    )
    bigrams = (
        ("the", "wing"),
        ("wing", "of"),
        ("of", "moth" if stems else "moths"),
        ("not", "there"),
    )
    known = around.vocabulary.stem_bigrams if stems else around.vocabulary.bigrams
    names = [tuple(map(known.names.__getitem__, parts)) for parts in known.parts.tolist()]
    got = bigram_order(known, np.array(list(map(names.index, bigrams))))
    assert got.shape == (len(bigrams), len(BIGRAM_COLUMNS))
    texts = [(d.stems if stems else d.words) for d in around.documents]
    size = sum(map(len, texts))
    for bigram, row in zip(bigrams, got, strict=True):
        found, at = [], 0
        for number, words in enumerate(texts):
            found += [(at + i, number) for i in range(len(words) - 1) if words[i : i + 2] == bigram]
            at += len(words)
        first, document = found[0] if found else (size, 0)
        top = sum(place < 200 for place, _ in found)
        expected = [
            min(first / 100, 1),
            min(first / 200, 1),
            min(first / 400, 1),
            np.log1p(first),
            float(first < 200),
        ]
        expected += [np.log1p(top), np.log1p(len(found)), np.log1p(document), float(document == 0)]
        expected += [(first < 200) * np.log1p(size), min(first / 200, 1) * np.log1p(size)]
        assert row.tolist() == pytest.approx(expected)


def test_a_sentence_that_an_earlier_document_quotes_has_the_place_of_the_quotation():
    got = [dict(zip(COLUMNS, row, strict=True)) for row in order(context(77)).tolist()]
    assert got[0]["words-before"] == np.log1p(1), "the median of 0, 1 and 2 words"
    assert got[0]["share-in-first-80-words"] == got[0]["share-in-first-200-words"] == 1.0
    # Of its five bigrams three are in the first document, and two are new.
    assert got[2]["words-before"] == np.log1p(2)
    assert got[2]["share-in-first-80-words"] == 3 / 5
    assert got[2]["share-before-in-200-words"] == pytest.approx((0 + 1 + 2 + 85 + 86) / 5 / 200)
    assert (got[2]["documents-before"], got[2]["occurrences"]) == (0.0, pytest.approx(np.log1p(2)))


def test_a_sentence_without_bigrams_is_at_the_end():
    assert order(context())[3, :6].tolist() == [np.log1p(14), 2.0, 0.0, 0.0, 0.0, 0.0]
    assert order(Context.of_texts("", [])).shape == (0, len(COLUMNS))


def test_a_sentence_has_a_place_of_its_own_too():
    around = replace(context(186), document=np.array([0, 1, 2, 2]))
    before = [0, 190, 194, 200]
    lengths = [4, 4, 6, 0]
    for row, words, length, document in zip(
        order(around), before, lengths, (0, 1, 2, 2), strict=True
    ):
        share = min(max((200 - words) / max(length, 1), 0), 1)
        assert row[6:].tolist() == pytest.approx(
            [np.log1p(words), words / 200, np.log1p(document), share]
        )
