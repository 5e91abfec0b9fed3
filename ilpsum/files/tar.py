"""Read tar archives as streams, in bounded memory; damage is an error, never a silently shorter archive."""

import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Literal, Self, cast

from ilpsum.errors import InputError

# Maximum bytes between the contents of two files. Headers are short, but `tarfile` reads them at any length.
_MAX_HEADERS = 2**20
# Errors that `tarfile` raises on damage; the last for lengths of dozens of digits.
_DAMAGE = tarfile.TarError, RecursionError, ValueError, OverflowError
_FILES = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE)


class Member(tarfile.TarInfo):
    """An archive entry: its path (`name`), the size of its contents in bytes (`size`), and its kind."""

    @property
    def kind(self) -> Literal["file", "folder", "link", "other"]:
        """The type of the entry."""
        if self.isdir():
            return "folder"
        if self.type in _FILES:
            return "file"
        return "link" if self.issym() or self.islnk() else "other"

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        """Read the next header; `ReadError` if it is damaged or missing, which `tarfile` would take for the end."""
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]  # the end mark, which typeshed has not
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(str(error)) from None


class TarStream:
    """Iterates over the members of a plain tar archive (`place` in messages); `InputError` if it is invalid."""

    def __init__(self, stream: BinaryIO, place: str) -> None:
        self._stream, self._place = _Bounded(stream, place), place
        self._archive: tarfile.TarFile | None = None
        self._member = Member()

    def __iter__(self) -> Iterator[Member]:
        try:
            source = cast(BinaryIO, self._stream)
            archive = tarfile.open(fileobj=source, mode="r|", tarinfo=Member)  # noqa: SIM115  # holds nothing open
        except _DAMAGE:
            raise InputError("not a tar archive", self._place) from None
        self._archive = archive
        while True:
            with self._damage():
                member = cast(Member | None, archive.next())
            if member is None:
                return
            # The archive would keep every member it has read.
            archive.members = []  # type: ignore[attr-defined]  # typeshed has it not
            archive.pax_headers = {}
            if member.issparse():
                raise InputError(f"the member {member.name!r} is a sparse file; pack it as a plain one", self._place)
            self._member, self._stream.left = member, _MAX_HEADERS + (member.size if member.kind == "file" else 0)
            yield member

    def read(self) -> bytes:
        """Return the contents of the current member; `InputError` if the archive is truncated within it."""
        with self._damage():
            is_file = self._member.kind == "file"  # `extractfile` follows links
            contents = self._archive.extractfile(self._member) if self._archive and is_file else None
            return contents.read() if contents else b""

    @contextmanager
    def _damage(self) -> Iterator[None]:
        try:
            yield
        except _DAMAGE as error:
            message = f"damaged tar archive: {error or 'it is cut off'}; pack or copy it again"
            raise InputError(message, self._place) from None


class _Bounded:
    """A stream that allows reading at most `left` bytes."""

    def __init__(self, stream: BinaryIO, place: str) -> None:
        self._stream, self._place, self.left = stream, place, _MAX_HEADERS

    def read(self, size: int) -> bytes:
        """Return the next bytes; `InputError` if the limit is exceeded."""
        data = self._stream.read(size)
        self.left -= len(data)
        if self.left < 0:
            raise InputError("damaged tar archive: a header of more than 1 MB; pack or copy it again", self._place)
        return data
