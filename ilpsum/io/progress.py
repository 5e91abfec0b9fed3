"""How long work shows its progress."""

from collections.abc import Callable, Iterable
from typing import Any

Progress = Callable[..., Iterable[Any]]
"""Wraps an iteration to show its progress, given what is done and, if known, how often."""


def no_progress(items: Iterable[Any], what: str, total: int | None = None) -> Iterable[Any]:  # noqa: ARG001
    """Return the items; nothing is shown."""
    return items
