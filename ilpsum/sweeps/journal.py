"""A JSON Lines file that grows row by row and survives an interruption at any byte."""

import os
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar

from ilpsum.io.atomic import Folder
from ilpsum.io.files import open_file, unreadable
from ilpsum.io.records import decode, encode

Row = TypeVar("Row")

_EXPECTED = "a row of a sweep", "delete the line to compute it again"


class Journal(Generic[Row]):
    """Rows that are on the disk once `append` returns.

    The file is created with the first row. An incomplete last line, which a killed process leaves, is removed before.

    Raises:
        InputError: a complete line is not a row of this kind.
    """

    def __init__(self, path: Path, kind: type[Row]) -> None:
        self.rows = read_rows(path, kind)
        self._path = path
        self._stream: BinaryIO | None = None

    def append(self, row: Row) -> None:
        """Add a row."""
        if self._stream is None:
            self._stream = self._open()
            self._stream.truncate(self._path.read_bytes().rfind(b"\n") + 1)
        self._stream.write(encode(row) + b"\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self.rows.append(row)

    def _open(self) -> BinaryIO:
        """Open the file, which must be no link."""
        folder = Folder(self._path.parent)
        if folder.found(self._path.name):
            folder.own(self._path.name)
        return os.fdopen(folder.open(self._path.name, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab")

    def close(self) -> None:
        """Close the file."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None


def read_rows(path: Path, kind: type[Row]) -> list[Row]:
    """Return the complete rows of a file, without an incomplete last line; none if there is no file.

    Raises:
        InputError: the file cannot be read, or a complete line is not a row of this kind.
    """
    try:
        with open_file(path) as stream:
            lines = stream.read().split(b"\n")[:-1]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise unreadable(path, error) from None
    return [decode(line, kind, _EXPECTED, path, number) for number, line in enumerate(lines, start=1)]
