"""Argument checks of the Python API; the command line checks its options itself."""

from dataclasses import asdict
from typing import Any, TypeVar

import msgspec

from features.registry import suggested
from ilpsum.errors import ArgumentError
from ilpsum.files.records import reason

T = TypeVar("T")


def typed(name: str, value: Any, kind: type[T]) -> T:
    """Convert a value, or the plain fields of a record, to a type; `ArgumentError` if it does not fit."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise ArgumentError(f"{name}: {reason(error)}") from None


def settings(given: dict[str, Any], kind: type[T]) -> T:
    """Convert keyword settings to a typed dictionary; `ArgumentError` for an unknown name or a wrong type."""
    known = list(kind.__annotations__)
    if unknown := [name for name in given if name not in known]:
        there = f"there are: {', '.join(known)}{suggested(unknown[0], known)}"
        raise ArgumentError(f"unknown setting {unknown[0]!r}; {there}")
    # msgspec does not accept NumPy scalars.
    return typed("settings", {n: v.item() if hasattr(v, "item") else v for n, v in given.items()}, kind)


def several(name: str, values: object, kinds: tuple[type, ...]) -> None:
    """Check a list or tuple; `ArgumentError` for anything else, such as a single path, or an item of a wrong type."""
    names = " or ".join(kind.__name__ for kind in kinds)
    if not isinstance(values, list | tuple):
        raise ArgumentError(f"{name}: expected a list of {names}, got {type(values).__name__}; write [...] around it")
    for item in values:
        if not isinstance(item, kinds):
            raise ArgumentError(f"{name}: expected {names} in the list, got {type(item).__name__}")


def record(name: str, value: Any, kind: type[T]) -> None:
    """Check the types of a record and its fields; `ArgumentError` if one is wrong."""
    if not isinstance(value, kind):
        raise ArgumentError(f"{name}: expected a {kind.__name__}, got {type(value).__name__}")
    typed(name, asdict(value), kind)  # type: ignore[call-overload]
