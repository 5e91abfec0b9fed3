"""CL-SciSumm's score of Task 1A: overlap of answer and gold in sentences of the reference paper."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from ilpsum.metrics.rouge import Score
from ilpsum.records import Span


def sentence_overlap(answer: Iterable[Span], gold: Iterable[Span], sentences: Sequence[Span]) -> Score:
    """Return recall, precision and F1 of the sentences that an answer touches, against those that an annotator's do.

    The paper's sentences are in order and disjoint, as its source numbers them.
    """
    in_answer, in_gold = touched(answer, sentences), touched(gold, sentences)
    common = len(in_answer & in_gold)
    if not common:
        return Score(0.0, 0.0, 0.0)
    return Score(common / len(in_gold), common / len(in_answer), 2 * common / (len(in_answer) + len(in_gold)))


def touched(spans: Iterable[Span], sentences: Sequence[Span]) -> set[int]:
    """Return the indices of the sentences that share a character with one of the spans.

    >>> sorted(touched([Span(5, 12)], [Span(0, 4), Span(5, 9), Span(10, 20), Span(21, 30)]))
    [1, 2]
    """
    starts = [sentence.start for sentence in sentences]
    indices: set[int] = set()
    for span in spans:
        around = range(max(bisect_right(starts, span.start) - 1, 0), bisect_left(starts, span.end))
        indices.update(i for i in around if sentences[i].end > span.start)
    return indices
