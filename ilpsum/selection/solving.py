"""Selections that maximise the ILP's objective: exactly with any solver, or greedily by gain per
word.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from math import isinf

from ilpsum.selection.exact.core import NO_ITEMS, Compact
from ilpsum.selection.exact.search import Incumbent, fill
from ilpsum.selection.paper import SOLVERS, solve_paper
from ilpsum.selection.path import Envelope
from ilpsum.selection.problem import Limits, Problem, Selection


def select(problem: Problem, *, solver: str = "highs", limits: Limits | None = None) -> Selection:
    """Return the best allowed set of sentences, with its proof of optimality.

    With any solver, ties are broken by the value at lambda 0, then at lambda 1, then by the fewest
    words, then by the lexicographically smallest tuple of indices (`ilpsum.selection.path`).

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
    limits = limits or Limits()
    proof = solve_paper(problem, solver, limits) if SOLVERS[solver].backend else None
    start = time.perf_counter()
    envelope = Envelope(problem, limits)
    built = time.perf_counter()
    if proof is None:
        best = envelope.optimum(problem.lambda_)
    elif proof.status == "optimal":
        incumbent = Incumbent(proof.chosen, proof.objective, proof.objective)
        best = envelope.optimum(problem.lambda_, incumbent)
    else:
        warning = "the limit was reached: a better set may exist"
        best = Incumbent(proof.chosen, proof.objective, proof.bound, (warning,))
    solved = time.perf_counter()
    objective, bound, gap = _proof(problem, best)
    selection = Selection(
        chosen=best.chosen,
        status=best.status,
        objective=objective,
        bound=bound,
        gap=gap,
        nodes=envelope.meter.nodes,
        seconds_build=built - start,
        seconds_solve=solved - built,
    )
    warnings = (*best.warnings, *_warnings(problem, selection))
    selection = replace(selection, warnings=warnings)
    return selection if proof is None else selection.after(proof)


def _proof(problem: Problem, best: Incumbent) -> tuple[float, float, float]:
    """Return objective, bound and gap of a set."""
    objective = problem.value(best.chosen)
    bound = objective if best.proved else max(objective, best.bound)
    gap = (bound - objective) / max(abs(objective), 1e-10)
    # The two agree to the last digits.
    return objective, bound, 0.0 if gap < 1e-12 else gap


def _warnings(problem: Problem, selection: Selection) -> Iterator[str]:
    """Yield what a set that is not proved may lack, and why no sentence was chosen."""
    objective, bound = selection.objective, selection.bound
    if selection.status == "limit" and isinf(bound):
        yield "gap: unknown"
    elif selection.status == "limit":
        # `gap` is relative to the objective; this share is relative to the bound.
        share = (bound - objective) / bound if bound > 0 else 0.0
        yield f"gap: at most {share:.2%} below the optimum"
    if len(problem) and not selection.chosen:
        allowed = set(range(len(problem))).difference(problem.exclude)
        fits = not allowed or any(problem.fits((i,)) for i in allowed)
        yield "no sentence is worth taking" if fits else "no allowed sentence fits the limits"


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
    one_by_one = core.sentences(fill(core, NO_ITEMS).tolist())
    alone = (core.sentences([item]) for item in range(len(core)))
    chosen = max((one_by_one, *filter(problem.allows, alone)), key=problem.value)
    seconds = time.perf_counter() - start
    value = problem.value(chosen)
    return Selection(chosen=chosen, status="gain", objective=value, seconds_solve=seconds)
