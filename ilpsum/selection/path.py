"""The optimal selection at one lambda, and all optimal selections over lambda.

The value of a set with relevance term R, coverage term C and costs K is a line over lambda,

    lambda R + (1 - lambda) C - K

The optimum over all sets is the upper envelope of finitely many lines, hence convex and piecewise
linear. To find it, solve at the crossing of two known lines: if no set has a higher
value there, the crossing is a corner of the envelope; otherwise the better set's line lies between
the two, and both halves are refined recursively (Eisner and Severance 1976). k segments take at
most 2k + 1 solves. Each solve is warm-started from the last relaxation and only has to beat the
value at the crossing.

**Ties.** Of sets of equal value at a lambda, that of the **greatest value at lambda 0** wins; then
that of the greatest value at lambda 1; then the **fewest words**; then the **lexicographically
smallest** tuple of indices. At an inner lambda and at 1 the first part takes the set that is
optimal just below, at 0 the second takes the set that is optimal just above. So the ends are no
special case: among equally relevant sets at lambda 1, coverage decides, and the selection is that
of the path's last segment.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ilpsum.errors import SolverError
from ilpsum.selection.exact.core import Compact, Core
from ilpsum.selection.exact.relaxation import Relaxation
from ilpsum.selection.exact.search import TIE, ExactSearch, Incumbent, Meter
from ilpsum.selection.problem import Limits, Problem

# Tolerance for equal values of lines; far smaller than differences between selections, far larger
# than rounding errors.
_SAME = 1e-11


@dataclass(frozen=True)
class _Line:
    """A set of sentences and the terms of its value (`Problem.terms`)."""

    chosen: tuple[int, ...]
    relevance: float
    coverage: float
    costs: float

    def value(self, lambda_: float) -> float:
        """The value of the set at any lambda."""
        return lambda_ * self.relevance + (1.0 - lambda_) * self.coverage - self.costs

    def crossing(self, other: "_Line") -> float:
        """The lambda at which this line, higher at small lambda, meets a steeper one."""
        steeper = (other.relevance - other.coverage) - (self.relevance - self.coverage)
        if steeper <= 0:
            return 0.0
        ahead = (self.coverage - self.costs) - (other.coverage - other.costs)
        return min(1.0, max(0.0, ahead / steeper))


@dataclass(frozen=True)
class Segment(_Line):
    """A selection and the closed interval [start, end] of lambdas for which it is optimal.

    After the start, and at lambda 0, `select` returns the same set.
    """

    start: float
    end: float


class Envelope:
    """The solves of one problem at any lambda, sharing the compact model, the relaxation and the
    limits.
    """

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self._problem = problem
        self._compact = Compact(problem)
        self.meter = Meter(limits)
        self._warm: Relaxation | None = None

    def search(self, lambda_: float) -> ExactSearch:
        """Return a search at a lambda, warm-started from the last relaxation."""
        return self._searching(self._compact.core(lambda_), lambda_)

    def _searching(self, core: Core, lambda_: float) -> ExactSearch:
        search = ExactSearch(core, self.meter, self._compact.step(lambda_), self._warm)
        if search.tree is not None and 0.0 < lambda_ < 1.0:
            self._warm = search.tree.relaxation
        return search

    def line(self, chosen: tuple[int, ...]) -> _Line:
        """Return the line of a set."""
        return _Line(chosen, *self._problem.terms(chosen))

    def solve(self, lambda_: float, incumbent: _Line | None = None) -> _Line:
        """Return the line of an optimal set at a lambda: the incumbent unless a set has a higher
        value.
        """
        search = self.search(lambda_)
        if incumbent is None:
            best = search.best(tied=False)
        else:
            best = search.better(incumbent.chosen, incumbent.value(lambda_))
        if not best.proved:
            raise SolverError(
                "a limit was reached before the lambda path was complete: raise nodes or seconds"
            )
        if incumbent is not None and best.chosen == incumbent.chosen:
            return incumbent
        return self.line(best.chosen)

    def optimum(self, lambda_: float, proved: Incumbent | None = None) -> Incumbent:
        """Return the optimal set at a lambda by the tie-breaking rule, or the best one found within
        the limits; `proved` is any optimal set, if one is known.
        """
        is_end = lambda_ in (0.0, 1.0)
        core = self._compact.core(lambda_)
        if proved is None and not is_end:
            filled = core.filled(2 * TIE * float(core.v.max(initial=0.0)))
            if not len(filled):
                # All sentences fit, and each adds to the others.
                self.meter.nodes += 1
                return Incumbent(filled.taken, filled.base, filled.base)
        search = self._searching(core, lambda_)
        if proved is None:
            best = search.best(tied=not is_end)
        elif is_end:
            best = proved
        else:
            best = search.settle(proved.chosen, proved.value)
        if not best.proved or best.warnings:
            return best
        starts = [self.line(chosen).value(0.0) for chosen in best.equals]
        if not is_end and starts and max(starts) - min(starts) <= TIE:
            return best
        try:
            line, inside = self._beside(lambda_, self.line(best.chosen), TIE * search.unit)
            settled = self.search(inside).settle(line.chosen, line.value(inside))
        except SolverError:
            warning = "a limit was reached: another set of equal value may come first"
            return replace(best, warnings=(warning,))
        return replace(best, chosen=settled.chosen, warnings=settled.warnings)

    def _beside(self, lambda_: float, near: _Line, tie: float) -> tuple[_Line, float]:
        """Return the line that is optimal at a lambda and just below it (at 0, just above it), and
        a lambda inside its segment; `near` is any line that is optimal at lambda.
        """
        optimum = near.value(lambda_)
        end = lambda_ / 2 if lambda_ else 0.5
        far = self.solve(end)
        while True:
            if far.value(lambda_) >= optimum - tie:
                # Optimal at both ends, hence between them.
                return far, (end + lambda_) / 2
            left, right = (far, near) if lambda_ else (near, far)
            at = left.crossing(right)
            best = self.solve(at, near)
            if best is near or best.value(at) <= near.value(at) + _SAME:
                return near, (at + lambda_) / 2
            if best.value(lambda_) >= optimum - tie:
                near = best
            else:
                far, end = best, at

    def corners(self, left: _Line, right: _Line) -> Iterator[tuple[float, _Line]]:
        """Yield the lines after `left` up to `right`, each with the lambda at which it starts."""
        waiting = [(left, right)]
        while waiting:
            left, right = waiting.pop()
            if max(abs(left.value(end) - right.value(end)) for end in (0.0, 1.0)) < _SAME:
                continue  # the lines coincide up to rounding
            at = left.crossing(right)
            best = self.solve(at, left) if 0.0 < at < 1.0 else left
            if best is left or best.value(at) <= max(left.value(at), right.value(at)) + _SAME:
                yield at, right
            else:
                waiting += [(best, right), (left, best)]

    def segment(self, line: _Line, start: float, end: float) -> Segment:
        """Return a line's segment, with its optimal set by the tie-breaking rule at the
        midpoint.
        """
        middle = (start + end) / 2
        chosen = self.search(middle).settle(line.chosen, line.value(middle)).chosen
        return Segment(chosen, *self._problem.terms(chosen), start, end)


def lambda_path(problem: Problem, *, limits: Limits | None = None) -> tuple[Segment, ...]:
    """Return all optimal selections over lambda in [0, 1], by increasing lambda; adjacent intervals
    share an end.

    The problem's own lambda is ignored. `select` returns these sets: at a corner that of the
    segment that ends there.

    Raises:
        SolverError: a search limit was reached, or no set satisfies the problem's limits.
    """
    path = Envelope(problem, limits or Limits())
    first = path.solve(0.0)
    corners = [(0.0, first), *path.corners(first, path.solve(1.0)), (1.0, first)]
    # Lines that are optimal only at a corner are left out.
    starts = list[float]()
    lines = list[_Line]()
    for (start, line), (end, _) in pairwise(corners):
        if end - start > _SAME:
            starts.append(start if lines else 0.0)
            lines.append(line)
    ends = [*starts[1:], 1.0]
    return tuple(map(path.segment, lines, starts, ends))


def segment_at(path: Sequence[Segment], lambda_: float) -> Segment:
    """Return the segment of a path that contains a lambda; at a corner, the segment that ends
    there.

    Raises:
        ValueError: lambda is not in [0, 1].
    """
    if not 0.0 <= lambda_ <= 1.0:
        raise ValueError(f"lambda is {lambda_}; expected a number from 0 to 1")
    return next(segment for segment in path if lambda_ <= segment.end)
