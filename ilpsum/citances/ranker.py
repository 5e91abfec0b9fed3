"""Cited spans chosen for the score that they are expected to earn.

The score of a citance is F1 = 2 M / (T + m |S|): M characters of the answer S counted once for each annotator who
marked them, T all characters that the m annotators marked. A regression predicts of each sentence the share of
annotators who mark it, p; then the answer with the highest expected score is the set of spans that maximises

    2 sum_s p_s l_s / (t + sum_s l_s),    l_s the characters of sentence s, t the characters that an annotator marks

under the task's limits, three spans of at most five consecutive sentences. This ratio is maximised exactly: for a
given value x of it, the best spans maximise sum_s (2 p_s - x) l_s, which is a walk over the sentences, and x rises to
the ratio of the spans found until it stays (Dinkelbach 1967). So the number and the length of the spans follow from
the score.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from ilpsum.citances.index import LONGEST_RUN, SpanIndex
from ilpsum.citances.regression import Regression, fit
from ilpsum.citances.signals import signals
from ilpsum.errors import ModelError
from ilpsum.learning import embeddings
from ilpsum.metrics.spans import GoldSpans
from ilpsum.records import Citance, Document, Span, Topic

SPANS = 3
_ITERATIONS = 20
_USUAL_LENGTH = 150.0


@dataclass(frozen=True)
class Ranker:
    """Predicts the share of annotators who mark a sentence.

    Attributes:
        columns: names of the signals, in order.
        regression: signals to the share.
        marked: t, the mean number of characters that an annotator marks for a citance.
    """

    columns: tuple[str, ...]
    regression: Regression
    marked: float

    def shares(self, values: Floats) -> Floats:
        """(c, n) predicted shares, in [0,1], of signals (c, n, columns)."""
        c, n, columns = values.shape
        return np.clip(self.regression(values.reshape(c * n, columns)).reshape(c, n), 0.0, 1.0)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What is kept: a JSON-ready description and arrays."""
        return {"columns": list(self.columns), "marked": self.marked}, self.regression.state()

    @classmethod
    def from_state(cls, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "Ranker":
        """The ranker of what was kept."""
        return cls(tuple(description["columns"]), Regression.from_state(arrays), float(description["marked"]))


def choose_spans(
    index: SpanIndex, citances: Sequence[Citance], documents: Sequence[Document], ranker: Ranker
) -> list[list[Span]]:
    """The spans of each citance with the highest expected score, those of higher expected share first.

    Raises:
        ModelError: the ranker was trained on other signals.
    """
    found = signals(index, citances, documents, embeddings.default())
    if found.columns != ranker.columns:
        raise ModelError("a model trained on other signals than this version computes; train it again")
    lengths = _lengths(index)
    answers = []
    for shares in ranker.shares(found.values):
        spans = best_spans(shares, lengths, index.joins, ranker.marked)
        spans.sort(key=lambda s: (-float(shares[s[0] : s[1]].mean()), s))
        answers.append([index.span(first, last) for first, last in spans])
    return answers


def best_spans(
    shares: Floats,
    lengths: Floats,
    joins: Sequence[bool],
    marked: float,
    *,
    spans: int = SPANS,
    longest: int = LONGEST_RUN,
) -> list[tuple[int, int]]:
    """The spans that maximise 2 sum p l / (marked + sum l): first sentence, and the one after the last; in order.

    Args:
        shares: (n,) p, the predicted share of each sentence, at least 0.
        lengths: (n,) l, its characters, above 0.
        joins: (n,) whether a sentence may stand in one span with the one before it.
        marked: t, above 0.
        spans: how many spans at most.
        longest: sentences of a span at most.
    """
    ratio, best = 0.0, list[tuple[int, int]]()
    for _ in range(_ITERATIONS):
        chosen = _best_sum((2.0 * shares - ratio) * lengths, joins, spans, longest)
        gain = sum(float(shares[a:b] @ lengths[a:b]) for a, b in chosen)
        size = sum(float(lengths[a:b].sum()) for a, b in chosen)
        reached = 2.0 * gain / (marked + size)
        if reached <= ratio + 1e-12:
            break
        ratio, best = reached, chosen
    return best


def _best_sum(gains: Floats, joins: Sequence[bool], spans: int, longest: int) -> list[tuple[int, int]]:
    """At most `spans` disjoint runs with the largest sum of gains, by dynamic programming over the sentences."""
    n = len(gains)
    sums = [0.0, *np.cumsum(gains).tolist()]
    best = [0.0] * (n + 1)
    ends: list[list[int]] = []  # for each number of spans and each end, where a span that ends there begins, else -1
    for _ in range(spans):
        reached, begins = [0.0] * (n + 1), [-1] * (n + 1)
        for end in range(1, n + 1):
            value, begin = reached[end - 1], -1
            for start in range(end - 1, max(-1, end - longest - 1), -1):
                sum_ = best[start] + sums[end] - sums[start]
                if sum_ > value + 1e-12:
                    value, begin = sum_, start
                if not joins[start]:
                    break
            reached[end], begins[end] = value, begin
        best = reached
        ends.append(begins)
    chosen = []
    end = n
    for begins in reversed(ends):
        while end > 0 and begins[end] < 0:
            end -= 1
        if end == 0:
            break
        chosen.append((begins[end], end))
        end = begins[end]
    return chosen[::-1]


@dataclass(frozen=True)
class Examples:
    """The citances of one topic that have gold spans, each with every sentence.

    Attributes:
        columns: names of the signals.
        values: (rows, columns) the signals.
        shares: (rows,) the mean share of a sentence's characters that an annotator marked.
        lengths: (rows,) characters of the sentence.
        marked: for each citance the mean number of characters that an annotator marked.
    """

    columns: tuple[str, ...]
    values: Floats
    shares: Floats
    lengths: Floats
    marked: tuple[float, ...]


def examples(topic: Topic) -> Examples | None:
    """What a topic teaches; None where it has no gold spans."""
    if topic.reference is None or not topic.citances:
        return None
    index = SpanIndex.of(topic.reference)
    golds = [GoldSpans([a.spans for a in citance.annotations if a.spans]) for citance in topic.citances]
    known = [i for i, gold in enumerate(golds) if gold.total]
    if not len(index) or not known:
        return None
    found = signals(index, topic.citances, topic.documents, embeddings.default())
    return Examples(
        found.columns,
        np.vstack([found.values[i] for i in known]),
        np.concatenate([shares_of(index, golds[i]) for i in known]),
        np.tile(_lengths(index), len(known)),
        tuple(golds[i].total / golds[i].annotators for i in known),
    )


def train(topics: Sequence[Examples], seed: int = 1) -> Ranker:
    """Trains the ranker.

    A sentence counts with its length, since the score counts characters.

    Args:
        topics: what topics teach.
        seed: of the hidden units.

    Raises:
        ValueError: no topic.
    """
    if not topics:
        raise ValueError("no topic has gold spans to train on")
    # A sentence of average length weighs about 1, which is what the regression's penalty is made for.
    weights = np.concatenate([t.lengths for t in topics]) / _USUAL_LENGTH
    values, shares = np.vstack([t.values for t in topics]), np.concatenate([t.shares for t in topics])
    marked = float(np.mean([m for t in topics for m in t.marked]))
    return Ranker(topics[0].columns, fit(values, shares, weights, seed), marked)


def shares_of(index: SpanIndex, gold: GoldSpans) -> Floats:
    """(n,) of each sentence the mean share of its characters that an annotator marked."""
    matched = [gold.matched(s.start, s.end) / (s.end - s.start) for s in index.sentences]
    return np.array(matched) / gold.annotators


def _lengths(index: SpanIndex) -> Floats:
    return np.array([s.end - s.start for s in index.sentences], dtype=np.float64)
