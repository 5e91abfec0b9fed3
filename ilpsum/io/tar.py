"""Read tar archives as streams, in bounded memory.

The standard library's `tarfile` reads header records of any length into memory, keeps every member it has seen, and
takes a damaged header or a missing end for the end of the archive, which would lose topics silently. Only its parser of
single headers is used here.
"""

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Literal

from ilpsum.errors import InputError

# The longest header that describes another member: a path and a few numbers.
_MAX_HEADER = 2**20
_CHUNK = 2**20
_FILES = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE)
_LINKS = (tarfile.SYMTYPE, tarfile.LNKTYPE)


@dataclass(frozen=True, slots=True)
class Member:
    """An entry of an archive: its path there, the bytes of its contents, and its type."""

    name: str
    size: int
    kind: Literal["file", "folder", "link", "other"]


class TarStream:
    """Iterates over the members of an uncompressed archive, called `place` in messages.

    Raises:
        InputError: while iterating, if this is not an archive, or it is damaged or cut off.
    """

    def __init__(self, stream: BinaryIO, place: str) -> None:
        self._stream, self._place = stream, place
        self._left = self._padding = 0

    def __iter__(self) -> Iterator[Member]:
        first = True
        while (info := self._header(first)) is not None:
            first = False
            name, size = "", None
            while info.type in (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK):
                data = self._described(info)
                if info.type == tarfile.GNUTYPE_LONGNAME:
                    name = data.rstrip(b"\0").decode("utf-8", "surrogateescape")
                elif info.type == tarfile.XHDTYPE:
                    records = _pax(data)
                    name = records.get("path", name)
                    size = _number(records.get("size")) if "size" in records else size
                if (info := self._header(first)) is None:
                    raise self._damaged("is cut off after the name of a member")
            member = Member(name or info.name, info.size if size is None else size, _kind(info))
            # Links and devices have no contents, even if their header gives a size.
            self._left = member.size if member.kind == "file" else 0
            self._padding = -self._left % tarfile.BLOCKSIZE
            yield member

    def read(self) -> bytes:
        """Return the unread contents of the current member.

        Raises:
            InputError: the archive is cut off within it.
        """
        data = self._stream.read(self._left)
        if len(data) < self._left:
            raise self._damaged("is cut off within a file")
        self._left = 0
        return data

    def _header(self, first: bool) -> tarfile.TarInfo | None:
        self._skip(self._left + self._padding)
        self._left = self._padding = 0
        block = self._stream.read(tarfile.BLOCKSIZE)
        if block == bytes(tarfile.BLOCKSIZE):
            return None  # the end mark
        try:
            return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except tarfile.HeaderError as error:
            if first:
                raise InputError("not a tar archive", self._place) from None
            raise self._damaged("is cut off" if len(block) < tarfile.BLOCKSIZE else str(error)) from None

    def _described(self, info: tarfile.TarInfo) -> bytes:
        if not 0 <= info.size <= _MAX_HEADER:
            raise self._damaged(f"has a name of {info.size} bytes")
        self._left, self._padding = info.size, -info.size % tarfile.BLOCKSIZE
        return self.read()

    def _skip(self, size: int) -> None:
        while size > 0:
            data = self._stream.read(min(size, _CHUNK))
            if not data:
                raise self._damaged("is cut off within a file")
            size -= len(data)

    def _damaged(self, how: str) -> InputError:
        return InputError(f"damaged tar archive: it {how}; pack or copy it again", self._place)


def _kind(info: tarfile.TarInfo) -> Literal["file", "folder", "link", "other"]:
    if info.size < 0:
        return "other"
    if info.type == tarfile.DIRTYPE or (info.type == tarfile.AREGTYPE and info.name.endswith("/")):
        return "folder"
    if info.type in _FILES:
        return "file"
    return "link" if info.type in _LINKS else "other"


def _pax(data: bytes) -> dict[str, str]:
    """Parse the records of an extended header, `LENGTH KEY=VALUE` and a newline each, up to the first malformed one."""
    records = {}
    begin = 0
    while (space := data.find(b" ", begin, begin + 20)) > 0:
        end = begin + _number(data[begin:space].decode("ascii", "replace"))
        if end <= space:
            break
        key, _, value = data[space + 1 : end - 1].partition(b"=")
        records[key.decode("utf-8", "replace")] = value.decode("utf-8", "surrogateescape")
        begin = end
    return records


def _number(text: str | None) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 20 else 0
