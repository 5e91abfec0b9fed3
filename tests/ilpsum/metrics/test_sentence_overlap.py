"""Sentence overlap against counting characters."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ilpsum.metrics.spans import sentence_overlap, touched
from ilpsum.records import Span

SENTENCES = [Span(0, 10), Span(11, 30), Span(31, 32), Span(40, 60)]
spans = st.lists(st.tuples(st.integers(0, 65), st.integers(1, 30)).map(lambda p: Span(p[0], p[0] + p[1])), max_size=3)


@settings(deadline=None, max_examples=80)
@given(spans)
def test_touched_sentences_share_a_character(some):
    marked = {i for span in some for i in range(span.start, span.end)}
    expected = {k for k, s in enumerate(SENTENCES) if not marked.isdisjoint(range(s.start, s.end))}
    assert touched(some, SENTENCES) == expected


def test_score():
    score = sentence_overlap([Span(0, 20)], [Span(12, 50)], SENTENCES)
    assert (score.recall, score.precision) == (pytest.approx(1 / 3), pytest.approx(1 / 2))
    assert score.f1 == pytest.approx(2 / 5)


def test_no_overlap_scores_zero():
    assert sentence_overlap([], [Span(0, 5)], SENTENCES).f1 == 0.0
    assert sentence_overlap([Span(0, 5)], [], SENTENCES).f1 == 0.0
