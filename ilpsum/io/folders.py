"""Topics that are folders of files: one folder, a folder of them, or a tar archive of them, `.gz` or not.

A topic's files are gathered in memory, within bounds, and handed over one topic at a time. The rules:

- A part is a folder that the format names (`Annotation`, ...), whatever its case; its regular files are read, hidden
  files and folders are not.
- In a folder of topics every visible folder is a topic; one that holds no part is a broken one, so that a topic whose
  files did not arrive is not passed over in silence. The folders may be links.
- Within a topic, a link that leads out of it, a device, a pipe, a file of more than `MAX_TEXT` bytes, more than
  `MAX_FILES` files or `MAX_TOPIC` bytes break the topic.
- In an archive, a link, a device or a name that stands twice breaks its topic; so does a file of more than `MAX_TEXT`
  bytes, but one of more than `MAX_MEMBER` ends the archive, since even skipping it costs unpacking it. A member with an
  absolute path or `..` ends it too: nobody packs topics so.
- Topics of an archive may be mixed within `BUFFER` bytes. One that was handed over and goes on later ends the archive.
"""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from ilpsum.errors import InputError
from ilpsum.io.files import MAX_TEXT, open_bytes, unreadable
from ilpsum.io.names import Seen, unsafe_name
from ilpsum.io.tar import Member, TarStream

MAX_FILES = 5000
MAX_TOPIC = 256 * 2**20
MAX_MEMBER = 512 * 2**20
BUFFER = 64 * 2**20

# Open topics of an archive; each costs a little, even an empty one.
_MAX_OPEN = 1000

# How far into an archive `holds` looks for the format's own part.
_LOOK = 500


@dataclass(frozen=True, slots=True)
class Shape:
    """What the folder of a topic looks like.

    Attributes:
        parts: names of the folders that make it up, in lower case.
        beside: which files beside those folders belong to it too; they make up the part "".
    """

    parts: frozenset[str]
    beside: re.Pattern[str] | None = None

    def place_of(self, file: PurePosixPath) -> tuple[PurePosixPath, str] | None:
        """The topic's folder and the part's folder ("" for none) that a file belongs to, if any."""
        if len(file.parts) > 1 and file.parts[-2].lower() in self.parts:
            return file.parent.parent, file.parts[-2]
        return (file.parent, "") if self.beside and self.beside.fullmatch(file.name) else None

    def __str__(self) -> str:
        return ", ".join(sorted(self.parts))


@dataclass(slots=True)
class TopicFiles:
    """The files of one topic.

    Attributes:
        name: the folder's name.
        place: where it is, for messages: a path, or an archive's path with a member's appended.
        parts: file names and contents of each part, by the name of its folder.
        warnings: what was passed over.
        error: why the topic cannot be read, where it cannot; the parts are then not complete.
    """

    name: str
    place: str
    parts: dict[str, dict[str, bytes]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    error: InputError | None = None
    size: int = 0
    count: int = 0

    def texts(self, part: str) -> Iterator[tuple[str, bytes]]:
        """The files of a part (its name in lower case) in the order of their names: where they are, and their bytes."""
        for folder, files in sorted(self.parts.items()):
            if folder.lower() == part:
                for file, data in sorted(files.items()):
                    yield "/".join(filter(None, (self.place, folder, file))), data

    def add(self, folder: str, file: str, data: bytes) -> None:
        """Takes one more file in.

        Raises:
            InputError: the topic is larger than a topic can be.
        """
        self.size += len(data)
        self.count += 1
        if self.size > MAX_TOPIC or self.count > MAX_FILES:
            message = f"more than {MAX_TOPIC // 2**20} MB or {MAX_FILES} files; a topic's texts were expected"
            raise InputError(message, self.place)
        self.parts.setdefault(folder, {})[file] = data

    def fail(self, error: InputError) -> None:
        """Gives the topic up and frees its texts."""
        self.error, self.size = error, 0
        self.parts.clear()


def walk(folder: Path) -> Iterator[tuple[Path, list[str], list[str]]]:
    """Yield each folder below `folder`, itself first, with the sorted names of its folders and of its files.

    Symbolic links are followed. A folder reached twice, as in a loop of links, is listed under both names but entered
    once.
    """
    entered = {_identity(folder)}
    for place, folders, files in os.walk(folder, followlinks=True):
        folders.sort()
        yield Path(place), list(folders), sorted(files)
        # Of two names of one folder the first is entered.
        names = {_identity(Path(place, name)): name for name in reversed(folders)}
        folders[:] = sorted(name for identity, name in names.items() if identity not in entered)
        entered |= names.keys()


def _identity(folder: Path) -> tuple[int, int]:
    try:
        found = folder.stat()
    except OSError:  # gone meanwhile
        return 0, 0
    return found.st_dev, found.st_ino


def holds(path: Path, own: str) -> bool:
    """Whether a path is a topic folder, a folder of such or an archive of such, told by the part `own`."""
    if path.is_dir():
        try:
            folders = [path, *(folder for folder in sorted(path.iterdir()) if folder.is_dir())]
            return any(entry.name.lower() == own for folder in folders for entry in folder.iterdir() if entry.is_dir())
        except OSError:
            return False
    return is_archive(path) and _archive_holds(path, own)


def is_archive(path: Path) -> bool:
    """Whether a regular file begins like a tar archive, once unpacked."""
    try:
        if not path.is_file():  # a pipe can be read only once
            return False
        with open_bytes(path) as stream:
            next(iter(TarStream(stream, str(path))), None)
            return True
    except InputError:
        return False


def topic_folders(path: Path, shape: Shape) -> Iterator[TopicFiles]:
    """The topics of a folder or an archive, one at a time.

    Args:
        path: a topic's folder, a folder of topics, or an archive of either; `-` is an archive on standard input.
        shape: what a topic's folder looks like.

    Raises:
        InputError: the path cannot be read at all, or an archive ends in the middle; what came before has been yielded.
    """
    if not path.is_dir():
        with open_bytes(path) as stream:
            yield from archived(stream, "standard input" if str(path) == "-" else str(path), shape)
        return
    entries = _entries(path)
    if any(entry.name.lower() in shape.parts for entry in entries):
        yield _from_folder(path, shape)
        return
    folders = [entry for entry in entries if not entry.name.startswith(".") and _is_folder(entry)]
    if not folders:
        raise InputError(f"no topic in this folder; folders with {shape} were expected in it", path)
    for entry in folders:
        yield _from_folder(path / entry.name, shape)


def _from_folder(path: Path, shape: Shape) -> TopicFiles:
    files = TopicFiles(path.name if path.name not in ("", "..") else path.resolve().name, str(path))
    try:
        root = path.resolve(strict=True)
        for entry in _entries(path):
            if entry.name.lower() in shape.parts and _is_folder(entry):
                for file in _entries(path / entry.name):
                    _take(files, root, path / entry.name / file.name, entry.name)
            elif shape.beside and shape.beside.fullmatch(entry.name):
                _take(files, root, path / entry.name, "")
        if not files.parts:
            message = f"no topic: no files in folders named {shape}; move what is no topic out of the folder of topics"
            raise InputError(message, path)
    except InputError as error:
        files.fail(error)
    except OSError as error:
        files.fail(unreadable(path, error))
    return files


def _take(files: TopicFiles, root: Path, file: Path, folder: str) -> None:
    """Reads one entry of a part."""
    if file.name.startswith("."):
        return
    _check_name(file.name, file)
    try:
        if not file.resolve(strict=True).is_relative_to(root):
            raise InputError("a link that leads out of the topic; put a copy of the file here", file)
        mode = file.stat().st_mode
    except FileNotFoundError:
        raise InputError("a link that leads nowhere; put the file here", file) from None
    except RuntimeError:
        # A loop of links is one until Python 3.13.
        raise InputError("a link that leads to itself; put the file here", file) from None
    except OSError as error:
        raise unreadable(file, error) from None
    if stat.S_ISDIR(mode):
        files.warnings.append(f"{file}: a folder, not read")
        return
    if not stat.S_ISREG(mode):
        raise InputError("a device or a pipe; a file was expected", file)
    files.add(folder, file.name, _contents(file))


def _contents(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_TEXT + 1)
    except OSError as error:
        raise unreadable(file, error) from None
    if len(data) > MAX_TEXT:
        raise _too_long(file)
    return data


def _too_long(place: str | Path) -> InputError:
    return InputError(f"more than {MAX_TEXT // 2**20} MB; a text of a topic was expected", place)


def _check_name(name: str, place: str | Path) -> None:
    if why := unsafe_name(name):
        raise InputError(f"the name of a file {why}; rename it", place)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        raise unreadable(folder, error) from None


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _archive_holds(path: Path, own: str) -> bool:
    try:
        with open_bytes(path) as stream:
            size = 0
            for number, member in enumerate(TarStream(stream, str(path))):
                if own in {part.lower() for part in PurePosixPath(member.name).parts}:
                    return True
                size += member.size
                if number > _LOOK or size > BUFFER:
                    break
    except InputError:
        pass
    return False


def archived(stream: BinaryIO, place: str, shape: Shape) -> Iterator[TopicFiles]:
    """The topics of a tar archive, as its members stream by.

    Args:
        stream: the archive, gzip unpacked already.
        place: what to call it in messages.
        shape: what a topic's folder looks like.

    Raises:
        InputError: see `topic_folders`.
    """
    archive = TarStream(stream, place)
    box = _Box(place, shape)
    try:
        for member in archive:
            yield from box.take(archive, member)
    except InputError as error:
        yield from box.rest(but=box.last)
        lost = f"; the topic {box.last} and what comes after it are lost" if box.last else ""
        raise InputError(error.message + lost, error.file, error.line) from None
    yield from box.rest()
    yield from box.without_files()
    if not box.done:
        raise InputError(f"no topic in this archive; folders with {shape} were expected in it", place)


class _Box:
    """Topics of an archive whose members are still coming."""

    def __init__(self, place: str, shape: Shape) -> None:
        self._place, self._shape = place, shape
        self._open: dict[str, TopicFiles] = {}
        self._size = 0
        self._empty: set[str] = set()
        self.done = Seen()
        self.last = ""

    def take(self, archive: TarStream, member: Member) -> Iterator[TopicFiles]:
        """Takes a member in; yields the topics that have to make room."""
        path = PurePosixPath(member.name)
        if path.is_absolute() or ".." in path.parts:
            message = f"the member {member.name!r} has an absolute path or `..`; pack the topics by relative paths"
            raise InputError(message, self._place)
        if member.size > MAX_MEMBER:
            message = f"the member {member.name!r} has {member.size // 2**20} MB; texts of topics were expected"
            raise InputError(message, self._place)
        self._note_folder(path, member)
        belongs = self._shape.place_of(path)
        if not belongs or member.kind == "folder" or path.name.startswith("."):
            return
        folder, part = belongs
        files = self._topic(folder)
        before = files.size
        if files.error is None:
            self._add(files, archive, member, part)
        self._size += files.size - before
        while len(self._open) > 1 and (self._size > BUFFER or len(self._open) > _MAX_OPEN):
            yield self._close(next(key for key in self._open if key != self.last))

    def rest(self, but: str = "") -> Iterator[TopicFiles]:
        """The topics that are left, without one that is not complete."""
        for key in list(self._open):
            files = self._close(key)
            if not but or key != but:
                yield files

    def _close(self, key: str) -> TopicFiles:
        files = self._open.pop(key)
        self._size -= files.size
        self.done.add(key)
        return files

    def _topic(self, folder: PurePosixPath) -> TopicFiles:
        key = str(folder)
        self.last = key
        if key in self.done:
            raise InputError("its files stand far apart in the archive; pack folder by folder", f"{self._place}/{key}")
        if key not in self._open:
            place = self._place if key == "." else f"{self._place}/{key}"
            self._open[key] = TopicFiles(folder.name or _stem(self._place), place)
        return self._open[key]

    def _add(self, files: TopicFiles, archive: TarStream, member: Member, part: str) -> None:
        name = PurePosixPath(member.name).name
        place = f"{self._place}/{member.name}"
        try:
            if member.kind == "link":
                raise InputError("a link; pack the file itself (tar --dereference --hard-dereference)", place)
            if member.kind == "other":
                raise InputError("a device or a pipe; a file was expected", place)
            _check_name(name, place)
            if name in files.parts.get(part, {}):
                raise InputError("stands twice in the archive; pack it once", place)
            if member.size > MAX_TEXT:
                raise _too_long(place)
        except InputError as error:
            files.fail(error)
            return
        data = archive.read()
        try:
            files.add(part, name, data)
        except InputError as error:
            files.fail(error)

    def _note_folder(self, path: PurePosixPath, member: Member) -> None:
        self._empty.difference_update(str(folder) for folder in path.parents)
        is_topic = member.kind == "folder" and path.parts and path.name.lower() not in self._shape.parts
        if is_topic and not path.name.startswith(".") and len(self._empty) < MAX_FILES:
            self._empty.add(str(path))

    def without_files(self) -> Iterator[TopicFiles]:
        """The folders that nothing was in, once the archive is at its end."""
        for key in sorted(self._empty):
            self.done.add(key)
            error = InputError("no topic: an empty folder; pack its files, or leave it out", f"{self._place}/{key}")
            yield TopicFiles(PurePosixPath(key).name, self._place, error=error)


def _stem(place: str) -> str:
    name = PurePosixPath(place).name
    for ending in (".gz", ".tgz", ".tar"):
        name = name.removesuffix(ending)
    return name
