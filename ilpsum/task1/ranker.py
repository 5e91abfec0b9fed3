"""Selects the cited spans with the highest expected score.

The score of a citance is F1 = 2 M / (T + m |S|), where M counts the characters of the answer S once
per annotator who marked them, and T is the total number of characters marked by the m annotators. A
regression predicts the share p of annotators who mark each sentence; the answer with the highest
expected score is the set of spans that maximises

    2 sum_s p_s l_s / (t + sum_s l_s),

with l_s the characters of sentence s and t the characters marked per annotator, within the task's
limits: three spans of at most five consecutive sentences. The maximum is exact: for a given ratio
x, dynamic programming finds the spans that maximise sum_s (2 p_s - x) l_s, and x is set to their
ratio until it stops growing (Dinkelbach 1967). So the score determines the number and length of the
spans.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np

from features.arrays import Floats
from ilpsum.errors import ModelError
from ilpsum.files.persistence import LARGEST, within
from ilpsum.files.records import Number
from ilpsum.learning import embeddings
from ilpsum.metrics.spans import GoldSpans
from ilpsum.records import Citance, Document, Span, Topic
from ilpsum.task1.retrieval import SpanIndex
from ilpsum.task1.span_features import span_features
from ilpsum.tasks.task1 import MAX_SENTENCES, MAX_SPANS

PENALTY = 10_000.0
_CLIP = 4.0
_LEAST = 1e-12


@dataclass(frozen=True)
class RidgeRegression:
    """A linear regression of standardised inputs.

    Attributes:
        mean, scale: (columns,) inputs are standardised by these and clipped to [-4, 4].
        weights: (columns,) weights of the standardised inputs.
        constant: added to their weighted sum.
    """

    mean: Annotated[Floats, "f columns"]
    scale: Annotated[Floats, "f columns"]
    weights: Annotated[Floats, "f columns"]
    constant: Number

    def __post_init__(self) -> None:
        within("scale", self.scale, _LEAST, LARGEST)

    def __call__(self, x: Floats) -> Floats:
        """Return (n,) predictions for (n, columns) inputs."""
        return _standardised(x, self.mean, self.scale) @ self.weights + self.constant


def fit(x: Floats, y: Floats, sample: Floats, penalty: float = PENALTY) -> RidgeRegression:
    """Minimise sum sample (prediction - y)^2 + penalty |weights|^2.

    `x` has n rows of inputs, `y` their targets and `sample` their weights.
    """
    from sklearn.linear_model import Ridge

    mean = _rounded(x.mean(axis=0))
    scale = _rounded(x.std(axis=0) + 1e-6)
    ridge = Ridge(alpha=penalty, solver="cholesky")
    ridge.fit(_standardised(x, mean, scale), y, sample_weight=sample)
    return RidgeRegression(mean, scale, _rounded(ridge.coef_), float(ridge.intercept_))


def _rounded(values: Floats) -> Floats:
    """Round to single precision, as saved models are, so that predictions are equal before and
    after saving.
    """
    return values.astype(np.float32).astype(np.float64)


def _standardised(x: Floats, mean: Floats, scale: Floats) -> Floats:
    return np.clip((x - mean) / scale, -_CLIP, _CLIP)


_ITERATIONS = 20
_USUAL_LENGTH = 150.0


@dataclass(frozen=True)
class Ranker:
    """Predicts the share of annotators who mark a sentence, from the features `columns`.

    `marked` is t, the mean number of characters marked per annotator and citance.
    """

    columns: tuple[str, ...]
    regression: RidgeRegression
    marked: Annotated[float, msgspec.Meta(gt=0.0, le=LARGEST)]

    def __post_init__(self) -> None:
        if len(self.columns) != len(self.regression.mean):
            raise ValueError("a ranker needs one name per column")

    def shares(self, values: Floats) -> Floats:
        """Predict (c, n) shares in [0,1] from (c, n, columns) features."""
        c, n, columns = values.shape
        predicted = self.regression(values.reshape(c * n, columns))
        return np.clip(predicted.reshape(c, n), 0.0, 1.0)


def choose_spans(
    index: SpanIndex,
    citances: Sequence[Citance],
    documents: Sequence[Document],
    ranker: Ranker,
) -> list[list[Span]]:
    """Return the spans of each citance with the highest expected score, highest expected share
    first.

    Raises:
        ModelError: the ranker was trained on other features.
    """
    features = span_features(index, citances, documents, embeddings.load())
    if features.columns != ranker.columns:
        raise ModelError(
            "the model was trained on other features than this version computes; train it again"
        )
    lengths = _lengths(index)
    answers = []
    for shares in ranker.shares(features.values):
        spans = best_spans(shares, lengths, index.joins, ranker.marked)
        spans.sort(key=lambda s: (-float(shares[s[0] : s[1]].mean()), s))
        answers.append([index.characters(first, last) for first, last in spans])
    return answers


def best_spans(
    shares: Floats,
    lengths: Floats,
    joins: Sequence[bool],
    marked: float,
    *,
    spans: int = MAX_SPANS,
    longest: int = MAX_SENTENCES,
) -> list[tuple[int, int]]:
    """Return the spans that maximise 2 sum p l / (marked + sum l), in text order.

    A span is a half-open range of sentence indices, (first, last + 1).

    Args:
        shares: (n,) p, predicted share of each sentence, at least 0.
        lengths: (n,) l, length of each sentence in characters, above 0.
        joins: (n,) whether a span may contain a sentence and its predecessor.
        marked: t, above 0.
        spans: maximum number of spans.
        longest: maximum number of sentences in a span.
    """
    ratio, best = 0.0, list[tuple[int, int]]()
    for _ in range(_ITERATIONS):
        chosen = _best_sum((2.0 * shares - ratio) * lengths, joins, spans, longest)
        gain = sum(float(shares[a:b] @ lengths[a:b]) for a, b in chosen)
        size = sum(float(lengths[a:b].sum()) for a, b in chosen)
        new_ratio = 2.0 * gain / (marked + size)
        if new_ratio <= ratio + 1e-12:
            break
        ratio, best = new_ratio, chosen
    return best


def _best_sum(
    gains: Floats,
    joins: Sequence[bool],
    spans: int,
    longest: int,
) -> list[tuple[int, int]]:
    """Return at most `spans` disjoint spans with the largest sum of gains, by dynamic programming
    over sentences.
    """
    n = len(gains)
    sums = [0.0, *np.cumsum(gains).tolist()]
    best = [0.0] * (n + 1)
    # By number of spans: the start of the span that ends at each sentence, or -1.
    starts_by_end: list[list[int]] = []
    for _ in range(spans):
        values = [0.0] * (n + 1)
        starts = [-1] * (n + 1)
        for end in range(1, n + 1):
            value = values[end - 1]
            best_start = -1
            for start in range(end - 1, max(-1, end - longest - 1), -1):
                sum_ = best[start] + sums[end] - sums[start]
                if sum_ > value + 1e-12:
                    value = sum_
                    best_start = start
                if not joins[start]:
                    break
            values[end] = value
            starts[end] = best_start
        best = values
        starts_by_end.append(starts)
    chosen = []
    end = n
    for starts in reversed(starts_by_end):
        while end > 0 and starts[end] < 0:
            end -= 1
        if end == 0:
            break
        chosen.append((starts[end], end))
        end = starts[end]
    return chosen[::-1]


@dataclass(frozen=True)
class SpanExamples:
    """Training examples of a topic: every sentence for each citance with gold spans.

    Attributes:
        columns, values: names of the features, and their (rows, columns) values.
        shares: (rows,) marked share of the sentence's characters, averaged over annotators.
        lengths: (rows,) length of the sentence in characters.
        marked: mean number of characters marked per annotator, for each citance.
    """

    columns: tuple[str, ...]
    values: Floats
    shares: Floats
    lengths: Floats
    marked: tuple[float, ...]


def examples(topic: Topic) -> SpanExamples | None:
    """Return the training examples of a topic; None without gold spans."""
    if topic.reference is None or not topic.citances:
        return None
    index = SpanIndex.of(topic.reference)
    golds = []
    for citance in topic.citances:
        annotators = [annotation.spans for annotation in citance.annotations if annotation.spans]
        golds.append(GoldSpans(annotators))
    annotated = [i for i, gold in enumerate(golds) if gold.total]
    if not len(index) or not annotated:
        return None
    features = span_features(index, topic.citances, topic.documents, embeddings.load())
    return SpanExamples(
        columns=features.columns,
        values=np.vstack([features.values[i] for i in annotated]),
        shares=np.concatenate([shares_of(index, golds[i]) for i in annotated]),
        lengths=np.tile(_lengths(index), len(annotated)),
        marked=tuple(golds[i].total / golds[i].annotators for i in annotated),
    )


def train(topics: Sequence[SpanExamples]) -> Ranker:
    """Train the ranker; sentences are weighted by length, because the score counts characters.

    Raises:
        ValueError: there are no topics.
    """
    if not topics:
        raise ValueError("no topic has gold spans to train on")
    # The regression's penalty assumes that a sentence of average length weighs about 1.
    weights = np.concatenate([t.lengths for t in topics]) / _USUAL_LENGTH
    values = np.vstack([t.values for t in topics])
    shares = np.concatenate([t.shares for t in topics])
    marked = float(np.mean([m for t in topics for m in t.marked]))
    return Ranker(topics[0].columns, fit(values, shares, weights), marked)


def shares_of(index: SpanIndex, gold: GoldSpans) -> Floats:
    """Return (n,) the marked share of each sentence's characters, averaged over annotators."""
    matched = [gold.matched(s.start, s.end) / (s.end - s.start) for s in index.sentences]
    return np.array(matched) / gold.annotators


def _lengths(index: SpanIndex) -> Floats:
    return np.array([s.end - s.start for s in index.sentences], dtype=np.float64)
