"""Concept weights: a log-linear model, which predicts the logarithm of a weight as a weighted sum
of standardised features.

The published ILP gives every bigram the same weight. Here a concept's weight is the expected share
of gold summaries that contain it: a Poisson regression (log link, L2 penalty) on the features of
`features.concepts`, trained on topics whose sentences are scored by relevance models that have not
seen them. Learned weights in the coverage ILP go back to Gillick and Favre (2009) and Li, Qian and
Liu (2013).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from features.arrays import Floats
from features.concepts import COLUMNS, Concept, Concepts
from features.order import BIGRAM_COLUMNS
from ilpsum.files.persistence import LARGEST, within
from ilpsum.files.records import Number

# The number of features of a concept, without and with document order.
_SIZES = (len(COLUMNS), len(COLUMNS) + len(BIGRAM_COLUMNS))

# Minimum standard deviation of a feature; smaller ones cannot come from training.
_LEAST = 1e-12


@dataclass(frozen=True)
class ConceptWeights:
    """A log-linear model of the expected share of gold summaries that contain a concept.

    Attributes:
        mean, deviation: (columns,) of the raw features.
        coefficients: (columns,) of the standardised features.
    """

    mean: Annotated[Floats, "f columns"]
    deviation: Annotated[Floats, "f columns"]
    coefficients: Annotated[Floats, "f columns"]
    intercept: Number

    def __post_init__(self) -> None:
        if len(self.coefficients) not in _SIZES:
            expected = " or ".join(map(str, _SIZES))
            raise ValueError(f"concept weights: expected {expected} features")
        within("deviation", self.deviation, _LEAST, LARGEST)

    @property
    def order(self) -> bool:
        """Whether the features include document order."""
        return len(self.coefficients) > len(COLUMNS)

    def predict(self, matrix: Floats) -> Floats:
        """Predict (m,) shares in [0,1] from (m, columns) raw features; values above 1 are
        clipped.
        """
        standardised = (matrix - self.mean) / self.deviation
        logarithms = (standardised * self.coefficients).sum(axis=1) + self.intercept
        return np.asarray(np.exp(np.minimum(logarithms, 0.0)))

    def of(self, concepts: Concepts) -> dict[Concept, float]:
        """Return the predicted share of each concept."""
        return dict(zip(concepts.names, self.predict(concepts.matrix).tolist(), strict=True))


def fit_weights(
    matrices: Sequence[Floats],
    shares: Sequence[Floats],
    penalty: float,
) -> ConceptWeights:
    """Train concept weights.

    For each topic, `matrices` has the (m_i, columns) features of its concepts and `shares` the
    (m_i,) shares of gold summaries that contain each. `penalty` is the weight of the squared
    coefficients.

    Raises:
        ValueError: there are no concepts.
    """
    from sklearn.linear_model import PoissonRegressor

    if not sum(map(len, shares)):
        raise ValueError("no concepts to train on")
    x = np.vstack(matrices)
    y = np.concatenate(shares)
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    deviation[deviation < _LEAST] = 1.0
    model = PoissonRegressor(alpha=penalty, max_iter=1000).fit((x - mean) / deviation, y)
    return ConceptWeights(mean, deviation, model.coef_, float(model.intercept_))
