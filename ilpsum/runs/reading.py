"""Reads runs for scoring, comparison and reports.

A summary run is a directory with one file per topic, its `.tar.gz`, a BioASQ or BioGen submission, or JSON
lines; a link run (TAC 2014, Task 1) is a file with one line per citance. The format is detected from the content.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from ilpsum.errors import InputError
from ilpsum.files.folders import is_archive
from ilpsum.files.json_text import parts, read_json_lines
from ilpsum.files.reading import MAX_TEXT, decode, head, members, open_bytes, read_bytes, real
from ilpsum.formats import task1
from ilpsum.formats.bioasq import questions
from ilpsum.formats.biogen.rules import parse

_PROVENANCE = ".provenance.jsonl"
_EXTENSIONS = (".tar.gz", ".tgz", ".tar", ".json.gz", ".json", ".jsonl.gz", ".jsonl", ".txt")
_EXPECTED = "expected a run directory, its .tar.gz, a .json, a .jsonl, or a Task 1 file"
# Patterns in the first bytes of a JSON file by format.
_JSON_FORMATS = (
    ("bioasq", re.compile(r'"questions"\s*:\s*\[')),
    ("biogen-2024", re.compile(r'"results"\s*:\s*\[')),
    ("biogen-2025", re.compile(r'"metadata"\s*:')),
)


@dataclass(frozen=True, slots=True)
class SummaryRun:
    """A system's summaries by topic id, with newlines after sentences or paragraphs, and reading warnings."""

    name: str
    texts: dict[str, str]
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LinkRun:
    """A system's links by topic id and citance number; otherwise as `SummaryRun`."""

    name: str
    links: dict[tuple[str, int], task1.Link]
    warnings: list[str] = field(default_factory=list)


def read_run(path: str | Path) -> SummaryRun | LinkRun:
    """Read a run.

    If a topic or citance appears twice, the first counts. The path of a single-file run may lack its extension, as in
    `ilpsum summarize`. `InputError` if the path does not exist, is not a run, or cannot be read.
    """
    path = Path(path)
    if not path.exists():
        files = [p for extension in _EXTENSIONS if (p := path.with_name(f"{path.name}{extension}")).exists()]
        path = files[0] if len(files) == 1 else path
    if path.is_dir():
        return _summaries(path, _files)
    if not path.exists():
        raise InputError(f"no such run; {_EXPECTED}", path)
    if is_archive(path):
        return _summaries(path, _members)
    form = likely_format(path)
    if form == "task1":
        return _links(path)
    if not form:
        with open_bytes(path):  # raises a more specific error for a pipe or an unreadable file
            raise InputError(f"not a run; {_EXPECTED}", path)
    return _summaries(path, _READERS[form])


def likely_format(path: Path) -> str:
    """Guess the run format of a file or directory; empty if there is no match."""
    if path.is_dir() or is_archive(path):
        return "tac"
    start = head(path).decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if start.startswith("{"):
        return next((form for form, pattern in _JSON_FORMATS if pattern.search(start)), "jsonl")
    line = start.partition("\n")[0].rstrip("\r")
    if "|" not in line or not line.isprintable():
        return ""
    return "task1"


def run_name(path: str | Path) -> str:
    """Return a run's name: its file or directory name without extension."""
    name = real(path).name
    return next((name.removesuffix(end) for end in _EXTENSIONS if name.endswith(end)), name)


def provenance_path(path: str | Path) -> Path:
    """Return the path of a run's provenance file, which may not exist."""
    return real(path).parent / f"{run_name(path)}{_PROVENANCE}"


def _summaries(path: Path, read: Callable[[Path], Iterator[tuple[str, str, str]]]) -> SummaryRun:
    """Build a run from a reader that yields topic, text and warning."""
    run = SummaryRun(run_name(path), {})
    for topic, text, warning in read(path):
        if warning:
            run.warnings.append(f"{path}: {topic}: {warning}")
        if topic in run.texts:
            run.warnings.append(f"{path}: {topic}: appears twice; the first counts")
        run.texts.setdefault(topic, text)
    run.warnings[:] = dict.fromkeys(run.warnings)
    if not run.texts:
        raise InputError("no summaries; expected one per topic", path)
    return run


def _files(folder: Path) -> Iterator[tuple[str, str, str]]:
    entries = [entry for entry in sorted(folder.iterdir()) if not entry.name.startswith(".")]
    runs = [entry.name for entry in entries if entry.is_dir()]
    runs += [entry.name.removesuffix(_PROVENANCE) for entry in entries if entry.name.endswith(_PROVENANCE)]
    if runs:
        names = ", ".join(sorted(set(runs))[:5])
        raise InputError(f"a folder of runs, not a run; name one of them ({names})", folder)
    for entry in entries:
        yield entry.name, *_text(read_bytes(entry))


def _members(archive: Path) -> Iterator[tuple[str, str, str]]:
    with open_bytes(archive) as stream:
        for member, data in members(stream, str(archive), MAX_TEXT):
            name = PurePosixPath(member.name).name
            if member.kind == "folder" or name.startswith("."):
                continue
            if member.kind != "file" or member.size > MAX_TEXT:
                what = "a link, a device or an endless file; expected the text of a summary"
                raise InputError(f"{member.name}: {what}", archive)
            yield name, *_text(data)


def _text(data: bytes) -> tuple[str, str]:
    """Decode a file with normalised line ends; also return a warning if it is not UTF-8."""
    text, warning = decode(data)
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"), warning


def _members_of(value: Any, *keys: str) -> list[Any]:
    """Return the members of a JSON object; None for missing ones, or all None if it is not an object."""
    return [value.get(key) if isinstance(value, dict) else None for key in keys]


def _answers(path: Path) -> Iterator[tuple[str, str, str]]:
    for item in questions(path):
        topic, answer = _members_of(item.value, "id", "ideal_answer")
        if isinstance(answer, list):
            answer = answer[0] if answer else ""
        if not isinstance(topic, str) or not isinstance(answer or "", str):
            raise InputError('expected a question with "id" and "ideal_answer"', path, item.line)
        yield topic, answer or "", "" if answer else "no ideal_answer"


def _lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield JSON lines with their line numbers; `InputError` for a damaged one."""
    for line, value in read_json_lines(path):
        if isinstance(value, InputError):
            raise value
        yield line, value


def _texts(path: Path, items: Iterable[tuple[int, Any]], *keys: str) -> Iterator[tuple[str, str, str]]:
    """Yield topic and text of each (line, object), given the keys of the two."""
    for line, value in items:
        topic, text = _members_of(value, *keys)
        if not isinstance(topic, str) or not isinstance(text, str):
            raise InputError('expected an object with "{}" and "{}"'.format(*keys), path, line)
        yield topic, text, ""


def _results(path: Path) -> Iterator[tuple[str, str, str]]:
    """Return the answers of a 2024 BioGen run, without their citations."""
    every = parts(path, lists=("results",))
    items = ((item.line, item.value) for item in every if item.key == "results" and item.element)
    return ((topic, parse(answer).text, "") for topic, answer, _ in _texts(path, items, "topic_id", "answer"))


def _responses(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the answers of a 2025 BioGen run."""
    for line, value in _lines(path):
        try:
            topic, texts = value["metadata"]["topic_id"], [response["text"] for response in value["responses"]]
            yield str(topic), " ".join(texts), ""
        except (KeyError, TypeError):
            what = 'expected an object with "metadata" and "responses"; `ilpsum check` lists every error'
            raise InputError(what, path, line) from None


_READERS: dict[str, Callable[[Path], Iterator[tuple[str, str, str]]]] = {
    "bioasq": _answers,
    "biogen-2024": _results,
    "biogen-2025": _responses,
    "jsonl": lambda path: _texts(path, _lines(path), "id", "summary"),
}


def _links(path: Path) -> LinkRun:
    run = LinkRun(run_name(path), {})
    for link in task1.read(path):
        if run.links.setdefault((link.topic, link.citance), link) is not link:
            run.warnings.append(f"{path}: {link.topic} citance {link.citance} appears twice; the first counts")
    run.warnings[:] = dict.fromkeys(run.warnings)
    return run
