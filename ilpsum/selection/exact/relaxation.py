"""The linear relaxation of a core in HiGHS, with rows added on demand and warm starts.

    maximise    v x - w s
    subject to  words x <= capacity
                the further limits (sides)
                sum_{i in S_c} x_i - s_c <= 1    for every concept c
                0 <= x <= 1,  s >= 0

A concept's row binds only if its postings sum to more than one. The relaxation's optimum has few
more sentences than a summary, so only a few dozen of thousands of rows are ever added. Later solves
start from the last basis and take tens of microseconds.

**Bounds are computed here, not taken from the solver.** For any multipliers y >= 0 of the rows,
with y_c <= w_c for concepts,

    base + y right + sum_i max over lower_i <= x_i <= upper_i of (v - y A)_i x_i

is an upper bound (weak duality; s_c has the reduced price y_c - w_c <= 0). Computed from HiGHS's
multipliers in double precision, it keeps the solver's tolerances out of the proof.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from features.arrays import Floats, Ints
from ilpsum.errors import SolverError
from ilpsum.selection.exact.core import NO_ITEMS, Core, SideRow

_SCALE = 1000.0
# Adding up to this many rows is cheaper than the three or four solves that determine which are
# needed.
_FEW = 160
_NO_INTS = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Relaxed:
    """A solved relaxation.

    Attributes:
        x: (m,) the optimum.
        reduced: (m,) reduced prices v - y A: positive if the item should be in, negative if out.
        bound: a proved upper bound on every set within the bounds of x.
        word_price: multiplier of the word limit.
        concept_prices: (c,) multipliers y_c of the concepts' rows, 0 for rows never added.
        lower, upper: (m,) the bounds of x.
    """

    x: Floats
    reduced: Floats
    bound: float
    word_price: float
    concept_prices: Floats
    lower: Floats
    upper: Floats


class Relaxation:
    """The relaxation of a non-empty core in one HiGHS object; bounds of x may change between
    solves.
    """

    def __init__(self, core: Core) -> None:
        import highspy

        m = len(core)
        self.core = core
        self._infinity, self._optimal = highspy.kHighsInf, highspy.HighsModelStatus.kOptimal
        self._infeasible = highspy.HighsModelStatus.kInfeasible
        self._factor = _SCALE / max(1e-300, float(np.abs(core.v).max()))
        self._added = np.zeros(len(core.w), dtype=bool)
        self._concepts: list[int] = []
        self._matrix = np.zeros((0, m))
        self._right = np.zeros(0)
        self._most = np.zeros(0)
        self.lower, self.upper = np.zeros(m), np.ones(m)
        self._highs = _quiet(highspy.Highs())
        self._add_columns(-core.v, self.upper)
        self._add_sides()
        if len(core.w) <= _FEW:
            self._add_concepts(np.arange(len(core.w)))

    def reprice(self, core: Core) -> bool:
        """Switch to a core that differs only in prices; return False if it differs otherwise."""
        if core.sharing is not self.core.sharing or len(core) != len(self.core):
            return False
        self.core = core
        concepts = np.array(self._concepts, dtype=np.int64)
        self._most[len(self._most) - len(concepts) :] = core.w[concepts]
        costs = np.concatenate((-core.v, core.w[concepts])) * self._factor
        self._highs.changeColsCost(len(costs), np.arange(len(costs), dtype=np.int32), costs)
        return True

    def fix(self, lower: Floats, upper: Floats) -> None:
        """Set the bounds of x."""
        changed = np.flatnonzero((lower != self.lower) | (upper != self.upper))
        if len(changed):
            self._highs.changeColsBounds(
                len(changed),
                changed.astype(np.int32),
                lower[changed],
                upper[changed],
            )
            self.lower, self.upper = lower.copy(), upper.copy()

    def solve(self) -> Relaxed | None:
        """Return the optimum within the bounds, None if no point is feasible; `SolverError` if
        HiGHS failed twice.
        """
        m = len(self.core)
        while True:
            if not self._run():
                return None
            solution = self._highs.getSolution()
            x = np.array(solution.col_value[:m])
            broken = self._broken(x)
            if not len(broken):
                break
            self._add_concepts(broken)
        y = np.clip(np.array(solution.row_dual) / -self._factor, 0.0, self._most)
        reduced = self.core.v - y @ self._matrix
        best = np.maximum(self.lower * reduced, self.upper * reduced)
        bound = self.core.base + float(y @ self._right) + float(best.sum())
        concept_prices = np.zeros(len(self.core.w))
        concept_prices[self._concepts] = y[len(y) - len(self._concepts) :]
        return Relaxed(x, reduced, bound, float(y[0]), concept_prices, self.lower, self.upper)

    def _run(self) -> bool:
        """Solve with the rows so far; return whether a point is feasible."""
        self._highs.run()
        status = self._highs.getModelStatus()
        if status == self._infeasible:
            return False
        if status != self._optimal:
            # The warm-start basis may be at fault.
            self._highs.clearSolver()
            self._highs.run()
            if self._highs.getModelStatus() != self._optimal:
                raise SolverError(f"HiGHS could not solve a relaxation: {status}")
        return True

    def _broken(self, x: Floats) -> Ints:
        """Return the concepts without a row whose postings sum to more than one."""
        core = self.core
        support = np.flatnonzero(x > 1e-9).tolist()
        if not support or len(self._concepts) == len(core.w):
            return NO_ITEMS
        starts, concepts = core.sharing.columns
        sums = np.zeros(len(core.w))
        for i in support:
            sums[concepts[starts[i] : starts[i + 1]]] += x[i]
        return np.flatnonzero((sums > 1 + 1e-7) & ~self._added)

    def _add_concepts(self, concepts: Ints) -> None:
        """Add the rows of some concepts, each with a slack variable at the price of the concept."""
        if not len(concepts):
            return
        count, before = len(concepts), len(self._concepts)
        starts, postings = self.core.sharing.starts, self.core.sharing.postings
        matrix = np.zeros((count, len(self.core)))
        for row, concept in zip(matrix, concepts.tolist(), strict=True):
            row[postings[starts[concept] : starts[concept + 1]]] = 1.0
        weights = self.core.w[concepts]
        self._add_columns(weights, np.full(count, self._infinity))
        slacks = -np.eye(count, before + count, before)
        self._add_rows(matrix, np.ones(count), weights, slacks)
        self._added[concepts] = True
        self._concepts += concepts.tolist()

    def _add_sides(self) -> None:
        """Add the rows of the word limit and of the further limits."""
        core = self.core
        words = SideRow(np.arange(len(core)), core.words.astype(np.float64), core.capacity)
        limits = [words, *core.sides]
        matrix = np.zeros((len(limits), len(core)))
        for row, limit in zip(matrix, limits, strict=True):
            row[limit.items] = limit.coefficients
        right = np.array([limit.right for limit in limits])
        most = np.full(len(limits), self._infinity)
        self._add_rows(matrix, right, most, np.zeros((len(limits), 0)))

    def _add_columns(self, costs: Floats, upper: Floats) -> None:
        """Add variables from 0 to `upper`, without entries, to HiGHS, which minimises."""
        lower = np.zeros(len(costs))
        costs = costs * self._factor
        self._highs.addCols(len(costs), costs, lower, upper, 0, _NO_INTS, _NO_INTS, np.zeros(0))

    def _add_rows(self, matrix: Floats, right: Floats, most: Floats, slacks: Floats) -> None:
        """Add rows with coefficients `matrix` of the items and `slacks` of the slack variables, and
        multipliers up to `most`.
        """
        entries = np.hstack([matrix, slacks])
        rows, columns = np.nonzero(entries)
        starts = np.searchsorted(rows, np.arange(len(right)))
        values = entries[rows, columns]
        left = np.full(len(right), -self._infinity)
        starts, columns = starts.astype(np.int32), columns.astype(np.int32)
        self._highs.addRows(len(right), left, right, len(columns), starts, columns, values)
        self._matrix = np.concatenate((self._matrix, matrix))
        self._right = np.concatenate((self._right, right))
        self._most = np.concatenate((self._most, most))


def _quiet(highs: Any) -> Any:
    """Configure HiGHS: no output, one thread, no presolve, the tightest tolerances."""
    options: dict[str, Any] = {
        "output_flag": False,
        "threads": 1,
        "presolve": "off",
        "solver": "simplex",
        "random_seed": 0,
        "primal_feasibility_tolerance": 1e-10,
        "dual_feasibility_tolerance": 1e-10,
    }
    for name, value in options.items():
        highs.setOptionValue(name, value)
    return highs
