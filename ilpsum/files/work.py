"""How a call does its work, and where its progress and warnings go."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ilpsum.files import processes
from ilpsum.files.processes import Executor, Processes

Progress = Callable[..., Iterable[Any]]
"""Wraps an iterable to show progress, given a description and, if known, the number of items."""
Warn = Callable[[str], object]
"""Receives each warning, a text."""
Tell = Callable[[str], None]
"""Takes a line about once a second while a service is waited for, empty at the end; may raise to
end the wait.
"""


def silent(_text: str) -> None:
    """Ignore a line."""


def no_progress(
    items: Iterable[Any],
    what: str,  # noqa: ARG001
    total: int | None = None,  # noqa: ARG001
) -> Iterable[Any]:
    """Return the items without showing progress."""
    return items


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
    warn: Warn = silent

    @classmethod
    def of(
        cls,
        jobs: int | Executor,
        progress: Progress = no_progress,
        warn: Warn = silent,
    ) -> "Work":
        """Return the work of a number of processes, or of an executor such as a cluster."""
        return cls(Processes(jobs) if isinstance(jobs, int) else jobs, progress, warn)


HERE = Work()
"""In this process, without progress or warnings."""
