"""What the readers share: files, `.gz` and standard input opened safely, with bounds, and bytes decoded.

Every failure is an `InputError` with the file's name. Nothing is unpacked to disk, and nothing is read beyond a bound:
a text is at most `MAX_TEXT` bytes and a line at most `MAX_LINE` bytes (a long paper is under 1 MB), so that a damaged
or hostile file costs a message and not the memory.
"""

import gzip
import io
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from ilpsum.errors import InputError

MAX_LINE = 16 * 2**20
MAX_TEXT = 32 * 2**20

_GZIP = b"\x1f\x8b"


class _Source(io.RawIOBase):
    """A byte stream whose read errors are `InputError`s."""

    def __init__(self, inner: BinaryIO, path: str | Path) -> None:
        self._inner, self._path = cast(io.BufferedReader, inner), path

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]  # the buffer protocol has no name before 3.12
        try:
            # Not `read`, which would lose what it has when gzip data end in the middle.
            data = self._inner.read1(len(buffer))
        except EOFError:
            raise InputError("the gzip data end in the middle; copy or download the file again", self._path) from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise InputError(f"not valid gzip data ({error}); copy or download the file again", self._path) from None
        except OSError as error:
            raise unreadable(self._path, error) from None
        buffer[: len(data)] = data
        return len(data)


def unreadable(path: str | Path, error: OSError) -> InputError:
    """What is told of a file that the system won't give."""
    return InputError(f"cannot be read ({error.strerror or error}); check the path and its permissions", path)


@contextmanager
def open_bytes(path: str | Path) -> Iterator[BinaryIO]:
    """A file as a stream of bytes: gzip is unpacked on the way, whatever the name; `-` is standard input.

    Raises:
        InputError: it cannot be opened; later, when read: it is damaged.
    """
    if str(path) == "-":
        yield _unpacked(sys.stdin.buffer, "standard input")
        return
    try:
        # A folder opens on no system, but each says so in words of its own.
        if Path(path).is_dir():
            raise InputError("is a folder; a file was expected", path)
        inner = Path(path).open("rb")  # noqa: SIM115  # closed below; errors of its use are not errors of opening
    except OSError as error:
        raise unreadable(path, error) from None
    with inner:
        yield _unpacked(inner, path)


def _unpacked(inner: BinaryIO, path: str | Path) -> BinaryIO:
    source = io.BufferedReader(_Source(inner, path), 2**16)
    if source.peek(2)[:2] == _GZIP:
        unzipped = gzip.GzipFile(fileobj=source, mode="rb")
        return cast(BinaryIO, io.BufferedReader(_Source(cast(BinaryIO, unzipped), path), 2**16))
    return cast(BinaryIO, source)


def read_bytes(path: str | Path, limit: int = MAX_TEXT) -> bytes:
    """All bytes of a file that should be small.

    Raises:
        InputError: it cannot be read, or holds more than `limit` bytes.
    """
    with open_bytes(path) as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise InputError(f"more than {limit // 2**20} MB; a text of a topic was expected", path)
    return data


def read_lines(path: str | Path, limit: int = MAX_LINE) -> Iterator[tuple[int, bytes]]:
    """The lines of a file as a stream, each with its number from 1, without its line end.

    Raises:
        InputError: the file cannot be read, or a line is longer than `limit` bytes.
    """
    with open_bytes(path) as stream:
        number = 0
        while line := stream.readline(limit + 1):
            number += 1
            if len(line) > limit:
                raise InputError(
                    f"a line of more than {limit // 2**20} MB; one record a line was expected", path, number
                )
            yield number, line.rstrip(b"\r\n")


def head(path: Path, size: int = 4096) -> bytes:
    """The first bytes of a regular file, gzip unpacked; empty where there is none to be had (for `recognises`)."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return b""
        with open_bytes(path) as stream:
            return stream.read(size)
    except (OSError, InputError):
        return b""


def decode(data: bytes) -> tuple[str, str]:
    """Bytes as text: UTF-8, else cp1252, as the data of TAC and CL-SciSumm need it.

    Returns:
        The text, nothing dropped or folded (a BOM is its first character), and a remark, empty where it is UTF-8.
        Bytes that cp1252 leaves undefined become U+FFFD.
    """
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError as error:
        return data.decode("cp1252", "replace"), f"not UTF-8 (byte {error.start}): read as cp1252"
