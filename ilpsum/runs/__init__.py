"""Summaries to files: one writer and one check a format, found by name.

A run becomes visible all at once: it is built in a hidden folder beside its place and renamed into it when it is
complete. A run that is there is never overwritten by accident, and two processes never write the same one.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from features.registry import Registry
from ilpsum.runs.writer import Entry, RunWriter

__all__ = ["CHECKS", "WRITERS", "Check", "Entry", "Finding", "RunWriter"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found.

    Attributes:
        place: where: a file, with its line or topic.
        message: what is wrong, what the format wants.
        warning: True for what the format allows but its user should know; a run with only remarks is valid.
    """

    place: str
    message: str
    warning: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {'warning: ' if self.warning else ''}{self.message}"


class Check(Protocol):
    """Finds every way in which a run can be wrong."""

    def __call__(self, path: Path, *, topics: Path | None = None, pmids: Path | None = None) -> list[Finding]:
        """The faults of the run at a path, in the order of their places.

        Args:
            path: the run.
            topics: the topics that the run answers, where they are known.
            pmids: the PMIDs that a run may cite, one a line, where they are known.

        Raises:
            InputError: the run, the topics or the PMIDs cannot be read at all.
        """
        ...


# Each entry imports its module when called. A check is `check(path, *, topics=None, pmids=None) -> list[Finding]`;
# a writer is `Writer(out, name, *, force=False, resume=False, settings=None)`, a RunWriter.
CHECKS: Registry[Callable[[], Check]] = Registry("format of a run")
WRITERS: Registry[Callable[[], Callable[..., RunWriter]]] = Registry("format of a run")


def _lazily(module: str, name: str) -> Callable[[], Any]:
    return lambda: getattr(importlib.import_module(f"ilpsum.runs.{module}"), name)


CHECKS.add("tac", _lazily("tac", "check"))
CHECKS.add("task1", _lazily("task1", "check"))
CHECKS.add("bioasq", _lazily("bioasq", "check"))
CHECKS.add("biogen-2024", _lazily("biogen", "check_2024"))
CHECKS.add("biogen-2025", _lazily("biogen", "check_2025"))

WRITERS.add("tac", _lazily("tac", "TacWriter"))
WRITERS.add("bioasq", _lazily("bioasq", "BioasqWriter"))
WRITERS.add("biogen-2024", _lazily("biogen", "BiogenWriter2024"))
WRITERS.add("biogen-2025", _lazily("biogen", "BiogenWriter2025"))
WRITERS.add("jsonl", _lazily("jsonl", "JsonlWriter"))
