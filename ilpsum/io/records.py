"""Decode JSON as typed records: the door for every file of JSON that ilpsum itself writes.

A record is a `msgspec.Struct` or dataclass whose types and bounds say what is allowed. What does not fit becomes one
`InputError` with the place in the file: no caller reads a raw dictionary. Numbers must fit in a double, and infinities
and NaN are no JSON.
"""

import json
import re
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
    """Decode a JSON value as a record; `InputError` if the bytes are not JSON, or not such a record."""
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
    """Return what a function makes of content that may not fit; `InputError` if the content does not fit."""
    try:
        return make()
    except UNFIT as error:
        raise InputError(f"expected {expected[0]}, but {reason(error)}; {expected[1]}", path, line) from None


def reason(error: Exception) -> str:
    """Return what is wrong, in a few words of ours, from an error of decoding or checking."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, KeyError):
        return f"{error} is missing"
    if isinstance(error, UnicodeDecodeError):
        return f"it is not UTF-8 (byte {error.start + 1})"
    if isinstance(error, json.JSONDecodeError):
        return error.msg[0].lower() + error.msg[1:]
    text = str(error)
    if "integer string" in text:
        return "it has a whole number of thousands of digits"
    text, _, place = text.partition(" - at `")
    place = place.strip("`").removeprefix("key` in `").removeprefix("$").removeprefix(".")
    for theirs, ours in _OURS:
        text = theirs.sub(ours, text)
    text = _TYPE.sub(lambda match: " or ".join(_TYPES.get(name, name) for name in match[1].split(" | ")), text)
    text = _FIRST.sub(lambda match: match[0].lower(), text)
    return (f"{place}: {text}" if place else text)[:300] or type(error).__name__


# The messages of msgspec and of Python's parser of TOML, and what users are shown.
_FIRST = re.compile("^(?:Expected|Invalid|Illegal|Cannot|Un[a-z]+)")
_TYPE = re.compile("`([a-z0-9 |]+)`")
_TYPES = {
    "int": "a whole number", "float": "a number", "str": "text", "bool": "true or false", "array": "a list",
    "object": "an object",
}  # fmt: skip
_OURS = [
    (re.compile(theirs, re.DOTALL), ours)
    for theirs, ours in (
        ("^Object missing required field `(.*)`$", r"the key \1 is missing"),
        ("^Object contains unknown field `(.*)`$", r"unknown key \1"),
        ("^Invalid enum value", "unknown value"),
        ("^JSON is malformed", "it is not JSON"),
        ("^Input data was truncated", "it is cut off"),
        ("^(?:Number|Integer value) out of range", "expected a number that fits in a double"),
        ("`str` of length ([^,]*)", r"`str` of \1 characters"),
        ("`array` of length ([^,]*)", r"`array` of \1 entries"),
        ("`str` matching regex .*", "`str` of another form"),
        ("(?<=`) (?=[<>])", " of "),
        (" <= (?=[-0-9])", " at most "),
        (" >= (?=[-0-9])", " at least "),
        (" < (?=[-0-9])", " less than "),
        (" > (?=[-0-9])", " more than "),
    )
]
