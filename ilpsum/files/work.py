"""How a call does its work, and where its progress and warnings go."""

from collections.abc import Callable
from dataclasses import dataclass

from ilpsum.files import processes
from ilpsum.files.processes import Executor, Processes
from ilpsum.files.progress import Progress, no_progress

Warn = Callable[[str], object]
"""Receives each warning, a text."""


def no_warning(_text: str) -> None:
    """Ignore a warning."""


@dataclass(frozen=True)
class Work:
    """How a call does its work, and where its progress and warnings go.

    Attributes:
        engine: maps functions over topics, in processes or on a cluster.
        progress: wraps each iteration; gets a description.
        warn: called with each warning, a text.
    """

    engine: Executor = processes.HERE
    progress: Progress = no_progress
    warn: Warn = no_warning

    @classmethod
    def of(
        cls,
        jobs: int | Executor,
        progress: Progress = no_progress,
        warn: Warn = no_warning,
    ) -> "Work":
        """Return the work of a number of processes, or of an executor such as a cluster."""
        return cls(Processes(jobs) if isinstance(jobs, int) else jobs, progress, warn)


HERE = Work()
"""In this process, without progress or warnings."""
