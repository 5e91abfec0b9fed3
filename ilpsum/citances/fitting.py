"""Training of the classifiers of facets, by name.

Cohan et al. (2014) compare an SVM, supervised LDA, a decision tree, boosting (LogitBoost), a random forest, and an
ensemble of SVM and random forest that votes by probability or by rank. All but supervised LDA (tomotopy) are
scikit-learn's.
"""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.registry import Registry
from ilpsum.citances.classifiers import Classifier, LinearClassifier, TopicClassifier, TreeClassifier, VotingClassifier
from ilpsum.errors import UsageError
from ilpsum.learning.trees import Trees

CLASSIFIERS: Registry[Callable[[Floats, Floats, int], Classifier]] = Registry("classifier of facets")
"""Each trains on rows (n, columns) and votes (n, k) with a seed."""
ABSENT = -1e3
"""Score of a class that no training example has."""
TOPICS = 10
SWEEPS = 500


def _rows(x: Floats, votes: Floats) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Return a row for each example and facet that annotators name, its class, and the votes as its weight."""
    index, classes = np.nonzero(votes)
    return x[index], classes, votes[index, classes]


def _spread(values: Floats, classes: NDArray[np.int64], k: int) -> Floats:
    """Place the columns of the training classes among all k; the others are zero."""
    result = np.zeros((values.shape[0], k))
    result[:, classes] = values
    return result


@CLASSIFIERS.register("svm")
def _svm(x: Floats, votes: Floats, seed: int) -> Classifier:
    """Linear SVM, one class against the others, squared hinge loss."""
    from sklearn.svm import LinearSVC

    k = votes.shape[1]
    rows, classes, weights = _rows(x, votes)
    if len(np.unique(classes)) < 2:
        return LinearClassifier(np.zeros((x.shape[1], k)), np.where(votes.any(axis=0), 0.0, ABSENT))
    model = LinearSVC(C=0.3, random_state=seed, max_iter=5000).fit(rows, classes, sample_weight=weights)
    coefficients, intercept = model.coef_, model.intercept_
    if len(model.classes_) == 2:
        # scikit-learn scores only the second of two classes.
        coefficients, intercept = np.vstack([-coefficients, coefficients]), np.concatenate([-intercept, intercept])
    bias = np.full(k, ABSENT)
    bias[model.classes_] = intercept
    return LinearClassifier(_spread(coefficients.T, model.classes_, k), bias, scale=2.0)


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
        return _svm(x, votes, seed)
    model = GradientBoostingClassifier(
        n_estimators=100, learning_rate=0.2, max_depth=1, max_features=0.05, random_state=seed
    )
    model.fit(rows, classes, sample_weight=weights)
    stumps = [(place, e.tree_) for stage in model.estimators_ for place, e in zip(model.classes_, stage, strict=True)]
    values = [_spread(model.learning_rate * tree.value[:, 0, :], np.array([place]), k) for place, tree in stumps]
    prior = np.bincount(classes, weights=weights, minlength=k)
    start = np.where(prior > 0, np.log(np.maximum(prior, 1e-9) / prior.sum()), ABSENT)
    return TreeClassifier(Trees.of([tree for _, tree in stumps], values), start, softmax=True)


@CLASSIFIERS.register("slda")
def _topics(x: Floats, votes: Floats, seed: int) -> Classifier:
    """Supervised LDA: topics that explain both the words and the shares of votes, in one thread to be reproducible.

    Raises:
        UsageError: tomotopy is not installed.
    """
    try:
        with warnings.catch_warnings():
            # Newer Pythons warn about how its extension module was built.
            warnings.simplefilter("ignore", DeprecationWarning)
            import tomotopy
    except ImportError:
        raise UsageError('supervised LDA needs tomotopy; run pip install "ilpsum[slda]"') from None
    k = votes.shape[1]
    model = tomotopy.SLDAModel(
        k=TOPICS, vars="l" * k, alpha=0.1, eta=0.01, nu_sq=[1.0] * k, glm_param=[0.05] * k, seed=seed
    )
    for row, voted in zip(x, votes, strict=True):
        present = [str(j) for j in np.flatnonzero(row > 0)]
        if present and voted.sum():
            model.add_doc(present, y=(voted / voted.sum()).tolist())
    words = np.full((TOPICS, x.shape[1]), 1.0 / max(x.shape[1], 1))
    weights = np.tile(votes.sum(axis=0) / max(float(votes.sum()), 1.0), (TOPICS, 1))
    prior = np.full(TOPICS, 0.1)
    if len(model.docs):
        model.train(SWEEPS, workers=1)
        columns = [int(word) for word in model.used_vocabs]
        words = np.full((TOPICS, x.shape[1]), 1e-9)
        words[:, columns] = [model.get_topic_word_dist(t) for t in range(TOPICS)]
        weights = np.array([model.get_regression_coef(j) for j in range(k)], dtype=np.float64).T
        prior = np.asarray(model.alpha, dtype=np.float64)
    return TopicClassifier(words, prior, weights, np.where(votes.any(axis=0), 0.0, ABSENT))


def _ensemble(x: Floats, votes: Floats, seed: int, *, by_rank: bool) -> Classifier:
    """SVM and random forest, averaged by probability or by reciprocal rank."""
    return VotingClassifier(_svm(x, votes, seed), _forest(x, votes, seed), by_rank)


CLASSIFIERS.add("ensemble-probability", partial(_ensemble, by_rank=False))
CLASSIFIERS.add("ensemble-rank", partial(_ensemble, by_rank=True))
