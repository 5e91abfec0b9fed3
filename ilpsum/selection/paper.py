"""The integer linear program as published (Malakasiotis et al. 2015, equations 1-4), in PuLP.

    maximise    lambda * sum_i a_i (l_i / l_max) x_i + (1 - lambda) * sum_j w_j b_j                     (1)
    subject to  sum_i l_i x_i <= l_max                                                                (2)
                sum_{j in B_i} b_j >= |B_i| x_i        for every sentence i                           (3)
                sum_{i in S_j} x_i >= b_j              for every concept j                            (4)

with all x_i and b_j binary and w_j = 1/n. It is kept for fidelity; `ilpsum.selection.exact.compact` finds the same
optimum.
"""

import tempfile
import time
from dataclasses import dataclass
from typing import Any

from ilpsum.errors import SolverError
from ilpsum.selection.exact.compact import fixed_in
from ilpsum.selection.problem import Limits, Problem
from ilpsum.selection.solvers import SOLVERS

_LARGEST_PRICE = 1000.0


@dataclass(frozen=True)
class Proof:
    """What a foreign solver says: a set of sentences, an upper bound, whether it is proved, and the times."""

    chosen: tuple[int, ...]
    bound: float
    optimal: bool
    nodes: int
    seconds_build: float
    seconds_solve: float


def paper_model(problem: Problem) -> tuple[Any, list[Any], float]:
    """The published model with the problem's further limits as further rows.

    Returns:
        The PuLP problem, its variables x, and the factor by which the objective was multiplied: solvers compare with
        absolute tolerances, and prices of 1/n would drown in them.
    """
    import pulp

    n, m = len(problem), len(problem.weights)
    model = pulp.LpProblem("selection", pulp.LpMaximize)
    x = [model.add_variable(f"x{i}", cat=pulp.LpBinary) for i in range(n)]
    b = [model.add_variable(f"b{j}", cat=pulp.LpBinary) for j in range(m)]
    prices = problem.lambda_ * problem.relevance_prices - problem.word_cost * problem.words - problem.document_penalty
    values = (1.0 - problem.lambda_) * problem.weights
    largest = max([1e-12, *map(abs, prices.tolist()), *values.tolist()])
    factor = _LARGEST_PRICE / largest
    objective = {x[i]: factor * float(prices[i]) for i in range(n)}
    objective |= {b[j]: factor * float(values[j]) for j in range(m)}
    holders: list[list[int]] = [[] for _ in range(m)]
    rows = [problem.concepts_of(i).tolist() for i in range(n)]
    for i, row in enumerate(rows):
        for j in row:
            holders[j].append(i)

    def add(terms: dict[Any, float], sense: int, right: float) -> None:
        model.addConstraint(pulp.LpConstraint(pulp.LpAffineExpression(terms), sense, rhs=right))

    add({x[i]: int(problem.words[i]) for i in range(n)}, pulp.LpConstraintLE, problem.capacity)
    for i, row in enumerate(rows):
        if row:
            add({b[j]: 1 for j in row} | {x[i]: -len(row)}, pulp.LpConstraintGE, 0)
    for j, holding in enumerate(holders):
        add({x[i]: 1 for i in holding} | {b[j]: -1}, pulp.LpConstraintGE, 0)
    _fix_and_tie(problem, x, add)
    objective |= _limit_documents(problem, model, x, add, factor)
    model.setObjective(pulp.LpAffineExpression(objective))
    return model, x, factor


def _fix_and_tie(problem: Problem, x: list[Any], add: Any) -> None:
    """Fixed sentences, the limit in characters, groups and requirements."""
    import pulp

    for i in problem.include:
        x[i].lowBound = 1
    for i in problem.exclude:
        x[i].upBound = 0
    if problem.character_limit is not None:
        add(dict(zip(x, problem.characters.tolist(), strict=True)), pulp.LpConstraintLE, problem.character_limit)
    for group in problem.groups:
        add({x[i]: 1 for i in group}, pulp.LpConstraintLE, 1)
    for i, k in problem.requires:
        if i != k:
            add({x[i]: 1, x[k]: -1}, pulp.LpConstraintLE, 0)


def _limit_documents(problem: Problem, model: Any, x: list[Any], add: Any, factor: float) -> dict[Any, float]:
    """Bound and penalty by document; returns what they add to the objective."""
    import pulp

    further: dict[Any, float] = {}
    members: dict[int, list[int]] = {}
    for i, number in enumerate(problem.documents.tolist()):
        members.setdefault(number, []).append(i)
    for number, group in members.items():
        if problem.document_limit is not None:
            add({x[i]: 1 for i in group}, pulp.LpConstraintLE, problem.document_limit)
        if problem.document_penalty:
            # Every sentence pays the penalty, and a document that is used at all gets it back once.
            used = model.add_variable(f"d{number}", cat=pulp.LpBinary)
            further[used] = factor * problem.document_penalty
            add({x[i]: 1 for i in group} | {used: -1}, pulp.LpConstraintGE, 0)
    return further


def solve_paper(problem: Problem, solver: str, limits: Limits) -> Proof:
    """Solves the published model with a solver by name.

    Raises:
        SolverError: the solver is not here, or it failed, or there is no allowed set.
    """
    import pulp

    backend = SOLVERS[solver].require(limits)
    taken = fixed_in(problem)
    start = time.perf_counter()
    model, x, factor = paper_model(problem)
    built = time.perf_counter()
    # PuLP leaves GLPK's output behind; a folder of our own takes it along.
    with tempfile.TemporaryDirectory(prefix="ilpsum-") as folder:
        backend.tmpDir = folder
        try:
            model.solve(backend)
        except pulp.PulpSolverError as error:
            raise SolverError(f"solver {solver!r} failed: {error}") from error
    solved = time.perf_counter()
    if model.status == pulp.LpStatusInfeasible:
        raise SolverError("no set of sentences keeps all the limits: loosen the fixed-in sentences or the limits")
    chosen = tuple(i for i, variable in enumerate(x) if (variable.value() or 0) > 0.5)
    optimal = model.status == pulp.LpStatusOptimal and model.sol_status == pulp.LpSolutionOptimal
    if not problem.allows(chosen):
        if optimal:
            raise SolverError(f"solver {solver!r} returned a set that breaks a limit")
        chosen = tuple(taken)
    bound, nodes = problem.value(chosen), 0
    if solver == "highs":
        info = model.solverModel.getInfo()
        bound, nodes = max(bound, -info.mip_dual_bound / factor), int(info.mip_node_count)
    elif not optimal:
        bound = float("inf")
    return Proof(chosen, bound, optimal, nodes, built - start, solved - built)
