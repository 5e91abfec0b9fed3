"""The classifiers of Task 1b by name: trained by scikit-learn, kept as plain arrays and applied without it.

Cohan et al. (2014) compare an SVM, supervised LDA, a decision tree, boosting (LogitBoost), a random forest, and an
ensemble of SVM and random forest that votes by probability or by rank.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.registry import Registry
from ilpsum.citances import supervised_topics
from ilpsum.citances.supervised_topics import SupervisedTopics
from ilpsum.citances.trees import TreeEnsemble
from ilpsum.errors import ModelError

State = tuple[dict[str, Any], dict[str, NDArray[Any]]]


class Classifier(Protocol):
    """Numbers to classes."""

    def probabilities(self, x: Floats) -> Floats:
        """(n, k) non-negative values that add up to 1, for rows (n, columns)."""
        ...

    def state(self) -> State:
        """What is kept: a JSON-ready description with its `kind`, and arrays."""
        ...


CLASSIFIERS: Registry[Callable[[Floats, Floats, int], Classifier]] = Registry("classifier of facets")
"""Each trains on rows (n, columns), votes (n, k) and a seed."""


@dataclass(frozen=True)
class Linear:
    """Softmax of a linear score.

    Attributes:
        weights: (columns, k).
        bias: (k,) -inf for a class that was not in training.
        scale: what scores are multiplied by before the softmax.
    """

    weights: Floats
    bias: Floats
    scale: float = 1.0

    def probabilities(self, x: Floats) -> Floats:
        """(n, k) the softmax."""
        scores = self.scale * (x @ self.weights + self.bias)
        exponential = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(exponential / exponential.sum(axis=1, keepdims=True))

    def state(self) -> State:
        """What is kept."""
        return {"kind": "linear", "scale": self.scale}, {"weights": self.weights.astype(np.float32), "bias": self.bias}


@dataclass(frozen=True)
class Trees:
    """Trees whose leaves add up to probabilities, or to scores of a softmax (boosting)."""

    trees: TreeEnsemble
    softmax: bool

    def probabilities(self, x: Floats) -> Floats:
        """(n, k) the mean of the leaves, or the softmax of their sum."""
        total = self.trees(x)
        if self.softmax:
            total = np.exp(total - total.max(axis=1, keepdims=True))
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    def state(self) -> State:
        """What is kept."""
        return {"kind": "trees", "softmax": self.softmax}, self.trees.state()


@dataclass(frozen=True)
class Ensemble:
    """Two classifiers that vote: by the mean of their probabilities, or of the reciprocals of their ranks."""

    one: Classifier
    other: Classifier
    by_rank: bool

    def probabilities(self, x: Floats) -> Floats:
        """(n, k) the mean votes."""
        votes = [member.probabilities(x) for member in (self.one, self.other)]
        if self.by_rank:
            # Rounded, so that what is kept in single precision ranks the same.
            ranks = [
                np.argsort(np.argsort(-np.round(v, 5), axis=1, kind="stable"), axis=1).astype(np.float64) for v in votes
            ]
            votes = [1.0 / (1.0 + rank) for rank in ranks]
        total = votes[0] + votes[1]
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    def state(self) -> State:
        """What is kept."""
        members = [member.state() for member in (self.one, self.other)]
        arrays = {f"{i}.{name}": array for i, (_, kept) in enumerate(members) for name, array in kept.items()}
        return {"kind": "ensemble", "by_rank": self.by_rank, "members": [d for d, _ in members]}, arrays


def restore(description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Classifier:
    """The classifier of what was kept.

    Raises:
        ModelError: a kind that this program does not know.
    """
    kind = description["kind"]
    if kind == "linear":
        return Linear(arrays["weights"].astype(np.float64), arrays["bias"], description["scale"])
    if kind == "trees":
        return Trees(TreeEnsemble.from_state(arrays), description["softmax"])
    if kind == "ensemble":
        members = []
        for i, member in enumerate(description["members"]):
            prefix = f"{i}."
            own = {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}
            members.append(restore(member, own))
        return Ensemble(members[0], members[1], description["by_rank"])
    if kind == "topics":
        return SupervisedTopics.from_state(dict(arrays))
    raise ModelError(f"an unknown kind of classifier, {kind!r}")


def _rows(x: Floats, votes: Floats) -> tuple[Floats, NDArray[np.int64], Floats]:
    """A row for each facet that somebody names, weighted by how many do."""
    places, classes = np.nonzero(votes)
    return x[places], classes, votes[places, classes]


def _spread(values: Floats, classes: NDArray[np.int64], k: int, fill: float) -> Floats:
    """Columns of the classes that training saw, put in their places among all k."""
    result = np.full((values.shape[0], k), fill)
    result[:, classes] = values
    return result


@CLASSIFIERS.register("svm")
def _svm(x: Floats, votes: Floats, seed: int) -> Classifier:
    """A linear SVM, one class against the others, squared hinge loss."""
    from sklearn.svm import LinearSVC

    rows, classes, weights = _rows(x, votes)
    if len(set(classes.tolist())) < 2:
        return _only(x.shape[1], votes)
    model = LinearSVC(C=0.3, random_state=seed, max_iter=5000).fit(rows, classes, sample_weight=weights)
    coefficients, intercept = model.coef_, model.intercept_
    if len(model.classes_) == 2:
        coefficients, intercept = np.vstack([-coefficients, coefficients]), np.concatenate([-intercept, intercept])
    k = votes.shape[1]
    bias = np.full(k, -1e3)
    bias[model.classes_] = intercept
    return Linear(_spread(coefficients.T, model.classes_, k, 0.0), bias, 2.0)


def _only(columns: int, votes: Floats) -> Linear:
    """What is left to say where training saw one class only."""
    return Linear(np.zeros((columns, votes.shape[1])), np.where(votes.any(axis=0), 0.0, -1e3))


@CLASSIFIERS.register("logistic")
def _logistic(x: Floats, votes: Floats, seed: int) -> Classifier:
    """Multinomial logistic regression."""
    from sklearn.linear_model import LogisticRegression

    rows, classes, weights = _rows(x, votes)
    if len(set(classes.tolist())) < 2:
        return _only(x.shape[1], votes)
    model = LogisticRegression(C=3.0, max_iter=2000, random_state=seed).fit(rows, classes, sample_weight=weights)
    coefficients, intercept = model.coef_, model.intercept_
    if len(model.classes_) == 2:
        coefficients, intercept = (
            np.vstack([0 * coefficients, coefficients]),
            np.concatenate([0 * intercept, intercept]),
        )
    k = votes.shape[1]
    bias = np.full(k, -1e3)
    bias[model.classes_] = intercept
    return Linear(_spread(coefficients.T, model.classes_, k, 0.0), bias)


@CLASSIFIERS.register("tree")
def _tree(x: Floats, votes: Floats, seed: int) -> Classifier:
    """A decision tree by entropy, leaves of eight votes or more."""
    from sklearn.tree import DecisionTreeClassifier

    rows, classes, weights = _rows(x, votes)
    model = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=8, random_state=seed)
    return _forest_of([model.fit(rows, classes, sample_weight=weights)], model.classes_, votes.shape[1])


@CLASSIFIERS.register("forest")
def _forest(x: Floats, votes: Floats, seed: int) -> Classifier:
    """A random forest of 300 trees."""
    from sklearn.ensemble import RandomForestClassifier

    rows, classes, weights = _rows(x, votes)
    model = RandomForestClassifier(300, min_samples_leaf=2, random_state=seed)
    model.fit(rows, classes, sample_weight=weights)
    return _forest_of(model.estimators_, model.classes_, votes.shape[1])


def _forest_of(estimators: list[Any], classes: NDArray[np.int64], k: int) -> Trees:
    values = []
    for estimator in estimators:
        shares = estimator.tree_.value[:, 0, :]
        shares = shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-12)
        values.append(_spread(shares, classes, k, 0.0) / len(estimators))
    return Trees(TreeEnsemble.of([e.tree_ for e in estimators], values, np.zeros(k)), softmax=False)


@CLASSIFIERS.register("boosting")
def _boosting(x: Floats, votes: Floats, seed: int) -> Classifier:
    """Boosted stumps with logistic loss (after LogitBoost; Friedman, Hastie and Tibshirani 2000)."""
    from sklearn.ensemble import GradientBoostingClassifier

    rows, classes, weights = _rows(x, votes)
    k = votes.shape[1]
    if len(set(classes.tolist())) < 3:  # two classes would share one column of trees; they are rare enough to spare it
        return _logistic(x, votes, seed)
    model = GradientBoostingClassifier(
        n_estimators=100, learning_rate=0.2, max_depth=1, max_features=0.05, random_state=seed
    )
    model.fit(rows, classes, sample_weight=weights)
    trees, values = [], []
    for stage in model.estimators_:
        for place, stump in zip(model.classes_, stage, strict=True):
            trees.append(stump.tree_)
            values.append(_spread(model.learning_rate * stump.tree_.value[:, 0, :], np.array([place]), k, 0.0))
    prior = np.bincount(classes, weights=weights, minlength=k)
    start = np.where(prior > 0, np.log(np.maximum(prior, 1e-9) / prior.sum()), -1e3)
    return Trees(TreeEnsemble.of(trees, values, start), softmax=True)


@CLASSIFIERS.register("slda")
def _slda(x: Floats, votes: Floats, seed: int) -> Classifier:
    """Supervised LDA of ten topics; needs tomotopy to train."""
    return supervised_topics.fit(x, votes, seed)


@CLASSIFIERS.register("ensemble-probability")
def _by_probability(x: Floats, votes: Floats, seed: int) -> Classifier:
    """SVM and random forest, the mean of their probabilities."""
    return Ensemble(_svm(x, votes, seed), _forest(x, votes, seed), by_rank=False)


@CLASSIFIERS.register("ensemble-rank")
def _by_rank(x: Floats, votes: Floats, seed: int) -> Classifier:
    """SVM and random forest, the mean of the reciprocals of the ranks that they give a class."""
    return Ensemble(_svm(x, votes, seed), _forest(x, votes, seed), by_rank=True)
