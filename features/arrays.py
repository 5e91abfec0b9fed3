"""Array types, names of columns, and the neighbours of rows."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
Column: TypeAlias = NDArray[Any]
"""One value of a feature per row, or per row and kind."""


def names(columns: Any, prefix: str = "") -> tuple[str, ...]:
    """Return the names of the columns of a family, the fields of a named tuple."""
    return tuple(prefix + field.replace("_", "-") for field in columns._fields)


def ratios(values: Column, divisors: Column) -> Floats:
    """Return values over divisors, broadcast; 0 where a divisor is 0."""
    shape = np.broadcast_shapes(values.shape, divisors.shape)
    return np.divide(values, divisors, out=np.zeros(shape), where=divisors > 0)


def relative(values: Floats) -> Floats:
    """Return non-negative values over the largest; zeros stay zeros."""
    return values / (float(values.max(initial=0.0)) or 1.0)


def unit(rows: Floats) -> Floats:
    """Return (n, d) rows of length 1; rows of zeros stay zeros."""
    return ratios(rows, np.linalg.norm(rows, axis=-1, keepdims=True))


def lag(values: NDArray[Any], groups: Ints, step: int) -> NDArray[Any]:
    """Return for each of (n, ...) rows the one `step` rows before (after if negative) in the same
    group, else zeros.

    `groups` is (n,) the group of each row.
    """
    neighbours = np.roll(values, step, axis=0)
    in_group = np.roll(groups, step) == groups
    wrapped = slice(None, step) if step > 0 else slice(step, None)
    in_group[wrapped] = False
    neighbours[~in_group] = 0
    return neighbours


def ranks(scores: Floats) -> Ints:
    """Return (n,) the rank of each score, 0 for the highest; equal scores rank in order."""
    places = np.empty(len(scores), dtype=np.int64)
    places[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    return places
