"""Read users' TOML files as records; unknown keys are errors."""

import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ilpsum.errors import InputError
from ilpsum.io.files import read_bytes
from ilpsum.io.records import UNFIT, reason

Record = TypeVar("Record")


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of a file; unknown keys are errors."""


# A file of settings has a few kB. Python's parser takes time in the square of the length of a dotted key.
_MOST = 64 * 2**10
_DEEPEST = 32
_DOTTED = re.compile(rb"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){33}")


def read(path: Path, kind: type[Record], what: str, examples: str) -> Record:
    """Read a file as a record, whose type rejects unknown keys and values.

    `what` is what the file should be (`a system`), and `examples` the folder of the shipped files, for messages.
    `InputError` if the file cannot be read or is no such record.
    """
    if not path.exists():
        raise InputError("cannot be read: No such file or directory", path)
    data = read_bytes(path, _MOST, f"not {what}: expected a short file of TOML")
    try:
        if _DOTTED.search(data):
            raise RecursionError
        content = msgspec.toml.decode(data)
        if _is_deep(content):
            raise RecursionError
        return msgspec.convert(content, kind)
    except UNFIT as error:
        raise InputError(f"not {what}: {unfit(error)}; see {examples} for examples", path) from None


def unfit(error: Exception) -> str:
    """Return what is wrong in a table, from an error of decoding or checking."""
    return reason(error).replace("an object", "a table")


def _is_deep(content: Any) -> bool:
    """Whether tables and lists are nested deeper than any setting; dotted keys nest without a limit."""
    level = [content]
    for _ in range(_DEEPEST):
        level = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
        level = [inner for inner in level if isinstance(inner, dict | list)]
        if not level:
            return False
    return True
