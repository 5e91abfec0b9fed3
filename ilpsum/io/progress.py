"""How long work shows its progress."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Result = TypeVar("Result")

Progress = Callable[..., Iterable[Any]]
"""Wraps an iteration to show its progress, given what is done and, if known, how often."""


def no_progress(items: Iterable[Any], what: str, total: int | None = None) -> Iterable[Any]:  # noqa: ARG001
    """Return the items; nothing is shown."""
    return items


def once(progress: Progress, what: str, work: Callable[[], Result]) -> Result:
    """Return what some work gives, which is shown as one step."""
    (result,) = [work() for _ in progress((1,), what, 1)]
    return result
