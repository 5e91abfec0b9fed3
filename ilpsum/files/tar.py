"""Read tar archives as streams; damage is an error, never a silently shorter archive."""

import tarfile
from collections.abc import Iterator
from typing import BinaryIO, Literal, Self, cast

from ilpsum.errors import InputError

# Maximum bytes between the contents of two files: `tarfile` reads headers of any length.
_MAX_HEADERS = 2**20
# Errors that `tarfile` raises on damage; the last for lengths of dozens of digits.
_DAMAGE = tarfile.TarError, RecursionError, ValueError, OverflowError


class Member(tarfile.TarInfo):
    """An archive entry: its path (`name`), the size of its contents in bytes (`size`), and its kind."""

    @property
    def kind(self) -> Literal["file", "folder", "link", "other"]:
        """The type of the entry."""
        if self.isdir():
            return "folder"
        return "file" if self.isreg() else "link" if self.issym() or self.islnk() else "other"

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        """Read the next header; `ReadError` if it is damaged or missing, which `tarfile` would take for the end."""
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]  # the end mark, which typeshed has not
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(str(error)) from None


class _Bounded:
    """A stream that allows reading at most `left` bytes."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.left = stream, _MAX_HEADERS

    def read(self, size: int) -> bytes:
        """Return the next bytes; `ReadError` if the limit is exceeded."""
        data = self._stream.read(size)
        self.left -= len(data)
        if self.left < 0:
            raise tarfile.ReadError("a header of more than 1 MB")
        return data


def members(stream: BinaryIO, place: str, most: int) -> Iterator[tuple[Member, bytes]]:
    """Yield the members of a plain tar archive, and the contents of files of at most `most` bytes.

    The contents of larger files and of other members are empty. `place` names the archive in messages; `InputError` if
    it is damaged.
    """
    source = _Bounded(stream)
    try:
        with tarfile.open(fileobj=cast(BinaryIO, source), mode="r|", tarinfo=Member) as archive:
            while (member := cast(Member | None, archive.next())) is not None:
                archive.members = []  # type: ignore[attr-defined]  # the archive would keep every member it has read
                archive.pax_headers = {}
                source.left = _MAX_HEADERS + (member.size if member.kind == "file" else 0)
                held = archive.extractfile(member) if member.kind == "file" and member.size <= most else None
                yield member, held.read() if held else b""
    except _DAMAGE as error:
        message = f"not a tar archive, or a damaged one ({error or 'it is cut off'}); pack or copy it again"
        raise InputError(message, place) from None
