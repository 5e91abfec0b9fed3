"""All optimal summaries over lambda, with the exact lambdas at which one gives way to the next.

For a set S with relevance term R, coverage term C and costs K the value is the line lambda R + (1 - lambda) C - K.
The optimum over all sets is the upper envelope of finitely many lines, so convex and piecewise linear. It is found by
solving where two known lines cross: if no set is worth more there, the envelope has its corner there; else the better
set's line lies between the two, and both halves are treated alike (Eisner and Severance 1976). With k segments that
is at most 2k + 1 solves, each begun from the last relaxation and from the value of the crossing, which it has only to
beat.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ilpsum.errors import SolverError
from ilpsum.selection.exact.branch import Meter, OutOfLimits
from ilpsum.selection.exact.compact import Compact
from ilpsum.selection.exact.relaxation import Relaxation
from ilpsum.selection.exact.search import Search
from ilpsum.selection.problem import Limits, Problem

# Lines whose values differ by less at a crossing meet there: far below what tells summaries apart, far above rounding.
_SAME = 1e-11


@dataclass(frozen=True)
class Segment:
    """A summary, and the lambdas for which it is optimal.

    Attributes:
        start, end: the closed interval of lambda.
        chosen: the sentences; inside the interval the set that `select` returns.
        relevance, coverage, costs: the terms of its value (`Problem.terms`).
    """

    start: float
    end: float
    chosen: tuple[int, ...]
    relevance: float
    coverage: float
    costs: float

    def value(self, lambda_: float) -> float:
        """The value of the summary at any lambda."""
        return lambda_ * self.relevance + (1.0 - lambda_) * self.coverage - self.costs


@dataclass(frozen=True)
class _Line:
    chosen: tuple[int, ...]
    relevance: float
    coverage: float
    costs: float

    def value(self, lambda_: float) -> float:
        return lambda_ * self.relevance + (1.0 - lambda_) * self.coverage - self.costs

    def same(self, other: "_Line") -> bool:
        """Whether the two are one line, up to rounding."""
        return max(abs(self.value(at) - other.value(at)) for at in (0.0, 1.0)) < _SAME

    def crossing(self, other: "_Line") -> float:
        """Where this line, the higher one for small lambda, meets a steeper one."""
        steeper = (other.relevance - other.coverage) - (self.relevance - self.coverage)
        ahead = (self.coverage - self.costs) - (other.coverage - other.costs)
        return min(1.0, max(0.0, ahead / steeper)) if steeper > 0 else 0.0


class _Path:
    """The solves of one path: they share the compact model and the relaxation."""

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self._problem = problem
        self._compact = Compact.build(problem)
        self._meter = Meter(limits)
        self._warm: Relaxation | None = None

    def search(self, lambda_: float) -> Search:
        """A search at a lambda, begun from the relaxation of the last."""
        compact = self._compact
        search = Search(compact.core(lambda_), self._meter, compact.step(lambda_), self._warm)
        if search.tree is not None and 0.0 < lambda_ < 1.0:
            self._warm = search.tree.relaxation
        return search

    def line(self, chosen: tuple[int, ...]) -> _Line:
        return _Line(chosen, *self._problem.terms(chosen))

    def solve(self, lambda_: float, known: _Line | None) -> _Line:
        """The line of an optimal set at a lambda: the known one, if none is worth more."""
        search = self.search(lambda_)
        found = search.best() if known is None else search.better(known.value(lambda_), known.chosen)
        if not found.proved:
            raise OutOfLimits("nodes or seconds")
        return known if known is not None and found.chosen == known.chosen else self.line(found.chosen)

    def corners(self, left: _Line, right: _Line) -> list[tuple[float, _Line]]:
        """The lines after `left` up to `right`, each with the lambda at which it begins."""
        done: list[tuple[float, _Line]] = []
        waiting = [(left, right)]
        while waiting:
            left, right = waiting.pop()
            if left.same(right):
                continue
            at = left.crossing(right)
            best = self.solve(at, left) if 0.0 < at < 1.0 else left
            if best is left or best.value(at) <= max(left.value(at), right.value(at)) + _SAME:
                done.append((at, right))
            else:
                waiting += [(best, right), (left, best)]
        return done

    def named(self, line: _Line, start: float, end: float) -> tuple[int, ...]:
        """The set of a line that the rule for ties names, in the middle of its segment."""
        middle = (start + end) / 2
        return self.search(middle).settle(line.value(middle), line.chosen).chosen


def lambda_path(problem: Problem, *, limits: Limits | None = None) -> tuple[Segment, ...]:
    """All optimal summaries over lambda in [0, 1], in the order of lambda, their intervals touching.

    The problem's own lambda plays no part. At a corner both neighbours are optimal (and perhaps others, of which
    `select` may name a third).

    Raises:
        SolverError: the limits were reached, or no set of sentences keeps all limits of the problem.
    """
    path = _Path(problem, limits or Limits())
    try:
        first = path.solve(0.0, None)
        corners = path.corners(first, path.solve(1.0, None))
        return tuple(
            Segment(start, end, chosen, *problem.terms(chosen))
            for start, end, line in _intervals(first, corners)
            for chosen in [path.named(line, start, end)]
        )
    except OutOfLimits as limit:
        raise SolverError(f"the limit in {limit} was reached before the lambda path was complete: raise it") from None


def _intervals(first: _Line, corners: list[tuple[float, _Line]]) -> list[tuple[float, float, _Line]]:
    """The intervals that begin at the corners; of lines that are optimal in a corner only, none."""
    starts = [(0.0, first), *corners]
    ends = [*(at for at, _ in corners), 1.0]
    lasting = [line for line, end in zip(starts, ends, strict=True) if end - line[0] > _SAME]
    begins = [0.0, *(start for start, _ in lasting[1:])]
    return [(start, end, line) for start, end, (_, line) in zip(begins, [*begins[1:], 1.0], lasting, strict=True)]


def segment_at(path: Sequence[Segment], lambda_: float) -> Segment:
    """The segment of a path that holds a lambda; at a corner the one that ends there.

    Raises:
        ValueError: lambda is not in [0, 1].
    """
    if not 0.0 <= lambda_ <= 1.0:
        raise ValueError(f"lambda is {lambda_}; expected a number from 0 to 1")
    return next(segment for segment in path if lambda_ <= segment.end)
