"""Arrays of terms against lists of words."""

import itertools
from collections import Counter
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.context import Context, unit_vectors
from features.text import Passage, words
from features.tokens import distinct, numbered

TEXTS = st.lists(st.text("ab ", max_size=12), max_size=4)
BAGS = st.lists(st.lists(st.sampled_from("abcd"), max_size=6), max_size=4)
NEWTS = "The newts sang in the ponds", "Singing newts of the pond; a pond's newt", "", "Of the"


@given(TEXTS, TEXTS, st.text("ab ", max_size=12))
def test_terms_of_each_kind_are_those_of_the_passages(sentences, documents, query):
    context = Context.of_texts(query, [*sentences, NEWTS[0]], [*documents, *NEWTS])
    for kind in ("words", "content_words", "stems", "content_stems", "stem_bigrams", "bigrams"):
        terms = getattr(context.vocabulary, kind)
        terms = terms.pairs if kind.endswith("bigrams") else terms
        groups = (
            (terms.sentences, context.sentences),
            (terms.documents, context.documents),
            (terms.query, [context.query]),
        )
        names, number = {}, {}
        for tokens, passages in groups:
            ends = np.cumsum(tokens.lengths)
            assert tokens.texts == len(passages)
            for passage, start, end in zip(passages, tokens.starts, ends, strict=True):
                for name, i in zip(
                    getattr(passage, kind), tokens.ids[start:end].tolist(), strict=True
                ):
                    # One term has one number, and one number one term, in all texts.
                    assert names.setdefault(i, name) == name
                    assert number.setdefault(name, i) == i < tokens.size


@given(BAGS, st.data())
def test_sums_and_maxima_are_those_of_loops(bags, data):
    tokens, names = numbered(["abcd", *bags]), "abcd"
    bags = [list("abcd"), *bags]
    values = data.draw(
        st.lists(st.integers(0, 9), min_size=len(tokens.ids), max_size=len(tokens.ids))
    )
    of_text = [
        [v for v, i in zip(values, tokens.text.tolist(), strict=True) if i == k]
        for k in range(len(bags))
    ]
    given_values = np.array(values, dtype=float)
    assert tokens.sums(given_values).tolist() == [sum(own) for own in of_text]
    assert tokens.largest(given_values).tolist() == [max(own, default=0) for own in of_text]
    assert tokens.medians(given_values).tolist() == [median(own or [0]) for own in of_text]
    assert tokens.top(given_values, 3).tolist() == [
        ([*sorted(own, reverse=True), 0, 0, 0])[:3] for own in of_text
    ]  # fmt: skip
    assert tokens.votes(np.arange(len(bags)) + 1.0).tolist() == [
        sum((k + 1) * other.count(name) for k, other in enumerate(bags)) for bag in bags for name in bag
    ]  # fmt: skip
    assert tokens.counts.tolist() == [sum(bag.count(name) for bag in bags) for name in names]
    assert tokens.frequencies(np.array([2, 0])).tolist() == [
        [bag.count("c"), bag.count("a")] for bag in bags
    ]
    assert tokens.among(np.array([1])).tolist() == [name == "b" for bag in bags for name in bag]
    once = tokens.distinct
    assert [(names[i], k) for i, k in zip(once.ids, once.text, strict=True)] == [
        (name, k) for k, bag in enumerate(bags) for name in sorted(set(bag))
    ]  # fmt: skip
    both = tokens.followed_by(tokens)
    assert both.texts == 2 * tokens.texts
    assert both.lengths.tolist() == 2 * [len(bag) for bag in bags]


@given(st.lists(st.integers(0, 5)))
def test_distinct_integers_are_those_of_a_set(keys):
    assert distinct(np.array(keys, dtype=np.int64)).tolist() == sorted(set(keys))


def test_vectors_have_the_stems_that_several_sentences_share(monkeypatch):
    vectors = unit_vectors(Context.of_texts("", [*NEWTS]).vocabulary.content_stems.sentences)
    shared = vectors[:, np.count_nonzero(vectors, axis=0) > 1]
    for rows in (2, 100):
        monkeypatch.setattr("features.context._BLOCK", rows)
        assert np.array_equal(Context.of_texts("", [*NEWTS]).vectors, shared)


def test_unit_vectors_are_tf_idf_by_hand():
    context = Context.of_texts("", [*NEWTS])
    vectors = unit_vectors(context.vocabulary.content_stems.sentences)
    counts = [Counter(Passage(text).content_stems) for text in NEWTS]
    columns = list(dict.fromkeys(itertools.chain.from_iterable(counts)))
    for row, count in zip(vectors, counts, strict=True):
        idf = {
            stem: np.log1p(len(NEWTS) / sum(stem in other for other in counts)) for stem in columns
        }
        expected = [
            (1 + np.log(count[stem])) * idf[stem] if count[stem] else 0.0 for stem in columns
        ]
        assert row == pytest.approx(np.divide(expected, np.linalg.norm(expected) or 1.0), rel=1e-12)


@given(st.text())
def test_words_of_ascii_texts_are_those_of_other_texts(text):
    # A character at the end that no word contains sends the text the other way.
    assert words(text) == words(f"{text}\N{EM DASH}")
