"""Open files, `.gz` and standard input safely, and decode bytes.

Every failure is an `InputError` with the file name. No file is unpacked to disk, and reading is
bounded: a file read whole has at most `MAX_TEXT` bytes, a line `MAX_LINE` bytes and a text
`LONGEST_TEXT` characters, so that a damaged or hostile file causes an error message instead of
exhausting memory.
Only regular files are opened: a pipe would wait for its writer, and a device may never end.
"""

import codecs
import gzip
import hashlib
import io
import os
import stat
import sys
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Self
from unicodedata import category

from ilpsum.errors import InputError

MAX_LINE, MAX_TEXT = 16 * 2**20, 32 * 2**20
LONGEST_TEXT = 8 * 2**20
"""Maximum characters of a document: a long paper has 0.2 million, a textbook 6 million."""
MOST_LINES = 1_000_000
"""Maximum number of lines in a record, or without one."""
START = 2**16
"""Bytes of a file from which its format is recognised."""
_PIECE = 2**20
MISSING = "no such file or folder; check the path"

_GZIP = b"\x1f\x8b"


class _Source(io.RawIOBase):
    """A byte stream that raises `InputError` when reading fails."""

    def __init__(self, inner: io.BufferedReader, path: str | Path) -> None:
        self._inner, self._path = inner, path

    def readable(self) -> bool:
        return True

    # The buffer protocol has no name before Python 3.12.
    def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]
        """Fill the buffer and return the bytes read, 0 at the end; file errors become an
        `InputError`.
        """
        try:
            # `read` would lose the data before the point where a gzip file is truncated.
            data = self._inner.read1(len(buffer))
        except EOFError:
            raise self._damaged("the gzip data are cut off") from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise self._damaged(f"not valid gzip data ({error})") from None
        except OSError as error:
            raise unreadable(self._path, error) from None
        buffer[: len(data)] = data
        return len(data)

    def _damaged(self, what: str) -> InputError:
        return InputError(f"{what}; copy or download the file again", self._path)


def unreadable(path: str | Path, error: OSError | ValueError) -> InputError:
    """Return the error for a file that is missing or cannot be read."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return InputError(MISSING, path)
    reason = getattr(error, "strerror", None) or error
    return InputError(f"cannot be read ({reason}); check the path and its permissions", path)


_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe, such as <(COMMAND) makes",
    stat.S_IFSOCK: "a socket",
}


def open_file(path: str | Path) -> io.BufferedReader:
    """Open a regular file without unpacking it; the caller closes it.

    `InputError` if it cannot be read, or is a folder, a pipe, a socket or a device.
    """
    # Non-blocking: opening a pipe without a writer would wait.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    kind = stat.S_IFMT(os.fstat(descriptor).st_mode)
    if kind != stat.S_IFREG:
        os.close(descriptor)
        message = f"expected a file, got {_KINDS.get(kind, 'a device')}"
        if kind != stat.S_IFDIR:
            message += "; write its content to a file, or pass it on standard input (-)"
        raise InputError(message, path)
    return os.fdopen(descriptor, "rb")


def digest_of(path: str | Path) -> str:
    """Return the hexadecimal SHA-256 of a file as it is; `InputError` if it cannot be read."""
    with open_file(path) as stream:
        try:
            return hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise unreadable(path, error) from None


@contextmanager
def open_bytes(path: str | Path) -> Iterator[io.BufferedReader]:
    """Open a file as a byte stream; gzip is recognised by content and unpacked; `-` is standard
    input.

    Raises:
        InputError: the file cannot be opened or, when read, is damaged.
    """
    if str(path) == "-":
        yield _unpacked(sys.stdin.buffer, path)
        return
    with open_file(path) as inner:
        yield _unpacked(inner, path)


def _unpacked(inner: Any, path: str | Path) -> Any:
    source = io.BufferedReader(_Source(inner, path), 2**16)
    if source.peek(2)[:2] == _GZIP:
        unzipped: Any = gzip.GzipFile(fileobj=source, mode="rb")
        return io.BufferedReader(_Source(unzipped, path), 2**16)
    return source


def read_bytes(
    path: str | Path,
    limit: int = MAX_TEXT,
    what: str = "expected a text of a topic",
) -> bytes:
    """Read a file of at most `limit` bytes; for a larger one, `what` begins the message of the
    `InputError`.
    """
    data = bytearray()
    with open_bytes(path) as stream:
        # A single read would allocate the limit.
        while piece := stream.read(_PIECE):
            data += piece
            if len(data) > limit:
                size = f"{limit // 2**20} MB" if limit >= 2**20 else f"{limit // 2**10} kB"
                raise InputError(f"{what}, got more than {size}", path)
    return bytes(data)


def require_length(text: str, name: str, path: str | Path, line: int | None = None) -> None:
    """Raise an `InputError` if the text called `name` has more than `LONGEST_TEXT` characters."""
    if len(text) > LONGEST_TEXT:
        most = f"expected a text of at most {LONGEST_TEXT:,} characters"
        raise InputError(f"{most}, got {len(text):,} in {name}; divide it", path, line)


def read_lines(path: str | Path, limit: int = MAX_LINE) -> Iterator[tuple[int, bytes]]:
    """Yield number (from 1) and bytes of each line, without its end; `InputError` for a line longer
    than `limit`.

    CR ends lines, too, in a file that begins without LF, as old Mac programs write it.
    """
    with open_bytes(path) as stream:
        begin = stream.peek(START)
        ends_by_cr = b"\r" in begin[:-1] and b"\n" not in begin
        number = 0
        for line in iter(lambda: stream.readline(limit + 1), b""):
            if len(line) > limit:
                what = f"got a line of more than {limit // 2**20} MB"
                raise InputError(f"expected one record per line, {what}", path, number + 1)
            whole = line.rstrip(b"\r\n")
            for part in whole.split(b"\r") if ends_by_cr else (whole,):
                number += 1
                yield number, part


def too_many_lines(path: str | Path, line: int) -> InputError:
    """Return the error for more than `MOST_LINES` lines without the end of a record."""
    return InputError(f"expected records, got {MOST_LINES:,} lines without one", path, line)


def text_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Yield lines as `read_lines` does, decoded: without a BOM, and with U+FFFD for invalid
    UTF-8.
    """
    for number, line in read_lines(path):
        yield number, line.decode("utf-8", "replace").removeprefix("\ufeff")


def real(path: str | Path) -> Path:
    """Resolve the links in a path; `Path.resolve` raises on links that form a loop."""
    return Path(os.path.realpath(path))


def placed(path: str | Path) -> Path:
    """Return a path as it was typed, but resolved if it is a link or ends in no name (`..`)."""
    typed = Path(path)
    return real(path) if typed.is_symlink() or typed.name in ("", "..") else typed


# Categories of characters: control, format (such as direction), private, unassigned, line ends.
_UNSAFE = {"Cc", "Cf", "Co", "Cn", "Zl", "Zp"}


def unsafe_name(name: str) -> str:
    """Return why a name from input must not become a file name; empty if it may.

    >>> unsafe_name("D1401_TRAIN"), unsafe_name("../D1401")
    ('', 'is empty, starts with a dot, or has white space around it')
    """
    if not name or name.startswith(".") or name != name.strip():
        return "is empty, starts with a dot, or has white space around it"
    categories = set(map(category, name))
    if "Cs" in categories:
        return "is not UTF-8"
    if {"/", "\\"}.intersection(name) or not _UNSAFE.isdisjoint(categories):
        return "contains a slash, a backslash or a control character"
    if len(name.encode()) > 250:
        return "is longer than 250 bytes"
    return ""


def head(path: Path, size: int = 4096) -> bytes:
    """Return the first bytes of a regular file, unpacked, up to where it is damaged; empty
    if it cannot be read (for `recognises`).
    """
    data = b""
    with suppress(OSError, ValueError, InputError):  # ValueError: a NUL in the name
        if stat.S_ISREG(path.stat().st_mode):
            with open_bytes(path) as stream:
                # A larger read would lose the data before the damage.
                while len(data) < size and (piece := stream.read1(size - len(data))):
                    data += piece
    return data


def require_start(path: str | Path) -> None:
    """Raise an `InputError` if the beginning of a file, the part that `Start` has, cannot be read
    or is damaged.
    """
    with open_bytes(path) as stream:
        stream.read(START)


def decode_text(data: bytes, place: str | Path, line: int | None = None) -> tuple[str, str]:
    """Decode bytes as `decode` does; `InputError` if they contain NUL bytes or are UTF-16."""
    is_utf_16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if is_utf_16 or b"\0" in data:
        what = "UTF-16" if is_utf_16 else "NUL bytes"
        raise InputError(
            f"expected text in UTF-8, got {what} (save UTF-16 as UTF-8)",
            place,
            line,
        )
    return decode(data)


def decode(data: bytes) -> tuple[str, str]:
    """Decode bytes as UTF-8, or else as cp1252, the encoding of some TAC and CL-SciSumm texts.

    Returns:
        The text, unabridged (a BOM is its first character), and a warning, empty for UTF-8. Bytes
            undefined in cp1252
        become U+FFFD.
    """
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError as error:
        return data.decode("cp1252", "replace"), f"not UTF-8 (byte {error.start}); read as cp1252"


# Errors that `tarfile` raises on damage; OverflowError: a length with dozens of digits.
_DAMAGE = tarfile.TarError, RecursionError, ValueError, OverflowError


class _Member(tarfile.TarInfo):
    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        """Read the next header; `ReadError` if it is damaged or missing, which `tarfile` would take
        for the end.
        """
        try:
            return super().fromtarfile(archive)
        # The end mark, which typeshed lacks.
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(str(error)) from None


MAX_ARCHIVE = 4 * 2**30
"""Maximum bytes of all members of an archive, unpacked."""


def members(stream: BinaryIO, place: str, most: int) -> Iterator[tuple[tarfile.TarInfo, bytes]]:
    """Yield the members of a plain tar archive, and the contents of files of at most `most` bytes.

    The contents of larger files and of other members are empty. `place` names the archive in
    messages; `InputError` if it is damaged, has more than `MAX_ARCHIVE` bytes, or has a sparse
    member, whose holes take no room in the archive.
    """
    total = 0
    try:
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Member) as archive:
            while (member := archive.next()) is not None:
                # The archive would keep every member that it has read.
                archive.members = []  # type: ignore[attr-defined]
                total += member.size
                if member.issparse():
                    what = f"got the sparse {member.name!r}; pack it without --sparse"
                    raise InputError(f"expected plain members, {what}", place)
                if total > MAX_ARCHIVE:
                    what = f"at most {MAX_ARCHIVE // 2**30} GB unpacked"
                    raise InputError(f"expected {what}, got more; pack fewer topics", place)
                readable = member.isreg() and member.size <= most
                held = archive.extractfile(member) if readable else None
                yield member, held.read() if held else b""
    except _DAMAGE as error:
        what = f"not a tar archive, or a damaged one ({error or 'it is cut off'})"
        raise InputError(f"{what}; pack or copy it again", place) from None
