"""Selections that maximise the ILP's objective: exactly with any solver, or greedily by gain per
word.
"""

import time
from dataclasses import replace
from math import isfinite, nan

import numpy as np

from ilpsum.selection.exact.core import Compact
from ilpsum.selection.exact.search import TIE, ExactSearch, Incumbent, Meter, fill
from ilpsum.selection.paper import SOLVERS, solve_paper
from ilpsum.selection.problem import Limits, Problem, Selection


def select(problem: Problem, *, solver: str = "highs", limits: Limits | None = None) -> Selection:
    """Return the best allowed set of sentences, with its proof of optimality.

    With any solver, ties are broken by the fewest words, then by the lexicographically smallest
    tuple of indices (`ilpsum.selection.exact.search`).

    Args:
        problem: the sentences and the limits.
        solver: `highs` (the default and fastest: our search over relaxations solved by HiGHS), or a
            solver for the published model: `highs-paper`, `glpk`, `cbc`.
        limits: limits of the search, after which the best set found is returned with status
            `limit`.

    Raises:
        UnknownNameError: no such solver.
        SolverError: the solver is not installed or failed, or no set satisfies all limits.
    """
    SOLVERS[solver].require()
    solve = _compact if SOLVERS[solver].backend is None else _paper
    selection = solve(problem, solver, limits or Limits())
    if selection.chosen or not len(problem):
        return selection
    allowed = set(range(len(problem))).difference(problem.exclude)
    fits = not allowed or any(problem.fits((i,)) for i in allowed)
    why = "no sentence is worth taking" if fits else "no allowed sentence fits the limits"
    return replace(selection, warnings=(*selection.warnings, why))


def _compact(problem: Problem, solver: str, limits: Limits) -> Selection:
    start = time.perf_counter()
    compact = Compact(problem)
    core = compact.core(problem.lambda_)
    built, meter = time.perf_counter(), Meter(limits)
    filled = core.filled(2 * TIE * float(core.v.max(initial=0.0)))
    meter.nodes += filled is not core
    best = ExactSearch(filled, meter, compact.step(problem.lambda_)).best()
    return _selection(
        problem, best, "compact", solver, meter.nodes, (built - start, time.perf_counter() - built)
    )


def _paper(problem: Problem, solver: str, limits: Limits) -> Selection:
    """Solve the published model, then break ties as the compact search does."""
    proof = solve_paper(problem, solver, limits)
    start, meter = time.perf_counter(), Meter(limits)
    best = Incumbent(
        proof.chosen,
        proof.objective,
        proof.bound,
        ("the limit was reached: a better set may exist",),
    )
    if proof.status == "optimal":
        search = ExactSearch(Compact(problem).core(problem.lambda_), meter)
        best = search.settle(proof.chosen, proof.objective)
    seconds = (proof.seconds_build, proof.seconds_solve + time.perf_counter() - start)
    return _selection(problem, best, "paper", solver, proof.nodes + meter.nodes, seconds)


def _selection(
    problem: Problem,
    best: Incumbent,
    formulation: str,
    solver: str,
    nodes: int,
    seconds: tuple[float, float],
) -> Selection:
    """Return the record of a search."""
    objective, warnings = problem.value(best.chosen), best.warnings
    bound = objective if best.proved else max(objective, best.bound)
    gap = (bound - objective) / max(abs(objective), 1e-10)
    gap = 0.0 if gap < 1e-12 else gap  # the two agree to the last digits
    if not best.proved:
        # `gap` is relative to the objective; this share is relative to the bound.
        share = (bound - objective) / bound if bound > 0 else 0.0
        warnings += (
            f"gap: at most {share:.2%} below the optimum" if isfinite(bound) else "gap: unknown",
        )
    status = "optimal" if best.proved else "limit"
    return Selection(
        best.chosen, objective, bound, gap, status, formulation, solver, nodes, *seconds, warnings
    )


def gain(problem: Problem) -> Selection:
    """Repeatedly take the sentence with the largest gain of the objective per word, until none that
    fits adds value.

    Sentences that do not fit, or that require one not yet taken, are skipped; ties go to the
    earlier sentence. As in the paper, a single sentence worth more than the whole selection
    replaces it: with a word limit only and no word cost, the value is then at least 1 - 1/sqrt(e)
    of the optimum. The paper's exponent of the words is 1. The selection has status `gain`, and no
    bound or gap.

    Raises:
        SolverError: the included sentences break a limit.
    """
    start = time.perf_counter()
    core = Compact(problem).core(problem.lambda_)
    one_by_one = core.sentences(fill(core, np.zeros(0, dtype=np.int64)).tolist())
    alone = (core.sentences([item]) for item in range(len(core)))
    chosen = max((one_by_one, *filter(problem.allows, alone)), key=problem.value)
    seconds = time.perf_counter() - start
    return Selection(
        chosen, problem.value(chosen), nan, nan, "gain", "gain", "gain", seconds_solve=seconds
    )
