"""Trained classifiers of facets: plain arrays, applied without the libraries that trained them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from ilpsum.io.arrays import LARGEST, fitted, prefixed, within
from ilpsum.io.records import Number
from ilpsum.learning.trees import Trees

_ROUNDS = 50
_SHARPNESS = 5.0
_LEAST = 1e-12


class ClassifierDescription(msgspec.Struct, omit_defaults=True):
    """What a model file says of a classifier; an ensemble has two members, each with arrays of its own."""

    kind: Literal["linear", "trees", "ensemble", "topics"]
    scale: Number = 1.0
    softmax: bool = False
    by_rank: bool = False
    members: tuple["ClassifierDescription", "ClassifierDescription"] | None = None


State = tuple[ClassifierDescription, dict[str, NDArray[Any]]]


class Classifier(Protocol):
    """Predicts class probabilities."""

    def probabilities(self, x: Floats) -> Floats:
        """Return probabilities (n, k) of rows (n, columns)."""
        ...

    def state(self) -> State:
        """Return what a model file holds: a description, and arrays."""
        ...


@dataclass(frozen=True)
class LinearClassifier:
    """Softmax of linear scores.

    Attributes:
        weights: (columns, k).
        bias: (k,) -1e3 for a class without training examples.
        scale: factor of the scores before the softmax.
    """

    weights: Floats
    bias: Floats
    scale: float = 1.0

    def probabilities(self, x: Floats) -> Floats:
        """See `Classifier.probabilities`."""
        return softmax(self.scale * (x @ self.weights + self.bias))

    def state(self) -> State:
        """See `Classifier.state`."""
        weights = self.weights.astype(np.float32)
        return ClassifierDescription("linear", scale=self.scale), {"weights": weights, "bias": self.bias}


@dataclass(frozen=True)
class TreeClassifier:
    """Trees whose leaves and (k,) `start` sum to probabilities, or to scores of a softmax (boosting)."""

    trees: Trees
    start: Floats
    softmax: bool

    def probabilities(self, x: Floats) -> Floats:
        """See `Classifier.probabilities`."""
        total = np.tile(self.start, (len(x), 1))
        # One tree after the other: the last digits of a sum depend on its order, and ties between classes on those.
        for values in np.moveaxis(self.trees(x), 1, 0):
            total += values
        return softmax(total) if self.softmax else _shares(total)

    def state(self) -> State:
        """See `Classifier.state`."""
        return ClassifierDescription("trees", softmax=self.softmax), self.trees.state() | {"start": self.start}


@dataclass(frozen=True)
class TopicClassifier:
    """Supervised LDA (Mcauliffe and Blei 2007); the words of a text are the columns above 0, each once.

    Attributes:
        words: (t, columns) the probability of each column in each topic.
        prior: (t,) Dirichlet prior of the shares of topics.
        weights: (t, k) contribution of each topic to each class's share of votes.
        bias: (k,) 0, and -1e3 for a class without training examples.
    """

    words: Floats
    prior: Floats
    weights: Floats
    bias: Floats

    def probabilities(self, x: Floats) -> Floats:
        """Return the softmax of the predicted shares of votes, (n, k), for rows (n, columns)."""
        return softmax(_SHARPNESS * (self.topics(x) @ self.weights) + self.bias)

    def topics(self, x: Floats) -> Floats:
        """Return the shares of topics, (n, t), of rows (n, columns), by iterating their expected assignments."""
        present = (x > 0).astype(np.float64)
        shares = np.tile(self.prior / self.prior.sum(), (len(x), 1))
        for _ in range(_ROUNDS):
            # Sum over words of p(topic | word).
            expected = np.maximum(shares @ self.words, 1e-300)
            shares = _shares(self.prior + shares * ((present / expected) @ self.words.T))
        return shares

    def state(self) -> State:
        """See `Classifier.state`."""
        arrays = {name: array.astype(np.float32) for name, array in vars(self).items()}
        return ClassifierDescription("topics"), arrays | {"bias": self.bias}


@dataclass(frozen=True)
class VotingClassifier:
    """Two classifiers whose probabilities, or reciprocal ranks, are averaged."""

    one: Classifier
    other: Classifier
    by_rank: bool

    def probabilities(self, x: Floats) -> Floats:
        """See `Classifier.probabilities`."""
        votes = [member.probabilities(x) for member in (self.one, self.other)]
        if self.by_rank:
            # Rounded, so that a saved model (single precision) gives the same ranks.
            orders = [np.argsort(-np.round(v, 5), axis=1, kind="stable") for v in votes]
            votes = [1.0 / (1.0 + np.argsort(order, axis=1).astype(np.float64)) for order in orders]
        return _shares(votes[0] + votes[1])

    def state(self) -> State:
        """See `Classifier.state`."""
        (one, ones), (other, others) = self.one.state(), self.other.state()
        arrays = {f"{i}.{name}": array for i, own in enumerate((ones, others)) for name, array in own.items()}
        return ClassifierDescription("ensemble", by_rank=self.by_rank, members=(one, other)), arrays


def restore(known: ClassifierDescription, arrays: Mapping[str, NDArray[Any]], **sizes: int) -> Classifier:
    """Restore a classifier from its state; `sizes` are the numbers of `columns` and of classes `k`, if known.

    Raises:
        ValueError: the arrays are not those of a classifier, or of one for other columns or classes.
    """
    if known.kind == "linear":
        fitted(arrays, {"weights": "f columns k", "bias": "f k"}, **sizes)
        return LinearClassifier(arrays["weights"].astype(np.float64), arrays["bias"], known.scale)
    if known.kind == "trees":
        k = fitted(arrays, {"start": "f k"}, **sizes)["k"]
        return TreeClassifier(Trees.from_state(arrays, **{**sizes, "k": k}), arrays["start"], known.softmax)
    if known.kind == "topics":
        schema = {"words": "f t columns", "prior": "f t", "weights": "f t k", "bias": "f k"}
        fitted(arrays, schema, **sizes)
        within("words", arrays["words"], 0.0, 1.0)
        within("prior", arrays["prior"], _LEAST, LARGEST)
        return TopicClassifier(*(arrays[name].astype(np.float64) for name in schema))
    if known.members is None:
        raise ValueError("an ensemble without members")
    one, other = (restore(d, prefixed(arrays, f"{i}."), **sizes) for i, d in enumerate(known.members))
    return VotingClassifier(one, other, known.by_rank)


def softmax(scores: Floats) -> Floats:
    """Return probabilities, (n, k), from scores (n, k)."""
    return _shares(np.exp(scores - scores.max(axis=1, keepdims=True)))


def _shares(rows: Floats) -> Floats:
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))
