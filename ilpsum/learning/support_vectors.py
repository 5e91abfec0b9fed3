"""An epsilon-SVR with a Gaussian kernel (libsvm; Chang and Lin 2011), trained by scikit-learn.

The model consists of its support vectors. Prediction takes one matrix product, so that it needs no scikit-learn.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from ilpsum.files.persistence import fitted
from ilpsum.files.processes import libraries

_WIDEST = 1e9


@dataclass(frozen=True)
class SvrParameters:
    """Parameters of an SVR.

    Attributes:
        C: cost of errors beyond epsilon.
        gamma: coefficient of the kernel exp(-gamma |x - y|^2).
        epsilon: half the width of the tube of zero-cost errors, as a share of the largest training target.
    """

    C: float
    gamma: float
    epsilon: float

    def fit(self, x: Floats, y: Floats) -> "SupportVectors":
        """Train an SVR on (n, columns) features in [0,1] and (n,) non-negative targets; n is at least 1."""
        from sklearn.svm import SVR

        # Model files hold single precision; rounding now makes predictions equal before and after saving.
        x = x.astype(np.float32).astype(np.float64)
        unit = float(y.max()) or 1.0
        svr = SVR(kernel="rbf", C=self.C, gamma=self.gamma, epsilon=self.epsilon, cache_size=1000, tol=1e-3)
        svr.fit(x, y / unit)
        return SupportVectors(svr.support_vectors_, svr.dual_coef_[0], float(svr.intercept_[0]), unit, self)


@dataclass(frozen=True)
class SupportVectors:
    """A trained SVR: (v, columns) support vectors and (v,) coefficients; training divided the targets by `unit`."""

    support: Floats
    dual: Floats
    intercept: float
    unit: float
    parameters: SvrParameters

    @cached_property
    def _norms(self) -> Floats:
        """(v,) squared norms of the support vectors."""
        return np.asarray(np.square(self.support).sum(axis=1))

    def predict(self, x: Floats) -> Floats:
        """Predict the (n,) targets of (n, columns) scaled features."""
        # The last digits of a product depend on the number of threads; summaries must not.
        with libraries().limit(limits=1, user_api="blas"):
            kernel: Floats = x @ self.support.T
            kernel *= 2.0
            # Row by row and in place: allocating another array of this size costs more than the arithmetic.
            for row, norm in zip(kernel, np.square(x).sum(axis=1), strict=True):
                np.maximum(np.subtract(norm + self._norms, row, out=row), 0.0, out=row)
                row *= -self.parameters.gamma
                np.exp(row, out=row)
            return (kernel @ self.dual + self.intercept) * self.unit

    def reads(self, columns: int) -> bool:
        """Whether the support vectors have this many columns."""
        return self.support.ndim == 2 and self.support.shape[1] == columns

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return JSON-ready parameters and the arrays of the SVR."""
        return asdict(self.parameters), {
            # Single precision changes predictions by about 1e-7 and halves the file.
            "support": self.support.astype(np.float32),
            "dual": self.dual,
            "constants": np.array([self.intercept, self.unit]),
        }

    @classmethod
    def from_state(cls, parameters: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "SupportVectors":
        """Restore an SVR from its `state`; `ValueError` if it is invalid."""
        fitted(arrays, {"support": "f v columns", "dual": "f v", "constants": "f 2"})
        own = msgspec.convert(parameters, SvrParameters)
        if not 0.0 <= own.gamma <= _WIDEST:
            raise ValueError(f"gamma is {own.gamma}, expected a number from 0 to {_WIDEST:g}")
        intercept, unit = arrays["constants"].tolist()
        return cls(arrays["support"].astype(np.float64), arrays["dual"], intercept, unit, own)
