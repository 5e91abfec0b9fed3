"""Runs of TAC 2014 Task 2: a directory SYSX1 with one file per topic, and the same as SYSX1.tar.gz.

The directory is named by team id and run number. It contains one UTF-8 file of at most 250 words for each topic, even
if empty, named exactly like the topic, without extension. Archives are reproducible byte for byte: members are sorted
and have no times, owners or compressor metadata.
"""

import gzip
import os
import stat
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from ilpsum.errors import InputError
from ilpsum.files.reading import MAX_TEXT, Member, decode, members, open_bytes, read_bytes, real, unsafe_name
from ilpsum.formats import read_topics
from ilpsum.formats.registry import FORMATS, RUN_ID, Finding, Paths
from ilpsum.formats.writing import PROVENANCE, FormatWriter
from ilpsum.records import Summary

WORDS = FORMATS["tac"].words

# The task's page allows two runs in one place and five in another.
_UNDISPUTED_RUNS = "12"


class TacWriter(FormatWriter):
    """Writes OUT/NAME/ and OUT/NAME.tar.gz; the name is a team id and a run number, like `SYSX1`."""

    @staticmethod
    def refusal(name: str) -> str:
        """Return why a run's name is invalid, or an empty string."""
        if RUN_ID.fullmatch(name):
            return ""
        return f"{name!r} is not the name of a run; expected a team id of letters and digits and a run number 1-5"

    @property
    def targets(self) -> tuple[str, ...]:
        """The directory and its archive."""
        return self.name, f"{self.name}.tar.gz"

    def prepare(self, folder: Path, opened: ExitStack) -> None:  # noqa: ARG002  # no file stays open
        """Make the directory."""
        self._folder = folder / self.name
        self._folder.mkdir()

    @classmethod
    def answer(cls, name: str, summary: Summary) -> bytes:  # noqa: ARG003  # files do not name the run
        """Return the topic's file."""
        text = summary.text.strip("\n")
        return (text + "\n").encode("utf-8", "replace") if text else b""

    def put(self, topic: str, answer: bytes, *, failed: bool = False) -> None:  # noqa: ARG002  # a later one overwrites it
        """Write the topic's file."""
        if why := unsafe_name(topic):
            raise InputError(f"the topic {topic!r} {why}, so it cannot name a file; rename the topic")
        (self._folder / topic).write_bytes(answer)

    def finish(self) -> None:
        """Pack the archive."""
        with self._folder.with_name(f"{self.name}.tar.gz").open("xb") as raw:
            _pack(self._folder, raw)

    @staticmethod
    def texts(path: Path) -> Iterator[tuple[str, str, str]]:
        """Yield the summaries of a run's directory or archive."""
        for name, data in _entries(path) if path.is_dir() else _members(path):
            text, warning = decode(data)
            yield name, text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"), warning


def _entries(folder: Path) -> Iterator[tuple[str, bytes]]:
    entries = [entry for entry in sorted(folder.iterdir()) if not entry.name.startswith(".")]
    runs = [entry.name for entry in entries if entry.is_dir()]
    runs += [entry.name.removesuffix(PROVENANCE) for entry in entries if entry.name.endswith(PROVENANCE)]
    if runs:
        names = ", ".join(sorted(set(runs))[:5])
        raise InputError(f"a folder of runs, not a run; name one of them ({names})", folder)
    return ((entry.name, read_bytes(entry)) for entry in entries)


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    with open_bytes(archive) as stream:
        for member, data in members(stream, str(archive), MAX_TEXT):
            name = PurePosixPath(member.name).name
            if member.kind == "folder" or name.startswith("."):
                continue
            if member.kind != "file" or member.size > MAX_TEXT:
                what = "a link, a device or an endless file; expected the text of a summary"
                raise InputError(f"{member.name}: {what}", archive)
            yield name, data


def _pack(folder: Path, raw: BinaryIO) -> None:
    """Pack a directory reproducibly: equal files give equal bytes."""
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        top = tarfile.TarInfo(folder.name)
        top.type, top.mode = tarfile.DIRTYPE, 0o755
        tar.addfile(top)
        for path in sorted(folder.iterdir()):
            data = path.read_bytes()
            member = tarfile.TarInfo(f"{folder.name}/{path.name}")
            member.size, member.mode = len(data), 0o644
            tar.addfile(member, BytesIO(data))


def check(path: Path, *, topics: Paths | None = None) -> list[Finding]:
    """Return the errors and warnings of a Task 2 run: a directory with its archive beside it.

    The ids of `topics`, in any format of `read_topics`, are the expected file names. Raises as `Format.check` does.
    """
    if not os.path.lexists(path):
        raise InputError("no such run; expected a directory like OUT/SYSX1", path)
    names = None if topics is None else sorted({topic.id for topic in read_topics(topics)})
    findings, name = [], real(path).name
    if message := TacWriter.refusal(name):
        findings.append(Finding(str(path), message))
    elif name[-1] not in _UNDISPUTED_RUNS:
        message = f"run {name[-1]}: the task's page allows two runs in one place, five in another"
        findings.append(Finding(str(path), message, warning=True))
    if path.is_symlink() or not path.is_dir():
        return [*findings, Finding(str(path), "is not a directory; expected a directory with one file a topic")]
    files, unreadable = _read_files(path)
    texts = (finding for name, data in files.items() for finding in _check_text(f"{path}/{name}", data))
    return [*findings, *unreadable, *texts, *_check_topics(path, files, names), *_check_archive(path, files)]


def _read_files(path: Path) -> tuple[dict[str, bytes], list[Finding]]:
    """Return the contents of a run's files by name, and findings about all other entries."""
    files: dict[str, bytes] = {}
    findings = []
    try:
        entries = sorted(path.iterdir(), key=lambda entry: entry.name)
    except OSError as error:
        return {}, [Finding(str(path), f"cannot be read ({error.strerror})")]
    for entry in entries:
        mode, place = entry.lstat().st_mode, str(entry).encode("utf-8", "backslashreplace").decode()
        if not stat.S_ISREG(mode):
            kind = "a directory" if stat.S_ISDIR(mode) else "a link" if stat.S_ISLNK(mode) else "not a file"
            findings.append(Finding(place, f"is {kind}; a run contains only files"))
            continue
        try:
            with entry.open("rb") as stream:
                files[entry.name] = stream.read(MAX_TEXT)
        except OSError as error:
            findings.append(Finding(place, f"cannot be read ({error.strerror})"))
    return files, findings


def _check_text(place: str, data: bytes) -> Iterator[Finding]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        yield Finding(f"{place}:{line}", f"is not UTF-8 at byte {error.start}")
        return
    if text.startswith("\ufeff"):
        yield Finding(f"{place}:1", "begins with a byte order mark; expected plain UTF-8")
    for character, message in (("\0", "contains a NUL character"), ("\r", "contains a CR; expected LF line ends")):
        if character in text:
            line = text.count("\n", 0, text.index(character)) + 1
            yield Finding(f"{place}:{line}", message, warning=character == "\r")
    words = text.split()
    if len(words) > WORDS:
        yield Finding(f"{place}:{_line_of_word(text, WORDS)}", f"has {len(words)} words; at most {WORDS} are allowed")
    if not words:
        yield Finding(place, "is empty: the topic has no summary", warning=True)


def _line_of_word(text: str, index: int) -> int:
    """Return the 1-based line number of the word at a 0-based index."""
    for number, line in enumerate(text.split("\n"), 1):
        index -= len(line.split())
        if index < 0:
            return number
    return 1


def _check_topics(path: Path, files: dict[str, bytes], names: list[str] | None) -> Iterator[Finding]:
    if names is None:
        for name in files:
            if PurePosixPath(name).suffix or name.startswith("."):
                yield Finding(f"{path}/{name}", "has an extension; expected the topic's name exactly")
        if not files:
            yield Finding(str(path), "is empty; expected one file a topic")
        return
    for name in names:
        if name not in files:
            yield Finding(f"{path}/{name}", "is missing; every topic needs a file, even if empty")
    for name in sorted(files.keys() - set(names)):
        stem = PurePosixPath(name).stem
        what = f"; the file of {stem} must have no extension" if stem in names else ""
        yield Finding(f"{path}/{name}", f"is not a topic{what}")


def _check_archive(path: Path, files: dict[str, bytes]) -> Iterator[Finding]:
    """Yield the findings about the archive beside the directory, which must have the same content."""
    name = real(path).name
    archive = real(path).parent / f"{name}.tar.gz"
    if not archive.is_file():
        yield Finding(str(archive), "is missing; the directory is submitted as this archive")
        return
    with archive.open("rb") as raw:
        compressed = raw.read(2) == b"\x1f\x8b"
    if not compressed:
        yield Finding(str(archive), "is not compressed with gzip")
        return
    packed: set[str] = set()
    try:
        with open_bytes(archive) as stream:
            for member, data in members(stream, str(archive), MAX_TEXT):
                if message := _member_error(member, name, files, packed, data):
                    yield Finding(f"{archive}: {member.name}", message)
                packed.add(PurePosixPath(member.name).name)
    except InputError as error:
        yield Finding(str(archive), error.message)
        return
    for missing in sorted(files.keys() - packed):
        yield Finding(f"{archive}: {name}/{missing}", "is missing; pack the directory again")


def _member_error(member: Member, name: str, files: dict[str, bytes], packed: set[str], data: bytes) -> str:
    """Return the error of an archive member, or an empty string."""
    if member.kind == "folder" and member.name.strip("/") == name:
        return ""
    topic = member.name.removeprefix(f"{name}/")
    if member.kind != "file":
        return f"is a {member.kind}; the archive may contain only {name}/TOPIC files"
    if member.name != f"{name}/{topic}" or "/" in topic:
        return f"is not at {name}/TOPIC"
    if topic in packed:
        return "appears twice"
    if topic not in files:
        return "is not in the directory"
    if data != files[topic]:
        return "differs from the file in the directory; pack the directory again"
    return ""
