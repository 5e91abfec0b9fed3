"""Decode JSON as typed records: the door for every file of JSON that ilpsum itself writes.

A record is a `msgspec.Struct` or dataclass whose types and bounds say what is allowed. What does not fit becomes one
`InputError` with the place in the file: no caller reads a raw dictionary. Numbers must fit in a double, and infinities
and NaN are no JSON.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from ilpsum.errors import InputError

Record = TypeVar("Record")

Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A whole number that a double holds."""
Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Number = Annotated[float, msgspec.Meta(ge=-1e30, le=1e30)]
"""A number whose square and products still fit in a double."""

LARGEST = 10**9
"""The largest whole number that an option or a table takes, such as a limit of words."""

UNFIT = (msgspec.DecodeError, ValueError, TypeError, LookupError, AttributeError, RecursionError, OverflowError)
"""What decoding and checking raise; besides what msgspec documents, for deep nesting and numbers of 5,000 digits."""

Expected = tuple[str, str]
"""What was expected, and what to do about it, for messages."""


def decode(data: bytes, kind: type[Record], expected: Expected, path: str | Path, line: int | None = None) -> Record:
    """Decode a JSON value as a record.

    Raises:
        InputError: the bytes are not JSON, or not such a record.
    """
    return checked(lambda: msgspec.json.decode(data, type=kind), expected, path, line)


def encode(record: Any) -> bytes:
    """Return a record as JSON; lone surrogates, which escapes in JSON input can make, become question marks."""
    try:
        return msgspec.json.encode(record)
    except UnicodeEncodeError:
        return msgspec.json.encode(_encodable(msgspec.to_builtins(record)))


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_encodable(key): _encodable(entry) for key, entry in value.items()}
    return [_encodable(entry) for entry in value] if isinstance(value, list | tuple) else value


def checked(make: Callable[[], Record], expected: Expected, path: str | Path, line: int | None = None) -> Record:
    """Return what a function makes of content that may not fit.

    Raises:
        InputError: the content does not fit.
    """
    try:
        return make()
    except UNFIT as error:
        raise InputError(f"expected {expected[0]}, but {reason(error)}; {expected[1]}", path, line) from None


def reason(error: Exception) -> str:
    """Return what is wrong, in a few words, from an error of decoding or checking."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, KeyError):
        return f"{error} is missing"
    text = str(error)[:300]
    return "it has a whole number of thousands of digits" if "integer string" in text else text or type(error).__name__
