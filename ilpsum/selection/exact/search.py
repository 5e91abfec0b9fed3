"""The optimal set of a core, by levels of decreasing value, with the tie-breaking rule.

**The optimum** is found by levels: all sets whose value reaches a threshold are visited, first for
a threshold halfway between the root bound and the value of a rounded relaxation, then for that
value. A level without a set proves that no value reaches its threshold. The first level with a set
visits every better set, so its best is the optimum. If all values are multiples of a step (1/n at
lambda = 0), the levels are those multiples, and any set that reaches one is optimal.

**A level** is visited by enumerating the sets that the root relaxation leaves open. If there are
too many, the search branches on items: each node is a relaxation with some items fixed, whose new
multipliers leave a smaller enumeration. A node whose proved bound is below the threshold is pruned.

**Ties.** Floating-point sums differ in their last digits, so sets count as equal if their values
are within 1e-10 of the optimum, times the largest value of one sentence. Among equal sets, the
**fewest words** win, then the **lexicographically smallest** tuple of indices. So no sentence is
taken that adds nothing, and of two copies the earlier is taken first. (Sets that are equal at one
lambda only are compared by `ilpsum.selection.path` before.) The last level's threshold
includes ties, so it visits and compares all equal sets. If there are more than twenty, a second
search visits them in the order of the rule (ascending length, then lexicographic) and stops at the
first; it is short because equal sets are many. The rule depends only on the problem and the
optimum, so every solver returns the same selection.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np

from features.arrays import Ints
from ilpsum.errors import SolverError, counted
from ilpsum.selection.exact.core import NO_ITEMS, Core
from ilpsum.selection.exact.enumeration import Enumeration
from ilpsum.selection.exact.relaxation import Relaxation, Relaxed
from ilpsum.selection.problem import Limits

TIE = 1e-10
_RESOLUTION = 1e-12
_MOST_TIES = 20
# Maximum nodes of an enumeration before branching; they take about as long as a hundred
# relaxations.
_NODES_AT_ONCE = 20_000

# Called with the items of each set; returns the new threshold, infinity to stop.
Visit = Callable[[Core, Ints], float]


@dataclass
class FirstSet:
    """Keeps the first set that reaches a threshold, with its core, and ends the search there."""

    threshold: float
    core: Core | None = None
    items: Ints = field(default_factory=lambda: NO_ITEMS)

    def visit(self, core: Core, items: Ints) -> float:
        """See `Visit`."""
        if not core.allows(items) or core.value(items) < self.threshold:
            return self.threshold
        self.core, self.items = core, items
        return inf


class OutOfLimits(Exception):  # noqa: N818 - it ends a search and is not an error
    """A topic's limit on nodes or time was reached; the message says which."""


@dataclass
class Meter:
    """Counts the nodes and time used by a topic against its limits."""

    limits: Limits
    nodes: int = 0
    start: float = 0.0

    def __post_init__(self) -> None:
        self.start = time.perf_counter() if self.limits.start is None else self.limits.start

    def left(self) -> int:
        """Return the number of nodes left; `OutOfLimits` if nodes or time are used up."""
        limits = self.limits
        if limits.stop:
            limits.stop()
        if self.nodes >= limits.nodes:
            raise OutOfLimits(f"the limit of {counted(limits.nodes, 'node')} was reached")
        if limits.seconds is not None and time.perf_counter() - self.start > limits.seconds:
            raise OutOfLimits(
                f"the limit of {limits.seconds} s was reached (another machine may give another "
                "result)"
            )
        return limits.nodes - self.nodes


class SearchTree:
    """The sets of one core, searched from one root relaxation; a meter counts the nodes.

    `warm` is a relaxation for a warm start, used if its core differs only in prices.

    Raises:
        SolverError: no set satisfies all limits.
    """

    def __init__(self, core: Core, meter: Meter, warm: Relaxation | None = None) -> None:
        self.core, self.meter = core, meter
        self.relaxation = warm if warm is not None and warm.reprice(core) else Relaxation(core)
        root = self.relaxation.solve()
        if root is None:
            raise SolverError(
                "no set of sentences keeps all the limits: include fewer sentences or raise the "
                "limits"
            )
        self.root = root

    def visit(self, threshold: float, visit: Visit) -> None:
        """Call `visit` with every set that reaches the threshold (and a few others), until it
        returns infinity.

        Raises:
            OutOfLimits: a limit ended the search.
        """
        self._visit(
            Enumeration(self.core, self.root, self.root.bound - threshold),
            threshold,
            visit,
            None,
        )

    def visit_in_order(self, threshold: float, visit: Visit) -> None:
        """Do the same by ascending total length, then in lexicographic order."""
        budget, core = self.root.bound - threshold, self.core
        node = Enumeration(core, self.root, budget, by_index=True)
        if node.is_rough:
            self._visit(node, threshold, visit, self._shortest(threshold))
            return
        inside = int(core.words[node.take].sum())
        for words in node.lengths(budget):
            if self._visit(node, threshold, visit, words + inside):
                return

    def _shortest(self, threshold: float) -> int:
        """Return the minimum length of a set that reaches the threshold, by bisection; for too many
        sets.
        """
        least, most = -1, self.core.capacity
        while most - least > 1:
            limit = (least + most) // 2
            first = FirstSet(threshold)
            SearchTree(replace(self.core, capacity=limit), self.meter).visit(threshold, first.visit)
            if first.core is None:
                least = limit
            else:
                most = limit - first.core.capacity + int(first.core.words[first.items].sum())
        return most

    def _visit(self, root: Enumeration, threshold: float, visit: Visit, words: int | None) -> bool:
        """Visit the sets that reach the threshold (of length `words`, if given); return whether
        `visit` stopped.

        Branches depth-first, in lexicographic order if `words` is given.
        """
        done, threshold = self._enumerate(self.core, self.root, root, threshold, visit, words)
        if done:
            return threshold == inf
        core = self.core.restrict(np.sort(root.free), root.take)
        if words is not None:
            words -= int(self.core.words[root.take].sum())
            core = replace(core, capacity=words)
        relaxation = Relaxation(core)
        stack = [(relaxation.lower, relaxation.upper)]
        while stack and threshold < inf:
            self.meter.left()
            self.meter.nodes += 1
            relaxation.fix(*stack.pop())
            relaxed = relaxation.solve()
            if relaxed is None or relaxed.bound < threshold:
                continue
            node = Enumeration(core, relaxed, relaxed.bound - threshold, by_index=words is not None)
            done, threshold = self._enumerate(core, relaxed, node, threshold, visit, words)
            if not done:
                stack += node.halves(relaxed)
        return threshold == inf

    def _enumerate(
        self,
        core: Core,
        relaxed: Relaxed,
        node: Enumeration,
        threshold: float,
        visit: Visit,
        words: int | None,
    ) -> tuple[bool, float]:
        """Walk a node's sets until `visit` stops; return whether all were visited, and the new
        threshold.
        """

        def at_leaf(items: Ints) -> float:
            nonlocal threshold
            threshold = max(threshold, visit(core, items))
            return relaxed.bound - threshold

        free = None if words is None else words - int(core.words[node.take].sum())
        if free is not None and not 0 <= free <= node.capacity:
            return True, threshold
        allowed = min(_NODES_AT_ONCE, self.meter.left())
        visited, done = node.walk(relaxed.bound - threshold, allowed, at_leaf, free)
        self.meter.nodes += visited
        return done, threshold


@dataclass
class Incumbent:
    """The best set so far, as sentences, and an upper bound on every set.

    `equals` are all sets of equal value, of which `chosen` is the first by words and indices; empty
    if there are too many to keep.
    """

    chosen: tuple[int, ...]
    value: float
    bound: float
    warnings: tuple[str, ...] = ()
    equals: tuple[tuple[int, ...], ...] = ()

    @property
    def proved(self) -> bool:
        """Whether the set is proved optimal."""
        return self.bound <= self.value

    @property
    def status(self) -> str:
        """See `Selection`."""
        return "optimal" if self.proved else "limit"


@dataclass
class Level:
    """The result of one level: the best value, and the sets equal to it.

    Attributes:
        threshold, unit: the minimum value, and the largest value of one sentence.
        single, tied: whether every set that reaches the threshold is optimal, and whether to keep
            equal sets.
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
        """See `Visit`."""
        value = core.value(items)
        if value < self.threshold or not core.allows(items):
            return self.threshold
        self.best = max(self.best, value)
        words = int(core.words[items].sum()) - core.capacity
        self.equals[core.sentences(items.tolist())] = words, value
        if len(self.equals) > _MOST_TIES or not self.tied:
            self._thin()
        searching = self.crowded or not self.tied
        if searching and self.single:
            return inf
        least = self.best + _RESOLUTION * self.unit if searching else self.best - TIE * self.unit
        self.threshold = max(self.threshold, least)
        return self.threshold

    def _thin(self) -> None:
        least = self.best - TIE * self.unit
        for chosen, (_, value) in list(self.equals.items()):
            if value < least:
                del self.equals[chosen]
        if len(self.equals) > _MOST_TIES:
            self.crowded = True
            self.equals = dict([*self.equals.items()][:1])

    def first(self) -> tuple[int, ...]:
        """Return the first kept set by the tie-breaking rule."""
        self._thin()
        return min(self.equals, key=lambda chosen: (self.equals[chosen][0], chosen))


class ExactSearch:
    """The optimum of one core; arguments and errors as for `SearchTree`.

    `step` is a number that divides the values of all sets; 0 if none is known.
    """

    def __init__(
        self,
        core: Core,
        meter: Meter,
        step: float = 0.0,
        warm: Relaxation | None = None,
    ) -> None:
        self.core, self.step = core, step
        self.tree = SearchTree(core, meter, warm) if len(core) else None
        self.unit = max(1e-300, float(core.v.max(initial=0.0)))

    def best(self, tied: bool = True) -> Incumbent:
        """Return the optimal set by the tie-breaking rule, or the best one found within the
        limits; any optimal set unless `tied`.
        """
        value, chosen = self.core.base, self.core.taken
        if self.tree:
            value, chosen = _rounded(self.core, self.tree.root)
        return self._descend(chosen, value, tied)

    def better(self, chosen: tuple[int, ...], value: float) -> Incumbent:
        """Return any optimal set: the given one, unless a set has a higher value."""
        return self._descend(chosen, value, tied=False)

    def settle(self, chosen: tuple[int, ...], value: float) -> Incumbent:
        """Return the first set by the tie-breaking rule among those equal to a known optimum."""
        return self._descend(chosen, value, tied=True, bound=value)

    def _descend(
        self,
        chosen: tuple[int, ...],
        value: float,
        tied: bool,
        bound: float = inf,
    ) -> Incumbent:
        """Visit the sets above ever lower thresholds until there are some; return the best of them.

        Without a better set, that is `chosen` with its `value`; `bound` is a known upper bound.
        """
        if self.tree is None:
            return Incumbent(self.core.taken, self.core.base, self.core.base)
        best = Incumbent(chosen, value, max(value, min(bound, self.tree.root.bound)))
        level = Level(0.0, self.unit)
        try:
            for threshold in self._thresholds(best, tied):
                level = Level(
                    threshold,
                    self.unit,
                    single=self.step > 0,
                    tied=tied,
                )
                self.tree.visit(threshold, level.visit)
                if level.equals:
                    best.bound = best.value = level.best
                    # Not all sets equal to the best may have been visited.
                    is_at_threshold = level.best < threshold + (TIE - _RESOLUTION) * self.unit
                    if tied and is_at_threshold and not self.step:
                        return self.settle(level.first(), level.best)
                    best.chosen = level.first()
                    best.equals = () if level.crowded else tuple(level.equals)
                    if level.crowded:
                        self._pick(self.tree, best, level.best - TIE * self.unit)
                    break
                best.bound = max(best.value, threshold)
            best.bound = best.value
        except OutOfLimits as limit:
            self._cut_off(best, level, str(limit))
        return best

    def _thresholds(self, best: Incumbent, tied: bool) -> Iterator[float]:
        if self.step:
            top = np.floor(best.bound / self.step + 1e-6)
            least = best.value - (self.step if tied else 0.0)
            while (top - 0.5) * self.step > least:
                yield float((top - 0.5) * self.step)
                top -= 1
            return
        last = best.value - TIE * self.unit if tied else best.value + _RESOLUTION * self.unit
        if best.bound > best.value + TIE * self.unit:
            yield (best.bound + best.value) / 2
        if best.bound > last:
            yield last

    def _pick(self, tree: SearchTree, best: Incumbent, threshold: float) -> None:
        """Set `best` to the first set by the tie-breaking rule of those that reach the
        threshold.
        """
        first = FirstSet(threshold)
        tree.visit_in_order(threshold, first.visit)
        if first.core is not None:
            best.chosen = first.core.sentences(first.items.tolist())

    def _cut_off(self, best: Incumbent, level: Level, message: str) -> None:
        """Take the best set of an unfinished level."""
        if level.equals and level.best >= best.value:
            best.value = level.best
            best.chosen = best.chosen if best.proved else level.first()
            best.bound = level.best if level.single else max(best.bound, level.best)
        risk = "a better set may exist"
        if best.proved:
            risk = "another set of equal value may come first"
        best.warnings = (f"{message}: {risk}",)


def _rounded(core: Core, relaxed: Relaxed) -> tuple[float, tuple[int, ...]]:
    """Round the relaxation down to the items taken in full, then fill up greedily.

    Returns:
        The value of the set and its sentences; only those already taken if that is better or a
            limit is exceeded.
    """
    start = np.flatnonzero(relaxed.x > 1 - 1e-6)
    chosen = fill(core, start if core.allows(start) else start[:0])
    if (value := core.value(chosen)) > core.base and core.allows(chosen):
        return value, core.sentences(chosen.tolist())
    return core.base, core.taken


def fill(core: Core, start: Ints) -> Ints:
    """Add items to `start` by decreasing gain per word while one fits with a positive gain; return
    all, sorted.
    """
    starts, concepts = core.sharing.columns
    covered = core.counts(start) > 0
    gains = core.v - core.prices(covered)
    gains[start] = 0.0
    left, chosen = core.capacity - int(core.words[start].sum()), start.tolist()
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
        fresh = np.zeros(len(core.sharing), dtype=bool)
        fresh[concepts[starts[item] : starts[item + 1]]] = True
        fresh &= ~covered
        covered |= fresh
        gains -= core.prices(fresh)
