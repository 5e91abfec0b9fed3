"""Classifiers of facets by name (Cohan et al. 2014, section 3.3): a linear SVM, a random forest,
and the ensembles of both by probability and by rank. Prediction needs only numpy.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats, Ints
from features.registry import Registry
from ilpsum.errors import IlpsumError
from ilpsum.files.persistence import within
from ilpsum.files.records import Number

ABSENT = -1e3
"""Score of a class without training examples."""


@dataclass(frozen=True)
class LinearClassifier:
    """Softmax of `scale` times linear scores: (columns, k) weights and a (k,) bias, `ABSENT` for
    unseen classes.
    """

    weights: Annotated[Floats, "f columns k"]
    bias: Annotated[Floats, "f k"]
    scale: Number = 1.0

    def probabilities(self, x: Floats) -> Floats:
        """Return class probabilities (n, k) of rows (n, columns)."""
        return softmax(self.scale * (x @ self.weights + self.bias))

    def fits(self, columns: int, k: int) -> bool:
        """Whether the classifier reads rows of this many columns and tells k classes apart."""
        return self.weights.shape == (columns, k)


def svm(x: Floats, votes: Floats, seed: int) -> LinearClassifier:
    """Train a one-vs-rest linear SVM with squared hinge loss.

    `x` is (n, columns); `votes` is (n, k), the number of annotators who chose each class.
    """
    from sklearn.svm import LinearSVC

    k = votes.shape[1]
    rows, classes, weights = instances(x, votes)
    if len(np.unique(classes)) < 2:
        return LinearClassifier(np.zeros((x.shape[1], k)), np.where(votes.any(axis=0), 0.0, ABSENT))
    model = LinearSVC(C=0.3, random_state=seed, max_iter=5000).fit(
        rows,
        classes,
        sample_weight=weights,
    )
    coefficients, intercept = model.coef_, model.intercept_
    if len(model.classes_) == 2:
        # scikit-learn returns scores only for the second of two classes.
        coefficients = np.vstack([-coefficients, coefficients])
        intercept = np.concatenate([-intercept, intercept])
    columns = np.zeros((x.shape[1], k))
    columns[:, model.classes_] = coefficients.T
    bias = np.full(k, ABSENT)
    bias[model.classes_] = intercept
    return LinearClassifier(columns, bias, scale=2.0)


def instances(x: Floats, votes: Floats) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Return one row per example and voted class, with the class and its votes as weight."""
    index, classes = np.nonzero(votes)
    return x[index], classes, votes[index, classes]


def softmax(scores: Floats) -> Floats:
    """Return (n, k) probabilities from (n, k) scores."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class Forest:
    """The mean of t decision trees, whose m nodes stand in one table; a node precedes its children.

    Attributes:
        roots: (t,) the first node of each tree.
        feature: (m,) column that a node compares.
        threshold: (m,) rows with at most this value go left.
        left, right: (m,) the children of a node; a leaf is its own child.
        shares: (m, k) class probabilities of a leaf.
    """

    roots: Annotated[Ints, "i t"]
    feature: Annotated[Ints, "i m"]
    threshold: Annotated[Floats, "f m"]
    left: Annotated[Ints, "i m"]
    right: Annotated[Ints, "i m"]
    shares: Annotated[Floats, "f m k"]

    def __post_init__(self) -> None:
        count = len(self.feature)
        if not len(self.roots):
            raise ValueError("a forest without trees")
        for name in ("roots", "left", "right"):
            within(name, getattr(self, name), 0, count - 1)
        nodes = np.arange(count)
        leaf = (self.left == nodes) & (self.right == nodes)
        inner = (self.left > nodes) & (self.right > nodes)
        if not (leaf | inner).all():
            raise ValueError("a node of a tree does not precede its children")

    def probabilities(self, x: Floats) -> Floats:
        """Return class probabilities (n, k) of rows (n, columns)."""
        # scikit-learn grows its trees on single precision, so that thresholds lie between such
        # values.
        compared = x.astype(np.float32)
        rows = np.arange(len(x))[:, None]
        at = np.tile(self.roots, (len(x), 1))
        while True:
            goes_left = compared[rows, self.feature[at]] <= self.threshold[at]
            below = np.where(goes_left, self.left[at], self.right[at])
            if (below == at).all():
                return np.asarray(self.shares[at].mean(axis=1))
            at = below

    def fits(self, columns: int, k: int) -> bool:
        """Whether the classifier reads rows of this many columns and tells k classes apart."""
        inside = 0 <= int(self.feature.min()) <= int(self.feature.max()) < columns
        return inside and self.shares.shape[1] == k


def forest(x: Floats, votes: Floats, seed: int) -> Forest:
    """Train a random forest of 300 trees with at least two instances in a leaf.

    `x` is (n, columns); `votes` is (n, k), the number of annotators who chose each class.

    Raises:
        IlpsumError: the trees of this version of scikit-learn cannot be read.
    """
    from sklearn.ensemble import RandomForestClassifier

    rows, classes, weights = instances(x, votes)
    model = RandomForestClassifier(300, min_samples_leaf=2, random_state=seed)
    model.fit(rows, classes, sample_weight=weights)
    trained = _exported([member.tree_ for member in model.estimators_], model.classes_, votes)
    expected = np.zeros((len(x), votes.shape[1]))
    expected[:, model.classes_] = model.predict_proba(x)
    if np.abs(trained.probabilities(x) - expected).max() > 1e-9:
        raise IlpsumError(
            "the trees of this version of scikit-learn cannot be read: train with version 1.5 "
            "to 1.9, or an SVM"
        )
    return trained


def _exported(trees: list[Any], classes: NDArray[np.int64], votes: Floats) -> Forest:
    sizes = [tree.node_count for tree in trees]
    roots = np.cumsum([0, *sizes[:-1]])
    nodes = np.arange(sum(sizes))
    first = np.repeat(roots, sizes)
    feature = np.concatenate([tree.feature for tree in trees])
    left = np.concatenate([tree.children_left for tree in trees]) + first
    right = np.concatenate([tree.children_right for tree in trees]) + first
    values = np.concatenate([tree.value[:, 0, :] for tree in trees])
    leaf = feature < 0
    shares = np.zeros((len(nodes), votes.shape[1]))
    shares[np.ix_(leaf, classes)] = _shares(values[leaf])
    return Forest(
        roots,
        np.where(leaf, 0, feature),
        np.where(leaf, 0.0, np.concatenate([tree.threshold for tree in trees])),
        np.where(leaf, nodes, left),
        np.where(leaf, nodes, right),
        shares,
    )


@dataclass(frozen=True)
class Ensemble:
    """An SVM and a forest whose probabilities, or reciprocal ranks, are averaged."""

    one: LinearClassifier
    other: Forest
    by_rank: bool

    def probabilities(self, x: Floats) -> Floats:
        """Return probabilities, or scores that sum to 1, of k classes: (n, k)."""
        votes = [member.probabilities(x) for member in (self.one, self.other)]
        if self.by_rank:
            votes = [1.0 / (1.0 + _ranks(of_member)) for of_member in votes]
        return _shares(votes[0] + votes[1])

    def fits(self, columns: int, k: int) -> bool:
        """Whether the classifier reads rows of this many columns and tells k classes apart."""
        return self.one.fits(columns, k) and self.other.fits(columns, k)


def _ranks(votes: Floats) -> Floats:
    """Return the rank of each class in its row, from 0."""
    # Rounded, so that the last digits do not decide a rank.
    order = np.argsort(-np.round(votes, 5), axis=1, kind="stable")
    return np.argsort(order, axis=1).astype(np.float64)


def _shares(rows: Floats) -> Floats:
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))


def _ensemble(x: Floats, votes: Floats, seed: int, *, by_rank: bool) -> Ensemble:
    return Ensemble(svm(x, votes, seed), forest(x, votes, seed), by_rank)


Trainer = Callable[[Floats, Floats, int], LinearClassifier | Forest | Ensemble]

CLASSIFIERS: Registry[Trainer] = Registry("classifier of facets")
"""Each trains on rows (n, columns) and votes (n, k) with a seed."""

CLASSIFIERS.add("svm", svm)
CLASSIFIERS.add("random-forest", forest)
CLASSIFIERS.add("ensemble-probability", partial(_ensemble, by_rank=False))
CLASSIFIERS.add("ensemble-rank", partial(_ensemble, by_rank=True))
