"""Files that appear complete or not at all, and lock files."""

import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Self

from ilpsum.errors import IlpsumError, UsageError
from ilpsum.io.handles import Folder, locked

_PROCESS_ID = re.compile(rb"(\d{1,10}\n)?")


@contextmanager
def write_atomically(path: str | Path) -> Iterator[BinaryIO]:
    """Open a temporary file beside `path`; move it into place when the block ends, delete it if the block fails.

    A link is replaced, not followed. Temporary files that killed processes left of the same path are removed.

    Raises:
        UsageError: the path is a pipe, a device or a folder, or goes through another user's link.
        OSError: the file cannot be written.
    """
    target = Path(path)
    with Folder(target.parent) as folder:
        folder.tidy(target.name)
        with folder.write(target.name) as stream:
            yield stream


def write_file(path: str | Path, data: bytes) -> None:
    """Write a file completely or not at all; errors as of `write_atomically`."""
    with write_atomically(path) as stream:
        stream.write(data)


def require_file(path: str | Path) -> None:
    """Check, before any work, that `write_atomically` may write to this path, which is in an existing folder.

    Raises:
        UsageError: the path is a pipe, a device or a folder, or goes through another user's link.
    """
    with Folder(Path(path).parent) as folder:
        folder.require_file(Path(path).name)


def require_folder(path: Path) -> None:
    """Check that a folder of results can be at this path.

    Raises:
        UsageError: a file or a link to nothing is there, or on the way.
    """
    for folder in (path, *path.parents):
        if os.path.lexists(folder) and not folder.is_dir():
            what = "a file" if folder.exists() else "a link to nothing"
            raise UsageError(f"{folder} is {what}, expected a folder; name another with --out")


@contextmanager
def write_errors(place: Path) -> Iterator[None]:
    """Turn errors of the file system into `IlpsumError`s of one line, which name `place` if they name no file."""
    try:
        yield
    except OSError as error:
        raise IlpsumError(f"{error.filename or place}: cannot be written ({error.strerror or error})") from None


class Lock:
    """A lock file held by this process until `release`; the system frees the lock of a process that dies.

    The file holds the process id and only its owner can read it. Nothing but our own lock files is opened or changed:
    no links, no files with other content or with a second name, no files of other users.

    Args:
        path: the lock file; created if absent.
        task: what its holder does, for the message: "is writing this run".

    Raises:
        UsageError: another process holds the lock, or `path` is not a lock file of ours.
        OSError: the file cannot be created.
    """

    def __init__(self, path: Path, task: str) -> None:
        self._folder, self._name, self._handle = Folder(path.parent), path.name, -1
        try:
            while self._handle < 0:
                handle = self._open()
                if not locked(handle):
                    os.close(handle)
                    message = f"another process (its id is in {path.name}) {task}; wait for it to end"
                    raise UsageError(f"{path.parent}: {message}")
                # The previous holder may have removed the file between our open and our lock, which then locks nothing.
                found = self._folder.found(self._name)
                if found and os.path.samestat(os.fstat(handle), found):
                    self._handle = handle
                else:
                    os.close(handle)
            os.truncate(handle, 0)
            os.write(handle, f"{os.getpid()}\n".encode())
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Release the lock and remove its file; a second call does nothing."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            if sys.platform == "win32":  # an open file cannot be removed there
                os.close(handle)
            try:
                self._folder.remove(self._name)
            finally:
                if sys.platform != "win32":
                    os.close(handle)
        self._folder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _open(self) -> int:
        """Create the lock file, or open an earlier one, refusing anything else of that name."""
        while True:
            try:
                return self._folder.open(self._name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            except FileExistsError:
                pass
            try:
                found = self._folder.own(self._name, "a lock file")
                if stat.S_ISREG(found.st_mode) and found.st_nlink == 1:
                    handle = self._folder.open(self._name, os.O_RDWR)
                    same = os.path.samestat(os.fstat(handle), found)
                    if same and _PROCESS_ID.fullmatch(os.read(handle, 16)):
                        os.lseek(handle, 0, os.SEEK_SET)
                        return handle
                    os.close(handle)
            except FileNotFoundError:  # its holder has ended
                continue
            raise UsageError(f"{self._folder.path / self._name}: a lock file was expected here; move this file away")
