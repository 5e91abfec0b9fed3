"""The integer linear program as published (Malakasiotis et al. 2015, equations 1-4), in PuLP.

    maximise    lambda * sum_i a_i (l_i / l_max) x_i + (1 - lambda) * sum_j w_j b_j                     (1)
    subject to  sum_i l_i x_i <= l_max                                                                (2)
                sum_{j in B_i} b_j >= |B_i| x_i        for every sentence i                           (3)
                sum_{i in S_j} x_i >= b_j              for every concept j                            (4)

with all x_i and b_j binary and w_j = 1/n. `ilpsum.selection.exact` finds the same optimum faster; use this module to
solve the published formulation itself.
"""

import tempfile
import time
from math import nan
from typing import Any

from ilpsum.errors import SolverError, UsageError
from ilpsum.selection.exact.core import included, side_rows
from ilpsum.selection.problem import Limits, Problem, Selection
from ilpsum.selection.solvers import SOLVERS

_LARGEST_PRICE = 1000.0


def paper_model(problem: Problem) -> tuple[Any, list[Any], float]:
    """Build the published model, with one extra row per further limit of the problem.

    Returns:
        The PuLP problem, its variables x, and the scale factor of the objective: coefficients of 1/n would be too
        close to the solvers' absolute tolerances.
    """
    import pulp

    n, m = len(problem), len(problem.weights)
    model = pulp.LpProblem("selection", pulp.LpMaximize)
    x = [model.add_variable(f"x{i}", cat=pulp.LpBinary) for i in range(n)]
    b = [model.add_variable(f"b{j}", cat=pulp.LpBinary) for j in range(m)]
    prices = problem.lambda_ * problem.relevance_prices - problem.word_cost * problem.words
    values = (1.0 - problem.lambda_) * problem.weights
    largest = max([1e-12, *map(abs, prices.tolist()), *values.tolist()])
    factor = _LARGEST_PRICE / largest
    objective = {x[i]: factor * float(prices[i]) for i in range(n)}
    objective |= {b[j]: factor * float(values[j]) for j in range(m)}
    model.setObjective(pulp.LpAffineExpression(objective))
    holders: list[list[int]] = [[] for _ in range(m)]
    rows = [problem.concepts_of(i).tolist() for i in range(n)]
    for i, row in enumerate(rows):
        for j in row:
            holders[j].append(i)

    def add(terms: dict[Any, float], sense: int, right: float) -> None:
        model.addConstraint(pulp.LpConstraint(pulp.LpAffineExpression(terms), sense, rhs=right))

    add({x[i]: int(problem.words[i]) for i in range(n)}, pulp.LpConstraintLE, problem.capacity)  # (2)
    for i, row in enumerate(rows):
        if row:
            add({b[j]: 1 for j in row} | {x[i]: -len(row)}, pulp.LpConstraintGE, 0)  # (3)
    for j, holding in enumerate(holders):
        add({x[i]: 1 for i in holding} | {b[j]: -1}, pulp.LpConstraintGE, 0)  # (4)
    for i in problem.include:
        x[i].lowBound = 1
    for i in problem.exclude:
        x[i].upBound = 0
    for side in side_rows(problem):
        terms = {x[i]: c for i, c in zip(side.items.tolist(), side.coefficients.tolist(), strict=True)}
        add(terms, pulp.LpConstraintLE, side.right)
    return model, x, factor


def solve_paper(problem: Problem, solver: str, limits: Limits) -> Selection:
    """Solve the published model with an installed solver of `SOLVERS`; ties are arbitrary and the gap is nan.

    Raises:
        UsageError: the solver is `highs`, which does not solve the published model.
        SolverError: the solver failed, or no set satisfies all limits.
    """
    import pulp

    make = SOLVERS[solver].backend
    if make is None:
        raise UsageError(f"solver {solver!r} does not solve the published model; choose `{solver}-paper`")
    backend, taken = make(limits), included(problem)
    start = time.perf_counter()
    model, x, factor = paper_model(problem)
    built = time.perf_counter()
    # PuLP leaves GLPK's output files behind, so they go to a temporary folder.
    with tempfile.TemporaryDirectory(prefix="ilpsum-") as folder:
        backend.tmpDir = folder
        try:
            model.solve(backend)
        except pulp.PulpSolverError as error:
            raise SolverError(f"solver {solver!r} failed: {error}") from error
    solved = time.perf_counter()
    if model.status == pulp.LpStatusInfeasible:
        raise SolverError("no set of sentences keeps all the limits: include fewer sentences or raise the limits")
    chosen = tuple(i for i, variable in enumerate(x) if (variable.value() or 0) > 0.5)
    optimal = model.status == pulp.LpStatusOptimal and model.sol_status == pulp.LpSolutionOptimal
    if not problem.allows(chosen):
        if optimal:
            raise SolverError(f"solver {solver!r} returned a set that breaks a limit")
        chosen = tuple(taken)
    value, nodes = problem.value(chosen), 0
    bound = value
    if solver == "highs-paper":
        info = model.solverModel.getInfo()
        bound, nodes = max(bound, -info.mip_dual_bound / factor), int(info.mip_node_count)
    elif not optimal:
        bound = float("inf")
    status, seconds = "optimal" if optimal else "limit", (built - start, solved - built)
    return Selection(chosen, value, bound, nan, status, "paper", solver, nodes, *seconds)
