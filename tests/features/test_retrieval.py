"""BM25 and document support against their textbook loops; place of a document, titles, lengths."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.context import Context
from features.evidence import document_support
from features.place import document_rank, is_title, length
from features.retrieval import K1, B, bm25
from features.text import Passage

WORDS = ("newt", "toad", "choir", "sings", "loud", "the", "pond", "at")
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), max_size=6)


def context(query: str, documents: list[list[str]], sections: tuple[str, ...] = ()) -> Context:
    sentences = [s for d in documents for s in d]
    return Context(
        query=Passage(query),
        sentences=tuple(map(Passage, sentences)),
        documents=tuple(Passage("\n".join(d)) for d in documents),
        document=np.array([i for i, d in enumerate(documents) for _ in d], dtype=np.int64),
        position=np.zeros(len(sentences)),
        section=sections or ("",) * len(sentences),
        is_citance=np.zeros(len(sentences)),
    )


def naive_bm25(query: Passage, sentence: Passage, sentences: list[Passage]) -> float:
    total, n = 0.0, len(sentences)
    mean = max(sum(len(s.content_stems) for s in sentences) / n, 1.0)
    for stem in set(query.content_stems):
        held = sum(stem in s.content_stems for s in sentences)
        f = sentence.content_stems.count(stem)
        weight = f * (K1 + 1) / (f + K1 * (1 - B + B * len(sentence.content_stems) / mean))
        total += math.log(1 + (n - held + 0.5) / (held + 0.5)) * weight
    return total


@given(query=st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), sentences=texts)
def test_bm25_is_the_sum_over_the_words_of_the_query(query, sentences):
    around = context(query, [sentences])
    passages = list(around.sentences)
    expected = [naive_bm25(around.query, s, passages) for s in passages]
    assert bm25(around) == pytest.approx(expected)


def test_a_rare_word_of_the_query_counts_more_and_a_long_sentence_less():
    rare, common, none, long = bm25(
        context(
            "toad newt",
            [["toad sings", "newt sings", "the choir", "newt sings at the loud pond choir"]],
        )
    )
    assert rare > common > long > none == 0.0


@given(documents=st.lists(texts, min_size=1, max_size=4))
def test_document_support_counts_the_other_documents(documents):
    around = context("newt", documents)
    found = document_support(around)
    bigrams = [set(d.stem_bigrams) for d in around.documents]
    for value, sentence, own in zip(found, around.sentences, around.document, strict=True):
        others = [held for i, held in enumerate(bigrams) if i != own]
        wanted = set(sentence.stem_bigrams)
        shares = [sum(b in held for held in others) / len(others) for b in wanted] if others else []
        assert value == pytest.approx(sum(shares) / len(shares) if shares else 0.0)


def test_places():
    around = context(
        "newt",
        [["a title", "newts sing"], ["toads sing"], ["more"]],
        ("title", "abstract", "", "title"),
    )
    assert document_rank(around).tolist() == [0.0, 0.0, 0.5, 1.0]
    assert is_title(around).tolist() == [1.0, 0.0, 0.0, 1.0]
    assert length(around) == pytest.approx(np.log([3, 3, 3, 2]))
    alone = context("newt", [["newts sing"]])
    assert document_rank(alone).tolist() == [0.0]
    assert document_support(alone).tolist() == [0.0]
    nothing = context("newt", [[]])
    assert [
        f(nothing).shape for f in (bm25, document_support, document_rank, is_title, length)
    ] == [(0,)] * 5
