"""Learned spans: the optimum against all answers, the regression against the normal equations."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.text import Passage
from ilpsum.learning import embeddings
from ilpsum.learning.stored import flatten, rebuild
from ilpsum.records import Citance, Document
from ilpsum.resources import demo
from ilpsum.task1 import ranker
from ilpsum.task1.ranker import Ranker, best_spans, examples, train
from ilpsum.task1.retrieval import SpanIndex
from ilpsum.task1.span_features import WordSpace, span_features
from ilpsum.tasks import read_topics

SENTENCES = 7


def _value(spans, shares, lengths, marked):
    gain = sum(float(shares[a:b] @ lengths[a:b]) for a, b in spans)
    return 2 * gain / (marked + sum(float(lengths[a:b].sum()) for a, b in spans))


def _all_answers(joins, most, longest):
    spans = [
        (a, b)
        for a in range(SENTENCES)
        for b in range(a + 1, min(a + longest, SENTENCES) + 1)
        if all(joins[i] for i in range(a + 1, b))
    ]
    for k in range(most + 1):
        for answer in combinations(spans, k):
            if all(x[1] <= y[0] or y[1] <= x[0] for x, y in combinations(answer, 2)):
                yield answer


@given(
    st.lists(st.floats(0, 1), min_size=SENTENCES, max_size=SENTENCES),
    st.lists(st.integers(20, 300), min_size=SENTENCES, max_size=SENTENCES),
    st.lists(st.booleans(), min_size=SENTENCES, max_size=SENTENCES),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_best_spans_have_the_highest_expected_score_of_all_answers(
    shares, lengths, joins, most, longest
):
    shares, lengths = np.array(shares), np.array(lengths, dtype=float)
    spans = best_spans(shares, lengths, joins, 400.0, spans=most, longest=longest)
    best = max(
        _value(answer, shares, lengths, 400.0) for answer in _all_answers(joins, most, longest)
    )
    assert len(spans) <= most
    assert all(0 < b - a <= longest and all(joins[i] for i in range(a + 1, b)) for a, b in spans)
    assert _value(spans, shares, lengths, 400.0) == pytest.approx(best, abs=1e-9)


def test_no_span_is_chosen_if_no_sentence_is_expected_to_be_marked():
    assert best_spans(np.zeros(4), np.full(4, 100.0), [False, True, True, True], 500.0) == []


def test_the_regression_solves_the_normal_equations():
    generator = np.random.default_rng(3)
    x, y, w = (
        generator.normal(size=(60, 4)),
        generator.normal(size=60),
        generator.uniform(0.5, 2, 60),
    )
    model = ranker.fit(x, y, w, penalty=2.0)
    z = np.hstack([np.ones((60, 1)), np.clip((x - x.mean(0)) / (x.std(0) + 1e-6), -4, 4)])
    penalty = np.diag([0, 2, 2, 2, 2])
    weights = np.linalg.solve(z.T @ (w[:, None] * z) + penalty, z.T @ (w * y))
    assert model(x) == pytest.approx(z @ weights, abs=1e-5)


@pytest.fixture(scope="module")
def topics():
    return list(read_topics([demo()]))


def test_features_have_distinct_names_and_are_finite(topics):
    for topic in topics:
        index = SpanIndex.of(topic.reference)
        found = span_features(index, topic.citances, topic.documents, embeddings.load())
        assert found.values.shape == (len(topic.citances), len(index), len(found.columns))
        assert len(set(found.columns)) == len(found.columns)
        assert np.isfinite(found.values).all()


def test_features_do_not_see_the_gold(topics):
    topic = topics[0]
    index = SpanIndex.of(topic.reference)
    blind = [
        Citance(c.number, c.document, c.start, c.end, c.text, c.marker, c.marker_text)
        for c in topic.citances
    ]
    a = span_features(index, topic.citances, topic.documents, embeddings.load())
    b = span_features(index, blind, topic.documents, embeddings.load())
    assert np.array_equal(a.values, b.values)


def test_features_of_one_sentence_and_one_citance():
    index = SpanIndex.of(
        Document("paper.txt", "Willow bark eases fever in mice.", role="reference")
    )
    citance = Citance(1, "a.txt", 0, 20, "Willow eases fever.")
    assert np.isfinite(span_features(index, [citance], (), embeddings.load()).values).all()


def test_no_sentences_are_a_space_without_rows():
    space = WordSpace([], embeddings.load())
    assert space.alignment(Passage("grey newts")).shape == (0,)
    assert space.centroids.shape == (0, len(space.centroid(Passage("grey newts"))))


def test_training_is_reproducible_and_saving_changes_nothing(topics):
    known = [examples(topic) for topic in topics]
    one, two = train(known), train(known)
    description, arrays = flatten(one)
    assert all(np.array_equal(array, flatten(two)[1][name]) for name, array in arrays.items())
    values = np.random.default_rng(0).normal(size=(2, 5, len(one.columns)))
    assert np.array_equal(rebuild(Ranker, description, arrays).shares(values), one.shares(values))
