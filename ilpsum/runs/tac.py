"""Runs of TAC 2014 Task 2: a directory SYSX1 with a file a topic, and the same as SYSX1.tar.gz.

The directory's name is the team id followed by the run's number. In it stands one UTF-8 file for each topic, named
exactly as the topic, without extension, there even when empty, 250 words at most. The archive is the same byte for byte
whenever the texts are: its members are sorted and carry no times, owners or compressor's marks.
"""

import gzip
import os
import re
import shutil
import stat
import tarfile
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path, PurePosixPath

from ilpsum.corpora import read_topics
from ilpsum.errors import InputError, UsageError
from ilpsum.io.files import MAX_TEXT, open_bytes
from ilpsum.io.names import unsafe_name
from ilpsum.io.tar import Member, TarStream
from ilpsum.records import RunSettings, Summary
from ilpsum.runs.formats import FORMATS, Finding
from ilpsum.runs.writer import RunWriter

WORDS = FORMATS["tac"].words

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*[0-9]")
_RUNS = "12345"
# The task's page names two runs in one place and up to five in another.
_SURE_RUNS = "12"


class TacWriter(RunWriter):
    """Writes OUT/NAME/, OUT/NAME.tar.gz and OUT/NAME.provenance.jsonl.

    Args:
        out: the folder that takes the run.
        name: team id and run number in one, as `SYSX1`.
        force: replace a run of this name.
        resume: go on with a run of this name.
        settings: as of `RunWriter`.

    Raises:
        UsageError: the name is none for a run; or as `RunWriter`.
    """

    def __init__(
        self,
        out: str | Path,
        name: str,
        *,
        force: bool = False,
        resume: bool = False,
        settings: Sequence[RunSettings] = (),
    ) -> None:
        if wrong := _wrong_name(name):
            raise UsageError(wrong)
        super().__init__(out, name, force=force, resume=resume, settings=settings)

    @property
    def targets(self) -> tuple[str, ...]:
        """The directory and its archive."""
        return self.name, f"{self.name}.tar.gz"

    @property
    def _topics(self) -> Path:
        return self.folder / self.name

    def _prepare(self) -> None:
        self._topics.mkdir(exist_ok=True)
        for entry in self._topics.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            elif entry.name not in self.finished:
                entry.unlink()

    @classmethod
    def _answer(cls, name: str, summary: Summary) -> bytes:  # noqa: ARG003  # the files of every run are alike
        text = summary.text.strip("\n")
        return (text + "\n").encode("utf-8", "replace") if text else b""

    def _put(self, topic: str, answer: bytes, *, failed: bool = False) -> None:  # noqa: ARG002  # written over later
        if why := unsafe_name(topic):
            raise InputError(f"the topic {topic!r} {why}: its file cannot be called so; rename the topic")
        (self._topics / topic).write_bytes(answer)

    def _still_there(self, summary: Summary) -> bool:
        file = self._topics / summary.topic
        if unsafe_name(summary.topic) or not file.is_file():
            return False
        return file.read_bytes() == self._answer(self.name, summary)

    def _finish(self) -> None:
        _pack(self._topics, self.folder / f"{self.name}.tar.gz")


def _wrong_name(name: str) -> str:
    if not _NAME.fullmatch(name) or name[-1] not in _RUNS:
        return f"{name!r} does not name a run: a team id of letters and digits and a run number 1-5 were expected"
    return ""


def _pack(folder: Path, archive: Path) -> None:
    """Packs a directory, the same bytes for the same files."""
    with (
        archive.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        top = tarfile.TarInfo(folder.name)
        top.type, top.mode = tarfile.DIRTYPE, 0o755
        tar.addfile(top)
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            data = file.read_bytes()
            member = tarfile.TarInfo(f"{folder.name}/{file.name}")
            member.size, member.mode = len(data), 0o644
            tar.addfile(member, BytesIO(data))


def check(path: Path, *, topics: Path | None = None, pmids: Path | None = None) -> list[Finding]:
    """The faults of a run of Task 2.

    Args:
        path: the run's directory; its archive is looked for beside it.
        topics: the topics, for the names that the run must have: anything that `read_topics` reads.
        pmids: not for this format.

    Raises:
        InputError: there is no such run, or the topics cannot be read.
        UsageError: PMIDs were given.
    """
    if pmids is not None:
        raise UsageError("--pmids is for runs that cite PMIDs; a run of Task 2 does not")
    path = Path(path)
    if not os.path.lexists(path):
        raise InputError("no such run; name its directory (OUT/SYSX1)", path)
    names = None if topics is None else sorted({topic.id for topic in read_topics([topics])})
    findings = _check_name(path)
    if path.is_symlink() or not path.is_dir():
        return [*findings, Finding(str(path), "is no directory; a run is a directory with a file for each topic")]
    files, found = _read_files(path)
    findings += found
    for name, data in files.items():
        findings += _check_text(f"{path}/{name}", data)
    findings += _check_topics(path, files, names)
    findings += _check_archive(path, files)
    return findings


def _check_name(path: Path) -> list[Finding]:
    name = path.resolve().name
    if wrong := _wrong_name(name):
        return [Finding(str(path), wrong)]
    if name[-1] not in _SURE_RUNS:
        return [
            Finding(str(path), f"run {name[-1]}: the task's page allows two runs in one place, five in another", True)
        ]
    return []


def _read_files(path: Path) -> tuple[dict[str, bytes], list[Finding]]:
    """The files of a run and what else lies in it."""
    files: dict[str, bytes] = {}
    findings = []
    try:
        entries = sorted(path.iterdir(), key=lambda entry: entry.name)
    except OSError as error:
        return {}, [Finding(str(path), f"cannot be read ({error.strerror})")]
    for entry in entries:
        mode = entry.lstat().st_mode
        if not stat.S_ISREG(mode):
            kind = "a directory" if stat.S_ISDIR(mode) else "a link" if stat.S_ISLNK(mode) else "no file"
            findings.append(Finding(_printed(entry), f"is {kind}; only files stand in a run"))
            continue
        try:
            with entry.open("rb") as stream:
                files[entry.name] = stream.read(MAX_TEXT)
        except OSError as error:
            findings.append(Finding(_printed(entry), f"cannot be read ({error.strerror})"))
    return files, findings


def _check_text(place: str, data: bytes) -> Iterator[Finding]:
    """What is wrong with the text of one topic."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        yield Finding(f"{place}:{line}", f"is not UTF-8 at byte {error.start}")
        return
    if text.startswith("\ufeff"):
        yield Finding(f"{place}:1", "begins with a byte order mark; plain UTF-8 was expected")
    for character, name in (("\0", "a NUL"), ("\r", "a CR")):
        if character in text:
            line = text.count("\n", 0, text.index(character)) + 1
            yield Finding(f"{place}:{line}", f"holds {name} character; lines end with LF", warning=character == "\r")
    words = text.split()
    if len(words) > WORDS:
        yield Finding(f"{place}:{_line_of_word(text, WORDS)}", f"has {len(words)} words; {WORDS} at most are allowed")
    if not words:
        yield Finding(place, "is empty: the topic has no summary", warning=True)


def _line_of_word(text: str, index: int) -> int:
    """The line on which a word stands, counted from 0 over the text."""
    for number, line in enumerate(text.split("\n"), 1):
        index -= len(line.split())
        if index < 0:
            return number
    return 1


def _check_topics(path: Path, files: dict[str, bytes], names: list[str] | None) -> Iterator[Finding]:
    """Whether the files are those of the topics."""
    if names is None:
        for name in files:
            if PurePosixPath(name).suffix or name.startswith("."):
                yield Finding(f"{path}/{name}", "has an extension; a file is named exactly as its topic")
        if not files:
            yield Finding(str(path), "is empty; a file for each topic was expected")
        return
    for name in names:
        if name not in files:
            yield Finding(f"{path}/{name}", "is missing; every topic has a file, an empty one if need be")
    for name in sorted(files.keys() - set(names)):
        stem = PurePosixPath(name).stem
        what = f"; the file of {stem} has no extension" if stem in names else ""
        yield Finding(f"{path}/{name}", f"is no topic{what}")


def _check_archive(path: Path, files: dict[str, bytes]) -> Iterator[Finding]:
    """Whether the archive beside the directory holds the same."""
    name = path.resolve().name
    archive = path.resolve().parent / f"{name}.tar.gz"
    if not archive.is_file():
        yield Finding(str(archive), "is missing; the directory is handed in as this archive")
        return
    with archive.open("rb") as raw:
        compressed = raw.read(2) == b"\x1f\x8b"
    if not compressed:
        yield Finding(str(archive), "is not compressed by gzip")
        return
    packed: set[str] = set()
    try:
        with open_bytes(archive) as stream:
            reader = TarStream(stream, str(archive))
            for member in reader:
                if message := _wrong_member(member, name, files, packed, reader):
                    yield Finding(f"{archive}: {member.name}", message)
                packed.add(PurePosixPath(member.name).name)
    except InputError as error:
        yield Finding(str(archive), error.message)
        return
    for missing in sorted(files.keys() - packed):
        yield Finding(f"{archive}: {name}/{missing}", "is missing; pack the directory again")


def _wrong_member(member: Member, name: str, files: dict[str, bytes], packed: set[str], reader: TarStream) -> str:
    """What is wrong with a member of the archive, empty if nothing is."""
    if member.kind == "folder" and member.name.strip("/") == name:
        return ""
    topic = member.name.removeprefix(f"{name}/")
    if member.kind != "file":
        return f"is a {member.kind}; only {name}/TOPIC files stand in the archive"
    if member.name != f"{name}/{topic}" or "/" in topic:
        return f"stands elsewhere than {name}/TOPIC"
    if topic in packed:
        return "stands twice"
    if topic not in files:
        return "is not in the directory"
    if member.size != len(files[topic]) or reader.read() != files[topic]:
        return "differs from the file in the directory; pack the directory again"
    return ""


def _printed(path: Path) -> str:
    return str(path).encode("utf-8", "backslashreplace").decode()
