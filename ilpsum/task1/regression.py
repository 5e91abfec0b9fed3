"""Ridge regression on the inputs and on random ReLU units: a network in which only the last layer is trained.

The units are drawn once and never trained, so training solves one linear system: reproducible up to rounding on any
machine, in seconds where boosted trees take minutes (random kitchen sinks: Rahimi and Recht 2008).
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from ilpsum.files.arrays import LARGEST, fitted, within

UNITS, BAGS = 1000, 3
"""Units of a network, and number of networks averaged."""
PENALTY = 10_000.0
_WIDTH = 2.0
_SHARE = 0.15
_CLIP = 4.0
_ROWS = 4096
_LEAST = 1e-12


@dataclass(frozen=True)
class RandomUnitRegression:
    """An average of networks with random units.

    Attributes:
        mean, scale: (columns,) inputs are standardised by these and clipped to [-4, 4].
        hidden: (bags, columns, units) weights of the units.
        bias: (bags, units).
        weights: (bags, 1 + columns + units) weights of the constant, the inputs and the units.
    """

    mean: Floats
    scale: Floats
    hidden: Floats
    bias: Floats
    weights: Floats

    def __call__(self, x: Floats) -> Floats:
        """Return (n,) predictions for (n, columns) inputs."""
        total = np.zeros(len(x))
        for start in range(0, len(x), _ROWS):
            rows = slice(start, start + _ROWS)
            z = _standardised(x[rows], self.mean, self.scale)
            for hidden, bias, weights in zip(self.hidden, self.bias, self.weights, strict=True):
                total[rows] += _expanded(z, hidden, bias) @ weights
        return total / len(self.weights)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return arrays to save, in single precision."""
        return {name: array.astype(np.float32) for name, array in vars(self).items()}

    @classmethod
    def from_state(cls, arrays: Mapping[str, NDArray[Any]], columns: int) -> "RandomUnitRegression":
        """Restore a regression of `columns` inputs from its state; `ValueError` if these are not its arrays."""
        inputs = {"mean": "f columns", "scale": "f columns", "hidden": "f bags columns units", "bias": "f bags units"}
        lengths = fitted(arrays, inputs, columns=columns)
        fitted(arrays, {"weights": "f bags all"}, bags=lengths["bags"], all=1 + columns + lengths["units"])
        within("scale", arrays["scale"], _LEAST, LARGEST)
        if not lengths["bags"]:
            raise ValueError("a regression without networks")
        return cls(**{field.name: arrays[field.name].astype(np.float64) for field in fields(cls)})


def fit(
    x: Floats, y: Floats, sample: Floats, seed: int, *, units: int = UNITS, bags: int = BAGS, penalty: float = PENALTY
) -> RandomUnitRegression:
    """Minimise sum sample (prediction - y)^2 + penalty |weights|^2, with no penalty on the constant.

    `x` has n rows of inputs, `y` their targets and `sample` their weights. `seed` determines the `units` of each of the
    `bags` networks; without units this is plain ridge regression.
    """
    generator = np.random.default_rng(seed)
    mean, scale = _rounded(x.mean(axis=0)), _rounded(x.std(axis=0) + 1e-6)
    hidden, bias = [], []
    for _ in range(bags):
        spread = generator.standard_normal((x.shape[1], units)) * _WIDTH / np.sqrt(_SHARE * x.shape[1])
        hidden.append(_rounded(spread * (generator.random(spread.shape) < _SHARE)))
        bias.append(_rounded(generator.standard_normal(units)))
    weights = [_solve(x, y, sample, (mean, scale), h, b, penalty) for h, b in zip(hidden, bias, strict=True)]
    return RandomUnitRegression(mean, scale, np.array(hidden), np.array(bias), np.array(weights))


def _solve(
    x: Floats, y: Floats, sample: Floats, standard: tuple[Floats, Floats], hidden: Floats, bias: Floats, penalty: float
) -> Floats:
    """Return the weights of one network, (1 + columns + units,), from sums over blocks of rows."""
    size = 1 + x.shape[1] + hidden.shape[1]
    products, right = np.zeros((size, size)), np.zeros(size)
    for start in range(0, len(x), _ROWS):
        rows = slice(start, start + _ROWS)
        expanded = _expanded(_standardised(x[rows], *standard), hidden, bias) * np.sqrt(sample[rows, None])
        # A single-precision product is four times as fast; sums over blocks are in double precision.
        single = expanded.astype(np.float32)
        products += single.T @ single
        right += expanded.T @ (np.sqrt(sample[rows]) * y[rows])
    ridge = np.full(size, penalty)
    ridge[0] = 1e-6
    return _rounded(np.linalg.solve(products + np.diag(ridge), right))


def _rounded(values: Floats) -> Floats:
    """Round to single precision, as saved models are, so that predictions are equal before and after saving."""
    return values.astype(np.float32).astype(np.float64)


def _standardised(x: Floats, mean: Floats, scale: Floats) -> Floats:
    return np.asarray(np.clip((x - mean) / scale, -_CLIP, _CLIP))


def _expanded(z: Floats, hidden: Floats, bias: Floats) -> Floats:
    """Return the constant, the inputs and the units max(0, z w + b): (n, 1 + columns + units)."""
    return np.hstack([np.ones((len(z), 1)), z, np.maximum(z @ hidden + bias, 0.0)])
