"""Selectors that maximise the ILP's objective: exactly with any solver, or greedily by gain per word."""

import time
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from math import isfinite, nan

import numpy as np

from ilpsum.errors import SolverError
from ilpsum.selection.base import Exchange, Pool, Selector, SelectorSettings
from ilpsum.selection.exact.branch import Meter
from ilpsum.selection.exact.core import Compact
from ilpsum.selection.exact.search import TIE, ExactSearch, fill
from ilpsum.selection.paper import solve_paper
from ilpsum.selection.problem import Limits, Problem, Selection
from ilpsum.selection.solvers import SOLVERS


def select(
    problem: Problem, *, solver: str = "highs", limits: Limits | None = None, fallback: bool = False
) -> Selection:
    """Return the best allowed set of sentences, with its proof of optimality.

    With any solver, ties are broken by the fewest words, then by the lexicographically smallest tuple of indices
    (`ilpsum.selection.exact.search`).

    Args:
        problem: the sentences and the limits.
        solver: `highs` (the default and fastest: our search over relaxations solved by HiGHS), or a solver for the
            published model: `highs-paper`, `glpk`, `cbc`.
        limits: limits of the search, after which the best set found is returned with status `limit`.
        fallback: if the solver is missing or fails, select greedily by value per word, with status `fallback` and a
            warning that gives the reason.

    Raises:
        UnknownNameError: no such solver.
        SolverError: the solver is not installed or failed (unless `fallback`), or no set satisfies all limits.
    """
    chosen_solver, limits = SOLVERS[solver], limits or Limits()
    try:
        chosen_solver.require()
        if chosen_solver.backend is None:
            selection = _compact(problem, solver, limits)
        else:
            selection = _paper(problem, solver, limits)
    except SolverError as error:
        if not fallback:
            raise
        selection = _fall_back(problem, chosen_solver.formulation, str(error))
    if not selection.chosen and len(problem):
        allowed = set(range(len(problem))).difference(problem.exclude)
        fits = not allowed or any(problem.fits((i,)) for i in allowed)
        why = "no sentence is worth taking" if fits else "no allowed sentence fits the limits"
        return replace(selection, warnings=(*selection.warnings, why))
    return selection


def _compact(problem: Problem, solver: str, limits: Limits) -> Selection:
    start = time.perf_counter()
    compact = Compact.build(problem)
    core = compact.core(problem.lambda_)
    built = time.perf_counter()
    meter = Meter(limits)
    filled = core.filled(2 * TIE * float(core.v.max(initial=0.0)))
    meter.nodes += filled is not core
    best = ExactSearch(filled, meter, compact.step(problem.lambda_)).best()
    bound = None if best.proved else best.bound
    seconds = (built - start, time.perf_counter() - built)
    return _selection(problem, best.chosen, bound, "compact", solver, meter.nodes, seconds, best.warnings)


def _paper(problem: Problem, solver: str, limits: Limits) -> Selection:
    """Solve the published model, then break ties as the compact search does."""
    proof = solve_paper(problem, solver, limits)
    start = time.perf_counter()
    meter = Meter(limits)
    if proof.status == "optimal":
        search = ExactSearch(Compact.build(problem).core(problem.lambda_), meter)
        settled = search.settle(proof.objective, proof.chosen)
        chosen, bound, warnings = settled.chosen, None, settled.warnings
    else:
        chosen, bound, warnings = proof.chosen, proof.bound, ("the limit was reached: a better set may exist",)
    nodes = proof.nodes + meter.nodes
    seconds = (proof.seconds_build, proof.seconds_solve + time.perf_counter() - start)
    return _selection(problem, chosen, bound, "paper", solver, nodes, seconds, warnings)


def _selection(
    problem: Problem,
    chosen: tuple[int, ...],
    bound: float | None,
    formulation: str,
    solver: str,
    nodes: int,
    seconds: tuple[float, float],
    warnings: tuple[str, ...],
) -> Selection:
    """Return the record of a search; a bound of None marks a proved optimum."""
    objective = problem.value(chosen)
    above = objective if bound is None else max(objective, bound)
    gap, status = (above - objective) / max(abs(objective), 1e-10), "optimal" if bound is None else "limit"
    gap = 0.0 if gap < 1e-12 else gap  # the two agree to the last digits
    if bound is not None:
        # `gap` is relative to the objective; this share is relative to the bound.
        share = (above - objective) / above if above > 0 else 0.0
        below = f"at most {share:.2%} below the optimum" if isfinite(above) else "unknown"
        warnings = (*warnings, f"gap: {below}")
    return Selection(chosen, objective, above, gap, status, formulation, solver, nodes, *seconds, warnings)


def _fall_back(problem: Problem, formulation: str, why: str) -> Selection:
    """Select greedily; the bound is the value of all sentences together, without subtracting repetitions."""
    start = time.perf_counter()
    core = Compact.build(problem).core(problem.lambda_)
    chosen = core.sentences(fill(core, np.zeros(0, dtype=np.int64)).tolist())
    if not problem.allows(chosen):
        chosen = core.taken
    bound = core.base + float(core.v[core.v > 0].sum())
    seconds = (0.0, time.perf_counter() - start)
    warnings = (f"greedy in place of the exact optimum: {why}",)
    selection = _selection(problem, chosen, bound, formulation, "greedy", 0, seconds, warnings)
    return replace(selection, status="fallback")


def gain(problem: Problem) -> Selection:
    """Repeatedly take the sentence with the largest gain of the objective per word, until none that fits adds value.

    Sentences that do not fit, or that require one not yet taken, are skipped; ties go to the earlier sentence. As in
    the paper, a single sentence worth more than the whole selection replaces it: with a word limit only and no word
    cost, the value is then at least 1 - 1/sqrt(e) of the optimum. The paper's exponent of the words is 1. The selection
    has status `gain`, and no bound or gap.

    Raises:
        SolverError: the included sentences break a limit.
    """
    start = time.perf_counter()
    core = Compact.build(problem).core(problem.lambda_)
    one_by_one = core.sentences(fill(core, np.zeros(0, dtype=np.int64)).tolist())
    alone = (core.sentences([item]) for item in range(len(core)))
    chosen = max((one_by_one, *filter(problem.allows, alone)), key=problem.value)
    seconds = time.perf_counter() - start
    return Selection(chosen, problem.value(chosen), nan, nan, "gain", "gain", "gain", seconds_solve=seconds)


class ObjectiveSelector(Selector):
    """A selector that maximises the ILP's objective, with its lambda, alpha, concepts and word cost.

    Subclasses define `solve` instead of `select`, and give in `falls_short` the reason why they may miss a better set.
    """

    needs_relevance = has_objective = True
    tunes = "lambda"
    falls_short: str = ""

    @abstractmethod
    def solve(self, problem: Problem, settings: SelectorSettings) -> Selection:
        """Return the chosen sentences of a problem; errors as for `select`."""

    def select(self, pool: Pool, settings: SelectorSettings) -> Selection:
        """Return the chosen candidates."""
        return self.solve(pool.problem, settings)

    def left_out(self, pool: Pool, i: int, numbers: Mapping[int, int], settings: SelectorSettings) -> str:  # noqa: ARG002
        """Return how the objective changes if a candidate is added or replaces a chosen one."""
        return Exchange(pool.problem, i, numbers).outweighed(self.falls_short, staged=pool.staged)


class Ilp(ObjectiveSelector):
    """The exact optimum of the ILP; see `select`."""

    name, title = "ilp", "exact ILP"
    is_exact = True
    falls_short = "the search was stopped before the proof"

    def solve(self, problem: Problem, settings: SelectorSettings) -> Selection:
        """Return the optimum with its proof of optimality."""
        return select(problem, solver=settings.solver, limits=settings.limits, fallback=settings.fallback)


class Gain(ObjectiveSelector):
    """Greedy on the objective of the ILP; see `gain`."""

    name, title = "gain", "greedy selection by gain per word"
    falls_short = "this selector takes sentences one by one"

    def solve(self, problem: Problem, settings: SelectorSettings) -> Selection:  # noqa: ARG002
        """Return the selection by gain per word."""
        return gain(problem)
