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

So a set reaches a threshold if and only if its losses add up to at most bound - threshold. A
depth-first walk over the items that prunes where the losses so far plus the minimum loss of the
rest exceed that budget misses none. Items that are copies of each other in (C) and in the limits
are taken in order; this skips only sets that are equal to another one that the tie-breaking rule
prefers.

The minimum loss of the rest comes from a table over (undecided items, words left): the terms of r
and mu alone form a knapsack, solved exactly for integer words by dynamic programming. The words
left cost mu each from the start, and an item of l words saves mu l. The relaxation's error on
summaries is mostly the unused rest of the word limit; the table removes it, and a node costs a
microsecond. If the "words" are costs of millions, the table uses coarser units, with lengths
rounded down: more sets fit, so its losses may be too low, never too high, and the search stays
exact.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from features.arrays import Floats, Ints
from ilpsum.selection.exact.core import Core
from ilpsum.selection.exact.relaxation import Relaxed

# Maximum entries of a table, in words and in coarse units.
_LARGEST_TABLE, _LARGEST_ROUGH = 4_000_000, 200_000

# Items decided, words left, losses so far, concepts covered (a bit each), items taken, slack of the
# further limits.
_Node = tuple[int, int, float, int, tuple[int, ...], tuple[float, ...]]

# Called with the items of each set; returns the new loss budget, negative to stop.
AtLeaf = Callable[[Ints], float]


class _RoughRow:
    """Minimum losses by words left, one for every `unit` words."""

    def __init__(self, losses: list[float], unit: int) -> None:
        self._losses, self._unit = losses, unit

    def __getitem__(self, words: int) -> float:
        return self._losses[words // self._unit]


class Enumeration:
    """The sets of a core within a loss budget.

    Args:
        budget: maximum loss of a set; no later walk exceeds it.
        by_index: walk in sentence order, each first taken and then left out, so that the first set
            of a length is the lexicographically smallest; otherwise by decreasing reduced price,
            each item's cheaper branch first.
    """

    def __init__(self, core: Core, relaxed: Relaxed, budget: float, by_index: bool = False) -> None:
        reduced, lower, upper = relaxed.reduced, relaxed.lower, relaxed.upper
        inside = (lower > 0.5) | ((reduced > budget) & (upper > 0.5))
        outside = (upper < 0.5) | (-reduced > budget)
        self.take = np.flatnonzero(inside)
        free = np.flatnonzero(~inside & ~outside)
        self.free = free if by_index else free[np.argsort(-reduced[free], kind="stable")]
        self.by_index = by_index
        self.capacity = core.capacity - int(core.words[self.take].sum())
        words, rest = core.words[self.free], reduced[self.free]
        self._words = words.tolist()
        self._loss_in = np.maximum(-rest, 0.0) - relaxed.word_price * words
        self._loss_out = np.maximum(rest, 0.0)
        # The position of each item among the free ones; the last entry is for index -1.
        place = np.full(len(core) + 1, -1, dtype=np.int64)
        place[self.free] = np.arange(len(self.free))
        self.base = relaxed.word_price * self.capacity
        # Losses that differ by less are equal up to rounding.
        self._same = 1e-12 * float(core.v.max(initial=0.0))
        self._lose_concepts(core, relaxed, place)
        self._watch_sides(core, place)
        # The position of the copy to take before each item, -1 if there is none.
        before = place[core.earlier_copies[self.free]]
        self._copies = np.where(before < np.arange(len(self.free)), before, -1).tolist()

    def _lose_concepts(self, core: Core, relaxed: Relaxed, place: Ints) -> None:
        """Prepare the losses of concepts: the cost of a repetition, and of leaving out the last
        holder.
        """
        count, m = len(core.w), len(self.free)
        prices = relaxed.concept_prices
        repeat = core.w - prices
        before = core.counts(self.take)
        self.base += float(repeat @ np.maximum(before - 1, 0))
        # The free items that hold each concept, as pairs.
        free = place[core.sharing.holders]
        owners, free = core.sharing.owners[free >= 0], free[free >= 0]
        covered = before[owners] > 0
        self._loss_in += np.bincount(free[covered], repeat[owners[covered]], m)
        owners, free = owners[~covered], free[~covered]
        left = np.bincount(owners, minlength=count)
        priced = (prices > 0) & (before == 0)
        self.base += float(prices[priced & (left == 0)].sum())
        closes = priced & (left > 0)
        watched = np.flatnonzero(closes | (left > 1)).tolist()
        bits = {concept: 1 << k for k, concept in enumerate(watched)}
        self._held = [0] * m
        last = dict[int, int]()
        for concept, item in zip(owners.tolist(), free.tolist(), strict=True):
            if concept in bits:
                self._held[item] |= bits[concept]
                last[concept] = max(item, last.get(concept, item))
        self._repeat = {bit: float(repeat[concept]) for concept, bit in bits.items()}
        self._closing: list[list[tuple[int, float]]] = [[] for _ in range(m)]
        for concept in np.flatnonzero(closes).tolist():
            self._closing[last[concept]].append((bits[concept], float(prices[concept])))
        self._repeats: dict[int, float] = {}

    def _watch_sides(self, core: Core, place: Ints) -> None:
        """Compute the slack of each further limit if all undecided items with a negative
        coefficient are taken.
        """
        taken = np.zeros(len(core))
        taken[self.take] = 1.0
        self._sides: list[list[tuple[int, float]]] = [[] for _ in self.free]
        left = []
        for number, row in enumerate(core.sides):
            here = place[row.items]
            undecided = row.coefficients[here >= 0]
            used = float(row.coefficients @ taken[row.items])
            left.append(row.right - used - float(np.minimum(undecided, 0).sum()))
            for k, coefficient in zip(here[here >= 0].tolist(), undecided.tolist(), strict=True):
                self._sides[k].append((number, coefficient))
        self._left = tuple(left)

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
        for item in reversed(range(len(self._words))):
            following = row
            row = following + self._loss_out[item]
            taken = row[self._words[item] // unit :]
            np.minimum(taken, following[: len(taken)] + self._loss_in[item], out=taken)
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
        self,
        budget: float,
        nodes: int,
        at_leaf: AtLeaf,
        words: int | None = None,
    ) -> tuple[int, bool]:
        """Visit the sets with losses (not counting further limits) within the budget, in at most
        `nodes` nodes.

        If sets differ only in which copies of an item they take, only the one with the earliest
        copies is visited. `at_leaf` is called with each set and returns the new budget; with
        `words`, only sets whose free items have exactly this many words are visited. Returns the
        nodes visited, and whether the walk was completed (or stopped by `at_leaf`).
        """
        if self.capacity < 0 or any(left < -1e-6 for left in self._left):
            return 0, True
        least, free = self.table, self.capacity if words is None else words
        m, lengths, held = len(self.free), self._words, self._held
        closing, sides = self._closing, self._sides
        loss_in, loss_out, repeats = self._loss_in.tolist(), self._loss_out.tolist(), self._repeats
        copies, same, visited = self._copies, self._same, 0
        stack: list[_Node] = [(0, free, self.base, 0, (), self._left)]
        while stack:
            k, free, loss, covered, chosen, left = stack.pop()
            if loss + least[k][free] > budget:
                continue
            visited += 1
            if visited > nodes:
                return visited, False
            if k == m:
                if words is None or not free:
                    budget = at_leaf(np.concatenate((self.take, self.free[list(chosen)])))
                    if budget < 0:
                        return visited, True
                continue
            without, after = loss + loss_out[k], free - lengths[k]
            for bit, price in closing[k]:
                if not covered & bit:
                    without += price
            rest = _spend(left, sides[k], False) if left else left
            if rest is not None:
                stack.append((k + 1, free, without, covered, chosen, rest))
            spent = _spend(left, sides[k], True) if left else left
            if after < 0 or spent is None or (copies[k] >= 0 and copies[k] not in chosen):
                continue
            inside, again = loss + loss_in[k], covered & held[k]
            if again:
                inside += repeats[again] if again in repeats else self._repetition(again)
            stack.append((k + 1, after, inside, covered | held[k], (*chosen, k), spent))
            # The child on top is visited first.
            if not self.by_index and rest is not None:
                following = least[k + 1]
                if inside + following[after] > without + following[free] + same:
                    stack[-1], stack[-2] = stack[-2], stack[-1]
        return visited, True

    def _repetition(self, again: int) -> float:
        """Return the cost of covering a set of concepts once more."""
        price, rest = 0.0, again
        while rest:
            bit = rest & -rest
            price += self._repeat[bit]
            rest ^= bit
        self._repeats[again] = price
        return price


def _spend(
    left: tuple[float, ...],
    entries: list[tuple[int, float]],
    inside: bool,
) -> tuple[float, ...] | None:
    """Return the slack of the further limits after deciding an item; None if one is broken."""
    after = list(left)
    for number, coefficient in entries:
        # The slack assumes that items with a negative coefficient are taken.
        if inside and coefficient > 0:
            after[number] -= coefficient
        elif not inside and coefficient < 0:
            after[number] += coefficient
        if after[number] < -1e-6:
            return None
    return tuple(after)
