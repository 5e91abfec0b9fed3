"""Supervised LDA (Mcauliffe and Blei 2007) as a classifier: trained by tomotopy, saved as arrays, applied without it.

A row is a text whose words are the columns above 0, each once. Training samples topics that explain both the words and
the shares of votes, a linear function of a text's shares of topics. The shares of a new text come from iterating its
expected assignments with fixed topics.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from ilpsum.citances.arrays import softmax
from ilpsum.errors import UsageError
from ilpsum.io.arrays import LARGEST, fitted, within

TOPICS = 10
SWEEPS = 500
_ROUNDS = 50
_SHARPNESS = 5.0
_LEAST = 1e-12


@dataclass(frozen=True)
class SupervisedTopics:
    """A trained model.

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
        return softmax(_SHARPNESS * (self.shares(x) @ self.weights) + self.bias)

    def shares(self, x: Floats) -> Floats:
        """Return the shares of topics, (n, t), of rows (n, columns)."""
        present = (x > 0).astype(np.float64)
        shares = np.tile(self.prior / self.prior.sum(), (len(x), 1))
        for _ in range(_ROUNDS):
            # Sum over words of p(topic | word).
            expected = np.maximum(shares @ self.words, 1e-300)
            shares = self.prior + shares * ((present / expected) @ self.words.T)
            shares /= shares.sum(axis=1, keepdims=True)
        return shares

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return a JSON-ready description and arrays to save."""
        arrays = {"words": self.words, "prior": self.prior, "weights": self.weights}
        return {"kind": "topics"}, {n: a.astype(np.float32) for n, a in arrays.items()} | {"bias": self.bias}

    @classmethod
    def from_state(cls, arrays: dict[str, NDArray[Any]], **sizes: int) -> "SupervisedTopics":
        """Restore a model from its state; `sizes` are the numbers of `columns` and of classes `k`, if known.

        Raises:
            ValueError: these are not the arrays of a model.
        """
        fitted(arrays, {"words": "f t columns", "prior": "f t", "weights": "f t k", "bias": "f k"}, **sizes)
        within("words", arrays["words"], 0.0, 1.0)
        within("prior", arrays["prior"], _LEAST, LARGEST)
        names = ("words", "prior", "weights", "bias")
        return cls(*(arrays[name].astype(np.float64) for name in names))


def fit(x: Floats, votes: Floats, seed: int) -> SupervisedTopics:
    """Train on rows (n, columns) and votes (n, k), in one thread so that results can be reproduced.

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
    return SupervisedTopics(words, prior, weights, np.where(votes.any(axis=0), 0.0, -1e3))
