"""Enumerates the sets of a core whose value is close to its relaxation's bound, by summing their
losses.

Take the multipliers of the relaxation, mu for the words and y_c for the concepts, and the reduced
prices r = v - y A. For every set S within the limits, with k_c of its items holding concept c,

    bound - value(S) =   sum over i not in S of max(0, r_i)  +  sum over i in S of max(0, -r_i)
                       + mu * (words left)  +  sum over further limits of y * (their slack)
                       + sum_c  y_c                         if k_c = 0
                                0                           if k_c = 1
                                (k_c - 1) (w_c - y_c)       if k_c >= 2

*Proof.* Substitute v_i = r_i + mu l_i + sum_{c of i} y_c + (further limits) in (C) of
`ilpsum.selection.exact.core`, and subtract (C) from the bound mu * capacity + sum_c y_c + sum_i
max(0, r_i) + (further limits). The terms with c leave y_c - k_c y_c + w_c max(0, k_c - 1), which is
the last line. Every term is >= 0, because 0 <= y_c <= w_c.

So a set reaches a threshold if and only if its losses add up to at most bound - threshold, the
*budget*. An item whose price alone exceeds the budget is decided: taken or left out. The walk
decides the others, the *free* items, one after the other, depth first. At every node

    loss = the losses that no later decision can change

and a node is left where `loss` plus the minimum loss of the rest exceeds the budget: no set is
missed. A concept adds to `loss` as soon as its term is settled: with each holder taken after the
first, or with its last free holder left out while none is taken. Items that are copies of each
other in (C) and in the limits are taken in order; this skips only sets that are equal to another
one that the tie-breaking rule prefers.

The minimum loss of the rest comes from a table over (free items decided, words left): the terms of
r and mu alone form a knapsack, solved exactly for integer words by dynamic programming. The words
left cost mu each from the start, and an item of l words saves mu l. The relaxation's error on
summaries is mostly the unused rest of the word limit; the table removes it, and a node costs a
microsecond. If the limit is many thousands of words, the table uses coarser units, with lengths
rounded down: more sets fit, so its losses may be too low, never too high, and the search stays
exact.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from features.arrays import Floats, Ints
from ilpsum.selection.exact.core import Core
from ilpsum.selection.exact.relaxation import Relaxed

# Maximum entries of a table, in words and in coarse units.
_LARGEST_TABLE, _LARGEST_ROUGH = 4_000_000, 200_000

# Items decided, words left, loss, concepts covered (a bit each), items taken, slack of the further
# limits.
_Node = tuple[int, int, float, int, tuple[int, ...], tuple[float, ...]]

# Called with the items of each set; returns the new loss budget, negative to stop.
AtLeaf = Callable[[Ints], float]


class _RoughRow:
    """Minimum losses by words left, one for every `unit` words."""

    def __init__(self, losses: list[float], unit: int) -> None:
        self._losses, self._unit = losses, unit

    def __getitem__(self, words: int) -> float:
        return self._losses[words // self._unit]


@dataclass(slots=True, eq=False)
class _Free:
    """A free item.

    Attributes:
        words: its length.
        copy: the free item, a copy of this one, that must be taken before it; -1 if there is none.
        loss_in, loss_out: the loss of taking it, and of leaving it out, by prices alone.
        concepts: the concepts that it holds and whose loss depends on other free items, a bit each.
        closes: (bit, y_c) of each concept of which it is the last free holder.
        limits: (number, coefficient) of its entries in the further limits.
    """

    words: int
    copy: int
    loss_in: float
    loss_out: float
    concepts: int = 0
    closes: list[tuple[int, float]] = field(default_factory=list)
    limits: list[tuple[int, float]] = field(default_factory=list)


class Enumeration:
    """The sets of a core within a loss budget.

    Args:
        budget: maximum loss of a set; no later walk exceeds it.
        by_index: walk in sentence order, each first taken and then left out, so that the first set
            of a length is the lexicographically smallest; otherwise by decreasing reduced price,
            each item's cheaper branch first.

    Attributes:
        take, free: the items that all sets have, and those to decide, in the order of the walk.
        capacity: the words left for the free items.
        base: the loss before the first free item is decided.
    """

    def __init__(self, core: Core, relaxed: Relaxed, budget: float, by_index: bool = False) -> None:
        reduced, lower, upper = relaxed.reduced, relaxed.lower, relaxed.upper
        inside = (lower > 0.5) | ((reduced > budget) & (upper > 0.5))
        outside = (upper < 0.5) | (-reduced > budget)
        self.take = np.flatnonzero(inside)
        free = np.flatnonzero(~inside & ~outside)
        self.free = free if by_index else free[np.argsort(-reduced[free], kind="stable")]
        self._position_of = {item: k for k, item in enumerate(self.free.tolist())}
        self.by_index = by_index
        self.capacity = core.capacity - int(core.words[self.take].sum())
        self.base = relaxed.word_price * self.capacity
        # Losses that differ by less are equal up to rounding.
        self._same = 1e-12 * float(core.v.max(initial=0.0))
        self._items = self._priced(core, relaxed)
        self._repeat = self._add_concepts(core, relaxed)
        self._slack = self._add_limits(core)
        # The costs of repeating the concepts in a set of bits, once computed.
        self._repeats = dict[int, float]()

    def _priced(self, core: Core, relaxed: Relaxed) -> list[_Free]:
        """Return the free items with their losses by price."""
        reduced, words = relaxed.reduced[self.free], core.words[self.free]
        loss_in = np.maximum(-reduced, 0.0) - relaxed.word_price * words
        loss_out = np.maximum(reduced, 0.0)
        copies = core.earlier_copies[self.free]
        columns = (words.tolist(), copies.tolist(), loss_in.tolist(), loss_out.tolist())
        items = [_Free(*of_item) for of_item in zip(*columns, strict=True)]
        for k, item in enumerate(items):
            before = self._position_of.get(item.copy, -1)
            item.copy = before if before < k else -1
        return items

    def _add_concepts(self, core: Core, relaxed: Relaxed) -> dict[int, float]:
        """Add the losses of concepts to the items and to `base`.

        Returns:
            The cost w_c - y_c of each repetition, by the bit of the concept.
        """
        prices, costs = relaxed.concept_prices, core.w - relaxed.concept_prices
        times = core.counts(self.take)
        self.base += float(costs @ np.maximum(times - 1, 0))
        starts, concepts = core.sharing.columns
        postings = defaultdict[int, list[int]](list)
        for item, k in self._position_of.items():
            for concept in concepts[starts[item] : starts[item + 1]].tolist():
                postings[concept].append(k)
        lost = times == 0
        lost[list(postings)] = False
        self.base += float(prices[lost].sum())

        repeat = dict[int, float]()
        repeated = [0.0] * len(self._items)
        for concept in sorted(postings):
            price, cost = float(prices[concept]), float(costs[concept])
            if times[concept]:
                for k in postings[concept]:
                    repeated[k] += cost
            elif price > 0 or len(postings[concept]) > 1:
                bit = 1 << len(repeat)
                repeat[bit] = cost
                for k in postings[concept]:
                    self._items[k].concepts |= bit
                if price > 0:
                    self._items[postings[concept][-1]].closes.append((bit, price))
        for item, loss in zip(self._items, repeated, strict=True):
            item.loss_in += loss
        return repeat

    def _add_limits(self, core: Core) -> tuple[float, ...]:
        """Add the entries of the further limits to the items.

        Returns:
            The slack of each limit if all free items with a negative coefficient are taken.
        """
        taken = frozenset(self.take.tolist())
        slacks = []
        for number, row in enumerate(core.sides):
            slack = row.right
            for item, coefficient in zip(
                row.items.tolist(), row.coefficients.tolist(), strict=True
            ):
                if item in taken:
                    slack -= coefficient
                elif item in self._position_of:
                    slack -= min(coefficient, 0.0)
                    self._items[self._position_of[item]].limits.append((number, coefficient))
            slacks.append(slack)
        return tuple(slacks)

    @property
    def is_rough(self) -> bool:
        """Whether the table is in coarse units, so that exact set lengths are unknown."""
        return max(1, len(self.free)) * (self.capacity + 1) > _LARGEST_TABLE

    @cached_property
    def table(self) -> list[list[float]] | list[_RoughRow]:
        """(items decided, words left) -> minimum loss of the rest; if `by_index`, no word may be
        left.
        """
        rough = self.is_rough
        unit = -(-max(1, len(self.free)) * (self.capacity + 1) // _LARGEST_ROUGH) if rough else 1
        row = np.zeros(self.capacity // unit + 1)
        if self.by_index and not rough:
            row[1:] = np.inf
        rows = [row]
        for item in reversed(self._items):
            following = row
            row = following + item.loss_out
            taken = row[item.words // unit :]
            np.minimum(taken, following[: len(taken)] + item.loss_in, out=taken)
            rows.append(row)
        rows.reverse()
        if rough:
            return [_RoughRow(row.tolist(), unit) for row in rows]
        return [row.tolist() for row in rows]

    def lengths(self, budget: float) -> list[int]:
        """Return the total lengths, ascending, of the free items of sets within the budget, from a
        table of words.
        """
        losses = self.table[0]
        return [w for w in range(self.capacity + 1) if self.base + losses[w] <= budget]

    def halves(self, relaxed: Relaxed) -> list[tuple[Floats, Floats]]:
        """Return the bounds of x that leave one undecided item out, and those that take it.

        The item is the first if `by_index`, else the one nearest to 1/2 in the relaxation.
        """
        lower, upper = relaxed.lower.copy(), relaxed.upper.copy()
        decided = np.ones(len(lower), dtype=bool)
        decided[self.free] = False
        lower[self.take] = 1.0
        upper[decided & (lower < 0.5)] = 0.0
        distances = np.abs(relaxed.x[self.free] - 0.5)
        if float(distances.min()) >= 0.5 - 1e-6:
            distances = np.abs(relaxed.reduced[self.free])
        item = self.free[0 if self.by_index else int(distances.argmin())]
        without, inside = upper.copy(), lower.copy()
        without[item], inside[item] = 0.0, 1.0
        return [(lower, without), (inside, upper)]

    def walk(  # noqa: C901 - a function call per node would cost a third of the time
        self, budget: float, nodes: int, at_leaf: AtLeaf, words: int | None = None
    ) -> tuple[int, bool]:
        """Visit the sets with losses (not counting further limits) within the budget, in at most
        `nodes` nodes.

        If sets differ only in which copies of an item they take, only the one with the earliest
        copies is visited. `at_leaf` is called with each set and returns the new budget; with
        `words`, only sets whose free items have exactly this many words are visited. Returns the
        nodes visited, and whether the walk was completed (or stopped by `at_leaf`).
        """
        if self.capacity < 0 or any(slack < -1e-6 for slack in self._slack):
            return 0, True
        items, least, repeats, same = self._items, self.table, self._repeats, self._same
        visited = 0
        free = self.capacity if words is None else words
        stack: list[_Node] = [(0, free, self.base, 0, (), self._slack)]
        while stack:
            k, free, loss, covered, chosen, slack = stack.pop()
            if loss + least[k][free] > budget:
                continue
            visited += 1
            if visited > nodes:
                return visited, False
            if k == len(items):
                if words is None or not free:
                    budget = at_leaf(np.concatenate((self.take, self.free[list(chosen)])))
                    if budget < 0:
                        return visited, True
                continue
            item = items[k]

            # Leave it out.
            loss_out = loss + item.loss_out
            for bit, price in item.closes:
                if not covered & bit:
                    loss_out += price
            slack_out = _spend(slack, item.limits, False) if slack else slack
            if slack_out is not None:
                stack.append((k + 1, free, loss_out, covered, chosen, slack_out))

            # Take it, unless it breaks a limit or an earlier copy was left out.
            free_in = free - item.words
            slack_in = _spend(slack, item.limits, True) if slack else slack
            is_late_copy = item.copy >= 0 and item.copy not in chosen
            if free_in < 0 or slack_in is None or is_late_copy:
                continue
            loss_in = loss + item.loss_in
            repeated = covered & item.concepts
            if repeated:
                cost = repeats.get(repeated)
                loss_in += self._repetition(repeated) if cost is None else cost
            covered_in = covered | item.concepts
            stack.append((k + 1, free_in, loss_in, covered_in, (*chosen, k), slack_in))

            # The child on top is visited first: the cheaper one.
            if not self.by_index and slack_out is not None:
                following = least[k + 1]
                least_in = loss_in + following[free_in]
                least_out = loss_out + following[free]
                if least_in > least_out + same:
                    stack[-1], stack[-2] = stack[-2], stack[-1]
        return visited, True

    def _repetition(self, concepts: int) -> float:
        """Return the cost of covering a set of concepts once more."""
        cost, rest = 0.0, concepts
        while rest:
            bit = rest & -rest
            cost += self._repeat[bit]
            rest ^= bit
        self._repeats[concepts] = cost
        return cost


def _spend(
    slack: tuple[float, ...],
    entries: list[tuple[int, float]],
    inside: bool,
) -> tuple[float, ...] | None:
    """Return the slack of the further limits after deciding an item; None if one is broken."""
    after = list(slack)
    for number, coefficient in entries:
        # The slack assumes that items with a negative coefficient are taken.
        if inside and coefficient > 0:
            after[number] -= coefficient
        elif not inside and coefficient < 0:
            after[number] += coefficient
        if after[number] < -1e-6:
            return None
    return tuple(after)
