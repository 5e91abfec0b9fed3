"""The compact form of a selection problem: items, the concepts they share, and the limits.

A *core* holds m items (the sentences that can be chosen) and c shared concepts. The value of a set S of items is

    value(S) = base + sum_{i in S} v_i - sum_c w_c * max(0, |S and S_c| - 1)                              (C)

where v_i is the value of item i alone, all its concepts included, and S_c are the holders of concept c.

**(C) equals equation 1.** A concept j covered by S adds w_j once in equation 1. In (C) each of its k holders in S
contributes w_j, and (k - 1) w_j is subtracted, which leaves w_j. A concept that S does not cover adds nothing to
either. Therefore

* a concept with one holder has no second term: it is folded into that sentence's v_i;
* concepts with the same holders S_c have the same second term: they are merged by adding their weights;
* a concept of weight 0 is dropped.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from features.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class SideRow:
    """A further limit: sum of coefficients[k] * x[items[k]] <= right."""

    items: Ints
    coefficients: Floats
    right: float


@dataclass(frozen=True, eq=False)
class Sharing:
    """The shared concepts of `size` items.

    The items that hold concept k are `holders[starts[k]:starts[k + 1]]`, at least two, ascending.
    """

    size: int
    starts: Ints
    holders: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    @classmethod
    def none(cls, size: int) -> "Sharing":
        """No shared concepts."""
        return cls(size, np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64))

    @cached_property
    def owners(self) -> Ints:
        """(nnz,) the concept that each entry of `holders` belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @cached_property
    def columns(self) -> tuple[Ints, Ints]:
        """Starts and concepts by item: the transpose of `starts` and `holders`."""
        order = np.argsort(self.holders, kind="stable")
        starts = np.zeros(self.size + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.holders, minlength=self.size), out=starts[1:])
        return starts, self.owners[order]


@dataclass(frozen=True, eq=False)
class Core:
    """Items, shared concepts and limits; see (C).

    Attributes:
        items: (m,) the problem's sentence number of each item.
        base: value of the sentences already `taken`, ascending.
        v, words: (m,) value of each item alone, and its length in words.
        capacity: words left.
        sharing, w: the holders of the c shared concepts, and (c,) what each repetition of one subtracts, > 0.
        sides: further limits.
    """

    items: Ints
    base: float
    v: Floats
    words: Ints
    capacity: int
    sharing: Sharing
    w: Floats
    sides: tuple[SideRow, ...] = ()
    taken: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def earlier_copies(self) -> Ints:
        """(m,) the last earlier item equal to each in value, length, concepts and limits; -1 if there is none."""
        copies = np.full(len(self), -1, dtype=np.int64)
        order = np.lexsort((self.words, self.v))
        alike = (np.diff(self.v[order]) == 0) & (np.diff(self.words[order]) == 0)
        suspects = np.union1d(order[1:][alike], order[:-1][alike]).tolist()
        starts, concepts = self.sharing.columns
        limits: dict[int, list[tuple[int, float]]] = {i: [] for i in suspects}
        for number, row in enumerate(self.sides):
            for i, coefficient in zip(row.items.tolist(), row.coefficients.tolist(), strict=True):
                if i in limits:
                    limits[i].append((number, coefficient))
        last: dict[tuple[object, ...], int] = {}
        for i in suspects:
            held = concepts[starts[i] : starts[i + 1]].tobytes()
            key = (int(self.words[i]), float(self.v[i]), held, tuple(limits[i]))
            copies[i] = last.get(key, -1)
            last[key] = i
        return copies

    def counts(self, chosen: Ints) -> Ints:
        """(c,) how many of the chosen items hold each concept."""
        starts, concepts = self.sharing.columns
        held = [concepts[starts[i] : starts[i + 1]] for i in chosen.tolist()]
        return np.bincount(np.concatenate(held), minlength=len(self.w)) if held else np.zeros(len(self.w), np.int64)

    def value(self, chosen: Ints) -> float:
        """The value (C) of a set of items."""
        excess = np.maximum(self.counts(chosen) - 1, 0)
        return self.base + float(self.v[chosen].sum()) - float(self.w @ excess)

    def sentences(self, chosen: Iterable[int]) -> tuple[int, ...]:
        """The sentences of a set of items, together with those already taken, ascending."""
        return tuple(sorted([*self.taken, *(int(self.items[i]) for i in chosen)]))

    def filled(self, least: float) -> "Core":
        """The core with all items taken, if all fit and each adds more than `least` to the others; else this one.

        An item adds no less to a part of the others, so every other set is worse by as much.
        """
        if not len(self) or self.sides or int(self.words.sum()) > self.capacity:
            return self
        sharing = self.sharing
        added = self.v - np.bincount(sharing.holders, weights=self.w[sharing.owners], minlength=len(self))
        return self.restrict(np.zeros(0, dtype=np.int64), np.arange(len(self))) if added.min() > least else self

    def allows(self, chosen: Ints) -> bool:
        """Whether a set of items keeps the limits."""
        if int(self.words[chosen].sum()) > self.capacity:
            return False
        picked = np.zeros(len(self), dtype=np.float64)
        picked[chosen] = 1.0
        return all(float(row.coefficients @ picked[row.items]) <= row.right + 1e-6 for row in self.sides)

    def restrict(self, keep: Ints, take: Ints) -> "Core":
        """The core that remains after taking the items `take` and dropping all others but `keep`.

        By (C), each concept of a taken item subtracts w_c from every other holder. Concepts left with fewer than two
        holders lose their second term, and those whose holders have become equal are merged.
        """
        if not len(take) and len(keep) == len(self):
            return self
        owners, holders = self.sharing.owners, self.sharing.holders
        lost = (self.counts(take) > 0)[owners]
        v = self.v - np.bincount(holders[lost], weights=self.w[owners[lost]], minlength=len(self))
        place = np.full(len(self), -1, dtype=np.int64)
        place[keep] = np.arange(len(keep))
        entries = ~lost & (place[holders] >= 0)
        sharing, w = merge(owners[entries], place[holders[entries]], self.w, len(keep))
        return Core(
            items=self.items[keep],
            base=self.value(take),
            v=v[keep],
            words=self.words[keep],
            capacity=self.capacity - int(self.words[take].sum()),
            sharing=sharing,
            w=w,
            sides=_restrict_sides(self.sides, place, take),
            taken=self.sentences(take.tolist()),
        )


def merge(owners: Ints, holders: Ints, w: Floats, size: int) -> tuple[Sharing, Floats]:
    """Merge concepts with the same holders; drop those with fewer than two holders or weight 0.

    The nnz entries have `owners`, their concepts, ascending, and `holders`, their items of `size`, ascending within a
    concept. Merged concepts are in the order of their first appearance, returned with their weights.
    """
    counts = np.bincount(owners, minlength=len(w))
    ends = np.cumsum(counts)
    useful = np.flatnonzero((counts > 1) & (w > 0))
    groups: dict[tuple[int, ...], float] = {}
    flat = holders.tolist()
    ranges = zip((ends - counts)[useful].tolist(), ends[useful].tolist(), w[useful].tolist(), strict=True)
    for start, end, weight in ranges:
        key = tuple(flat[start:end])
        groups[key] = groups.get(key, 0.0) + weight
    starts = np.zeros(len(groups) + 1, dtype=np.int64)
    np.cumsum([len(key) for key in groups], out=starts[1:])
    merged = np.array([i for key in groups for i in key], dtype=np.int64)
    return Sharing(size, starts, merged), np.array(list(groups.values()), dtype=np.float64)


def _restrict_sides(sides: tuple[SideRow, ...], place: Ints, take: Ints) -> tuple[SideRow, ...]:
    """The rows that can still be broken, over the remaining items, less what the taken items use."""
    rows = []
    for row in sides:
        inside = place[row.items] >= 0
        items, coefficients = place[row.items[inside]], row.coefficients[inside]
        right = row.right - float(row.coefficients[np.isin(row.items, take)].sum())
        if float(np.maximum(coefficients, 0).sum()) > right + 1e-9:
            rows.append(SideRow(items, coefficients, right))
    return tuple(rows)
