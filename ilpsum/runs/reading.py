"""Files to runs: what systems wrote, for those who score, compare or show it.

A run of summaries is a directory with a file for each topic, the `.tar.gz` of one, a BioASQ submission, or JSON lines;
a run of links (TAC 2014, Task 1) is a file with a line for each citance. Which it is, its own look tells.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from ilpsum.corpora.annotation import Line
from ilpsum.corpora.bioasq import questions
from ilpsum.corpora.files import MAX_TEXT, decode, head, open_bytes, read_bytes, read_lines
from ilpsum.corpora.folders import is_archive
from ilpsum.corpora.tar import TarStream
from ilpsum.errors import InputError
from ilpsum.json_stream import read_json_lines, well_formed
from ilpsum.records import Facet, Span

_PROVENANCE = ".provenance.jsonl"
_ENDINGS = (".tar.gz", ".tgz", ".tar", ".json.gz", ".json", ".jsonl.gz", ".jsonl", ".txt")
_FIELDS = ("Topic ID", "Citance Number", "Reference Offset", "Reference Text", "Discourse Facet", "Run ID")
_NAMED = re.compile(rf"(?:{'|'.join(_FIELDS)})\s*:\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SummaryRun:
    """A system's summaries.

    Attributes:
        name: the run's name, from its file.
        texts: the summaries by their topics' ids; a newline ends a sentence or a paragraph.
        remarks: what is odd about it, each a line that names the place.
    """

    name: str
    texts: dict[str, str]
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Link:
    """What a system says of one citance: the spans that it cites, none if it found none, and their facets."""

    spans: tuple[Span, ...]
    facets: tuple[Facet, ...]


@dataclass(frozen=True, slots=True)
class LinkRun:
    """A system's links.

    Attributes:
        name: the run's name, from its file.
        links: by the topic's id and the citance's number.
        remarks: what is odd about it, each a line that names the place.
    """

    name: str
    links: dict[tuple[str, int], Link]
    remarks: list[str] = field(default_factory=list)


def read_run(path: str | Path) -> SummaryRun | LinkRun:
    """The run at a path.

    A topic or citance that stands twice counts as it stands first.

    Raises:
        InputError: there is nothing, it is no run, or it cannot be read.
    """
    path = Path(path)
    if path.is_dir():
        return _summaries(path, _files)
    if not path.exists():
        raise InputError(
            "no such run: a run directory, its .tar.gz, a .json, a .jsonl or a Task 1 file was expected", path
        )
    if is_archive(path):
        return _summaries(path, _members)
    begin = head(path).decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if begin.startswith("{"):
        return _summaries(path, _answers if re.search(r'"questions"\s*:\s*\[', begin) else _json_lines)
    if "|" in begin:
        return _links(path)
    raise InputError("not a run: a run directory, its .tar.gz, a .json, a .jsonl or a Task 1 file was expected", path)


def run_name(path: str | Path) -> str:
    """A run's name: that of its file or directory without the ending of its form.

    >>> run_name("out/SYSX1"), run_name("out/SYSX1.tar.gz"), run_name("out/SYSX1.json")
    ('SYSX1', 'SYSX1', 'SYSX1')
    """
    name = Path(path).resolve().name
    return next((name.removesuffix(ending) for ending in _ENDINGS if name.endswith(ending)), name)


def provenance_path(path: str | Path) -> Path:
    """Where the provenance of the run at a path stands, if it has one."""
    return Path(path).resolve().parent / f"{run_name(path)}{_PROVENANCE}"


def _summaries(path: Path, read: Callable[[Path], Iterator[tuple[str, str, str]]]) -> SummaryRun:
    """A run from a reader that yields topic, text and remark."""
    run = SummaryRun(run_name(path), {})
    for topic, text, remark in read(path):
        if remark:
            run.remarks.append(f"{path}: {topic}: {remark}")
        if topic in run.texts:
            run.remarks.append(f"{path}: {topic}: stands twice; the first counts")
        else:
            run.texts[topic] = text
    if not run.texts:
        raise InputError("no summaries in it; one for each topic was expected", path)
    return run


def _files(folder: Path) -> Iterator[tuple[str, str, str]]:
    entries = [entry for entry in sorted(folder.iterdir()) if not entry.name.startswith(".")]
    runs = [entry.name for entry in entries if entry.is_dir()]
    runs += [entry.name.removesuffix(_PROVENANCE) for entry in entries if entry.name.endswith(_PROVENANCE)]
    if runs:
        names = ", ".join(sorted(set(runs))[:5])
        raise InputError(f"holds other folders or runs and is no run itself; name one of those in it ({names})", folder)
    for entry in entries:
        yield entry.name, *_text(read_bytes(entry))


def _members(archive: Path) -> Iterator[tuple[str, str, str]]:
    with open_bytes(archive) as stream:
        members = TarStream(stream, str(archive))
        for member in members:
            name = PurePosixPath(member.name).name
            if member.kind == "folder" or name.startswith("."):
                continue
            if member.kind != "file" or member.size > MAX_TEXT:
                what = "a summary file was expected, no link, device or endless file"
                raise InputError(f"{member.name}: {what}; pack the run's own files", archive)
            yield name, *_text(members.read())


def _text(data: bytes) -> tuple[str, str]:
    """A file's text, with a remark if it is not UTF-8."""
    text, remark = decode(data)
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"), remark


def _answers(path: Path) -> Iterator[tuple[str, str, str]]:
    for item in questions(path):
        topic, answer = (
            item.value.get(key) if isinstance(item.value, dict) else None for key in ("id", "ideal_answer")
        )
        if isinstance(answer, list):
            answer = answer[0] if answer else ""
        if not isinstance(topic, str) or not isinstance(answer or "", str):
            raise InputError('a question with an "id" and an "ideal_answer" was expected', path, item.line)
        yield well_formed(topic), well_formed(answer or ""), "" if answer else "no ideal_answer"


def _json_lines(path: Path) -> Iterator[tuple[str, str, str]]:
    for line, value in read_json_lines(path):
        if isinstance(value, InputError):
            raise value
        topic, text = _member(value, "id", "topic"), _member(value, "summary", "text")
        if topic is None or text is None:
            raise InputError('an object with an "id" and a "summary" was expected', path, line)
        yield well_formed(topic), well_formed(text), ""


def _member(value: Any, *names: str) -> str | None:
    found = (value[name] for name in names if isinstance(value, dict) and isinstance(value.get(name), str))
    return next(found, None)


def _links(path: Path) -> LinkRun:
    run = LinkRun(run_name(path), {})
    for number, data in read_lines(path):
        text, remark = decode(data)
        if remark:
            run.remarks.append(f"{path}:{number}: {remark}")
        if not text.strip("\ufeff \t"):
            continue
        line = _task1_line(text, path, number)
        key, link = (line.text("Topic ID"), line.integer("Citance Number")), _link(line)
        if key in run.links:
            run.remarks.append(line.remark(f"topic {key[0]}, citance {key[1]} stands twice; the first counts"))
        else:
            run.links[key] = link
    if not run.links:
        raise InputError("no lines of Task 1 in it; one for each citance was expected", path)
    return run


def _task1_line(text: str, path: Path, number: int) -> Line:
    parts = [part.strip() for part in text.strip("\ufeff \t|").split("|")]
    if len(parts) < len(_FIELDS):
        expected = " | ".join(_FIELDS)
        raise InputError(f"{len(parts)} fields; `{expected}` was expected", path, number)
    # A bar within the reference text belongs to it: the other fields are counted from both ends.
    parts = [*parts[:3], " | ".join(parts[3:-2]), *parts[-2:]]
    values = [_NAMED.sub("", part, count=1) if _NAMED.match(part) else part for part in parts]
    return Line(str(path), number, dict(zip(_FIELDS, values, strict=True)))


def _link(line: Line) -> Link:
    spans = line.spans("Reference Offset") if line.items("Reference Offset") else ()
    facets = line.facets() if line.items("Discourse Facet") else ()
    return Link(spans, facets)
