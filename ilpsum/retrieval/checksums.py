"""The files of an index: what is beside them, and whether an interrupted build is intact."""

import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Record = TypeVar("Record")

DONE, STARTED = "done.json", "begun.json"
"""The records beside a complete index, and beside one whose build has begun."""

_LONGEST = 4096
"""Bytes of a footer, which has about 90."""


@dataclass(frozen=True, slots=True)
class _Segment:
    segment_id: str


@dataclass(frozen=True, slots=True)
class _Committed:
    """The library's list of what it has committed."""

    segments: tuple[_Segment, ...]


@dataclass(frozen=True, slots=True)
class _Footer:
    """The end of a file of the library."""

    crc: int


def data_files(home: Path) -> list[Path]:
    """Return the files of the library in the folder of an index."""
    files = (p for p in home.iterdir() if not p.name.startswith(".") and p.name not in (STARTED, DONE))
    return sorted(files, key=lambda file: file.name)


def is_intact(part: Path) -> bool:
    """Whether the committed files of an interrupted build have the checksums that the library put at their ends.

    Opening others would make it panic, which prints a backtrace, or index on with wrong numbers.
    """
    committed = read(part / "meta.json", _Committed)
    own = {segment.segment_id.replace("-", "") for segment in committed.segments} if committed else set()
    return committed is not None and all(_has_checksum(f) for f in data_files(part) if f.name.split(".")[0] in own)


def _has_checksum(file: Path) -> bool:
    """Whether a file ends with the checksum of what precedes: JSON, its length, and a magic number."""
    with file.open("rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(0, size - 8))
        length = min(int.from_bytes(stream.read(4), "little"), _LONGEST)
        stream.seek(left := max(0, size - 8 - length))
        footer = _decoded(stream.read(length), _Footer)
        stream.seek(found := 0)
        while left and (data := stream.read(min(left, 2**20))):
            found, left = zlib.crc32(data, found), left - len(data)
    return footer is not None and footer.crc == found


def read(file: Path, kind: type[Record]) -> Record | None:
    """Read a record beside an index; None if it is absent or damaged."""
    try:
        return _decoded(file.read_bytes(), kind) if file.is_file() else None
    except OSError:
        return None


def _decoded(data: bytes, kind: type[Record]) -> Record | None:
    import msgspec

    try:
        return msgspec.json.decode(data, type=kind)
    except (ValueError, RecursionError, msgspec.DecodeError):
        return None
