"""An epsilon-SVR with a Gaussian kernel (libsvm; Chang and Lin 2011), trained by scikit-learn.

What is kept are its support vectors; predicting from them takes one matrix product, so a summary needs no scikit-learn.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats


@dataclass(frozen=True)
class SvrParameters:
    """The SVR's parameters.

    Attributes:
        C: cost of an error beyond epsilon.
        gamma: width of the kernel exp(-gamma |x - y|^2).
        epsilon: half the width of the tube in which errors are free, as a share of the largest training target.
    """

    C: float
    gamma: float
    epsilon: float

    def fit(self, x: Floats, y: Floats) -> "SupportVectors":
        """Trains the SVR on (n, columns) features in [0,1] and (n,) targets of at least 0; n is at least 1."""
        from sklearn.svm import SVR

        # Support vectors are kept in single precision: trained on the same, they predict the same.
        x = x.astype(np.float32).astype(np.float64)
        unit = float(y.max()) or 1.0
        svr = SVR(kernel="rbf", C=self.C, gamma=self.gamma, epsilon=self.epsilon, cache_size=1000, tol=1e-3)
        svr.fit(x, y / unit)
        return SupportVectors(svr.support_vectors_, svr.dual_coef_[0], float(svr.intercept_[0]), unit, self)


@dataclass(frozen=True)
class SupportVectors:
    """A trained SVR.

    Attributes:
        support: (v, columns) support vectors.
        dual: (v,) their coefficients.
        intercept: the constant term.
        unit: what the targets were divided by; predictions are in the targets' own units.
        parameters: what it was trained with.
    """

    support: Floats
    dual: Floats
    intercept: float
    unit: float
    parameters: SvrParameters

    def predict(self, x: Floats) -> Floats:
        """(n, columns) scaled features to (n,) predicted targets."""
        kernel: Floats = x @ self.support.T
        kernel *= 2.0
        norms = np.square(self.support).sum(axis=1)
        # Row by row and in place: further arrays of this size cost the system more than the arithmetic takes.
        for row, norm in zip(kernel, np.square(x).sum(axis=1), strict=True):
            np.maximum(np.subtract(norm + norms, row, out=row), 0.0, out=row)
            row *= -self.parameters.gamma
            np.exp(row, out=row)
        return (kernel @ self.dual + self.intercept) * self.unit

    def reads(self, columns: int) -> bool:
        """Whether the support vectors have so many columns."""
        return self.support.ndim == 2 and self.support.shape[1] == columns

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What is kept: JSON-ready parameters, and arrays."""
        return asdict(self.parameters), {
            # Single precision of the support vectors moves predictions by about 1e-7, and halves the file.
            "support": self.support.astype(np.float32),
            "dual": self.dual,
            "constants": np.array([self.intercept, self.unit]),
        }

    @classmethod
    def from_state(cls, parameters: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "SupportVectors":
        """The SVR of what was kept."""
        intercept, unit = arrays["constants"].tolist()
        support = arrays["support"].astype(np.float64)
        return cls(support, arrays["dual"], intercept, unit, SvrParameters(**parameters))
