"""`select`: one call for every formulation and solver."""

from collections.abc import Callable

from features.registry import Registry
from ilpsum.selection.paper import solve_paper
from ilpsum.selection.problem import Limits, Problem, Selection, relative_gap

FORMULATIONS: Registry[Callable[[Problem, str, Limits], Selection]] = Registry("formulation")


def select(
    problem: Problem, *, formulation: str = "paper", solver: str = "highs", limits: Limits | None = None
) -> Selection:
    """The best allowed set of sentences, proved within the limits.

    Args:
        problem: what is to be selected.
        formulation: `paper` for the model as published.
        solver: a name of `SOLVERS`.
        limits: when to give up the proof.

    Raises:
        UnknownNameError: no such formulation or solver.
        SolverError: the solver is not installed or failed.
    """
    return FORMULATIONS[formulation](problem, solver, limits or Limits())


@FORMULATIONS.register("paper")
def _paper(problem: Problem, solver: str, limits: Limits) -> Selection:
    proof = solve_paper(problem, solver, limits)
    objective = problem.value(proof.chosen)
    bound = objective if proof.optimal else proof.bound
    return Selection(
        chosen=proof.chosen,
        objective=objective,
        bound=bound,
        gap=relative_gap(objective, bound),
        status="optimal" if proof.optimal else "limit",
        formulation="paper",
        solver=solver,
        nodes=proof.nodes,
        seconds_build=proof.seconds_build,
        seconds_solve=proof.seconds_solve,
        remarks=() if proof.chosen else ("no sentence was chosen",),
    )
