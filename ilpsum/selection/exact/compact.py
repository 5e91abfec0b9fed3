"""The same optimum from a smaller model: what a set of sentences is worth, stated by what it repeats.

A *core* holds m items (sentences that can be chosen at all) and c shared concepts, and says of a set S of items

    value(S) = base + sum_{i in S} v_i - sum_c w_c * max(0, |S and S_c| - 1)                              (C)

where v_i is all that item i is worth alone, all its concepts included.

**(C) equals equation 1.** A concept j that S covers adds w_j once in equation 1; in (C) each of its k holders in S
brings w_j along and (k - 1) w_j are taken off, which leaves w_j. A concept that S does not cover adds nothing in both.
Hence:

* A concept with one holder has no second term: it is folded into that sentence's v_i.
* Concepts with the same holders S_c have the same second term, and are merged by adding their weights.
* A concept worth nothing is left out.
* A penalty for each sentence of a document beyond the first *is* a second term: a shared concept without a first one.

**Only x need be integer.** With a continuous s_c >= sum_{i in S_c} x_i - 1, s_c >= 0 at the price -w_c < 0, an optimum
puts s_c = max(0, sum x_i - 1) for any x, which for integer x is the term of (C). At lambda = 1 (w_c = 0) the rows
vanish. In the published form the same is said by b_c = sum x_i - s_c: since b_c has a positive price, constraint (4)
pushes it up to min(1, sum x_i), which makes (3) hold by itself.

**What is left out.** Sentences that are fixed out or that do not fit beside those fixed in are in no allowed set. An
item with v_i <= 0 that no other item requires never makes a set better, and always longer; the rule for ties
(`ilpsum.selection.exact.search`) never takes it. Dominated and duplicate sentences stay: two copies of a sentence are
both worth their relevance, and at lambda = 1 the model takes both.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ilpsum.errors import SolverError
from ilpsum.selection.problem import FloatArray, IntArray, Problem


@dataclass(frozen=True, eq=False)
class SideRow:
    """A further limit: sum of coefficients[k] * x[items[k]] <= right."""

    items: IntArray
    coefficients: FloatArray
    right: float


@dataclass(frozen=True, eq=False)
class Sharing:
    """Which of m items hold which shared concepts.

    Attributes:
        size: m.
        starts, holders: the items that hold concept k are `holders[starts[k]:starts[k + 1]]`, at least two, ascending.
    """

    size: int
    starts: IntArray
    holders: IntArray

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def owners(self) -> IntArray:
        """(nnz,) the concept that each entry of `holders` belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @cached_property
    def columns(self) -> tuple[IntArray, IntArray]:
        """Starts and concepts by item: the transpose of `starts` and `holders`."""
        order = np.argsort(self.holders, kind="stable")
        starts = np.zeros(self.size + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.holders, minlength=self.size), out=starts[1:])
        return starts, self.owners[order]

    def join(self, other: "Sharing") -> "Sharing":
        """The concepts of both, these first."""
        if not len(other):
            return self
        starts = np.concatenate((self.starts, self.starts[-1] + other.starts[1:]))
        return Sharing(self.size, starts, np.concatenate((self.holders, other.holders)))


@dataclass(frozen=True, eq=False)
class Core:
    """Items, shared concepts and limits, as (C) says.

    Attributes:
        items: (m,) number of each item's sentence in the problem.
        base: value of what is already taken.
        v: (m,) worth of each item alone.
        words: (m,) its length.
        capacity: words that are left.
        sharing: who holds the c shared concepts.
        w: (c,) what a repetition of a shared concept takes off, > 0.
        sides: further limits.
        taken: sentences that are in, ascending.
    """

    items: IntArray
    base: float
    v: FloatArray
    words: IntArray
    capacity: int
    sharing: Sharing
    w: FloatArray
    sides: tuple[SideRow, ...] = ()
    taken: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def earlier_copies(self) -> IntArray:
        """(m,) the last item before each that equals it in worth, length, concepts and limits; -1 where none does."""
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

    def counts(self, chosen: IntArray) -> IntArray:
        """(c,) how many of the chosen items hold each concept."""
        starts, concepts = self.sharing.columns
        held = [concepts[starts[i] : starts[i + 1]] for i in chosen.tolist()]
        return np.bincount(np.concatenate(held), minlength=len(self.w)) if held else np.zeros(len(self.w), np.int64)

    def value(self, chosen: IntArray) -> float:
        """(C) for a set of items."""
        excess = np.maximum(self.counts(chosen) - 1, 0)
        return self.base + float(self.v[chosen].sum()) - float(self.w @ excess)

    def sentences(self, chosen: Iterable[int]) -> tuple[int, ...]:
        """The sentences of a set of items together with those taken before, ascending."""
        return tuple(sorted([*self.taken, *(int(self.items[i]) for i in chosen)]))

    def allows(self, chosen: IntArray) -> bool:
        """Whether a set of items keeps the limits."""
        if int(self.words[chosen].sum()) > self.capacity:
            return False
        picked = np.zeros(len(self), dtype=np.float64)
        picked[chosen] = 1.0
        return all(float(row.coefficients @ picked[row.items]) <= row.right + 1e-6 for row in self.sides)

    def restrict(self, keep: IntArray, take: IntArray) -> "Core":
        """The core that is left when the items `take` are in, and of the others only `keep` may be chosen.

        By (C), a concept of a taken item takes w_c off every other holder; concepts that no longer have two holders
        have no second term left, and those whose holders have become the same are merged.
        """
        if not len(take) and len(keep) == len(self):
            return self
        v = self.v.copy()
        covered = self.counts(take) > 0
        owners, holders = self.sharing.owners, self.sharing.holders
        lost = covered[owners]
        v -= np.bincount(holders[lost], weights=self.w[owners[lost]], minlength=len(self))
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


def merge(owners: IntArray, holders: IntArray, w: FloatArray, size: int) -> tuple[Sharing, FloatArray]:
    """Concepts with the same holders as one, without those of fewer than two holders or of no worth.

    Args:
        owners: (nnz,) concept of each entry, ascending.
        holders: (nnz,) item of each entry, ascending within a concept.
        w: weights by concept.
        size: number of items.

    Returns:
        The merged concepts, in the order of their first appearance, and their weights.
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


def _restrict_sides(sides: tuple[SideRow, ...], place: IntArray, take: IntArray) -> tuple[SideRow, ...]:
    left = []
    taken = set(take.tolist())
    for row in sides:
        used = sum(c for i, c in zip(row.items.tolist(), row.coefficients.tolist(), strict=True) if i in taken)
        inside = place[row.items] >= 0
        items, coefficients = place[row.items[inside]], row.coefficients[inside]
        right = row.right - used
        if float(np.maximum(coefficients, 0).sum()) > right + 1e-9:
            left.append(SideRow(items, coefficients, right))
    return tuple(left)


@dataclass(frozen=True, eq=False)
class Compact:
    """A problem's cores for every lambda: folding and merging do not depend on lambda, and are done once.

    The sentences fixed in are taken already, those that cannot be chosen are left out.

    Attributes:
        problem: the problem.
        items: (m,) the sentences that may be chosen.
        relevance: (m,) their relevance term.
        relevance_taken: the relevance term of the sentences fixed in.
        coverage: the core of the coverage term alone.
        costs: the core of all that lambda does not weigh, with the limits.
        required: (m,) whether an item is required by another sentence.
    """

    problem: Problem
    items: IntArray
    relevance: FloatArray
    relevance_taken: float
    coverage: Core
    costs: Core
    required: NDArray[np.bool_]

    @classmethod
    def build(cls, problem: Problem) -> "Compact":
        """Folds and merges the concepts of a problem.

        Raises:
            SolverError: the sentences fixed in break a limit.
        """
        take = np.array(fixed_in(problem), dtype=np.int64)
        allowed = problem.words <= problem.capacity - int(problem.words[take].sum())
        allowed[list(problem.exclude)] = False
        allowed[take] = False
        items = np.flatnonzero(allowed)
        required = np.isin(items, [k for _, k in problem.requires])
        relevance = problem.relevance_prices
        taken = float(relevance[take].sum())
        coverage, costs = _coverage(problem), _costs(problem)
        return cls(
            problem,
            items,
            relevance[items],
            taken,
            coverage.restrict(items, take),
            costs.restrict(items, take),
            required,
        )

    def step(self, lambda_: float) -> float:
        """What the values of all sets are multiples of, 0 where nothing is known.

        At lambda = 0, with concepts of one price and no other price, a value is that price times a whole number.
        """
        problem = self.problem
        plain = lambda_ == 0.0 and not problem.word_cost and not problem.document_penalty and len(problem.weights)
        return float(problem.weights[0]) if plain and np.ptp(problem.weights) == 0.0 else 0.0

    @cached_property
    def _sharing(self) -> Sharing:
        return self.coverage.sharing.join(self.costs.sharing)

    def core(self, lambda_: float) -> Core:
        """The core at a lambda."""
        coverage, costs = self.coverage, self.costs
        rest = 1.0 - lambda_
        priced = bool(rest) and len(coverage.w)
        core = Core(
            items=self.items,
            base=lambda_ * self.relevance_taken + rest * coverage.base + costs.base,
            v=lambda_ * self.relevance + rest * coverage.v + costs.v,
            words=costs.words,
            capacity=costs.capacity,
            sharing=self._sharing if priced else costs.sharing,
            w=np.concatenate((rest * coverage.w, costs.w)) if priced else costs.w,
            sides=costs.sides,
            taken=costs.taken,
        )
        wanted = (core.v > 0) | self.required
        return core if wanted.all() else core.restrict(np.flatnonzero(wanted), np.zeros(0, dtype=np.int64))


def _coverage(problem: Problem) -> Core:
    """The coverage term over all sentences, at the full price of the concepts."""
    n = len(problem)
    rows = np.repeat(np.arange(n), np.diff(problem.starts))
    v = np.bincount(rows, weights=problem.weights[problem.concepts], minlength=n).astype(np.float64)
    order = np.argsort(problem.concepts, kind="stable")
    sharing, w = merge(problem.concepts[order], rows[order], problem.weights, n)
    return Core(np.arange(n), 0.0, v, problem.words, problem.capacity, sharing, w)


def _costs(problem: Problem) -> Core:
    """What words and repeated documents cost, and all the limits."""
    n = len(problem)
    v = -problem.word_cost * problem.words.astype(np.float64)
    sharing, w = Sharing(n, np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64)), np.zeros(0)
    if problem.document_penalty:
        order = np.argsort(problem.documents, kind="stable").astype(np.int64)
        penalties = np.full(int(problem.documents.max(initial=-1)) + 1, problem.document_penalty, dtype=np.float64)
        sharing, w = merge(problem.documents[order], order, penalties, n)
    return Core(np.arange(n), 0.0, v, problem.words, problem.capacity, sharing, w, _sides(problem))


def fixed_in(problem: Problem) -> list[int]:
    """The sentences fixed in, with all that they require, ascending.

    Raises:
        SolverError: they break a limit.
    """
    inside = set(problem.include)
    waiting = list(inside)
    needs: dict[int, list[int]] = {}
    for i, k in problem.requires:
        needs.setdefault(i, []).append(k)
    while waiting:
        for k in needs.get(waiting.pop(), []):
            if k not in inside:
                inside.add(k)
                waiting.append(k)
    if not problem.allows(inside):
        raise SolverError(
            f"the sentences fixed in cannot all be chosen ({sum(int(problem.words[i]) for i in inside)} words of "
            f"{problem.limit}, or another limit is broken): fix fewer of them or raise the limit"
        )
    return sorted(inside)


def _sides(problem: Problem) -> tuple[SideRow, ...]:
    """The options of a problem that are limits, as rows over its sentences."""
    rows: list[SideRow] = []
    everything = np.arange(len(problem))
    if problem.character_limit is not None:
        rows.append(SideRow(everything, problem.characters.astype(np.float64), float(problem.character_limit)))
    if problem.document_limit is not None:
        for number in range(int(problem.documents.max(initial=-1)) + 1):
            members = np.flatnonzero(problem.documents == number)
            rows.append(SideRow(members, np.ones(len(members)), float(problem.document_limit)))
    for group in problem.groups:
        members = np.array(sorted(set(group)), dtype=np.int64)
        rows.append(SideRow(members, np.ones(len(members)), 1.0))
    for i, k in problem.requires:
        if i != k:
            rows.append(SideRow(np.array([i, k], dtype=np.int64), np.array([1.0, -1.0]), 0.0))
    return tuple(rows)
