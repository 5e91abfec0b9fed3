"""The classifiers of facets that Cohan et al. (2014) compare, by name.

ilpsum itself has the SVM, the random forest and their ensembles by probability and by rank. Here
are supervised LDA (`slda`, tomotopy's: `pip install tomotopy`), a decision tree (scikit-learn's)
and LogitBoost.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from features.arrays import Floats
from features.registry import Registry
from ilpsum.errors import UsageError
from ilpsum.records import FACETS, Facet
from ilpsum.task1 import classifiers, facets
from ilpsum.task1.classifiers import ABSENT, instances, softmax
from ilpsum.task1.facets import FacetExample, FacetModel, votes_of

TOPICS = 10
SWEEPS = 500
_ROUNDS = 50
_BOOSTS = 50
_SHARPNESS = 5.0


class Classifier(Protocol):
    """Predicts class probabilities."""

    def probabilities(self, x: Floats) -> Floats:
        """Return probabilities (n, k) of rows (n, columns)."""
        ...


CLASSIFIERS: Registry[Callable[[Floats, Floats, int], Classifier]] = Registry(
    "classifier of facets"
)
"""Each trains on rows (n, columns) and votes (n, k) with a seed."""
for _name in classifiers.CLASSIFIERS:
    CLASSIFIERS.add(_name, classifiers.CLASSIFIERS[_name])


@dataclass(frozen=True)
class Compared:
    """A classifier of facets on the features of a trained `FacetModel`."""

    model: FacetModel
    classifier: Classifier

    def probabilities(self, examples: Sequence[FacetExample]) -> Floats:
        """Return probabilities, or scores that sum to 1, of `FACETS`: (n, 5)."""
        return self.classifier.probabilities(self.model.features(examples))

    def predict(self, examples: Sequence[FacetExample]) -> list[Facet]:
        """Return the most probable facet of each example; ties go to the first of `FACETS`."""
        return [FACETS[i] for i in self.probabilities(examples).argmax(axis=1)]


def fit(
    examples: Sequence[FacetExample], method: str, *, sections: float = 0.0, seed: int = 1
) -> Compared:
    """Train a classifier by its name in `CLASSIFIERS` as `ilpsum.task1.facets.fit` trains the SVM."""
    voted = [example for example in examples if any(example.votes.values())]
    model = facets.fit(voted, sections=sections, seed=seed)
    return Compared(model, CLASSIFIERS[method](model.features(voted), votes_of(voted), seed))


@dataclass(frozen=True)
class FittedClassifier:
    """A classifier of scikit-learn that was trained on some of k classes."""

    model: Any
    k: int

    def probabilities(self, x: Floats) -> Floats:
        """See `Classifier.probabilities`."""
        result = np.zeros((len(x), self.k))
        result[:, self.model.classes_] = self.model.predict_proba(x)
        return result


@dataclass(frozen=True)
class TopicClassifier:
    """Supervised LDA (Mcauliffe and Blei 2007); the words of a text are the columns above 0, each once.

    Attributes:
        words: (t, columns) the probability of each column in each topic.
        prior: (t,) Dirichlet prior of the shares of topics.
        weights: (t, k) contribution of each topic to each class's share of votes.
        bias: (k,) 0, and `ABSENT` for a class without training examples.
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


@CLASSIFIERS.register("decision-tree")
def _decision_tree(x: Floats, votes: Floats, seed: int) -> Classifier:
    """Decision tree by entropy, with at least eight examples in a leaf."""
    from sklearn.tree import DecisionTreeClassifier

    return _fitted(
        DecisionTreeClassifier(criterion="entropy", min_samples_leaf=8, random_state=seed), x, votes
    )


@dataclass(frozen=True)
class BoostedStumps:
    """LogitBoost of k classes: class j has the score sum_m f_mj(x), each f_mj a regression stump.

    Attributes:
        rounds: the stumps of each round, one a class.
        seen: (k,) whether a class had training examples.
    """

    rounds: tuple[tuple[Any, ...], ...]
    seen: Floats

    def probabilities(self, x: Floats) -> Floats:
        """See `Classifier.probabilities`."""
        scores = np.where(self.seen, np.zeros((len(x), len(self.seen))), ABSENT)
        for stumps in self.rounds:
            scores[:, self.seen] += _steps(stumps, x)
        return softmax(scores)


def _steps(stumps: Sequence[Any], x: Floats) -> Floats:
    """Return what a round adds to the scores, (n, k): (k - 1) / k (f_j - mean of f over classes)."""
    values = np.stack([stump.predict(x) for stump in stumps], axis=1)
    k = len(stumps)
    return (k - 1) / k * (values - values.mean(axis=1, keepdims=True))


@CLASSIFIERS.register("logitboost")
def _logitboost(x: Floats, votes: Floats, seed: int) -> Classifier:
    """LogitBoost by regression stumps (Friedman, Hastie and Tibshirani 2000, Algorithm 6).

    Each round fits to class j the working response z = (y - p) / (p (1 - p)), at most 4 in size,
    with the weights p (1 - p) times the votes.
    """
    from scipy.sparse import csc_matrix
    from sklearn.tree import DecisionTreeRegressor

    rows, classes, weights = instances(x, votes)
    seen = votes.any(axis=0)
    present = np.flatnonzero(seen)
    targets = (classes[:, None] == present).astype(np.float64)
    scores = np.zeros(targets.shape)
    rounds = []
    # Most columns of most rows are 0; stumps of a sparse matrix are the same, three times as fast.
    columns = csc_matrix(rows)
    for _ in range(_BOOSTS if len(present) > 1 else 0):
        shares = softmax(scores)
        variances = np.maximum(shares * (1.0 - shares), 1e-5)
        responses = np.clip((targets - shares) / variances, -4.0, 4.0)
        stumps = []
        for j in range(len(present)):
            stump = DecisionTreeRegressor(max_depth=1, random_state=seed)
            stumps.append(
                stump.fit(columns, responses[:, j], sample_weight=weights * variances[:, j])
            )
        scores += _steps(stumps, rows)
        rounds.append(tuple(stumps))
    return BoostedStumps(tuple(rounds), seen)


def _fitted(model: Any, x: Floats, votes: Floats) -> FittedClassifier:
    rows, classes, weights = instances(x, votes)
    return FittedClassifier(model.fit(rows, classes, sample_weight=weights), votes.shape[1])


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
        raise UsageError("supervised LDA needs tomotopy: pip install tomotopy") from None
    k = votes.shape[1]
    model = tomotopy.SLDAModel(
        k=TOPICS,
        vars="l" * k,
        alpha=0.1,
        eta=0.01,
        nu_sq=[1.0] * k,
        glm_param=[0.05] * k,
        seed=seed,
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


def _shares(rows: Floats) -> Floats:
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))
