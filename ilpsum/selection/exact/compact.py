"""The cores of a problem at every lambda (see `ilpsum.selection.exact.core` for the model and why it is exact).

**Only x need be integer.** With a continuous s_c >= sum_{i in S_c} x_i - 1, s_c >= 0 at the price -w_c < 0, an optimum
sets s_c = max(0, sum x_i - 1) for any x, which for integer x is the second term of (C). At lambda = 1 (w_c = 0) the
rows vanish. The published form follows with b_c = sum x_i - s_c: b_c has a positive price, so constraint (4) pushes it
up to min(1, sum x_i), and then (3) holds by itself.

**What is dropped.** Excluded sentences, and those that do not fit beside the included ones, are in no allowed set. An
item with v_i <= 0 that no other item requires never improves a set and always lengthens it; the rule for ties
(`ilpsum.selection.exact.search`) never takes it. Dominated and duplicate sentences stay: both copies of a sentence
contribute their relevance, and at lambda = 1 the model takes both.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats, Ints
from ilpsum.errors import SolverError, counted
from ilpsum.selection.exact.core import Core, Sharing, SideRow, merge
from ilpsum.selection.problem import Problem


@dataclass(frozen=True, eq=False)
class Compact:
    """A problem's cores for every lambda. Folding and merging do not depend on lambda and are done once.

    Included sentences are already taken; sentences that cannot be chosen are dropped.

    Attributes:
        relevance, costs: (m,) relevance term of each item, and price of its words.
        relevance_taken, costs_taken: those of the included sentences.
        coverage: the core of the coverage term, at full weights, with all the limits.
        required: (m,) whether another sentence requires the item.
    """

    problem: Problem
    relevance: Floats
    relevance_taken: float
    costs: Floats
    costs_taken: float
    coverage: Core
    required: NDArray[np.bool_]

    @classmethod
    def build(cls, problem: Problem) -> "Compact":
        """Fold and merge the concepts of a problem; `SolverError` if the included sentences break a limit."""
        take = np.array(included(problem), dtype=np.int64)
        allowed = problem.words <= problem.capacity - int(problem.words[take].sum())
        allowed[[*problem.exclude, *take.tolist()]] = False
        items = np.flatnonzero(allowed)
        relevance = problem.relevance_prices
        costs = problem.word_cost * problem.words.astype(np.float64)
        return cls(
            problem,
            relevance[items],
            float(relevance[take].sum()),
            costs[items],
            float(costs[take].sum()),
            _coverage(problem).restrict(items, take),
            np.isin(items, [k for i, k in problem.requires if i != k]),
        )

    def step(self, lambda_: float) -> float:
        """The number that the values of all sets are multiples of, 0 if none is known.

        At lambda = 0, with equal weights and no word cost, a value is that weight times a whole number.
        """
        problem = self.problem
        plain = lambda_ == 0.0 and not problem.word_cost and len(problem.weights)
        return float(problem.weights[0]) if plain and np.ptp(problem.weights) == 0.0 else 0.0

    def core(self, lambda_: float) -> Core:
        """The core at a lambda."""
        coverage, rest = self.coverage, 1.0 - lambda_
        core = Core(
            items=coverage.items,
            base=lambda_ * self.relevance_taken + rest * coverage.base - self.costs_taken,
            v=lambda_ * self.relevance + rest * coverage.v - self.costs,
            words=coverage.words,
            capacity=coverage.capacity,
            # At lambda = 1 a repetition subtracts nothing.
            sharing=coverage.sharing if rest else Sharing.none(len(coverage)),
            w=rest * coverage.w if rest else np.zeros(0),
            sides=coverage.sides,
            taken=coverage.taken,
        )
        useful = (core.v > 0) | self.required
        return core if useful.all() else core.restrict(np.flatnonzero(useful), np.zeros(0, dtype=np.int64))


def _coverage(problem: Problem) -> Core:
    """The coverage term over all sentences, at the full weights of the concepts, with all the limits."""
    n = len(problem)
    rows = np.repeat(np.arange(n), np.diff(problem.starts))
    v = np.bincount(rows, weights=problem.weights[problem.concepts], minlength=n).astype(np.float64)
    order = np.argsort(problem.concepts, kind="stable")
    sharing, w = merge(problem.concepts[order], rows[order], problem.weights, n)
    return Core(np.arange(n), 0.0, v, problem.words, problem.capacity, sharing, w, side_rows(problem))


def included(problem: Problem) -> list[int]:
    """The included sentences and all that they require, ascending; `SolverError` if they break a limit."""
    inside = set(problem.include)
    while further := {k for i, k in problem.requires if i in inside} - inside:
        inside |= further
    if not problem.allows(inside):
        words = f"{counted(sum(int(problem.words[i]) for i in inside), 'word')} of {problem.limit}"
        what = f"the included sentences cannot all be chosen ({words}, or they break another limit)"
        raise SolverError(f"{what}: include fewer or raise the limit")
    return sorted(inside)


def side_rows(problem: Problem) -> tuple[SideRow, ...]:
    """The problem's limits other than words, as rows over its sentences."""
    rows: list[SideRow] = []
    n = len(problem)
    if problem.second_limit is not None:
        rows.append(SideRow(np.arange(n), problem.second_lengths.astype(np.float64), float(problem.second_limit)))
    if problem.sentence_limit is not None:
        rows.append(_count(np.arange(n), problem.sentence_limit))
    if problem.document_limit is not None:
        numbers = range(int(problem.documents.max(initial=-1)) + 1)
        rows += [_count(np.flatnonzero(problem.documents == k), problem.document_limit) for k in numbers]
    rows += [_count(np.array(sorted(set(group)), dtype=np.int64), 1) for group in problem.groups]
    pairs = [np.array([i, k], dtype=np.int64) for i, k in problem.requires if i != k]
    return (*rows, *(SideRow(pair, np.array([1.0, -1.0]), 0.0) for pair in pairs))


def _count(members: Ints, most: int) -> SideRow:
    return SideRow(members, np.ones(len(members)), float(most))
