"""A good set to begin with: the relaxation rounded, and filled up greedily."""

import numpy as np
from numpy.typing import NDArray

from ilpsum.selection.exact.core import Core
from ilpsum.selection.exact.relaxation import Relaxed
from ilpsum.selection.problem import FloatArray, IntArray


def rounded(core: Core, relaxed: Relaxed) -> tuple[float, tuple[int, ...]]:
    """The items that the relaxation takes whole, filled up.

    Returns:
        The value of the set and its sentences; what is already taken if that is worth more or a limit is broken.
    """
    start = np.flatnonzero(relaxed.x > 1 - 1e-6)
    chosen = fill(core, start if core.allows(start) else start[:0])
    value = core.value(chosen)
    return (
        (value, core.sentences(chosen.tolist()))
        if value > core.base and core.allows(chosen)
        else (core.base, core.taken)
    )


def fill(core: Core, start: IntArray) -> IntArray:
    """Items by falling gain for a word, as long as one fits and gains something.

    Args:
        core: the core.
        start: items that are in already.
    """
    sharing = core.sharing
    starts, concepts = sharing.columns
    covered = core.counts(start) > 0
    gains = core.v - _by_holder(core, covered)
    left = core.capacity - int(core.words[start].sum())
    gains[start] = 0.0
    chosen = start.tolist()
    while True:
        worth = np.where((core.words <= left) & (gains > 0), gains / core.words, 0.0)
        item = int(worth.argmax()) if len(core) else 0
        if not len(core) or worth[item] <= 0:
            return np.array(sorted(chosen), dtype=np.int64)
        gains[item] = 0.0
        if core.sides and not core.allows(np.array([*chosen, item])):
            continue
        chosen.append(item)
        left -= int(core.words[item])
        fresh = np.zeros(len(sharing), dtype=bool)
        fresh[concepts[starts[item] : starts[item + 1]]] = True
        fresh &= ~covered
        covered |= fresh
        gains -= _by_holder(core, fresh)


def _by_holder(core: Core, concepts: NDArray[np.bool_]) -> FloatArray:
    """(m,) the weights of some concepts (a mask), added up over what each item holds."""
    sharing = core.sharing
    entries = np.flatnonzero(concepts[sharing.owners])
    return np.bincount(sharing.holders[entries], core.w[sharing.owners[entries]], len(core)).astype(np.float64)
