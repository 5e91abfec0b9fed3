"""Checks of output paths, atomic writes of files, and lock files; symbolic links are not followed.

Windows has no such locks; do not start two processes on one run there.
"""

import errno
import logging
import os
import secrets
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ilpsum.errors import IlpsumError, UsageError

_OPEN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_PAUSE = 0.2
_log = logging.getLogger(__name__)
# First bytes of files that may be replaced, by the form of what is written; other forms replace any
# file.
_STARTS = {"html": b"<!doctype html", "provenance": b'{"version":'}


@contextmanager
def write_atomically(path: str | Path) -> Iterator[BinaryIO]:
    """Open a temporary file beside `path`; move it into place when the block ends, delete it if the
    block fails.

    A link is replaced, not followed. A killed process leaves its temporary file, `.NAME.HEX.part`.

    Raises:
        UsageError: the path is a pipe, a device or a folder.
        OSError: the file cannot be written; the error names `path`.
    """
    target = Path(path)
    require_file(target)
    name = os.fsdecode(os.fsencode(target.name)[:200])  # file systems allow 255 bytes
    part = target.with_name(f".{name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as stream:
            yield stream
            stream.flush()
            if sys.platform == "win32":  # it cannot rename an open file
                stream.close()
            part.replace(target)
    except BaseException as error:
        # A read-only file system refuses to remove even a missing file.
        with suppress(OSError):
            part.unlink()
        # A full disk fails to write, which names no file.
        if isinstance(error, OSError) and error.filename in (None, str(part)):
            error.filename = str(target)
        raise


def write_file(path: str | Path, data: bytes) -> None:
    """Write a file completely or not at all; raises as `write_atomically` does."""
    with write_atomically(path) as stream:
        stream.write(data)


def require_file(path: str | Path) -> None:
    """Check, before any work, that `write_atomically` may write here; `UsageError` if it leads to
    no regular file.
    """
    with suppress(FileNotFoundError):
        kind = Path(path).stat().st_mode
        if not stat.S_ISREG(kind):
            what = "a folder" if stat.S_ISDIR(kind) else "a pipe or a device"
            raise UsageError(f"{path}: expected a file, got {what}; name another file")


def require_folder(path: Path) -> None:
    """Check that a results folder can be at this path; `UsageError` if a file or a dead link is in
    the way.
    """
    for folder in (path, *path.parents):
        if os.path.lexists(folder) and not folder.is_dir():
            what = "a file" if folder.exists() else "a link to nothing"
            raise UsageError(f"{folder} is {what}, expected a folder; name another with --out")


def require_place(path: Path, option: str = "--out", form: str = "", *, force: bool = True) -> None:
    """Check, before any work, that a file can be written to an option's path; `UsageError` if not.

    A file that exists is replaced only with `force`; by a page only a page, and by provenance only
    provenance.
    """
    if str(path) == "-":
        raise UsageError(f"{option} -: this is not written to standard output; name a file")
    if not path.parent.is_dir():
        raise UsageError(
            f"{option} {path}: there is no folder {path.parent}; create it or name another"
        )
    try:
        if path.exists():
            if not force:
                raise UsageError(
                    f"{option} {path} exists; choose another name, or replace it with --force"
                )
            require_file(path)
            start = _STARTS.get(form, b"")
            with path.open("rb") as stream:
                if stream.read(len(start)).lower() != start:
                    raise UsageError(
                        f"{option} {path}: exists and ilpsum did not write it; name another file"
                    )
        # Permissions do not tell: root has all, also on a read-only file system.
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise UsageError(
            f"{option} {path}: cannot be written ({error.strerror}); name another file"
        ) from None


@contextmanager
def write_errors(place: Path) -> Iterator[None]:
    """Turn file-system errors into one line that names `place` if the error names no file.

    It is a `UsageError` where nothing can be written, else an `IlpsumError`.
    """
    try:
        yield
    except OSError as error:
        line = f"{error.filename or place}: cannot be written ({error.strerror or error})"
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT):
            raise UsageError(f"{line}; name another place") from None
        raise IlpsumError(line) from None


@contextmanager
def locked(path: Path, task: str, patience: float = 0.0) -> Iterator[None]:
    """Hold a lock file, which is removed at the end; the system releases the lock of a process that
    dies.

    Args:
        path: the lock file; created if absent, never written.
        task: what the holder does, for the message: "is writing this run".
        patience: seconds to wait for another process, after a warning in the log.

    Raises:
        UsageError: another process still holds the lock.
        OSError: the file cannot be created, or is a link.
    """
    deadline, told = time.monotonic() + patience, False
    while (handle := _lock(path)) is None:
        message = f"{path.parent}: another process {task}"
        if time.monotonic() >= deadline:
            raise UsageError(f"{message}; wait for it to end")
        if not told:
            _log.warning("%s; waiting up to %.0f seconds", message, patience)
        told = True
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(handle)


def _lock(path: Path) -> int | None:
    """Open and lock a file for this process until it is closed; return None if another process
    holds the lock.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | _OPEN, 0o600)
    if sys.platform == "win32":
        os.close(handle)  # it has no such locks, and cannot remove an open file
        return os.open(os.devnull, os.O_RDONLY)
    import fcntl

    with suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The last holder may have removed the file between our open and our lock, which is then
        # useless.
        if path.exists() and os.path.samestat(os.fstat(handle), path.lstat()):
            return handle
    os.close(handle)
    return None
