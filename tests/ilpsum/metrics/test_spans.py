"""Scores of spans against sets of characters."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ilpsum.metrics.spans import GoldSpans, union
from ilpsum.records import Span

spans = st.lists(st.builds(Span, st.integers(0, 60), st.integers(0, 60)), max_size=4)


def characters(spans):
    return {place for span in spans for place in range(span.start, span.end)}


def naive(answer, annotators):
    """The definition over sets of characters."""
    marked, golds = characters(answer), [characters(spans) for spans in annotators]
    hit, total = sum(len(marked & gold) for gold in golds), sum(len(gold) for gold in golds)
    recall = hit / total if total else 0
    precision = hit / (len(golds) * len(marked)) if marked and golds else 0
    return recall, precision, 2 * precision * recall / (precision + recall) if precision + recall else 0


@settings(deadline=None, max_examples=500)
@given(spans, st.lists(spans, max_size=5))
def test_scores_equal_those_over_sets_of_characters(answer, annotators):
    score = GoldSpans(annotators).score(answer)
    assert (score.recall, score.precision, score.f1) == pytest.approx(naive(answer, annotators), abs=1e-12)


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
    for score in (marked.score([]), GoldSpans([]).score([Span(0, 1)]), GoldSpans([[]]).score([Span(0, 1)])):
        assert (score.recall, score.precision, score.f1) == (0.0, 0.0, 0.0)


def test_characters_marked_by_more_annotators_count_more():
    gold = GoldSpans([[Span(0, 10)], [Span(5, 15)]])
    shared, alone = gold.score([Span(5, 10)]), gold.score([Span(0, 5)])
    assert (shared.recall, shared.precision) == (0.5, 1.0)
    assert (alone.recall, alone.precision) == (0.25, 0.5)
