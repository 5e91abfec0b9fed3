"""The classifiers of Task 1b by name: trained by scikit-learn, saved as plain arrays and applied without it.

Cohan et al. (2014) compare an SVM, supervised LDA, a decision tree, boosting (LogitBoost), a random forest, and an
ensemble of SVM and random forest that votes by probability or by rank.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.registry import Registry
from ilpsum.citances import supervised_topics
from ilpsum.citances.arrays import softmax
from ilpsum.citances.supervised_topics import SupervisedTopics
from ilpsum.errors import ModelError
from ilpsum.io.arrays import fitted, prefixed
from ilpsum.io.records import Number, reason
from ilpsum.learning.trees import Trees

State = tuple[dict[str, Any], dict[str, NDArray[Any]]]
ABSENT = -1e3
"""Score of a class that no training example has."""


class Classifier(Protocol):
    """Predicts class probabilities."""

    def probabilities(self, x: Floats) -> Floats:
        """Return probabilities (n, k) of rows (n, columns)."""
        ...

    def state(self) -> State:
        """Return a JSON-ready description with its `kind`, and arrays."""
        ...


CLASSIFIERS: Registry[Callable[[Floats, Floats, int], Classifier]] = Registry("classifier of facets")
"""Each trains on rows (n, columns) and votes (n, k) with a seed."""


@dataclass(frozen=True)
class LinearClassifier:
    """Softmax of linear scores.

    Attributes:
        weights: (columns, k).
        bias: (k,) `ABSENT` for a class without training examples.
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
        return {"kind": "linear", "scale": self.scale}, {"weights": self.weights.astype(np.float32), "bias": self.bias}


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
        return softmax(total) if self.softmax else np.asarray(total / total.sum(axis=1, keepdims=True))

    def state(self) -> State:
        """See `Classifier.state`."""
        return {"kind": "trees", "softmax": self.softmax}, self.trees.state() | {"start": self.start}


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
        total = votes[0] + votes[1]
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    def state(self) -> State:
        """See `Classifier.state`."""
        members = [member.state() for member in (self.one, self.other)]
        arrays = {f"{i}.{name}": array for i, (_, own) in enumerate(members) for name, array in own.items()}
        return {"kind": "ensemble", "by_rank": self.by_rank, "members": [d for d, _ in members]}, arrays


class _Description(msgspec.Struct):
    """What a model's file says of its classifier; an ensemble has two members, each with arrays of its own."""

    kind: Literal["linear", "trees", "ensemble", "topics"]
    scale: Number = 1.0
    softmax: bool = False
    by_rank: bool = False
    members: tuple[dict[str, Any], dict[str, Any]] | None = None


def restore(description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], **sizes: int) -> Classifier:
    """Restore a classifier from its state; `sizes` are the numbers of `columns` and of classes `k`, if known.

    Raises:
        ModelError: the description is not that of a classifier.
        ValueError: the arrays are not those of a classifier, or of one for other columns or classes.
    """
    try:
        known = msgspec.convert(description, _Description)
    except msgspec.ValidationError as error:
        raise ModelError(f"not a kind of classifier: {reason(error)}") from None
    if known.kind == "linear":
        fitted(arrays, {"weights": "f columns k", "bias": "f k"}, **sizes)
        return LinearClassifier(arrays["weights"].astype(np.float64), arrays["bias"], known.scale)
    if known.kind == "trees":
        k = fitted(arrays, {"start": "f k"}, **sizes)["k"]
        return TreeClassifier(Trees.from_state(arrays, **{**sizes, "k": k}), arrays["start"], known.softmax)
    if known.kind == "topics":
        return SupervisedTopics.from_state(dict(arrays), **sizes)
    if known.members is None:
        raise ValueError("an ensemble without members")
    one, other = (restore(d, prefixed(arrays, f"{i}."), **sizes) for i, d in enumerate(known.members))
    return VotingClassifier(one, other, known.by_rank)


def _rows(x: Floats, votes: Floats) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Return a row for each example and facet that annotators name, its class, and the votes as its weight."""
    index, classes = np.nonzero(votes)
    return x[index], classes, votes[index, classes]


def _spread(values: Floats, classes: NDArray[np.int64], k: int) -> Floats:
    """Place the columns of the training classes among all k; the others are zero."""
    result = np.zeros((values.shape[0], k))
    result[:, classes] = values
    return result


def _linear(model: Any, x: Floats, votes: Floats, *, scale: float, opposite: float) -> LinearClassifier:
    """Train a linear model of scikit-learn, which scores only the second of two classes; `opposite` gives the first."""
    columns, k = x.shape[1], votes.shape[1]
    rows, classes, weights = _rows(x, votes)
    if len(np.unique(classes)) < 2:
        return LinearClassifier(np.zeros((columns, k)), np.where(votes.any(axis=0), 0.0, ABSENT))
    model.fit(rows, classes, sample_weight=weights)
    coefficients, intercept = model.coef_, model.intercept_
    if len(model.classes_) == 2:
        coefficients = np.vstack([opposite * coefficients, coefficients])
        intercept = np.concatenate([opposite * intercept, intercept])
    bias = np.full(k, ABSENT)
    bias[model.classes_] = intercept
    return LinearClassifier(_spread(coefficients.T, model.classes_, k), bias, scale)


@CLASSIFIERS.register("svm")
def _svm(x: Floats, votes: Floats, seed: int) -> Classifier:
    """Linear SVM, one class against the others, squared hinge loss."""
    from sklearn.svm import LinearSVC

    return _linear(LinearSVC(C=0.3, random_state=seed, max_iter=5000), x, votes, scale=2.0, opposite=-1.0)


@CLASSIFIERS.register("logistic")
def _logistic(x: Floats, votes: Floats, seed: int) -> Classifier:
    """Multinomial logistic regression."""
    from sklearn.linear_model import LogisticRegression

    return _linear(LogisticRegression(C=3.0, max_iter=2000, random_state=seed), x, votes, scale=1.0, opposite=0.0)


@CLASSIFIERS.register("tree")
def _tree(x: Floats, votes: Floats, seed: int) -> Classifier:
    """Decision tree by entropy, with at least eight examples in a leaf."""
    from sklearn.tree import DecisionTreeClassifier

    rows, classes, weights = _rows(x, votes)
    model = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=8, random_state=seed)
    return _forest_of([model.fit(rows, classes, sample_weight=weights)], model.classes_, votes.shape[1])


@CLASSIFIERS.register("forest")
def _forest(x: Floats, votes: Floats, seed: int) -> Classifier:
    """Random forest of 300 trees."""
    from sklearn.ensemble import RandomForestClassifier

    rows, classes, weights = _rows(x, votes)
    model = RandomForestClassifier(300, min_samples_leaf=2, random_state=seed)
    model.fit(rows, classes, sample_weight=weights)
    return _forest_of(model.estimators_, model.classes_, votes.shape[1])


def _forest_of(estimators: list[Any], classes: NDArray[np.int64], k: int) -> TreeClassifier:
    trees = [estimator.tree_ for estimator in estimators]
    shares = [tree.value[:, 0, :] / np.maximum(tree.value[:, 0, :].sum(axis=1, keepdims=True), 1e-12) for tree in trees]
    values = [_spread(share, classes, k) / len(trees) for share in shares]
    return TreeClassifier(Trees.of(trees, values), np.zeros(k), softmax=False)


@CLASSIFIERS.register("boosting")
def _boosting(x: Floats, votes: Floats, seed: int) -> Classifier:
    """Boosted decision stumps with logistic loss (after LogitBoost; Friedman, Hastie and Tibshirani 2000)."""
    from sklearn.ensemble import GradientBoostingClassifier

    rows, classes, weights = _rows(x, votes)
    k = votes.shape[1]
    if len(np.unique(classes)) < 3:
        # Two classes would share one column of trees; that is rare enough not to implement.
        return _logistic(x, votes, seed)
    model = GradientBoostingClassifier(
        n_estimators=100, learning_rate=0.2, max_depth=1, max_features=0.05, random_state=seed
    )
    model.fit(rows, classes, sample_weight=weights)
    stumps = [(place, e.tree_) for stage in model.estimators_ for place, e in zip(model.classes_, stage, strict=True)]
    values = [_spread(model.learning_rate * tree.value[:, 0, :], np.array([place]), k) for place, tree in stumps]
    prior = np.bincount(classes, weights=weights, minlength=k)
    start = np.where(prior > 0, np.log(np.maximum(prior, 1e-9) / prior.sum()), ABSENT)
    return TreeClassifier(Trees.of([tree for _, tree in stumps], values), start, softmax=True)


def _ensemble(x: Floats, votes: Floats, seed: int, *, by_rank: bool) -> Classifier:
    """SVM and random forest, averaged by probability or by reciprocal rank."""
    return VotingClassifier(_svm(x, votes, seed), _forest(x, votes, seed), by_rank)


CLASSIFIERS.add("slda", supervised_topics.fit)
CLASSIFIERS.add("ensemble-probability", partial(_ensemble, by_rank=False))
CLASSIFIERS.add("ensemble-rank", partial(_ensemble, by_rank=True))
