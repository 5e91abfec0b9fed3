"""The concept model: how many human summaries would hold a bigram, predicted from what is known of it.

The published ILP counts every bigram alike. Here a bigram is worth the expected share of gold summaries that hold it:
a Poisson regression (log link, L2 penalty) over the features of `features.concepts`, trained on topics whose sentences
were scored by relevance models that had not seen them. Learned bigram weights in the coverage ILP go back to Gillick
and Favre (2009) and Li, Qian and Liu (2013).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.concepts import COLUMNS, ORDER_COLUMNS


@dataclass(frozen=True)
class BigramWeights:
    """A trained log-linear model of the expected share of gold summaries that hold a bigram.

    Attributes:
        mean, deviation: (columns,) by which raw features are standardised.
        coefficients: (columns,) of the standardised features.
        intercept: the constant term.
    """

    mean: Floats
    deviation: Floats
    coefficients: Floats
    intercept: float

    @property
    def order(self) -> bool:
        """Whether it was trained with what the order of the documents tells."""
        return len(self.coefficients) > len(COLUMNS)

    def predict(self, matrix: Floats) -> Floats:
        """(m, columns) raw features to (m,) expected shares in [0,1]: what the log link puts above 1 is cut to it."""
        shares: Floats = np.exp(np.minimum(self.contributions(matrix).sum(axis=1) + self.intercept, 0.0))
        return shares

    def contributions(self, matrix: Floats) -> Floats:
        """(m, columns) what each feature adds to the logarithm of the share: why a bigram weighs what it weighs."""
        added: Floats = (matrix - self.mean) / self.deviation * self.coefficients
        return added

    def explain(self, row: Floats, most: int = 3) -> tuple[tuple[str, float], ...]:
        """The features of one concept that move its weight most, with what each adds to its logarithm."""
        added = self.contributions(row[None, :])[0]
        return tuple(
            ((*COLUMNS, *ORDER_COLUMNS)[j], float(added[j])) for j in np.argsort(-np.abs(added), kind="stable")[:most]
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What is kept of the model."""
        return {
            "mean": self.mean,
            "deviation": self.deviation,
            "coefficients": self.coefficients,
            "intercept": np.array([self.intercept]),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> "BigramWeights":
        """The model of what was kept.

        Raises:
            ValueError: it is for other columns than are known here.
        """
        shapes = {arrays[name].shape for name in ("mean", "deviation", "coefficients")}
        if shapes not in ({(len(COLUMNS),)}, {(len(COLUMNS) + len(ORDER_COLUMNS),)}):
            raise ValueError(f"concept features of another number than {len(COLUMNS)} or {len(ORDER_COLUMNS)} more")
        return cls(arrays["mean"], arrays["deviation"], arrays["coefficients"], float(arrays["intercept"][0]))


def fit(matrices: Sequence[Floats], shares: Sequence[Floats], penalty: float) -> BigramWeights:
    """Trains the model.

    Args:
        matrices: for each topic the (m_i, columns) features of its concepts.
        shares: for each topic the (m_i,) shares of gold summaries that hold each concept.
        penalty: weight of the squared coefficients.

    Raises:
        ValueError: there is no concept at all.
    """
    from sklearn.linear_model import PoissonRegressor

    if not sum(map(len, shares)):
        raise ValueError("no concepts to train on")
    x, y = np.vstack(list(matrices)), np.concatenate(list(shares))
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    deviation[deviation == 0] = 1.0
    model = PoissonRegressor(alpha=penalty, max_iter=1000).fit((x - mean) / deviation, y)
    return BigramWeights(mean, deviation, model.coef_, float(model.intercept_))
