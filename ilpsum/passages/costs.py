"""Costs of texts in words or tokens: alone, joined, and in integer units for the exact search."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor
from numbers import Real

from ilpsum.errors import ArgumentError

Count = Callable[[str], float]

# Fractional costs are rounded up to this share of the budget.
_FINEST = 1e-4

LARGEST = sys.float_info.max
"""Largest accepted cost; an `int` may exceed it and overflow a float."""


@dataclass(frozen=True)
class Costs:
    """Costs of n passages, alone and as parts of a joined text.

    Costs need not be additive: the separator counts, and a tokenizer may add special tokens to
    every text or merge characters across a join. So each passage has two costs: alone, and added to
    the preceding passage. A joined text is estimated as `start` plus the added costs, and counted
    again after the selection.

    Attributes:
        alone: (n,) cost of each passage.
        added: (n,) cost of the preceding candidate joined with the passage, less the preceding
            candidate's cost.
        budget: maximum cost of the joined text.
    """

    alone: tuple[float, ...]
    added: tuple[float, ...]
    budget: float

    @cached_property
    def start(self) -> float:
        """The maximum of `alone` - `added` over the passages."""
        return max((a - b for a, b in zip(self.alone, self.added, strict=True)), default=0.0)

    @cached_property
    def unit(self) -> float:
        """The unit of the search: 1 for integer costs, else a share of the budget."""
        whole = all(cost.is_integer() for cost in (*self.alone, *self.added))
        return 1.0 if whole else self.budget * _FINEST or 1.0

    @cached_property
    def too_long(self) -> frozenset[int]:
        """Indices of passages that exceed the budget on their own."""
        return frozenset(i for i, cost in enumerate(self.alone) if cost > self.budget)

    @cached_property
    def units(self) -> tuple[int, ...]:
        """(n,) added costs rounded up to whole units, at least 1 and at most one more than the
        budget.
        """
        most = floor(self.budget / self.unit) + 1
        return tuple(max(1, ceil(min(cost / self.unit, most))) for cost in self.added)

    @property
    def limit(self) -> int:
        """The budget for added costs, in whole units."""
        return floor((self.budget - self.start) / self.unit)

    def excess(self, cost: float) -> int:
        """Return the units by which a cost exceeds the budget, rounded up."""
        return ceil((cost - self.budget) / self.unit)


def measure(texts: Sequence[str], count: Count, budget: float, separator: str) -> Costs:
    """Return the costs of n texts in source order, using 2n calls of `count`; errors as for
    `cost_of`.
    """
    alone = tuple(cost_of(text, count) for text in texts)
    if len(texts) < 2:
        return Costs(alone, alone, budget)
    added = []
    for i, text in enumerate(texts):
        # The first passage has no predecessor, so it is measured after the last one, texts[-1].
        joined = cost_of(texts[i - 1] + separator + text, count)
        added.append(joined - alone[i - 1])
    return Costs(alone, tuple(added), budget)


def cost_of(text: str, count: Count) -> float:
    """Return the cost of a text as a float; `ArgumentError` unless `count` returns a finite number,
    0 or more.
    """
    cost = count(text)
    if not isinstance(cost, Real) or not 0 <= cost <= LARGEST:
        quoted = text if len(text) <= 40 else f"{text[:37]}..."
        raise ArgumentError(
            f"count returned {cost!r:.60} for {quoted!r}; expected a finite number, 0 or more"
        )
    return float(cost)


def words(text: str) -> int:
    """Return the number of words of a text (`str.split`)."""
    return len(text.split())
