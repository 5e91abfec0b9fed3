"""The classifier of facets, a linear SVM: plain arrays, applied without the library that trained them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from ilpsum.io.arrays import fitted
from ilpsum.io.records import Number

ABSENT = -1e3
"""Score of a class that no training example has."""


class ClassifierDescription(msgspec.Struct, omit_defaults=True):
    """What a model file says of the classifier."""

    kind: Literal["linear"]
    scale: Number = 1.0


@dataclass(frozen=True)
class LinearClassifier:
    """Softmax of `scale` times linear scores: (columns, k) weights, and a (k,) bias, `ABSENT` for unseen classes."""

    weights: Floats
    bias: Floats
    scale: float = 1.0

    def probabilities(self, x: Floats) -> Floats:
        """Return class probabilities (n, k) of rows (n, columns)."""
        return softmax(self.scale * (x @ self.weights + self.bias))

    def state(self) -> tuple[ClassifierDescription, dict[str, NDArray[Any]]]:
        """Return what a model file holds: a description, and arrays."""
        weights = self.weights.astype(np.float32)
        return ClassifierDescription("linear", scale=self.scale), {"weights": weights, "bias": self.bias}

    @classmethod
    def from_state(
        cls, known: ClassifierDescription, arrays: Mapping[str, NDArray[Any]], **sizes: int
    ) -> "LinearClassifier":
        """Restore a classifier from its state; `sizes` are the numbers of `columns` and of classes `k`.

        Raises:
            ValueError: these are not the arrays of a classifier, or of one for other columns or classes.
        """
        fitted(arrays, {"weights": "f columns k", "bias": "f k"}, **sizes)
        return cls(arrays["weights"].astype(np.float64), arrays["bias"], known.scale)


def svm(x: Floats, votes: Floats, seed: int) -> LinearClassifier:
    """Train a linear SVM, one class against the others, with squared hinge loss.

    `x` has the examples, (n, columns), and `votes` how many annotators name each class, (n, k).
    """
    from sklearn.svm import LinearSVC

    k = votes.shape[1]
    rows, classes, weights = instances(x, votes)
    if len(np.unique(classes)) < 2:
        return LinearClassifier(np.zeros((x.shape[1], k)), np.where(votes.any(axis=0), 0.0, ABSENT))
    model = LinearSVC(C=0.3, random_state=seed, max_iter=5000).fit(rows, classes, sample_weight=weights)
    coefficients, intercept = model.coef_, model.intercept_
    if len(model.classes_) == 2:
        # scikit-learn scores only the second of two classes.
        coefficients, intercept = np.vstack([-coefficients, coefficients]), np.concatenate([-intercept, intercept])
    columns, bias = np.zeros((x.shape[1], k)), np.full(k, ABSENT)
    columns[:, model.classes_], bias[model.classes_] = coefficients.T, intercept
    return LinearClassifier(columns, bias, scale=2.0)


def instances(x: Floats, votes: Floats) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Return a row for each example and class that annotators name, its class, and the votes as its weight."""
    index, classes = np.nonzero(votes)
    return x[index], classes, votes[index, classes]


def softmax(scores: Floats) -> Floats:
    """Return probabilities, (n, k), from scores (n, k)."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
