"""Scores of spans, sentences and facets, against sets of characters."""

from itertools import pairwise
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ilpsum.metrics.spans import GoldSpans, facet_score, sentence_overlap, touched, union
from ilpsum.records import Span
from ilpsum.tasks import read_topics

SENTENCES = [Span(0, 10), Span(11, 30), Span(31, 32), Span(40, 60)]
spans = st.lists(st.builds(Span, st.integers(0, 60), st.integers(0, 60)), max_size=4)


def characters(spans):
    return {place for span in spans for place in range(span.start, span.end)}


def naive(answer, annotators):
    """The definition over sets of characters."""
    marked, golds = characters(answer), [characters(spans) for spans in annotators]
    hit, total = sum(len(marked & gold) for gold in golds), sum(len(gold) for gold in golds)
    recall = hit / total if total else 0
    precision = hit / (len(golds) * len(marked)) if marked and golds else 0
    return (
        recall,
        precision,
        2 * precision * recall / (precision + recall) if precision + recall else 0,
    )


@settings(deadline=None, max_examples=500)
@given(spans, st.lists(spans, max_size=5))
def test_scores_equal_those_over_sets_of_characters(answer, annotators):
    score = GoldSpans(annotators).score(answer)
    assert (score.recall, score.precision, score.f1) == pytest.approx(
        naive(answer, annotators), abs=1e-12
    )


@settings(deadline=None, max_examples=200)
@given(st.lists(spans, max_size=5), st.integers(-5, 65), st.integers(0, 30))
def test_matched_characters(annotators, start, length):
    stretch = set(range(start, start + length))
    assert GoldSpans(annotators).matched(start, start + length) == sum(
        len(stretch & characters(spans)) for spans in annotators
    )


@settings(deadline=None, max_examples=200)
@given(spans)
def test_union_has_the_same_characters(found):
    joined = union(found)
    assert characters(joined) == characters(found)
    assert all(before.end < after.start for before, after in pairwise(joined))
    assert all(span.start < span.end for span in joined)


def test_empty_answers_and_annotations():
    marked = GoldSpans([[Span(0, 10)], [Span(5, 15)]])
    assert marked.score([]) == marked.score([Span(20, 30)])
    for score in (
        marked.score([]),
        GoldSpans([]).score([Span(0, 1)]),
        GoldSpans([[]]).score([Span(0, 1)]),
    ):
        assert (score.recall, score.precision, score.f1) == (0.0, 0.0, 0.0)


def test_characters_marked_by_more_annotators_count_more():
    gold = GoldSpans([[Span(0, 10)], [Span(5, 15)]])
    shared, alone = gold.score([Span(5, 10)]), gold.score([Span(0, 5)])
    assert (shared.recall, shared.precision) == (0.5, 1.0)
    assert (alone.recall, alone.precision) == (0.25, 0.5)


@settings(deadline=None, max_examples=80)
@given(spans)
def test_touched_sentences_share_a_character(some):
    expected = {
        k for k, s in enumerate(SENTENCES) if not characters(some).isdisjoint(range(s.start, s.end))
    }
    assert touched([span for span in some if span.start < span.end], SENTENCES) == expected


def test_sentence_overlap():
    score = sentence_overlap([Span(0, 20)], [Span(12, 50)], SENTENCES)
    assert (score.recall, score.precision, score.f1) == pytest.approx((1 / 3, 1 / 2, 2 / 5))
    assert sentence_overlap([], [Span(0, 5)], SENTENCES).f1 == 0.0
    assert sentence_overlap([Span(0, 5)], [], SENTENCES).f1 == 0.0


def test_the_share_of_annotators():
    annotators = [("method",), ("results",), ("method", "aim"), ("results",)]
    assert facet_score("method", annotators) == 0.5
    assert facet_score("aim", annotators) == 0.25
    assert facet_score("", annotators) == facet_score("method", []) == 0.0


def test_the_oracle_on_the_real_topics(real_data):
    citances = [
        citance
        for topic in read_topics([real_data / "tac2014"], "tac")
        for citance in topic.citances
    ]
    labels = [[annotation.facets[0] for annotation in citance.annotations] for citance in citances]
    # The oracle names what most annotators name; "results" always is the most frequent answer.
    facets = [[annotation.facets for annotation in citance.annotations] for citance in citances]
    oracle = [
        max(facet_score(label, named) for label in labels[i]) for i, named in enumerate(facets)
    ]
    assert fmean(oracle) == pytest.approx(141 / 207)  # all 20 topics: .6665 (Cohan et al. 2014)
    assert fmean(facet_score("results", named) for named in facets) == pytest.approx(324 / 828)
