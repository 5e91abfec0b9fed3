"""Files that appear complete or not at all, and lock files."""

import contextlib
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Self

from ilpsum.errors import IlpsumError, UsageError

# Windows has neither flag.
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_PROCESS_ID = re.compile(rb"(\d{1,10}\n)?")


@contextmanager
def write_atomically(path: str | Path) -> Iterator[BinaryIO]:
    """Open a temporary file beside `path`; move it into place when the block ends, delete it if the block fails.

    Raises:
        OSError: the file cannot be written.
    """
    target = Path(path)
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, 0o666)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def write_errors(place: Path) -> Iterator[None]:
    """Turn errors of the file system into `IlpsumError`s of one line, which name `place` if they name no file."""
    try:
        yield
    except OSError as error:
        raise IlpsumError(f"{error.filename or place}: cannot be written ({error.strerror or error})") from None


class Lock:
    """A lock file held by this process until `release`; the system frees the lock of a process that dies.

    The file holds the process id. Symbolic links are not followed, and a file with other content is left alone.

    Args:
        path: the lock file; created if absent.
        task: what its holder does, for the message: "is writing this run".

    Raises:
        UsageError: another process holds the lock, or `path` is not a lock file.
        OSError: the file cannot be created.
    """

    def __init__(self, path: Path, task: str) -> None:
        self._path, self._handle = path, -1
        while True:
            handle = _open(path)
            if not _acquire(handle):
                os.close(handle)
                message = f"another process (its id is in {path.name}) {task}; wait for it to end"
                raise UsageError(f"{path.parent}: {message}")
            # The previous holder may have removed the file between our open and our lock, which then locks nothing.
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), path.lstat()):
                    break
            os.close(handle)
        os.truncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
        self._handle = handle

    def release(self) -> None:
        """Release the lock and remove its file; a second call does nothing."""
        if self._handle >= 0:
            if sys.platform == "win32":  # an open file cannot be removed there
                os.close(self._handle)
            self._path.unlink(missing_ok=True)
            if sys.platform != "win32":
                os.close(self._handle)
            self._handle = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _open(path: Path) -> int:
    """Open or create a lock file, refusing anything else of that name."""
    handle = -1
    if not path.is_symlink():
        handle = os.open(path, os.O_RDWR | os.O_CREAT | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0), 0o600)
        if stat.S_ISREG(os.fstat(handle).st_mode) and _PROCESS_ID.fullmatch(os.read(handle, 16)):
            os.lseek(handle, 0, os.SEEK_SET)
            return handle
        os.close(handle)
    raise UsageError(f"{path}: a lock file was expected here; move this file away")


def _acquire(handle: int) -> bool:
    if sys.platform == "win32":
        return True  # no advisory locks there; users must not start two processes on one run
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
