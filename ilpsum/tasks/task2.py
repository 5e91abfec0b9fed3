"""Runs of TAC 2014 Task 2: a directory SYSX1 with one file per topic, and the same as SYSX1.tar.gz.

The directory is named by team id and run number. It contains one UTF-8 file of at most 250 words
for each topic, even if empty, named exactly like the topic, without extension. Archives are
reproducible byte for byte: members are sorted and have no times, owners or compressor metadata.
"""

import gzip
import os
import re
import tarfile
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path, PurePosixPath

from ilpsum.errors import InputError, counted
from ilpsum.files.folders import is_archive
from ilpsum.files.reading import (
    MAX_TEXT,
    decode,
    decode_text,
    members,
    open_bytes,
    placed,
    read_bytes,
    unsafe_name,
)
from ilpsum.files.start import Start
from ilpsum.records import Summary
from ilpsum.tasks import read_topics, see
from ilpsum.tasks.registry import RUN_ID, Paths
from ilpsum.tasks.submissions import Finding, FormatWriter, no_such_run

WORDS = 250
# The task's text names the directory of a run of Task 2 by 1 or 2, and allows up to five runs.
_DOUBTFUL_RUNS = ("3", "4", "5")
# How topics of TAC and CL-SciSumm begin: D1401_TRAIN, C90-2039_TRAIN.
_TOPIC = re.compile(r"[A-Z]\d")
_MOST_NAMED = 3


class TacWriter(FormatWriter):
    """Writes OUT/NAME/ and OUT/NAME.tar.gz; the name is a team id and a run number, like
    `SYSX1`.
    """

    @staticmethod
    def refusal(name: str) -> str:
        """Return why a run's name is invalid, or an empty string."""
        if RUN_ID.fullmatch(name):
            return ""
        return (
            f"{name!r} is not the name of a run; expected a team id of letters and digits and "
            "a run number 1-5"
        )

    @property
    def targets(self) -> tuple[str, ...]:
        """The directory and its archive."""
        return self.name, f"{self.name}.tar.gz"

    def require(self, summary: Summary) -> None:
        """Raise `InputError` if the topic's id cannot name a file."""
        if why := unsafe_name(summary.topic):
            raise InputError(
                f"the topic {summary.topic!r} {why}, so it cannot name a file; rename the topic"
            )

    def answer(self, summary: Summary) -> bytes:
        """Return the topic's file."""
        text = summary.text.strip("\n")
        return (text + "\n").encode("utf-8", "replace") if text else b""

    def write(self, folder: Path, answers: Iterable[tuple[str, bytes]]) -> None:
        """Write the directory and pack it; equal files give equal bytes."""
        (folder / self.name).mkdir()
        for topic, answer in answers:
            (folder / self.name / topic).write_bytes(answer)
        with (
            (folder / f"{self.name}.tar.gz").open("xb") as raw,
            gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
        ):
            top = tarfile.TarInfo(self.name)
            top.type, top.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(top)
            for path in sorted((folder / self.name).iterdir()):
                data = path.read_bytes()
                member = tarfile.TarInfo(f"{self.name}/{path.name}")
                member.size, member.mode = len(data), 0o644
                tar.addfile(member, BytesIO(data))


def texts(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield topic, text and warning of each summary of a run's directory or archive."""
    for name, data in _files(path):
        text, warning = decode_text(data, f"{path}: {name}")
        text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        yield name, see.text_of(text), warning


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        for entry in sorted(path.iterdir()):
            if not entry.name.startswith("."):
                yield entry.name, read_bytes(entry)
        return
    with open_bytes(path) as stream:
        for member, data in members(stream, str(path), MAX_TEXT):
            name = PurePosixPath(member.name).name
            if member.isdir() or name.startswith("."):
                continue
            if not member.isreg() or member.size > MAX_TEXT:
                what = "a link, a device or an endless file; expected the text of a summary"
                raise InputError(f"{member.name}: {what}", path)
            yield name, data


def check(path: Path, *, topics: Paths | None = None) -> list[Finding]:
    """Return the errors and warnings of a Task 2 run: a directory with its archive beside it.

    The ids of `topics`, in any format of `read_topics`, are the expected file names. Raises as
    `Format.check` does.
    """
    if not os.path.lexists(path):
        raise no_such_run(path, "expected a directory like OUT/SYSX1")
    if is_archive(Start.of(path)):
        what = "is an archive; name the run's directory, whose archive is checked with it"
        return [Finding(str(path), what)]
    names = None if topics is None else {topic.id for topic in read_topics(topics)}
    findings = list(_check_name(path))
    if path.is_symlink() or not path.is_dir():
        what = "is not a directory; expected a directory with one file a topic"
        return [*findings, Finding(str(path), what)]
    files: dict[str, bytes] = {}
    try:
        for entry in sorted(path.iterdir()):
            place = str(entry).encode("utf-8", "backslashreplace").decode()
            if entry.is_symlink() or not entry.is_file():
                findings.append(Finding(place, "is not a file; a run contains only files"))
                continue
            with entry.open("rb") as stream:
                files[entry.name] = stream.read(MAX_TEXT)
            findings += _check_text(place, files[entry.name])
    except OSError as error:
        findings.append(Finding(str(error.filename), f"cannot be read ({error.strerror})"))
    return [*findings, *_check_names(path, files, names), *_check_archive(path, files)]


def _check_name(path: Path) -> Iterator[Finding]:
    name = placed(path).name
    if message := TacWriter.refusal(name):
        yield Finding(str(path), message)
    elif name[-1] in _DOUBTFUL_RUNS:
        what = "the task allows five runs, but names those of Task 2 by 1 or 2"
        yield Finding(str(path), f"run number {name[-1]}: {what}", warning=True)


def _check_text(place: str, data: bytes) -> Iterator[Finding]:
    text, recoded = decode(data)
    if recoded:
        yield Finding(place, f"is {recoded.partition(';')[0]}")
    if text.startswith("\ufeff"):
        yield Finding(place, "begins with a byte order mark; expected plain UTF-8")
    if "\0" in text:
        yield Finding(place, "contains a NUL character")
    words = len(text.split())
    if words > WORDS:
        yield Finding(place, f"has {words} words; at most {WORDS} are allowed")
    if not words:
        yield Finding(place, "is empty: the topic has no summary", warning=True)


def _check_names(path: Path, files: dict[str, bytes], names: set[str] | None) -> Iterator[Finding]:
    """Yield the findings about the names of files; without topics, only those with an extension are
    wrong.
    """
    if not files and not names:
        yield Finding(str(path), "is empty; expected one file a topic")
    for name in sorted((names or set()) - files.keys()):
        yield Finding(f"{path}/{name}", "is missing; every topic needs a file, even if empty")
    for name in files:
        has_extension = PurePosixPath(name).suffix or name.startswith(".")
        if has_extension if names is None else name not in names:
            what = "is not a topic; expected files named exactly as topics, without extension"
            yield Finding(f"{path}/{name}", what)
    others = [name for name in files if names is None and not _TOPIC.match(name)]
    if others:
        named = f"{', '.join(others[:_MOST_NAMED])}{', ...' if len(others) > _MOST_NAMED else ''}"
        what = f"{counted(len(others), 'file')} not named as topics of TAC are (D1401_TRAIN)"
        yield Finding(str(path), f"{what}: {named}; check the names with --topics", warning=True)


def _check_archive(path: Path, files: dict[str, bytes]) -> Iterator[Finding]:
    """Yield the findings about the archive beside the directory, which must have the same
    content.
    """
    name = placed(path).name
    archive = placed(path).parent / f"{name}.tar.gz"
    if not archive.is_file():
        yield Finding(str(archive), "is missing; the directory is submitted as this archive")
        return
    with archive.open("rb") as stream:
        is_packed = stream.read(2) == b"\x1f\x8b"
    if not is_packed:
        yield Finding(str(archive), "is not compressed with gzip")
        return
    expected = {f"{name}/{topic}": data for topic, data in files.items()}
    place = f"{name}/TOPIC"
    seen = set[str]()
    try:
        with open_bytes(archive) as packed:
            for member, data in members(packed, str(archive), MAX_TEXT):
                where = f"{archive}: {member.name}"
                if member.isdir() and member.name.strip("/") == name:
                    continue
                if not member.isreg():
                    yield Finding(where, f"is not a file; expected each file as {place}")
                elif member.name not in expected:
                    what = f"is not in the directory; expected each file as {place}"
                    yield Finding(where, f"{what}; pack the directory again")
                elif data != expected[member.name] or member.name in seen:
                    what = "differs from the directory, or is in it twice; pack it again"
                    yield Finding(where, what)
                seen.add(member.name)
    except InputError as error:
        yield Finding(str(archive), error.message)
        return
    for missing in sorted(expected.keys() - seen):
        yield Finding(f"{archive}: {missing}", "is missing; pack the directory again")
