"""What log-linear models share: they standardise features, and predict the logarithm of a value as a weighted sum."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from ilpsum.io.arrays import LARGEST, fitted, within

# A smaller deviation of a feature cannot come from training.
_LEAST = 1e-12


@dataclass(frozen=True)
class LogLinear:
    """A log-linear model: (columns,) mean and deviation of the raw features, and coefficients of standardised ones."""

    WHAT: ClassVar[str]
    """What the model is called in messages."""
    WIDTHS: ClassVar[tuple[int, ...]]
    """The numbers of features that it may have."""

    mean: Floats
    deviation: Floats
    coefficients: Floats
    intercept: float

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the model."""
        return {**vars(self), "intercept": np.array([self.intercept])}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Restore a model from its `arrays`; `KeyError` or `ValueError` if these are none, or of other features."""
        mean, deviation, coefficients = (arrays[name] for name in ("mean", "deviation", "coefficients"))
        if {mean.shape, deviation.shape, coefficients.shape} not in [{(number,)} for number in cls.WIDTHS]:
            *some, last = map(str, cls.WIDTHS)
            expected = f"{', '.join(some)} or {last}" if some else last
            raise ValueError(f"{cls.WHAT}: expected {expected} features")
        axes = dict.fromkeys(("mean", "deviation", "coefficients"), "f columns")
        fitted(arrays, {**axes, "intercept": "f 1"})
        within("deviation", deviation, _LEAST, LARGEST)
        return cls(mean, deviation, coefficients, float(arrays["intercept"][0]))
