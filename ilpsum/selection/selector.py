"""`select`: one call for every formulation and solver."""

import time
from collections.abc import Callable
from dataclasses import replace
from math import isfinite

import numpy as np

from features.registry import Registry
from ilpsum.errors import SolverError, UsageError
from ilpsum.selection.exact.branch import Meter
from ilpsum.selection.exact.compact import Compact
from ilpsum.selection.exact.incumbent import fill
from ilpsum.selection.exact.search import Search
from ilpsum.selection.paper import solve_paper
from ilpsum.selection.problem import Limits, Problem, Selection, relative_gap
from ilpsum.selection.solvers import SOLVERS

FORMULATIONS: Registry[Callable[[Problem, str, Limits], Selection]] = Registry("formulation")


def require(formulation: str, solver: str) -> None:
    """Raises what `select` would raise of a formulation and a solver, before there is any problem to solve.

    Raises:
        UnknownNameError: no such formulation or solver.
        UsageError: a solver that the formulation does not use.
        SolverError: the solver is not installed.
    """
    FORMULATIONS[formulation], SOLVERS[solver]
    if formulation != "compact":
        SOLVERS[solver].require(Limits())
    elif solver != "highs":
        raise UsageError(f"the compact formulation is solved with highs, not {solver!r}; for {solver!r} choose `paper`")


def select(
    problem: Problem,
    *,
    formulation: str = "compact",
    solver: str = "highs",
    limits: Limits | None = None,
    fallback: bool = False,
) -> Selection:
    """The best allowed set of sentences, proved within the limits.

    Among sets of equal value the one with the fewest words is returned, and among these the lexicographically smallest
    tuple of indices, whatever the formulation and the solver (`ilpsum.selection.exact.search`).

    Args:
        problem: what is to be selected.
        formulation: `compact` (the default; fast) or `paper` (the model as published).
        solver: a name of `SOLVERS`: what solves the published model. `compact` needs none but HiGHS, which gives it
            the multipliers of its relaxations, and refuses another.
        limits: when to give up the proof; then the best set found is returned, of status `limit`.
        fallback: where the solver is missing or fails, return sentences by falling worth for a word, of status
            `fallback`, with a remark that says why.

    Raises:
        UnknownNameError: no such formulation or solver.
        UsageError: a solver that the formulation does not use.
        SolverError: the solver is not installed or failed (unless `fallback`), or no set keeps all the limits.
    """
    formulate, _ = FORMULATIONS[formulation], SOLVERS[solver]
    try:
        selection = formulate(problem, solver, limits or Limits())
    except SolverError as error:
        if not fallback:
            raise
        selection = _fall_back(problem, formulation, str(error))
    if not selection.chosen and len(problem):
        why = "no sentence fits the limit" if problem.words.min() > problem.limit else "no sentence is worth taking"
        return replace(selection, warnings=(*selection.warnings, why))
    return selection


@FORMULATIONS.register("compact")
def _compact(problem: Problem, solver: str, limits: Limits) -> Selection:
    """The search of `ilpsum.selection.exact.search`."""
    require("compact", solver)
    start = time.perf_counter()
    compact = Compact.build(problem)
    core = compact.core(problem.lambda_)
    built = time.perf_counter()
    meter = Meter(limits)
    best = Search(core, meter, compact.step(problem.lambda_)).best()
    bound = None if best.proved else best.bound
    seconds = (built - start, time.perf_counter() - built)
    return _selection(problem, best.chosen, bound, "compact", "highs", meter.nodes, seconds, best.warnings)


@FORMULATIONS.register("paper")
def _paper(problem: Problem, solver: str, limits: Limits) -> Selection:
    """The published model, solved as it stands; then its tie is settled as in the compact one."""
    proof = solve_paper(problem, solver, limits)
    start = time.perf_counter()
    meter = Meter(limits)
    if proof.optimal:
        search = Search(Compact.build(problem).core(problem.lambda_), meter)
        settled = search.settle(problem.value(proof.chosen), proof.chosen)
        chosen, warnings = settled.chosen, settled.warnings
    else:
        chosen, warnings = proof.chosen, ("the limit was reached: a better set may exist",)
    nodes, bound = proof.nodes + meter.nodes, None if proof.optimal else proof.bound
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
    """The record of a search; a bound of None says that the set is proved to be optimal."""
    objective = problem.value(chosen)
    above = objective if bound is None else max(objective, bound)
    if bound is not None:
        known = f"at most {relative_gap(objective, above):.2%} below the optimum" if isfinite(above) else "unknown"
        warnings = (*warnings, f"gap: {known}")
    return Selection(
        chosen=chosen,
        objective=objective,
        bound=above,
        gap=relative_gap(objective, above),
        status="optimal" if bound is None else "limit",
        formulation=formulation,
        solver=solver,
        nodes=nodes,
        seconds_build=seconds[0],
        seconds_solve=seconds[1],
        warnings=warnings,
    )


def _fall_back(problem: Problem, formulation: str, why: str) -> Selection:
    """The greedy filling of `exact.incumbent` from nothing; its bound is what all sentences are worth."""
    start = time.perf_counter()
    core = Compact.build(problem).core(problem.lambda_)
    chosen = core.sentences(fill(core, np.zeros(0, dtype=np.int64)).tolist())
    if not problem.allows(chosen):
        chosen = core.taken
    bound = core.base + float(core.v[core.v > 0].sum())
    seconds = (0.0, time.perf_counter() - start)
    warnings = (f"greedy in place of the exact optimum: {why}",)
    made = _selection(problem, chosen, bound, formulation, "greedy", 0, seconds, warnings)
    return replace(made, status="fallback")
