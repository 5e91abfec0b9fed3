"""SHA-256 digests of files, cached so that an unchanged file is not read again.

A file is unchanged if its device, inode, size, modification time and change time are. Programs
cannot set the change time, so rewriting a file with its old size and modification time is still
noticed. Two changes within one tick of the file system's clock, at most two seconds, leave the same
times, so the digest of a recently changed file is not cached.
"""

import hashlib
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated, BinaryIO

import msgspec

from ilpsum.errors import InputError, UsageError
from ilpsum.files.atomic import write_file
from ilpsum.files.reading import open_file, unreadable
from ilpsum.files.records import UNFIT

_FRESH = 3_000_000_000  # nanoseconds

# Device, inode, size, modification time and change time (ns) of a file.
_State = tuple[int, int, int, int, int]
# A digest is used as a folder name.
_Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
_Known = dict[str, tuple[_State, _Digest]]


class Digests:
    """File digests, cached in a JSON file; a missing or damaged one counts as empty."""

    def __init__(self, path: Path) -> None:
        self._path, self._changed = path, False
        self._known: _Known = {}
        with suppress(OSError, InputError, *UNFIT), open_file(path) as stream:
            self._known = msgspec.json.decode(stream.read(), type=_Known)

    def __call__(self, path: str | Path) -> str:
        """Return the hexadecimal SHA-256 of a file, read only if it changed; `InputError` if it
        cannot be read.
        """
        name = str(Path(path).absolute())
        with open_file(path) as stream:
            before = _state(stream)
            entry = self._known.get(name)
            if entry and entry[0] == before:
                return entry[1]
            steady = time.time_ns() - max(before[3:]) > _FRESH
            try:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            except OSError as error:
                raise unreadable(path, error) from None
            # The digest of a file that changes while it is read is not cached.
            if steady and _state(stream) == before:
                self._known[name], self._changed = (before, digest), True
        return digest

    def save(self) -> None:
        """Write the JSON file if anything is new; an unwritable folder is ignored."""
        if not self._changed:
            return
        # Path.exists raises for names that are too long.
        existing = {
            name: entry
            for name, entry in sorted(self._known.items())
            if os.path.exists(name)  # noqa: PTH110
        }
        with suppress(OSError, UsageError, UnicodeError):
            write_file(self._path, msgspec.json.encode(existing))
            self._changed = False


def _state(stream: BinaryIO) -> _State:
    state = os.fstat(stream.fileno())
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns
