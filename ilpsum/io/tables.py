"""Read users' TOML files as records; unknown keys are errors."""

from pathlib import Path
from typing import TypeVar

import msgspec

from ilpsum.errors import InputError

Record = TypeVar("Record")


def read(path: Path, kind: type[Record], what: str, examples: str) -> Record:
    """Read a file as a record, whose type rejects unknown keys and values.

    `what` is what the file should be (`a system`), and `examples` the folder of the shipped files, for messages.

    Raises:
        InputError: the file cannot be read or is no such record.
    """
    try:
        return msgspec.toml.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path) from None
    except (msgspec.DecodeError, UnicodeDecodeError, LookupError) as error:
        raise InputError(f"not {what}: {error}; see {examples} for examples", path) from None
