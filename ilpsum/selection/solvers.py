"""Solvers by name: the search in `ilpsum.selection.exact`, and MIP solvers called through PuLP."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from features.registry import Registry
from ilpsum.errors import SolverError
from ilpsum.selection.problem import Limits


@dataclass(frozen=True)
class Solver:
    """A solver for selection problems, with the command that installs it.

    `backend` is a PuLP solver for the published model that proves optimality (relative and absolute gap 0; the defaults
    stop early) on one thread (more make runs differ); None for our own search, which needs HiGHS.
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
        return find_spec("highspy") is not None if self.backend is None else bool(self.backend(Limits()).available())

    def require(self) -> None:
        """Raise `SolverError`, with install command and installed solvers, unless the solver is installed."""
        if not self.available():
            names = ", ".join(available_solvers()) or "none"
            raise SolverError(f"solver {self.name!r} is not installed: {self.install}; installed solvers: {names}")


SOLVERS: Registry[Solver] = Registry("solver")


def available_solvers() -> tuple[str, ...]:
    """Return the names of the installed solvers."""
    return tuple(name for name in SOLVERS if SOLVERS[name].available())


def _highs(limits: Limits) -> Any:
    import pulp

    nodes = min(limits.nodes, 2**31 - 1)
    return pulp.HiGHS(
        msg=False, gapRel=0.0, gapAbs=0.0, threads=1, timeLimit=limits.seconds, mip_max_nodes=nodes, random_seed=0
    )


def _glpk(limits: Limits) -> Any:
    import pulp

    seconds = None if limits.seconds is None else max(1, round(limits.seconds))
    return pulp.GLPK_CMD(msg=False, timeLimit=seconds)


def _cbc(limits: Limits) -> Any:
    import pulp

    # Without `increment`, CBC assumes values differ by at least 1e-5 and stops up to that far short (coin-or/Cbc#689).
    return pulp.PULP_CBC_CMD(
        msg=False,
        gapRel=0.0,
        gapAbs=0.0,
        threads=1,
        timeLimit=limits.seconds,
        maxNodes=min(limits.nodes, 2**31 - 1),
        options=["increment 1e-9", "randomCbcSeed 1"],
        _skip_v4_deprecation=True,
    )


for _solver in (
    Solver("highs", "pip install highspy"),
    Solver("highs-paper", "pip install highspy", _highs),
    Solver("glpk", "apt-get install glpk-utils (conda install glpk)", _glpk),
    Solver("cbc", "pip install 'pulp>=3.3.2,<4', which includes CBC", _cbc),
):
    SOLVERS.add(_solver.name, _solver)
