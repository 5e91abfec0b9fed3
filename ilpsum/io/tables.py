"""TOML files of the user as records: unknown keys are refused, and what is wrong is one line."""

from pathlib import Path
from typing import TypeVar

import msgspec

from ilpsum.errors import InputError

Record = TypeVar("Record")


def read(path: Path, kind: type[Record], what: str, examples: str) -> Record:
    """The file as a record.

    Args:
        path: the file.
        kind: of the record, which refuses the keys and values that it does not know.
        what: the file should be (`a system`).
        examples: the folder of those that ship.

    Raises:
        InputError: the file cannot be read as such.
    """
    try:
        return msgspec.toml.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path) from None
    except (msgspec.DecodeError, UnicodeDecodeError, LookupError) as error:
        raise InputError(f"not {what}: {error}; see {examples} for what is expected", path) from None
