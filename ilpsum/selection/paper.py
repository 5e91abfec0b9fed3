"""The integer linear program as published (Malakasiotis et al. 2015, equations 1-4), in PuLP, and
the solvers by name.

    (1)  maximise    lambda * sum_i a_i (l_i / l_max) x_i + (1 - lambda) * sum_j w_j b_j
    (2)  subject to  sum_i l_i x_i <= l_max
    (3)              sum_{j in B_i} b_j >= |B_i| x_i    for every sentence i
    (4)              sum_{i in S_j} x_i >= b_j          for every concept j

with all x_i and b_j binary and w_j = 1/n. `ilpsum.selection.exact` finds the same optimum faster;
use this module to solve the published formulation itself.
"""

import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from features.registry import Registry
from ilpsum.errors import MissingSolverError, SolverError
from ilpsum.selection.exact.core import included, side_rows
from ilpsum.selection.problem import Limits, Problem, Selection

_LARGEST_PRICE = 1000.0


@dataclass(frozen=True)
class Solver:
    """A solver for selection problems, with the command that installs it.

    `backend` makes a PuLP solver for the published model that proves optimality (relative and
    absolute gap 0; the defaults stop early) on one thread (more make runs differ); None for our own
    search, which needs HiGHS.
    """

    name: str
    install: str
    backend: Callable[[Limits], Any] | None = None

    @property
    def formulation(self) -> str:
        """`compact` (our search) or `paper` (the model as published)."""
        return "compact" if self.backend is None else "paper"

    def available(self) -> bool:
        """Whether the solver is installed."""
        if self.backend is None:
            return find_spec("highspy") is not None
        return bool(self.backend(Limits()).available())

    def require(self) -> None:
        """Raise `MissingSolverError`, with install command and installed solvers, unless the solver
        is installed.
        """
        if not self.available():
            names = ", ".join(available_solvers()) or "none"
            raise MissingSolverError(
                f"solver {self.name!r} is not installed: {self.install}; installed: {names}"
            )


def _highs(limits: Limits) -> Any:
    import pulp

    nodes = min(limits.nodes, 2**31 - 1)
    return pulp.HiGHS(
        mip_max_nodes=nodes,
        timeLimit=limits.seconds,
        random_seed=0,
        **_EXACT,
    )


def _glpk(limits: Limits) -> Any:
    import pulp

    seconds = None if limits.seconds is None else max(1, round(limits.seconds))
    return pulp.GLPK_CMD(msg=False, timeLimit=seconds)


def _cbc(limits: Limits) -> Any:
    """Return CBC as a solver of PuLP, set to prove optima exactly."""
    import pulp

    class CbcInFolder(pulp.PULP_CBC_CMD):  # type: ignore[misc]
        """CBC with its temporary folder as working directory.

        PuLP passes the paths of its files, splits them at spaces, and CBC formats a `%` in them.
        """

        def solve_CBC(self, lp: Any, use_mps: bool = True) -> int:  # noqa: ARG002, N802
            folder = Path(self.tmpDir)
            variables, names, rows, _ = lp.writeMPS(str(folder / "model.mps"), rename=1)
            options = [*self.options, *self.getOptions()]
            if self.timeLimit is not None:
                options.append(f"sec {self.timeLimit}")
            command = [self.path, "model.mps", "-max"]
            for option in options:
                command += f"-{option}".split()
            command += ["-solve", "-printingOptions", "all", "-solution", "solution.txt"]
            run = subprocess.run(  # noqa: S603  # the solver that PuLP includes
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
            solution = folder / "solution.txt"
            if run.returncode or not solution.exists():
                raise pulp.PulpSolverError(f"CBC ended with exit status {run.returncode}")
            status, values, *_, solved = self.readsol_MPS(str(solution), lp, variables, names, rows)
            lp.assignVarsVals(values)
            lp.assignStatus(status, solved)
            return int(status)

    # Without `increment`, CBC assumes values differ by at least 1e-5 and stops up to that far short
    # (coin-or/Cbc#689).
    options = ["increment 1e-9", "randomCbcSeed 1"]
    return CbcInFolder(
        maxNodes=min(limits.nodes, 2**31 - 1),
        timeLimit=limits.seconds,
        options=options,
        _skip_v4_deprecation=True,
        **_EXACT,
    )


_EXACT = {"msg": False, "gapRel": 0.0, "gapAbs": 0.0, "threads": 1}

SOLVERS: Registry[Solver] = Registry("solver")
for _solver in (
    Solver("highs", "pip install highspy"),
    Solver("highs-paper", "pip install highspy", _highs),
    Solver("glpk", "apt-get install glpk-utils (conda install glpk)", _glpk),
    Solver("cbc", "pip install 'pulp>=3.3.2,<4', which includes CBC", _cbc),
):
    SOLVERS.add(_solver.name, _solver)


def available_solvers() -> tuple[str, ...]:
    """Return the names of the installed solvers."""
    return tuple(name for name in SOLVERS if SOLVERS[name].available())


def paper_model(problem: Problem) -> tuple[Any, list[Any], float]:
    """Build the published model, with one extra row per further limit of the problem.

    Returns:
        The PuLP problem, its variables x, and the scale factor of the objective: coefficients of
        1/n would be too close to the solvers' absolute tolerances.
    """
    import pulp

    n, m = len(problem), len(problem.weights)
    model = pulp.LpProblem("selection", pulp.LpMaximize)
    x = [model.add_variable(f"x{i}", cat=pulp.LpBinary) for i in range(n)]
    b = [model.add_variable(f"b{j}", cat=pulp.LpBinary) for j in range(m)]
    relevance = problem.lambda_ * problem.relevance_prices
    costs = problem.word_cost * problem.words
    coverage = (1.0 - problem.lambda_) * problem.weights
    prices = np.concatenate([relevance - costs, coverage])
    factor = _LARGEST_PRICE / max(1e-12, float(np.abs(prices).max(initial=0.0)))
    objective = dict(zip(x + b, (factor * prices).tolist(), strict=True))
    model.setObjective(pulp.LpAffineExpression(objective))

    def add(variables: list[Any], coefficients: Sequence[float], sense: int, right: float) -> None:
        terms = zip(variables, coefficients, strict=True)
        model.addConstraint(
            pulp.LpConstraint(pulp.LpAffineExpression(list(terms)), sense, rhs=right)
        )

    add(x, problem.words.tolist(), pulp.LpConstraintLE, problem.capacity)  # (2)
    postings: list[list[Any]] = [[] for _ in b]
    for i in range(n):
        concepts = problem.concepts_of(i).tolist()
        for j in concepts:
            postings[j].append(x[i])
        held = [b[j] for j in concepts]
        if held:
            add([*held, x[i]], [1] * len(held) + [-len(held)], pulp.LpConstraintGE, 0)  # (3)
    for variable, holding in zip(b, postings, strict=True):
        add([*holding, variable], [1] * len(holding) + [-1], pulp.LpConstraintGE, 0)  # (4)
    for i in problem.include:
        x[i].lowBound = 1
    for i in problem.exclude:
        x[i].upBound = 0
    for row in side_rows(problem):
        members = [x[i] for i in row.items.tolist()]
        add(members, row.coefficients.tolist(), pulp.LpConstraintLE, row.right)
    return model, x, factor


def solve_paper(problem: Problem, solver: str, limits: Limits) -> Selection:
    """Solve the published model with an installed solver of `SOLVERS`; ties are arbitrary and the
    gap is nan.

    Raises:
        SolverError: the solver failed, or no set satisfies all limits.
    """
    import pulp

    taken = included(problem)
    make = SOLVERS[solver].backend
    assert make is not None, solver  # `highs` solves no published model
    backend = make(limits)
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
        raise SolverError(
            "no set of sentences keeps all the limits: include fewer sentences or raise the limits"
        )
    chosen = tuple(i for i, variable in enumerate(x) if (variable.value() or 0) > 0.5)
    optimal = model.status == pulp.LpStatusOptimal and model.sol_status == pulp.LpSolutionOptimal
    if not problem.allows(chosen):
        if optimal:
            raise SolverError(f"solver {solver!r} returned a set that breaks a limit")
        chosen = tuple(taken)
    value = problem.value(chosen)
    bound = value if optimal else inf
    nodes = 0
    if solver == "highs-paper":
        info = model.solverModel.getInfo()
        bound, nodes = max(value, -info.mip_dual_bound / factor), int(info.mip_node_count)
    return Selection(
        chosen=chosen,
        status="optimal" if optimal else "limit",
        objective=value,
        bound=bound,
        nodes=nodes,
        seconds_build=built - start,
        seconds_solve=solved - built,
    )
