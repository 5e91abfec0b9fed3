"""The compact form of a selection problem: items, shared concepts and limits.

A *core* has m items (the sentences that can be chosen) and c shared concepts. The value of a set S
of items is

    (C)  value(S) = base + sum_{i in S} v_i - sum_c w_c * max(0, |S and S_c| - 1)

where v_i is the value of item i alone, all its concepts included, and S_c are the postings of
concept c.

**(C) equals equation 1.** A concept j covered by S adds w_j once in equation 1. In (C) each of its
k postings in S contributes w_j, and (k - 1) w_j is subtracted, which leaves w_j. A concept that S
does not cover adds nothing to either. Therefore

* a concept with one holder has no second term: it is folded into that sentence's v_i;
* concepts with the same postings S_c have the same second term: they are merged by adding their
  weights;
* a concept of weight 0 is dropped.

**Only x need be integer.** With a continuous s_c >= sum_{i in S_c} x_i - 1, s_c >= 0 at the price
-w_c < 0, an optimum sets s_c = max(0, sum x_i - 1) for any x, which for integer x is the second
term of (C). At lambda = 1 (w_c = 0) the rows vanish. The published form follows with b_c = sum x_i
- s_c: b_c has a positive price, so constraint (4) pushes it up to min(1, sum x_i), and then (3)
holds by itself.

**Dropped sentences.** Excluded sentences, and sentences that do not fit beside the included ones,
are in no allowed set. An item with v_i <= 0 that no other item requires never improves a set and
always lengthens it; inside a segment of lambda, the tie-breaking rule (`ilpsum.selection.path`)
never takes it. Dominated and duplicate sentences stay: both copies of a sentence contribute their
relevance, and at lambda = 1 the model takes both.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from features.arrays import Floats, Ints, Mask
from ilpsum.errors import SolverError, counted
from ilpsum.selection.problem import Problem

NO_ITEMS: Ints = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class SideRow:
    """A further limit: sum of coefficients[k] * x[items[k]] <= right."""

    items: Ints
    coefficients: Floats
    right: float


@dataclass(frozen=True, eq=False)
class Sharing:
    """The shared concepts of `size` items.

    The items with concept k are `postings[starts[k]:starts[k + 1]]`, at least two, ascending.
    """

    size: int
    starts: Ints
    postings: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def owners(self) -> Ints:
        """(nnz,) the concept that each entry of `postings` belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @cached_property
    def columns(self) -> tuple[Ints, Ints]:
        """Starts and concepts by item: the transpose of `starts` and `postings`."""
        order = np.argsort(self.postings, kind="stable")
        starts = np.zeros(self.size + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.postings, minlength=self.size), out=starts[1:])
        return starts, self.owners[order]


@dataclass(frozen=True, eq=False)
class Core:
    """Items, shared concepts and limits; see (C).

    Attributes:
        items: (m,) sentence index of each item in the problem.
        base: value of the sentences already `taken`, ascending.
        v, words: (m,) value of each item alone, and its length in words.
        relevance: (m,) relevance term of each item, at full weight: items of equal value at one
            lambda are equal at every other if this is equal, too.
        capacity: words left.
        sharing, w: the postings of the c shared concepts, and (c,) the cost of a repetition, > 0.
        sides: further limits.
    """

    items: Ints
    base: float
    v: Floats
    words: Ints
    relevance: Floats
    capacity: int
    sharing: Sharing
    w: Floats
    sides: tuple[SideRow, ...] = ()
    taken: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def earlier_copies(self) -> Ints:
        """(m,) the last earlier item equal to each in value at every lambda, length, concepts and
        limits; -1 if there is none.
        """
        columns = (self.v.tolist(), self.words.tolist(), self.relevance.tolist())
        values = list(zip(*columns, strict=True))
        times = Counter(values)
        # The limits of each item that another equals in value and length.
        limits: dict[int, list[tuple[int, float]]]
        limits = {i: [] for i, value in enumerate(values) if times[value] > 1}
        for number, row in enumerate(self.sides):
            for i, coefficient in zip(row.items.tolist(), row.coefficients.tolist(), strict=True):
                if i in limits:
                    limits[i].append((number, coefficient))
        copies = np.full(len(self), -1, dtype=np.int64)
        starts, concepts = self.sharing.columns
        last: dict[tuple[object, ...], int] = {}
        for i, of_item in limits.items():
            held = concepts[starts[i] : starts[i + 1]].tobytes()
            key = (values[i], held, tuple(of_item))
            copies[i] = last.get(key, -1)
            last[key] = i
        return copies

    def counts(self, chosen: Ints) -> Ints:
        """(c,) number of chosen items with each concept."""
        starts, concepts = self.sharing.columns
        counts = np.zeros(len(self.w), np.int64)
        for i in chosen.tolist():
            # An item has a concept once.
            counts[concepts[starts[i] : starts[i + 1]]] += 1
        return counts

    def value(self, chosen: Ints) -> float:
        """The value (C) of a set of items."""
        excess = np.maximum(self.counts(chosen) - 1, 0)
        return self.base + float(self.v[chosen].sum()) - float(self.w @ excess)

    def sentences(self, chosen: Iterable[int]) -> tuple[int, ...]:
        """The sentences of a set of items and those already taken, ascending."""
        return tuple(sorted([*self.taken, *(int(self.items[i]) for i in chosen)]))

    def filled(self, least: float) -> "Core":
        """The core with all items taken, if all fit and each adds more than `least` to the others;
        else this one.

        An item adds no less to a subset of the others, so every other set is worse by that.
        """
        if not len(self) or self.sides or int(self.words.sum()) > self.capacity:
            return self
        added = self.v - self.prices(np.ones(len(self.w), dtype=bool))
        if added.min() <= least:
            return self
        return self.restrict(NO_ITEMS, np.arange(len(self)))

    def prices(self, concepts: Mask) -> Floats:
        """(m,) total weight of the masked concepts in each item."""
        owners = self.sharing.owners
        entries = np.flatnonzero(concepts[owners])
        postings = self.sharing.postings[entries]
        prices = np.bincount(postings, self.w[owners[entries]], len(self))
        return prices.astype(np.float64)

    def allows(self, chosen: Ints) -> bool:
        """Whether a set of items is within the limits."""
        if int(self.words[chosen].sum()) > self.capacity:
            return False
        picked = np.zeros(len(self), dtype=np.float64)
        picked[chosen] = 1.0
        return all(
            float(row.coefficients @ picked[row.items]) <= row.right + 1e-6 for row in self.sides
        )

    def restrict(self, keep: Ints, take: Ints) -> "Core":
        """The remaining core after taking the items `take` and dropping all others except `keep`.

        By (C), each concept of a taken item subtracts w_c from every other holder. Concepts left
        with fewer than two postings lose their second term, and those whose postings have become
        equal are merged.
        """
        if not len(take) and len(keep) == len(self):
            return self
        owners = self.sharing.owners
        is_taken = self.counts(take) > 0
        v = self.v - self.prices(is_taken)
        # The position of each item among those kept.
        positions = np.full(len(self), -1, dtype=np.int64)
        positions[keep] = np.arange(len(keep))
        postings = positions[self.sharing.postings]
        remains = ~is_taken[owners] & (postings >= 0)
        sharing, w = merge(owners[remains], postings[remains], self.w, len(keep))
        capacity = self.capacity - int(self.words[take].sum())
        sides = _restrict_sides(self.sides, positions, take)
        return Core(
            items=self.items[keep],
            base=self.value(take),
            v=v[keep],
            words=self.words[keep],
            relevance=self.relevance[keep],
            capacity=capacity,
            sharing=sharing,
            w=w,
            sides=sides,
            taken=self.sentences(take.tolist()),
        )


def merge(owners: Ints, postings: Ints, w: Floats, size: int) -> tuple[Sharing, Floats]:
    """Merge concepts with the same postings; drop those with fewer than two postings or weight 0.

    The nnz entries have `owners`, their concepts, ascending, and `postings`, their items of `size`,
    ascending within a concept. Merged concepts are in the order of their first appearance, returned
    with their weights.
    """
    sizes = np.bincount(owners, minlength=len(w)).tolist()
    weights = w.tolist()
    flat = postings.tolist()
    groups: dict[tuple[int, ...], float] = {}
    start = 0
    for size_of_concept, weight in zip(sizes, weights, strict=True):
        end = start + size_of_concept
        if size_of_concept > 1 and weight > 0:
            key = tuple(flat[start:end])
            groups[key] = groups.get(key, 0.0) + weight
        start = end
    starts = np.cumsum([0, *map(len, groups)], dtype=np.int64)
    merged = np.fromiter(chain.from_iterable(groups), np.int64)
    return Sharing(size, starts, merged), np.array(list(groups.values()), dtype=np.float64)


def _restrict_sides(sides: tuple[SideRow, ...], positions: Ints, take: Ints) -> tuple[SideRow, ...]:
    """The rows that can still be violated, over the remaining items at their new positions, with
    the taken items' use subtracted.
    """
    rows = []
    for row in sides:
        items = positions[row.items]
        remains = items >= 0
        coefficients = row.coefficients[remains]
        right = row.right - float(row.coefficients[np.isin(row.items, take)].sum())
        if float(np.maximum(coefficients, 0).sum()) > right + 1e-9:
            rows.append(SideRow(items[remains], coefficients, right))
    return tuple(rows)


class Compact:
    """A problem's cores for any lambda. Folding and merging are independent of lambda and done
    once.

    Included sentences are already taken; sentences that cannot be chosen are dropped.

    Attributes:
        coverage: the core of the coverage term, at full weights, with all limits.

    Raises:
        SolverError: the included sentences exceed a limit.
    """

    def __init__(self, problem: Problem) -> None:
        take = np.array(included(problem), dtype=np.int64)
        allowed = problem.words <= problem.capacity - int(problem.words[take].sum())
        allowed[[*problem.exclude, *take.tolist()]] = False
        self._problem = problem
        self.coverage = _coverage(problem).restrict(np.flatnonzero(allowed), take)
        required = [k for i, k in problem.requires if i != k]
        self._is_required = np.isin(self.coverage.items, np.array(required, dtype=np.int64))

    def step(self, lambda_: float) -> float:
        """A number that divides the values of all sets, 0 if none is known.

        At lambda = 0, with equal weights and no word cost, values are integer multiples of the
        weight.
        """
        weights = self._problem.weights
        if lambda_ > 0.0 or self._problem.word_cost or not len(weights):
            return 0.0
        return float(weights[0]) if np.ptp(weights) == 0.0 else 0.0

    def core(self, lambda_: float) -> Core:
        """The core for a lambda."""
        problem, coverage = self._problem, self.coverage
        items, taken = coverage.items, list(coverage.taken)
        relevance = problem.relevance_prices
        costs = problem.word_cost * problem.words.astype(np.float64)
        rest = 1.0 - lambda_
        base = lambda_ * float(relevance[taken].sum()) + rest * coverage.base
        core = replace(
            coverage,
            base=base - float(costs[taken].sum()),
            v=lambda_ * relevance[items] + rest * coverage.v - costs[items],
            w=rest * coverage.w,
        )
        if not rest:
            # At lambda = 1 a repetition subtracts nothing.
            core = replace(
                core,
                sharing=Sharing(len(items), np.zeros(1, dtype=np.int64), NO_ITEMS),
                w=np.zeros(0),
            )
        useful = (core.v > 0) | self._is_required
        return core.restrict(np.flatnonzero(useful), NO_ITEMS)


def _coverage(problem: Problem) -> Core:
    """The core of the coverage term over all sentences, at full concept weights, with all
    limits.
    """
    items = np.arange(len(problem))
    concepts, weights = problem.concepts, problem.weights
    # The sentence of each of `concepts`.
    sentences = np.repeat(items, np.diff(problem.starts))
    v = np.bincount(sentences, weights[concepts], len(problem))
    sides = side_rows(problem)
    order = np.argsort(concepts, kind="stable")
    sharing, w = merge(concepts[order], sentences[order], weights, len(problem))
    return Core(
        items=items,
        base=0.0,
        v=v.astype(np.float64),
        words=problem.words,
        relevance=problem.relevance_prices,
        capacity=problem.capacity,
        sharing=sharing,
        w=w,
        sides=sides,
    )


def included(problem: Problem) -> list[int]:
    """The included sentences and all that they require, ascending; `SolverError` if they exceed a
    limit.
    """
    inside = problem.with_required(problem.include)
    if not problem.allows(inside):
        words = f"{counted(sum(int(problem.words[i]) for i in inside), 'word')} of {problem.limit}"
        what = f"the included sentences cannot all be chosen ({words}, or they break another limit)"
        raise SolverError(f"{what}: include fewer or raise the limit")
    return sorted(inside)


def side_rows(problem: Problem) -> tuple[SideRow, ...]:
    """The problem's limits other than the word limit, as rows over its sentences."""
    indices = np.arange(len(problem))
    rows = list[SideRow]()
    if problem.second_limit is not None:
        lengths = problem.second_lengths.astype(np.float64)
        rows.append(SideRow(indices, lengths, float(problem.second_limit)))
    if problem.sentence_limit is not None:
        rows.append(_at_most(problem.sentence_limit, indices))
    if problem.document_limit is not None:
        for number in range(int(problem.documents.max(initial=-1)) + 1):
            members = np.flatnonzero(problem.documents == number)
            rows.append(_at_most(problem.document_limit, members))
    for group in problem.groups:
        rows.append(_at_most(1, np.array(sorted(set(group)))))
    for i, k in problem.requires:
        if i != k:
            rows.append(SideRow(np.array([i, k]), np.array([1.0, -1.0]), 0.0))
    return tuple(rows)


def _at_most(limit: int, members: Ints) -> SideRow:
    return SideRow(members, np.ones(len(members)), float(limit))
