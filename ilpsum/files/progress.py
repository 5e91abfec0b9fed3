"""Progress reports for long work."""

from collections.abc import Callable, Iterable
from typing import Any

Progress = Callable[..., Iterable[Any]]
"""Wraps an iterable to show progress, given a description and, if known, the number of items."""


Tell = Callable[[str], None]
"""Takes a line about once a second while a service is waited for, empty at the end; may raise to
end the wait.
"""


def silent(_text: str) -> None:
    """Tell nobody."""


def no_progress(
    items: Iterable[Any],
    what: str,  # noqa: ARG001
    total: int | None = None,  # noqa: ARG001
) -> Iterable[Any]:
    """Return the items without showing progress."""
    return items
