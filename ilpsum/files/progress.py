"""Progress reports for long work."""

from collections.abc import Callable, Iterable
from typing import Any

Progress = Callable[..., Iterable[Any]]
"""Wraps an iterable to show progress, given a description and, if known, the number of items."""


Tell = Callable[[str], None]
"""Takes a line about once a second while a service is waited for, empty at the end; may raise to end the wait."""


def silent(_text: str) -> None:
    """Tell nobody."""


def no_progress(items: Iterable[Any], what: str, total: int | None = None) -> Iterable[Any]:  # noqa: ARG001
    """Return the items without showing progress."""
    return items
