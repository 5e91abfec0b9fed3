"""The first incumbent: the relaxation rounded, then filled greedily."""

import numpy as np
from numpy.typing import NDArray

from ilpsum.selection.exact.core import Core
from ilpsum.selection.exact.relaxation import Relaxed
from ilpsum.selection.problem import FloatArray, IntArray


def rounded(core: Core, relaxed: Relaxed) -> tuple[float, tuple[int, ...]]:
    """Take the items that the relaxation takes in full, and fill up.

    Returns:
        The value of the set and its sentences; those already taken if their value is higher or a limit is broken.
    """
    start = np.flatnonzero(relaxed.x > 1 - 1e-6)
    chosen = fill(core, start if core.allows(start) else start[:0])
    if (value := core.value(chosen)) > core.base and core.allows(chosen):
        return value, core.sentences(chosen.tolist())
    return core.base, core.taken


def fill(core: Core, start: IntArray) -> IntArray:
    """Add to the items of `start` by falling gain per word, while one fits and gains something; return all, sorted."""
    sharing = core.sharing
    starts, concepts = sharing.columns
    covered = core.counts(start) > 0
    gains = core.v - _by_holder(core, covered)
    left = core.capacity - int(core.words[start].sum())
    gains[start] = 0.0
    chosen = start.tolist()
    while True:
        per_word = np.where((core.words <= left) & (gains > 0), gains / core.words, 0.0)
        item = int(per_word.argmax()) if len(core) else 0
        if not len(core) or per_word[item] <= 0:
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
    """(m,) the total weight of the masked concepts that each item holds."""
    sharing = core.sharing
    entries = np.flatnonzero(concepts[sharing.owners])
    return np.bincount(sharing.holders[entries], core.w[sharing.owners[entries]], len(core)).astype(np.float64)
