"""A good set to begin with: the relaxation rounded, and filled up greedily."""

import numpy as np

from ilpsum.selection.compact import Core
from ilpsum.selection.problem import IntArray
from ilpsum.selection.relaxation import Relaxed

_NEAREST = 60


def rounded(core: Core, relaxed: Relaxed) -> tuple[float, tuple[int, ...]]:
    """The items that the relaxation takes whole, then whatever gains most for a word among those nearest to it.

    Returns:
        The value of the set and its sentences; what is already taken if the rounded set breaks a limit.
    """
    wish = np.where(relaxed.x > 1e-9, np.inf, relaxed.reduced)
    nearest = np.sort(np.argsort(-wish, kind="stable")[:_NEAREST])
    start = np.flatnonzero(relaxed.x > 1 - 1e-6)
    if not core.allows(start):
        return core.base, core.taken
    inner = core.restrict(np.setdiff1d(nearest, start), start)
    chosen = fill(inner)
    value = inner.value(chosen)
    return (value, inner.sentences(chosen.tolist())) if value > core.base else (core.base, core.taken)


def fill(core: Core) -> IntArray:
    """Items by falling gain for a word, as long as one fits and gains something."""
    holds = np.zeros((len(core.w), len(core)))
    holds[core.owners, core.holders] = 1.0
    gains, open_items, left = core.v.copy(), np.ones(len(core), dtype=bool), core.capacity
    uncovered = core.w.copy()
    chosen: list[int] = []
    while True:
        fits = open_items & (core.words <= left) & (gains > 0)
        if not fits.any():
            return np.array(sorted(chosen), dtype=np.int64)
        item = int(np.where(fits, gains / core.words, -1.0).argmax())
        open_items[item] = False
        if core.sides and not core.allows(np.array([*chosen, item])):
            continue
        chosen.append(item)
        left -= int(core.words[item])
        # From now on every other holder of a concept that is covered brings it once too often.
        gains -= (uncovered * holds[:, item]) @ holds
        uncovered *= 1.0 - holds[:, item]
