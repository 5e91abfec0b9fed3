"""Array types, and the neighbours of rows."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]


def beside(values: NDArray[Any], groups: Ints, step: int) -> NDArray[Any]:
    """Return for each of (n, ...) rows the one `step` rows before (after if negative) in the same
    group, else zeros.

    `groups` is (n,) the group of each row.
    """
    found, same = np.roll(values, step, axis=0), np.roll(groups, step) == groups
    same[slice(None, step) if step > 0 else slice(step, None)] = False
    found[~same] = 0
    return found
