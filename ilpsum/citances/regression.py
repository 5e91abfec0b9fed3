"""Ridge regression on the inputs and on random rectified units: a network of which only the last layer is learned.

The units are drawn once and never trained, so the fit is one linear system, the same on every machine up to rounding,
and takes seconds where boosted trees take minutes (random kitchen sinks: Rahimi and Recht 2008).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats

UNITS, BAGS = 1000, 3
"""Units of a network, and networks that are averaged."""
PENALTY = 10_000.0
_WIDTH = 2.0
_SHARE = 0.15
_CLIP = 4.0
_ROWS = 4096


@dataclass(frozen=True)
class Regression:
    """Averaged networks.

    Attributes:
        mean, scale: (columns,) what inputs are centred by and divided by, before they are cut to [-4,4].
        hidden: (bags, columns, units) weights of the units.
        bias: (bags, units).
        weights: (bags, 1 + columns + units) of the constant, the inputs and the units.
    """

    mean: Floats
    scale: Floats
    hidden: Floats
    bias: Floats
    weights: Floats

    def __call__(self, x: Floats) -> Floats:
        """(n,) predictions for rows (n, columns)."""
        total = np.zeros(len(x))
        for start in range(0, len(x), _ROWS):
            rows = slice(start, start + _ROWS)
            z = _standard(x[rows], self.mean, self.scale)
            for hidden, bias, weights in zip(self.hidden, self.bias, self.weights, strict=True):
                total[rows] += _expanded(z, hidden, bias) @ weights
        return total / len(self.weights)

    def state(self) -> dict[str, NDArray[Any]]:
        """What is kept, in single precision."""
        names = ("mean", "scale", "hidden", "bias", "weights")
        return {name: getattr(self, name).astype(np.float32) for name in names}

    @classmethod
    def from_state(cls, arrays: Mapping[str, NDArray[Any]]) -> "Regression":
        """The regression of what was kept."""
        names = ("mean", "scale", "hidden", "bias", "weights")
        return cls(**{name: arrays[name].astype(np.float64) for name in names})


def fit(
    x: Floats, y: Floats, sample: Floats, seed: int, *, units: int = UNITS, bags: int = BAGS, penalty: float = PENALTY
) -> Regression:
    """Minimises sum sample (prediction - y)^2 + penalty |weights|^2, the constant free of the penalty.

    Args:
        x: (n, columns) inputs.
        y: (n,) targets.
        sample: (n,) weights of the rows.
        seed: of the random units.
        units: random units of a network; 0 leaves plain ridge regression.
        bags: networks.
        penalty: of the squared weights.
    """
    generator = np.random.default_rng(seed)
    # Single precision is what is kept, so that a model predicts the same before and after it was saved.
    mean = x.mean(axis=0).astype(np.float32).astype(np.float64)
    scale = (x.std(axis=0) + 1e-6).astype(np.float32).astype(np.float64)
    hidden, bias = [], []
    for _ in range(bags):
        spread = generator.standard_normal((x.shape[1], units)) * _WIDTH / np.sqrt(_SHARE * x.shape[1])
        hidden.append((spread * (generator.random(spread.shape) < _SHARE)).astype(np.float32).astype(np.float64))
        bias.append(generator.standard_normal(units).astype(np.float32).astype(np.float64))
    weights = [_solve(x, y, sample, (mean, scale), h, b, penalty) for h, b in zip(hidden, bias, strict=True)]
    return Regression(mean, scale, np.array(hidden), np.array(bias), np.array(weights))


def _solve(
    x: Floats,
    y: Floats,
    sample: Floats,
    standard: tuple[Floats, Floats],
    hidden: Floats,
    bias: Floats,
    penalty: float,
) -> Floats:
    """(1 + columns + units,) the weights of one network, from sums over blocks of rows."""
    size = 1 + x.shape[1] + hidden.shape[1]
    products, right = np.zeros((size, size)), np.zeros(size)
    for start in range(0, len(x), _ROWS):
        rows = slice(start, start + _ROWS)
        expanded = _expanded(_standard(x[rows], *standard), hidden, bias) * np.sqrt(sample[rows, None])
        # A matrix with itself, in single precision, is four times as fast; the sums over blocks are in double.
        single = expanded.astype(np.float32)
        products += single.T @ single
        right += expanded.T @ (np.sqrt(sample[rows]) * y[rows])
    ridge = np.full(size, penalty)
    ridge[0] = 1e-6
    return np.asarray(np.linalg.solve(products + np.diag(ridge), right).astype(np.float32).astype(np.float64))


def _standard(x: Floats, mean: Floats, scale: Floats) -> Floats:
    return np.asarray(np.clip((x - mean) / scale, -_CLIP, _CLIP))


def _expanded(z: Floats, hidden: Floats, bias: Floats) -> Floats:
    """(n, 1 + columns + units) the constant, the inputs, and the units max(0, z w + b)."""
    return np.hstack([np.ones((len(z), 1)), z, np.maximum(z @ hidden + bias, 0.0)])
