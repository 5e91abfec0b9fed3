"""MIP solvers by name, as PuLP drives them: which there are, whether they are here, and how to get them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from features.registry import Registry
from ilpsum.errors import SolverError
from ilpsum.selection.problem import Limits


@dataclass(frozen=True)
class Solver:
    """A solver that PuLP can call.

    Attributes:
        name: what the user calls it.
        make: a PuLP solver object for the limits given, set to prove optimality (relative and absolute gap 0) on one
            thread, since the default gaps stop early and threads make runs differ.
        install: the command that installs it.
        counts_nodes: whether it can stop after a number of nodes.
    """

    name: str
    make: Callable[[Limits], Any]
    install: str
    counts_nodes: bool = True

    def available(self) -> bool:
        """Whether the solver can be called here."""
        return bool(self.make(Limits()).available())

    def require(self, limits: Limits) -> Any:
        """The PuLP solver object, or the error that says how to get it."""
        made = self.make(limits)
        if not made.available():
            raise SolverError(
                f"solver {self.name!r} is not installed here: {self.install}; or choose one of: "
                f"{', '.join(available_solvers()) or 'none is available'}"
            )
        return made


SOLVERS: Registry[Solver] = Registry("solver")


def available_solvers() -> tuple[str, ...]:
    """Names of the solvers that can be called here."""
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

    # Without `increment`, CBC takes it that values differ by 1e-5 at least and stops that much short (coin-or/Cbc#689).
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


SOLVERS.add("highs", Solver("highs", _highs, "pip install highspy"))
SOLVERS.add("glpk", Solver("glpk", _glpk, "apt-get install glpk-utils (conda install glpk)", counts_nodes=False))
SOLVERS.add("cbc", Solver("cbc", _cbc, "pip install 'pulp>=3.3.2,<4', which brings CBC along"))
