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
from ilpsum.learning import embeddings
from ilpsum.metrics.spans import GoldSpans
from ilpsum.records import Citance, Document, Span, Topic
from ilpsum.task1.retrieval import SpanIndex
from ilpsum.task1.span_features import span_features
from ilpsum.tasks.task1 import MAX_SENTENCES, MAX_SPANS

UNITS, BAGS = 1000, 3
"""Units of a network, and number of networks averaged."""
PENALTY = 10_000.0
_WIDTH = 2.0
_SHARE = 0.15
_CLIP = 4.0
_ROWS = 4096
_LEAST = 1e-12


@dataclass(frozen=True)
class RandomUnitRegression:
    """An average of networks with random units.

    Attributes:
        mean, scale: (columns,) inputs are standardised by these and clipped to [-4, 4].
        hidden: (bags, columns, units) weights of the units.
        bias: (bags, units).
        weights: (bags, 1 + columns + units) weights of the constant, the inputs and the units.
    """

    mean: Annotated[Floats, "f columns"]
    scale: Annotated[Floats, "f columns"]
    hidden: Annotated[Floats, "f bags columns units"]
    bias: Annotated[Floats, "f bags units"]
    weights: Annotated[Floats, "f bags all"]

    def __post_init__(self) -> None:
        bags, columns, units = self.hidden.shape
        within("scale", self.scale, _LEAST, LARGEST)
        if not bags or self.weights.shape[1] != 1 + columns + units:
            raise ValueError("a regression without networks, or with other weights than inputs")

    def __call__(self, x: Floats) -> Floats:
        """Return (n,) predictions for (n, columns) inputs."""
        total = np.zeros(len(x))
        for start in range(0, len(x), _ROWS):
            rows = slice(start, start + _ROWS)
            z = _standardised(x[rows], self.mean, self.scale)
            for hidden, bias, weights in zip(self.hidden, self.bias, self.weights, strict=True):
                total[rows] += _expanded(z, hidden, bias) @ weights
        return total / len(self.weights)


def fit(
    x: Floats,
    y: Floats,
    sample: Floats,
    seed: int,
    *,
    units: int = UNITS,
    bags: int = BAGS,
    penalty: float = PENALTY,
) -> RandomUnitRegression:
    """Minimise sum sample (prediction - y)^2 + penalty |weights|^2, with no penalty on the
    constant.

    `x` has n rows of inputs, `y` their targets and `sample` their weights. `seed` determines the
    `units` of each of the `bags` networks; without units this is plain ridge regression.
    """
    generator = np.random.default_rng(seed)
    columns = x.shape[1]
    mean = _rounded(x.mean(axis=0))
    scale = _rounded(x.std(axis=0) + 1e-6)
    networks = []
    for _ in range(bags):
        # A unit reads a random share of the inputs.
        spread = generator.standard_normal((columns, units)) * _WIDTH / np.sqrt(_SHARE * columns)
        hidden = _rounded(spread * (generator.random(spread.shape) < _SHARE))
        bias = _rounded(generator.standard_normal(units))
        weights = _solve(x, y, sample, (mean, scale), hidden, bias, penalty)
        networks.append((hidden, bias, weights))
    return RandomUnitRegression(mean, scale, *map(np.array, zip(*networks, strict=True)))


def _solve(
    x: Floats,
    y: Floats,
    sample: Floats,
    standard: tuple[Floats, Floats],
    hidden: Floats,
    bias: Floats,
    penalty: float,
) -> Floats:
    """Return the weights of one network, (1 + columns + units,), from sums over blocks of rows."""
    size = 1 + x.shape[1] + hidden.shape[1]
    products = np.zeros((size, size))
    right = np.zeros(size)
    for start in range(0, len(x), _ROWS):
        rows = slice(start, start + _ROWS)
        roots = np.sqrt(sample[rows])
        expanded = _expanded(_standardised(x[rows], *standard), hidden, bias) * roots[:, None]
        # A single-precision product is four times as fast; sums over blocks are in double
        # precision.
        single = expanded.astype(np.float32)
        products += single.T @ single
        right += expanded.T @ (roots * y[rows])
    ridge = np.full(size, penalty)
    ridge[0] = 1e-6
    return _rounded(np.linalg.solve(products + np.diag(ridge), right))


def _rounded(values: Floats) -> Floats:
    """Round to single precision, as saved models are, so that predictions are equal before and
    after saving.
    """
    return values.astype(np.float32).astype(np.float64)


def _standardised(x: Floats, mean: Floats, scale: Floats) -> Floats:
    return np.clip((x - mean) / scale, -_CLIP, _CLIP)


def _expanded(z: Floats, hidden: Floats, bias: Floats) -> Floats:
    """Return the constant, the inputs and the units max(0, z w + b): (n, 1 + columns + units)."""
    return np.hstack([np.ones((len(z), 1)), z, np.maximum(z @ hidden + bias, 0.0)])


_ITERATIONS = 20
_USUAL_LENGTH = 150.0


@dataclass(frozen=True)
class Ranker:
    """Predicts the share of annotators who mark a sentence, from the features `columns`.

    `marked` is t, the mean number of characters marked per annotator and citance.
    """

    columns: tuple[str, ...]
    regression: RandomUnitRegression
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


def train(topics: Sequence[SpanExamples], seed: int = 1) -> Ranker:
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
    return Ranker(topics[0].columns, fit(values, shares, weights, seed), marked)


def shares_of(index: SpanIndex, gold: GoldSpans) -> Floats:
    """Return (n,) the marked share of each sentence's characters, averaged over annotators."""
    matched = [gold.matched(s.start, s.end) / (s.end - s.start) for s in index.sentences]
    return np.array(matched) / gold.annotators


def _lengths(index: SpanIndex) -> Floats:
    return np.array([s.end - s.start for s in index.sentences], dtype=np.float64)
