"""Visits the sets of a core whose value reaches a threshold, by enumeration if small, else by branch and bound.

First, the sets that the root relaxation leaves open are enumerated. If there are too many, the search branches on
items: each node is a relaxation with some items fixed, whose new multipliers leave a smaller enumeration. A node whose
proved bound is below the threshold is pruned.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from features.arrays import Ints
from ilpsum.errors import SolverError
from ilpsum.selection.exact.core import Core
from ilpsum.selection.exact.enumeration import Enumeration
from ilpsum.selection.exact.relaxation import Relaxation, Relaxed
from ilpsum.selection.problem import Limits

# Maximum nodes of an enumeration before branching; they take about as long as a hundred relaxations.
_NODES_AT_ONCE = 20_000

# Called with the items of each set; returns the new threshold, infinity to stop.
Visit = Callable[[Core, Ints], float]


class OutOfLimits(Exception):  # noqa: N818 - it ends a search and is not an error
    """A topic's limit on nodes or time was reached; the message says which (`nodes` or `seconds`)."""


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
        if self.limits.stop:
            self.limits.stop()
        if self.nodes >= self.limits.nodes:
            raise OutOfLimits("nodes")
        if self.limits.seconds is not None and time.perf_counter() - self.start > self.limits.seconds:
            raise OutOfLimits("seconds")
        return self.limits.nodes - self.nodes


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
            raise SolverError("no set of sentences keeps all the limits: include fewer sentences or raise the limits")
        self.root = root

    def visit(self, threshold: float, visit: Visit) -> None:
        """Call `visit` with every set that reaches the threshold (and a few others), until it returns infinity.

        Raises:
            OutOfLimits: a limit ended the search.
        """
        budget = self.root.bound - threshold
        node = Enumeration(self.core, self.root, budget)
        self._visit(node, threshold, visit, None)

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
        """Return the minimum length of a set that reaches the threshold, by bisection; for too many sets."""
        least, most = -1, self.core.capacity

        def visit(core: Core, items: Ints) -> float:
            nonlocal most
            if not core.allows(items) or core.value(items) < threshold:
                return threshold
            most = limit - core.capacity + int(core.words[items].sum())
            return inf

        while most - least > 1:
            limit = (least + most) // 2
            SearchTree(replace(self.core, capacity=limit), self.meter).visit(threshold, visit)
            least = max(least, limit) if most > limit else least
        return most

    def _visit(self, root: Enumeration, threshold: float, visit: Visit, words: int | None) -> bool:
        """Visit the sets that reach the threshold (of length `words`, if given); return whether `visit` stopped."""
        core = self.core
        done, threshold = self._enumerate(core, self.root, root, threshold, visit, words)
        if done:
            return threshold == inf
        inner = core.restrict(np.sort(root.free), root.take)
        left = None if words is None else words - int(core.words[root.take].sum())
        return self._branch(inner, threshold, visit, left)

    def _branch(self, core: Core, threshold: float, visit: Visit, words: int | None) -> bool:
        """Branch depth-first, in lexicographic order if `words` is given; return whether `visit` stopped."""
        if words is not None:
            core = replace(core, capacity=words)
        relaxation = Relaxation(core)
        stack = [(relaxation.lower, relaxation.upper)]
        while stack and threshold < inf:
            self.meter.left()
            self.meter.nodes += 1
            lower, upper = stack.pop()
            relaxation.fix(lower, upper)
            relaxed = relaxation.solve()
            if relaxed is None or relaxed.bound < threshold:
                continue
            budget = relaxed.bound - threshold
            node = Enumeration(core, relaxed, budget, by_index=words is not None)
            done, threshold = self._enumerate(core, relaxed, node, threshold, visit, words)
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
        return threshold == inf

    def _enumerate(
        self, core: Core, relaxed: Relaxed, node: Enumeration, threshold: float, visit: Visit, words: int | None
    ) -> tuple[bool, float]:
        """Walk a node's sets until `visit` stops; return whether all were visited, and the new threshold."""

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


def _branching_item(relaxed: Relaxed, node: Enumeration, by_index: bool) -> int:
    """Return the first undecided item in lexicographic searches, else the one nearest to 1/2 in the relaxation."""
    if by_index:
        return int(node.free[0])
    halves = np.abs(relaxed.x[node.free] - 0.5)
    if float(halves.min()) < 0.5 - 1e-6:
        return int(node.free[int(halves.argmin())])
    return int(node.free[int(np.abs(relaxed.reduced[node.free]).argmin())])
