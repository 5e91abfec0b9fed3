"""The best set of a core, and the one to write among equals: relaxations at the top, enumeration below.

A *level* asks for the sets worth at least a threshold. Its first answer is the enumeration of what the root's
relaxation leaves; where that grows too large, the level branches: each node is a relaxation with some items fixed,
whose fresh multipliers make a smaller enumeration. A node whose proven bound is below the threshold is done.

**The best set** is found by levels of falling threshold, from just below the bound of the root down to the value of a
rounded relaxation. A level that finds no set proves that there is none above its threshold; the first that finds one
has seen every better set, so its best is the optimum. A level costs a few times what the one above it did, and no good
incumbent is needed. Where all values are multiples of a step (at lambda = 0, of 1/n), the levels are those multiples,
and any set that a level finds is optimal.

**Ties.** Sums of prices differ in their last digits, so sets worth the optimum less 1e-10 of the most that one sentence
is worth are equal. Among them the one with the **fewest words** is written, and among these the **lexicographically
smallest** tuple of indices. This is decided by a second search at the threshold of the tie, which visits the possible
lengths in turn, and for each the sets in lexicographic order, and stops at the first. As it looks at nothing but the
problem and the optimum, every formulation and solver writes the same summary. It implies that no sentence is taken
that adds nothing, and that of two copies of a sentence, of which one is wanted, the earlier is taken.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from ilpsum.errors import SolverError
from ilpsum.selection.compact import Core
from ilpsum.selection.enumeration import Enumeration
from ilpsum.selection.incumbent import rounded
from ilpsum.selection.problem import FloatArray, IntArray, Limits
from ilpsum.selection.relaxation import Relaxation, Relaxed

TIE = 1e-10
_RESOLUTION = 1e-12
# What an enumeration may cost before its node is branched: about the time of a hundred relaxations.
_NODES_AT_ONCE = 20_000
_FIRST_LEVEL, _GROWTH = 0.5, 2.0

# Changes the budget of an enumeration after a set was found; see `Enumeration.walk`.
Visit = Callable[[Core, IntArray], float | None]


class OutOfLimits(Exception):  # noqa: N818 - it ends a search, it is no error
    """The nodes or the time of a topic are used up."""


@dataclass
class Meter:
    """What a topic has used of its limits."""

    limits: Limits
    nodes: int = 0
    start: float = field(default_factory=time.perf_counter)

    def left(self) -> int:
        """Nodes that may still be visited.

        Raises:
            OutOfLimits: none, or the time is over.
        """
        if self.nodes >= self.limits.nodes:
            raise OutOfLimits("nodes")
        if self.limits.seconds is not None and time.perf_counter() - self.start > self.limits.seconds:
            raise OutOfLimits("seconds")
        return self.limits.nodes - self.nodes


@dataclass
class Found:
    """The best set so far, as sentences, and what no set exceeds."""

    chosen: tuple[int, ...]
    value: float
    bound: float
    remarks: tuple[str, ...] = ()

    @property
    def proved(self) -> bool:
        """Whether the set is optimal."""
        return self.bound <= self.value


def solve_core(core: Core, meter: Meter, step: float = 0.0) -> Found:
    """The best set of a core, the one to be written among equals.

    Args:
        core: the core.
        meter: counts the nodes.
        step: the values of all sets are multiples of it; 0 where nothing is known.
    """
    search = Search(core, meter)
    best = search.best(step)
    if best.proved:
        best.chosen, best.remarks = settle_tie(search, best.value, best.chosen)
    return best


def settle_tie(search: "Search", value: float, chosen: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The set to be written among those worth `value`, and a remark if the limits came before it was found."""
    try:
        first = search.first(value)
        return chosen if first is None else first, ()
    except OutOfLimits as limit:
        return chosen, (f"{_limit_said(limit, search.meter)}: another set of equal value may come first",)


def _limit_said(limit: OutOfLimits, meter: Meter) -> str:
    if str(limit) == "nodes":
        return f"the limit of {meter.limits.nodes} nodes was reached"
    return f"the limit of {meter.limits.seconds} s was reached (on another machine the result may differ)"


class Search:
    """Searches one core; its root relaxation serves the optimum and the ties.

    Args:
        core: the core.
        meter: counts the nodes.
        warm: the relaxation of a core that may differ in its prices only, to begin from.
    """

    def __init__(self, core: Core, meter: Meter, warm: Relaxation | None = None) -> None:
        self.core, self.meter = core, meter
        self.unit = max(1e-300, float(core.v.max(initial=0.0)))
        if len(core):
            self.relaxation = warm if warm is not None and warm.reprice(core) else Relaxation(core)
            root = self.relaxation.solve()
            if root is None:
                raise SolverError("no set of sentences keeps all the limits: loosen the limits or what is fixed in")
            self._root = root

    def best(self, step: float = 0.0, known: tuple[float, tuple[int, ...]] | None = None) -> Found:
        """An optimal set (which of several is not said), or the best one within the limits.

        Args:
            step: the values of all sets are multiples of it; 0 where nothing is known.
            known: value and sentences of a set to be improved on.
        """
        core = self.core
        if not len(core):
            return Found(core.taken, core.base, core.base)
        value, chosen = known or rounded(core, self._root)
        best = Found(chosen, value, max(value, self._root.bound))
        try:
            for threshold in self._thresholds(best, step):
                found = self._level_best(best, threshold, bool(step))
                if found:
                    break
                best.bound = max(best.value, threshold)
            best.bound = best.value
        except OutOfLimits as limit:
            best.remarks = (f"{_limit_said(limit, self.meter)}: a better set may exist",)
        return best

    def _thresholds(self, best: Found, step: float) -> Iterator[float]:
        """Falling thresholds, each from just below the last down to what is known to be attained."""
        margin = _RESOLUTION * self.unit
        if step:
            top = np.floor(best.bound / step + 1e-6)
            while (top - 0.5) * step > best.value:
                yield float((top - 0.5) * step)
                top -= 1
            return
        last, bound = best.value + margin, best.bound
        share = _FIRST_LEVEL
        while bound > last:
            threshold = max(last, bound - share * (bound - best.value))
            yield threshold
            if threshold <= last:
                return
            share *= _GROWTH

    def _level_best(self, best: Found, threshold: float, first: bool) -> bool:
        """Whether a set of the threshold or more exists; puts the best of them into `best`."""
        margin = _RESOLUTION * self.unit
        found = False

        def visit(core: Core, items: IntArray) -> float | None:
            nonlocal found
            value = core.value(items)
            if core.allows(items) and value >= (best.value + margin if found else threshold):
                best.chosen, best.value, found = core.sentences(items.tolist()), value, True
                return None if first else value + margin
            return best.value + margin if found else threshold

        self._level(threshold, visit, None)
        return found

    def first(self, value: float) -> tuple[int, ...] | None:
        """The set to be written among those worth as much as `value`; see the module's text.

        Raises:
            OutOfLimits: it was not found within the limits.
        """
        core = self.core
        if not len(core):
            return core.taken if core.base >= value - TIE * self.unit else None
        threshold = value - TIE * self.unit
        result: tuple[int, ...] | None = None

        def visit(inner: Core, items: IntArray) -> float | None:
            nonlocal result
            if not inner.allows(items) or inner.value(items) < threshold:
                return threshold
            result = inner.sentences(items.tolist())
            return None

        budget = self._root.bound - threshold
        root = Enumeration(core, core.capacity, self._root, *self._open(core), budget, by_index=True)
        inside = int(core.words[root.take].sum())
        for words in root.lengths(budget):
            self._level(threshold, visit, words + inside, root)
            if result is not None:
                return result
        return None

    @staticmethod
    def _open(core: Core) -> tuple[FloatArray, FloatArray]:
        return np.zeros(len(core)), np.ones(len(core))

    def _level(self, threshold: float, visit: Visit, words: int | None, root: Enumeration | None = None) -> None:
        """Shows `visit` every set of the threshold or more (of so many words), until it answers None."""
        core = self.core
        if root is None:
            root = Enumeration(core, core.capacity, self._root, *self._open(core), self._root.bound - threshold)
        done, threshold, stopped = self._enumerate(core, self._root, root, threshold, visit, words)
        if done or stopped:
            return
        keep = np.sort(root.free)
        inner = core.restrict(keep, root.take)
        left = None if words is None else words - int(core.words[root.take].sum())
        self._branch(inner, threshold, visit, left)

    def _branch(self, core: Core, threshold: float, visit: Visit, words: int | None) -> None:
        """Depth first over fixed items; with `words`, in lexicographic order."""
        relaxation = Relaxation(core)
        capacity = core.capacity if words is None else words
        relaxation.limit_words(capacity)
        stack = [self._open(core)]
        while stack:
            self.meter.left()
            self.meter.nodes += 1
            lower, upper = stack.pop()
            relaxation.fix(lower, upper)
            relaxed = relaxation.solve()
            if relaxed is None or relaxed.bound < threshold:
                continue
            budget = relaxed.bound - threshold
            node = Enumeration(core, capacity, relaxed, lower, upper, budget, by_index=words is not None)
            done, threshold, stopped = self._enumerate(core, relaxed, node, threshold, visit, words)
            if stopped:
                return
            if done:
                continue
            lower, upper = lower.copy(), upper.copy()
            decided = np.ones(len(core), dtype=bool)
            decided[node.free] = False
            lower[node.take] = 1.0
            upper[decided & (lower < 0.5)] = 0.0
            item = _branching_item(relaxed, node, words is not None)
            without, inside = upper.copy(), lower.copy()
            without[item], inside[item] = 0.0, 1.0
            stack += [(lower, without), (inside, upper)]

    def _enumerate(
        self, core: Core, relaxed: Relaxed, node: Enumeration, threshold: float, visit: Visit, words: int | None
    ) -> tuple[bool, float, bool]:
        """Walks a node's sets: whether all were seen, the threshold from now on, and whether to stop."""
        state = [threshold, 0.0]

        def at_leaf(items: IntArray) -> float:
            answer = visit(core, items)
            if answer is None:
                state[1] = 1.0
                return -1.0
            state[0] = max(state[0], answer)
            return relaxed.bound - state[0]

        free = None if words is None else words - int(core.words[node.take].sum())
        if free is not None and not 0 <= free <= node.capacity:
            return True, threshold, False
        allowed = min(_NODES_AT_ONCE, self.meter.left())
        visited, done = node.walk(relaxed.bound - threshold, allowed, at_leaf, free)
        self.meter.nodes += visited
        return done, state[0], state[1] > 0


def _branching_item(relaxed: Relaxed, node: Enumeration, by_index: bool) -> int:
    """The first undecided sentence in lexicographic searches, else the one that the relaxation splits most evenly."""
    if by_index:
        return int(node.free[0])
    halves = np.abs(relaxed.x[node.free] - 0.5)
    if float(halves.min()) < 0.5 - 1e-6:
        return int(node.free[int(halves.argmin())])
    return int(node.free[int(np.abs(relaxed.reduced[node.free]).argmin())])
