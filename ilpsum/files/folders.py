"""Topics stored as folders of files: one topic folder, or a folder of topics.

Topics are yielded one at a time, before they are read, so that another process can read them. The
rules:

- A part is a subfolder that the format names (`Annotation`, ...), in any case. Its regular files
  are read, except hidden ones; its subfolders are not.
- In a folder of topics every visible folder is a topic; one without parts is a broken topic, so
  that a topic with missing files is not skipped silently. These folders may be links.
- A topic is broken by a link that leads outside, a device, a pipe, a file of more than
  `LONGEST_TEXT` bytes, more than `MAX_FILES` files, or more than `MAX_TOPIC` bytes in total.
- An archive of topics is refused: it must be unpacked first.
"""

import io
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ilpsum.errors import InputError
from ilpsum.files.reading import LONGEST_TEXT, members, open_file, real, unreadable, unsafe_name
from ilpsum.files.start import Start

MAX_DEPTH = 100
"""Maximum depth of folders below one that is named."""

MAX_FILES = 5000
MAX_TOPIC = 256 * 2**20
# Folders of processes and devices, not of files; they link to all others.
_SYSTEM = re.compile(r"/(proc|sys)(/|\Z)")

Entry = tuple[str, str, bytes | InputError]
"""A file of a topic: its part, its name, and its content, or why it breaks the topic."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Layout of a topic folder: lower-case names of its parts, and a pattern of files beside them
    (the part "").
    """

    parts: frozenset[str]
    beside: re.Pattern[str] | None = None

    def place_of(self, file: PurePosixPath) -> tuple[PurePosixPath, str] | None:
        """Return the topic folder and part folder ("" for none) of a file; None if it belongs to no
        topic.
        """
        folder = file.parent
        if folder.name.lower() in self.parts:
            return folder.parent, folder.name
        is_beside = self.beside and self.beside.fullmatch(file.name)
        return (folder, "") if is_beside else None

    def __str__(self) -> str:
        return ", ".join(sorted(self.parts))


@dataclass(slots=True)
class TopicFiles:
    """The files of one topic.

    Attributes:
        place: path for messages.
        parts: contents of each part's files by file name, keyed by the name of the part's folder.
        error: why the topic cannot be read, if so; the parts are then empty.
        shape: the layout if the folder has not been read yet; else None.
    """

    name: str
    place: str
    parts: dict[str, dict[str, bytes]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    error: InputError | None = None
    shape: Shape | None = None

    def read(self) -> "TopicFiles":
        """Read the topic's files; return itself if already read."""
        if self.shape is None:
            return self
        files = TopicFiles(self.name, self.place)
        files.fill(_in_folder(Path(self.place), self.shape, files.warnings))
        if not (files.parts or files.error):
            what = f"no topic: no files in folders named {self.shape}"
            advice = "move other folders out of the folder of topics"
            files.error = InputError(f"{what}; {advice}", self.place)
        return files

    def texts(self, part: str) -> Iterator[tuple[str, bytes]]:
        """Yield path and bytes of each file of a part (lower-case name), sorted by name."""
        for folder, files in sorted(self.parts.items()):
            if folder.lower() == part:
                for file, data in sorted(files.items()):
                    yield self._place(folder, file), data

    def fill(self, entries: Iterable[Entry]) -> None:
        """Add files; the first that breaks the topic is its error, and frees its texts."""
        size = 0
        for count, (part, name, data) in enumerate(entries, 1):
            place = self._place(part, name)
            if isinstance(data, InputError):
                self.error, data = data, b""
            elif why := unsafe_name(name):
                self.error = InputError(f"the name of this file {why}; rename it", place)
            elif len(data) > LONGEST_TEXT:
                most = f"more than {LONGEST_TEXT // 2**20} MB"
                self.error = InputError(f"expected a text of a topic, got {most}", place)
            elif (size := size + len(data)) > MAX_TOPIC or count > MAX_FILES:
                most = f"more than {MAX_TOPIC // 2**20} MB or {MAX_FILES} files"
                self.error = InputError(f"expected the texts of one topic, got {most}", self.place)
            if self.error:
                self.parts.clear()
                return
            self.parts.setdefault(part, {})[name] = data

    def _place(self, part: str, name: str) -> str:
        return "/".join(filter(None, (self.place, part, name)))


def walk(folder: Path, *, leaves: bool = True) -> Iterator[tuple[Path, list[str], list[str]]]:
    """Yield `folder` and each folder below it, with the sorted names of its subfolders and files.

    Symbolic links are followed. A folder reached twice, for example by a loop of links, is listed
    under both names but entered once, and without `leaves` one outside of `folder` is not entered.
    `InputError` if folders are nested more than `MAX_DEPTH` deep, or `folder` is in `_SYSTEM`;
    folders there are skipped.
    """
    root, depth = os.path.realpath(folder), len(folder.parts)
    if _SYSTEM.match(root):
        raise InputError("a folder of the system; expected a folder of files", folder)
    entered = {root}
    for place, folders, files in os.walk(folder, followlinks=True):
        folders.sort()
        if len(Path(place).parts) - depth > MAX_DEPTH:
            raise InputError(f"folders nested more than {MAX_DEPTH} deep; move them up", folder)
        yield Path(place), list(folders), sorted(files)
        below = []
        for name in folders:
            path = os.path.realpath(Path(place, name))
            leads_out = not (leaves or Path(path).is_relative_to(root))
            if not (path in entered or leads_out or _SYSTEM.match(path)):
                entered.add(path)
                below.append(name)
        folders[:] = below


def holds(start: Start, part: str) -> bool:
    """Return whether a path is a topic folder or a folder of topics, recognised by the part
    `part`.
    """
    with suppress(OSError):
        below = (*start.path.glob("*/"), *start.path.glob("*/*/"))
        return any(folder.name.lower() == part for folder in below)
    return False


def is_archive(start: Start) -> bool:
    """Return whether a regular file, possibly gzipped, starts like a tar archive."""
    with suppress(InputError):
        next(members(io.BytesIO(start.data), "", 0), None)
        return True
    return False


def topic_folders(path: Path, shape: Shape) -> Iterator[TopicFiles]:
    """Yield the topics of a topic folder or a folder of topics, one at a time, not read yet
    (`TopicFiles.read`).

    `InputError` if the path is no folder, or cannot be read.
    """
    if not path.is_dir():
        with open_file(path):
            raise InputError(f"expected a folder of topics with {shape}; unpack archives", path)
    try:
        inside = sorted(path.iterdir())
    except OSError as error:
        raise unreadable(path, error) from None
    topics = [path]
    if not any(entry.name.lower() in shape.parts for entry in inside):
        visible = (entry for entry in inside if not entry.name.startswith("."))
        topics = [folder for folder in visible if folder.is_dir()]
    if not topics:
        raise InputError(f"no topics in this folder; expected folders with {shape}", path)
    for topic in topics:
        name = topic.name if topic.name not in ("", "..") else real(topic).name
        yield TopicFiles(name, str(topic), shape=shape)


def _in_folder(path: Path, shape: Shape, warnings: list[str]) -> Iterator[Entry]:
    """Yield the files of a topic folder; collects warnings."""
    root = real(path)
    try:
        for entry in sorted(path.iterdir()):
            for file in sorted(entry.iterdir()) if entry.is_dir() else [entry]:
                belongs = shape.place_of(PurePosixPath(file.relative_to(path)))
                if belongs and not file.name.startswith("."):
                    yield from _in_part(root, file, belongs[1], warnings)
    except InputError as error:
        yield "", "", error
    except OSError as error:
        yield "", "", unreadable(error.filename or path, error)


def _in_part(root: Path, file: Path, part: str, warnings: list[str]) -> Iterator[Entry]:
    if not (file.exists() and real(file).is_relative_to(root)):
        raise InputError("a link that leads outside the topic or nowhere; copy the file here", file)
    if file.is_dir():
        warnings.append(f"{file}: skipped a folder")
        return
    with open_file(file) as stream:
        yield part, file.name, stream.read(LONGEST_TEXT + 1)
