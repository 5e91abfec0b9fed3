"""Scores of cited text spans and discourse facets against annotations: TAC 2014, Tasks 1a and 1b,
and CL-SciSumm.

With S the characters that a system marked for a citance, and G_i the characters that annotator i of
m marked:

    recall    = sum_i |S & G_i| / sum_i |G_i|
    precision = sum_i |S & G_i| / (m |S|)
    F1        = the harmonic mean of both

so a character counts once per annotator who marked it. A system's score is the mean over the
citances of all topics; unanswered citances score 0.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from ilpsum.metrics.rouge import Score, score_of
from ilpsum.records import Span


class GoldSpans:
    """The annotations of one citance, prepared for scoring many answers: the spans of each
    annotator, in any order.

    Overlapping spans of one annotator are merged and empty spans ignored; annotators without spans
    count in m.
    """

    def __init__(self, annotators: Sequence[Iterable[Span]]) -> None:
        self.annotators = len(annotators)
        steps: Counter[int] = Counter()
        for spans in annotators:
            for span in union(spans):
                steps[span.start] += 1
                steps[span.end] -= 1
        # The number of annotators per character changes only at these offsets. Before the i-th,
        # they marked `_before[i]` characters in all; after it, `_marking[i]` mark each character.
        self._offsets = sorted(steps)
        self._marking: list[int] = []
        self._before: list[int] = []
        last = marking = before = 0
        for offset in self._offsets:
            before += marking * (offset - last)
            marking += steps[offset]
            self._before.append(before)
            self._marking.append(marking)
            last = offset
        self.total = before

    def matched(self, start: int, end: int) -> int:
        """Count the characters from start to end, once for every annotator who marked them."""
        return self._up_to(end) - self._up_to(start)

    def score(self, answer: Iterable[Span]) -> Score:
        """Return weighted recall, precision and F1 of an answer; a measure with a zero denominator
        is 0.
        """
        spans = union(answer)
        matched = sum(self.matched(span.start, span.end) for span in spans)
        marked = self.annotators * sum(span.end - span.start for span in spans)
        return score_of(matched, self.total, marked)

    def _up_to(self, offset: int) -> int:
        i = bisect_right(self._offsets, offset) - 1
        if i < 0:
            return 0
        return self._before[i] + self._marking[i] * (offset - self._offsets[i])


def union(spans: Iterable[Span], gap: int = 0) -> list[Span]:
    """Merge spans that overlap or are at most `gap` characters apart, and sort them by start.

    >>> union([Span(5, 9), Span(0, 3), Span(8, 12), Span(3, 4), Span(7, 7)])
    [Span(start=0, end=4), Span(start=5, end=12)]
    """
    joined: list[Span] = []
    for span in sorted(spans, key=lambda span: span.start):
        if span.end <= span.start:
            continue
        if joined and span.start <= joined[-1].end + gap:
            last = joined.pop()
            joined.append(Span(last.start, max(last.end, span.end)))
        else:
            joined.append(span)
    return joined


def facet_score(answer: str, annotators: Sequence[Collection[str]]) -> float:
    """Return the weighted accuracy of one citance: the share of its annotators who assigned the
    predicted facet.

    The mean over all citances is the score of Cohan et al. (2014). Missing answers and citances
    without annotations score 0. Annotators assign one facet, or several in CL-SciSumm; an empty
    string is a missing answer.
    """
    return sum(answer in facets for facets in annotators) / max(len(annotators), 1)


def sentence_overlap(
    answer: Iterable[Span],
    gold: Iterable[Span],
    sentences: Sequence[Span],
) -> Score:
    """Return recall, precision and F1 over the sentences touched by an answer and by one
    annotator's spans.

    This is CL-SciSumm's score of Task 1A. `sentences` must be sorted and disjoint.
    """
    in_answer = touched(answer, sentences)
    in_gold = touched(gold, sentences)
    return score_of(len(in_answer & in_gold), len(in_gold), len(in_answer))


def touched(spans: Iterable[Span], sentences: Sequence[Span]) -> set[int]:
    """Return the indices of the sentences that overlap one of the spans.

    >>> sorted(touched([Span(5, 12)], [Span(0, 4), Span(5, 9), Span(10, 20), Span(21, 30)]))
    [1, 2]
    """
    starts = [sentence.start for sentence in sentences]
    indices: set[int] = set()
    for span in spans:
        first = max(bisect_right(starts, span.start) - 1, 0)
        last = bisect_left(starts, span.end)
        for i in range(first, last):
            if sentences[i].end > span.start:
                indices.add(i)
    return indices
