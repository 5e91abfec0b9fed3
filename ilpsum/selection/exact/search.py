"""The optimal set of a core, and the tie-breaking rule.

**The optimum** is found by levels of decreasing threshold, from just below the root bound down to the value of a
rounded relaxation. A level without a set proves that no value reaches its threshold. The first level with a set visits
every better set, so its best is the optimum. Each level costs a few times as much as the previous one, and no good
incumbent is needed. If all values are multiples of a step (1/n at lambda = 0), the levels are those multiples, and any
set that reaches one is optimal.

**Ties.** Floating-point sums differ in their last digits, so sets count as equal if their values are within 1e-10 of
the optimum, times the largest value of one sentence. Among equal sets, the **fewest words** win, then the
**lexicographically smallest** tuple of indices. So no sentence is taken that adds nothing, and of two copies the
earlier is taken first. The last level's threshold includes ties, so it visits and compares all equal sets. If there are
more than twenty, a second search visits them in the order of the rule (ascending length, then lexicographic) and stops
at the first; it is short because equal sets are many. The rule depends only on the problem and the optimum, so every
solver returns the same selection.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats, Ints
from ilpsum.errors import counted
from ilpsum.selection.exact.branch import Meter, OutOfLimits, SearchTree
from ilpsum.selection.exact.core import Core
from ilpsum.selection.exact.relaxation import Relaxation, Relaxed

TIE = 1e-10
_RESOLUTION = 1e-12
_MOST_TIES = 20
_FIRST_LEVEL, _GROWTH = 0.5, 2.0


@dataclass
class Incumbent:
    """The best set so far, as sentences, and an upper bound on every set."""

    chosen: tuple[int, ...]
    value: float
    bound: float
    warnings: tuple[str, ...] = ()

    @property
    def proved(self) -> bool:
        """Whether the set is proved optimal."""
        return self.bound <= self.value


@dataclass
class Level:
    """The result of one level: the best value, and the sets equal to it.

    Attributes:
        threshold, unit: the minimum value, and the largest value of one sentence.
        single, tied: whether every set that reaches the threshold is optimal, and whether to keep equal sets.
        best: the best value, -inf before the first set.
        equals: length and value of each set equal to the best.
        crowded: whether there are more equal sets than kept.
    """

    threshold: float
    unit: float
    single: bool = False
    tied: bool = True
    best: float = -inf
    equals: dict[tuple[int, ...], tuple[int, float]] = field(default_factory=dict)
    crowded: bool = False

    def visit(self, core: Core, items: Ints) -> float:
        """See `ilpsum.selection.exact.branch.Visit`."""
        value = core.value(items)
        if value < self.threshold or not core.allows(items):
            return self.threshold
        self.best = max(self.best, value)
        self.equals[core.sentences(items.tolist())] = (int(core.words[items].sum()) - core.capacity, value)
        if len(self.equals) > _MOST_TIES or not self.tied:
            self._thin()
        searching = self.crowded or not self.tied
        if searching and self.single:
            return inf
        least = self.best + _RESOLUTION * self.unit if searching else self.best - TIE * self.unit
        self.threshold = max(self.threshold, least)
        return self.threshold

    def _thin(self) -> None:
        self.equals = {k: (w, v) for k, (w, v) in self.equals.items() if v >= self.best - TIE * self.unit}
        if len(self.equals) > _MOST_TIES:
            self.crowded = True
            self.equals = dict(list(self.equals.items())[:1])

    def first(self) -> tuple[int, ...]:
        """Return the first kept set by the tie-breaking rule."""
        self._thin()
        return min(self.equals, key=lambda chosen: (self.equals[chosen][0], chosen))


class ExactSearch:
    """The optimum of one core; arguments and errors as for `SearchTree`.

    `step` is a number that divides the values of all sets; 0 if none is known.
    """

    def __init__(self, core: Core, meter: Meter, step: float = 0.0, warm: Relaxation | None = None) -> None:
        self.core, self.step = core, step
        self.tree = SearchTree(core, meter, warm) if len(core) else None
        self.unit = max(1e-300, float(core.v.max(initial=0.0)))

    def best(self) -> Incumbent:
        """Return the optimal set by the tie-breaking rule, or the best one found within the limits."""
        tree, core = self.tree, self.core
        if tree is None:
            return Incumbent(core.taken, core.base, core.base)
        value, chosen = _rounded(core, tree.root)
        best = Incumbent(chosen, value, max(value, tree.root.bound))
        return self._descend(tree, best, tied=True)

    def better(self, value: float, chosen: tuple[int, ...]) -> Incumbent:
        """Return any optimal set: the given one, unless a set has a higher value."""
        if self.tree is None:
            return Incumbent(chosen, value, value)
        best = Incumbent(chosen, value, max(value, self.tree.root.bound))
        return self._descend(self.tree, best, tied=False)

    def settle(self, value: float, chosen: tuple[int, ...]) -> Incumbent:
        """Return the first set by the tie-breaking rule among those equal to a known optimum."""
        if self.tree is None:
            return self.best()
        best = Incumbent(chosen, value, value)
        level = Level(value - TIE * self.unit, self.unit)
        try:
            self.tree.visit(level.threshold, level.visit)
            self._pick(self.tree, best, level)
        except OutOfLimits as limit:
            best.warnings = (f"{_limit_message(limit, self.tree.meter)}: another set of equal value may come first",)
        best.bound = best.value
        return best

    def _descend(self, tree: SearchTree, best: Incumbent, tied: bool) -> Incumbent:
        level = Level(0.0, self.unit)
        try:
            for threshold in self._thresholds(best, tied):
                level = Level(threshold, self.unit, single=self.step > 0, tied=tied)
                tree.visit(threshold, level.visit)
                if level.equals:
                    best.bound = best.value = level.best
                    if tied and level.best - TIE * self.unit < threshold and not self.step:
                        return self.settle(level.best, level.first())
                    self._pick(tree, best, level)
                    break
                best.bound = max(best.value, threshold)
            best.bound = best.value
        except OutOfLimits as limit:
            self._cut_off(best, level, _limit_message(limit, tree.meter))
        return best

    def _thresholds(self, best: Incumbent, tied: bool) -> Iterator[float]:
        last = best.value - TIE * self.unit if tied else best.value + _RESOLUTION * self.unit
        if self.step:
            top, least = np.floor(best.bound / self.step + 1e-6), best.value - (self.step if tied else 0.0)
            while (top - 0.5) * self.step > least:
                yield float((top - 0.5) * self.step)
                top -= 1
            return
        share, bound = _FIRST_LEVEL, best.bound
        while share < 1 and bound > best.value:
            yield bound - share * (bound - best.value)
            share *= _GROWTH
        if bound > last:
            yield last

    def _pick(self, tree: SearchTree, best: Incumbent, level: Level) -> None:
        """Set `best` to the first set by the tie-breaking rule (or to an equal one if a limit ends the search)."""
        if level.equals:
            best.chosen, best.value = level.first(), max(best.value, level.best)
        if not level.crowded:
            return
        threshold = level.best - TIE * self.unit

        def visit(core: Core, items: Ints) -> float:
            if not core.allows(items) or core.value(items) < threshold:
                return threshold
            best.chosen = core.sentences(items.tolist())
            return inf

        tree.visit_in_order(threshold, visit)

    def _cut_off(self, best: Incumbent, level: Level, message: str) -> None:
        """Take the best set of an unfinished level."""
        if level.equals and level.best >= best.value:
            best.value = level.best
            best.chosen = best.chosen if best.proved else level.first()
            best.bound = level.best if level.single else max(best.bound, level.best)
        risk = "another set of equal value may come first" if best.proved else "a better set may exist"
        best.warnings = (f"{message}: {risk}",)


def _limit_message(limit: OutOfLimits, meter: Meter) -> str:
    if str(limit) == "nodes":
        return f"the limit of {counted(meter.limits.nodes, 'node')} was reached"
    return f"the limit of {meter.limits.seconds} s was reached (another machine may give another result)"


def _rounded(core: Core, relaxed: Relaxed) -> tuple[float, tuple[int, ...]]:
    """Round the relaxation down to the items taken in full, then fill up greedily.

    Returns:
        The value of the set and its sentences; only those already taken if that is better or a limit is exceeded.
    """
    start = np.flatnonzero(relaxed.x > 1 - 1e-6)
    chosen = fill(core, start if core.allows(start) else start[:0])
    if (value := core.value(chosen)) > core.base and core.allows(chosen):
        return value, core.sentences(chosen.tolist())
    return core.base, core.taken


def fill(core: Core, start: Ints) -> Ints:
    """Add items to `start` by decreasing gain per word while one fits with a positive gain; return all, sorted."""
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


def _by_holder(core: Core, concepts: NDArray[np.bool_]) -> Floats:
    """(m,) total weight of the masked concepts in each item."""
    sharing = core.sharing
    entries = np.flatnonzero(concepts[sharing.owners])
    return np.bincount(sharing.holders[entries], core.w[sharing.owners[entries]], len(core)).astype(np.float64)
