"""Checks of what Python hands over; the command line checks its options itself."""

from dataclasses import asdict
from typing import Any, TypeVar

import msgspec

from features.registry import suggested
from ilpsum.errors import ArgumentError
from ilpsum.io.records import reason

T = TypeVar("T")


def typed(name: str, value: Any, kind: type[T]) -> T:
    """Return a value, or the plain fields of a record, as another type; `ArgumentError` where it doesn't fit."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise ArgumentError(f"{name}: {reason(error)}") from None


def settings(given: dict[str, Any], kind: type[T]) -> T:
    """Return settings by their names as the dictionary that they are; `ArgumentError` for an unknown one, too."""
    known = list(kind.__annotations__)
    if unknown := [name for name in given if name not in known]:
        there = f"there are: {', '.join(known)}{suggested(unknown[0], known)}"
        raise ArgumentError(f"unknown setting {unknown[0]!r}; {there}")
    # Numbers of numpy are none for msgspec.
    return typed("settings", {n: v.item() if hasattr(v, "item") else v for n, v in given.items()}, kind)


def several(name: str, values: object, kinds: tuple[type, ...]) -> None:
    """Check a list: `ArgumentError` for another thing, such as a single path, or an item of another type."""
    names = " or ".join(kind.__name__ for kind in kinds)
    if not isinstance(values, list | tuple):
        raise ArgumentError(f"{name}: expected a list of {names}, got {type(values).__name__}; write [...] around it")
    for item in values:
        if not isinstance(item, kinds):
            raise ArgumentError(f"{name}: expected {names} in the list, got {type(item).__name__}")


def record(name: str, value: Any, kind: type[T]) -> None:
    """Check the types of a record's fields; `ArgumentError` where one doesn't fit."""
    if not isinstance(value, kind):
        raise ArgumentError(f"{name}: expected a {kind.__name__}, got {type(value).__name__}")
    typed(name, asdict(value), kind)  # type: ignore[call-overload]
