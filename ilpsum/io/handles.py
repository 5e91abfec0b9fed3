"""Folders held open: what is done in one happens there, whatever its path names meanwhile, and follows no link in it.

Names are those of entries, never paths. Windows opens no folders; there the path takes the place of the handle.
"""

import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, Self

from ilpsum.errors import UsageError

_HANDLES = os.open in os.supports_dir_fd
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_PART = re.compile(r"\.(.+)\.[0-9a-f]{8}\.part", re.DOTALL)


class Folder:
    """An open folder, and a context manager that closes it.

    Args:
        path: the folder; links on the way to it are followed, unless another user made them.
        create: create it, and the folders that it is in, if absent.

    Raises:
        UsageError: a link on the way is another user's.
        OSError: the folder cannot be created or opened.
    """

    def __init__(self, path: str | Path, *, create: bool = False) -> None:
        self.path = Path(path)
        _refuse_links_of_others(self.path)
        if create:
            self.path.mkdir(parents=True, exist_ok=True)
        self._handle = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY) if _HANDLES else None

    def folder(self, name: str) -> "Folder":
        """Open a folder in this one.

        Raises:
            UsageError: it is a link, no folder or another user's.
            OSError: it does not exist.
        """
        what = "a folder of ilpsum"
        if not stat.S_ISDIR(self.own(name, what).st_mode):
            raise UsageError(f"{self.path / name}: {what} was expected here, got a file; move it away")
        inner = Folder.__new__(Folder)
        inner.path = self.path / name
        inner._handle = self.open(name, os.O_RDONLY | os.O_DIRECTORY) if _HANDLES else None
        return inner

    def names(self) -> list[str]:
        """Return the names of all entries, sorted."""
        return sorted(os.listdir(self.path if self._handle is None else self._handle))  # noqa: PTH208  # a handle

    def found(self, name: str) -> os.stat_result | None:
        """Return the status of an entry, of a link itself; None if there is none."""
        with suppress(FileNotFoundError), self._at(name) as (place, handle):
            return os.stat(place, dir_fd=handle, follow_symlinks=False)
        return None

    def own(self, name: str, what: str = "a file of ilpsum") -> os.stat_result:
        """Return the status of a file or folder that must be ours; `what` is expected, for the message.

        Raises:
            UsageError: it is a link, a pipe or a device, or belongs to another user.
            OSError: it does not exist.
        """
        with self._at(name) as (place, handle):
            found = os.stat(place, dir_fd=handle, follow_symlinks=False)
        if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
            raise UsageError(f"{self.path / name}: {what} was expected here, got {_kind(found.st_mode)}; move it away")
        if _HANDLES and found.st_uid != os.geteuid() and found.st_uid != self._user:
            raise UsageError(f"{self.path / name} belongs to another user; name another folder, or move it away")
        return found

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """Open a file as `os.open` does; a link is an error."""
        with self._at(name) as (place, handle):
            return os.open(place, flags | _NO_FOLLOW, mode, dir_fd=handle)

    def read(self, name: str) -> BinaryIO:
        """Open a file to be read."""
        return os.fdopen(self.open(name, os.O_RDONLY), "rb")

    def require_file(self, name: str) -> None:
        """Check that `write` may take this name.

        Raises:
            UsageError: a device, a pipe or a folder has it, or a link leads to one.
        """
        with suppress(FileNotFoundError), self._at(name) as (place, handle):
            for follow in (False, True):
                kind = os.stat(place, dir_fd=handle, follow_symlinks=follow).st_mode
                if not (stat.S_ISREG(kind) or stat.S_ISLNK(kind)):
                    raise UsageError(f"{self.path / name}: expected a file, got {_kind(kind)}; name another file")

    def create(self, name: str) -> BinaryIO:
        """Open a new file, in place of any that has the name."""
        self.remove(name)
        return os.fdopen(self.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb")

    @contextmanager
    def write(self, name: str) -> Iterator[BinaryIO]:
        """Open a temporary file; give it this name when the block ends, delete it if the block fails.

        A link of this name is replaced, not followed.

        Raises:
            UsageError: a pipe, a device or a folder has the name.
            OSError: the file cannot be written.
        """
        self.require_file(name)
        part, handle = self._temporary(name)
        # A second handle keeps the lock until the file has its name; Windows renames no open file.
        kept = os.dup(handle) if _HANDLES else -1
        try:
            with os.fdopen(handle, "wb") as stream:
                yield stream
            self.rename(part, self, name)
        except BaseException:
            with suppress(OSError):
                self.remove(part)
            raise
        finally:
            if kept >= 0:
                os.close(kept)

    def make(self, name: str, mode: int = 0o777) -> None:
        """Create a folder, which must not exist."""
        with self._at(name) as (place, handle):
            os.mkdir(place, mode, dir_fd=handle)

    def rename(self, name: str, to: "Folder", new: str) -> None:
        """Move an entry to an open folder, replacing a file of the new name."""
        with to._at(new) as (target, there), self._at(name) as (source, here):
            os.replace(source, target, src_dir_fd=here, dst_dir_fd=there)

    def remove(self, name: str) -> None:
        """Remove an entry, of a folder everything in it, of a link only the link; without one do nothing."""
        if (found := self.found(name)) is None:
            return
        with self._at(name) as (place, handle):
            if stat.S_ISDIR(found.st_mode):
                shutil.rmtree(place, dir_fd=handle)
            else:
                os.unlink(place, dir_fd=handle)

    def tidy(self, name: str) -> None:
        """Remove the temporary files and folders of this name that killed processes left."""
        if not _HANDLES:  # Windows does not tell whether their process died
            return
        for part in self.names():
            if is_part(part) == _shortened(name):
                with suppress(OSError):
                    is_folder = (found := self.found(part)) and stat.S_ISDIR(found.st_mode)
                    handle = self.open(part, os.O_RDONLY if is_folder else os.O_WRONLY)
                    try:
                        if (is_folder or stat.S_ISREG(os.fstat(handle).st_mode)) and locked(handle):
                            self.remove(part)
                    finally:
                        os.close(handle)

    @contextmanager
    def scratch(self, name: str) -> Iterator[Path]:
        """Make a private folder for files that will get this name, or begin with it, and remove it in the end."""
        self.tidy(name)
        part, handle = self._temporary(name, folder=True)
        try:
            yield self.path / part
        finally:
            self.remove(part)
            if handle >= 0:
                os.close(handle)

    def close(self) -> None:
        """Close the folder; a second call does nothing."""
        if self._handle is not None and self._handle >= 0:
            os.close(self._handle)
            self._handle = -1  # not None, which would mean the path

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _at(self, name: str) -> Iterator[tuple[str | Path, int | None]]:
        """Yield the place of an entry and the folder that it is in, for functions of `os`; errors name its path."""
        if name in ("", ".", "..") or "/" in name or os.sep in name:
            raise ValueError(f"expected the name of an entry, got {name!r}")
        try:
            yield (self.path / name, None) if self._handle is None else (name, self._handle)
        except OSError as error:
            error.filename, error.filename2 = str(self.path / name), None
            raise

    @cached_property
    def _user(self) -> int:
        """The owner of files that we create here: some file systems give all files one owner."""
        part, handle = self._temporary("owner")
        try:
            return os.fstat(handle).st_uid
        finally:
            os.close(handle)
            self.remove(part)

    def _temporary(self, name: str, *, folder: bool = False) -> tuple[str, int]:
        while True:
            part = part_name(name)
            if folder:
                self.make(part, 0o700)
                if not _HANDLES:
                    return part, -1
            try:
                handle = self.open(part, os.O_RDONLY if folder else os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            except FileNotFoundError:
                if not folder:
                    raise
                continue
            free = True
            with suppress(OSError):  # a file system without locks
                free = locked(handle)
            # Another process may have taken the file for an abandoned one before we locked it.
            if free and self.found(part):
                return part, handle
            os.close(handle)


def locked(handle: int) -> bool:
    """Lock an open file for this process until it is closed; return whether no other process has locked it.

    Raises:
        OSError: the file system has no locks.
    """
    if sys.platform == "win32":
        return True  # no advisory locks there; users must not start two processes on one run
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def part_name(name: str) -> str:
    """Return a new name of a temporary file that will get this name."""
    return f".{_shortened(name)}.{secrets.token_hex(4)}.part"


def is_part(name: str) -> str:
    """Return the name that a temporary file will get, shortened; empty if the name is not that of a temporary file."""
    match = _PART.fullmatch(name)
    return match[1] if match else ""


def _shortened(name: str) -> str:
    # File systems allow 255 bytes.
    return os.fsdecode(os.fsencode(name)[:200])


def _kind(mode: int) -> str:
    return "a folder" if stat.S_ISDIR(mode) else "a link" if stat.S_ISLNK(mode) else "a pipe or a device"


def _refuse_links_of_others(path: Path, depth: int = 40) -> None:
    """Refuse a path that goes through a link of a user who is neither this one nor the administrator."""
    if not _HANDLES:
        return
    for place in (path, *path.parents):
        with suppress(OSError):
            found = place.lstat()
            if not stat.S_ISLNK(found.st_mode):
                continue
            if found.st_uid not in (0, os.geteuid()):
                raise UsageError(f"{place} is a link that another user made; name the folder that it leads to")
            if depth:
                _refuse_links_of_others(place.parent / place.readlink(), depth - 1)
