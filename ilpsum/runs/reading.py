"""Files to runs: what systems wrote, for those who score, compare or show it.

A run of summaries is a directory with a file for each topic, the `.tar.gz` of one, a BioASQ or BioGen submission, or
JSON lines; a run of links (TAC 2014, Task 1) is a file with a line for each citance. Which it is, its own look tells.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ilpsum.corpora.bioasq import questions
from ilpsum.errors import InputError
from ilpsum.io.files import MAX_TEXT, decode, head, open_bytes, read_bytes
from ilpsum.io.folders import is_archive
from ilpsum.io.json_stream import read_json_lines, stream, well_formed
from ilpsum.io.tar import TarStream
from ilpsum.runs import task1
from ilpsum.runs.citations import parse

_PROVENANCE = ".provenance.jsonl"
_ENDINGS = (".tar.gz", ".tgz", ".tar", ".json.gz", ".json", ".jsonl.gz", ".jsonl", ".txt")


@dataclass(frozen=True, slots=True)
class SummaryRun:
    """A system's summaries.

    Attributes:
        name: the run's name, from its file.
        texts: the summaries by their topics' ids; a newline ends a sentence or a paragraph.
        warnings: what is odd about it, each a line that names the place.
    """

    name: str
    texts: dict[str, str]
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LinkRun:
    """A system's links.

    Attributes:
        name: the run's name, from its file.
        links: by the topic's id and the citance's number.
        warnings: what is odd about it, each a line that names the place.
    """

    name: str
    links: dict[tuple[str, int], task1.Link]
    warnings: list[str] = field(default_factory=list)


def read_run(path: str | Path) -> SummaryRun | LinkRun:
    """The run at a path.

    A topic or citance that stands twice counts as it stands first. A run of one file may be named without its ending,
    as `ilpsum summarize` names it.

    Raises:
        InputError: there is nothing, it is no run, or it cannot be read.
    """
    path = Path(path)
    if not path.exists():
        written = [p for ending in _ENDINGS if (p := path.with_name(f"{path.name}{ending}")).exists()]
        path = written[0] if len(written) == 1 else path
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
        looks = (
            (r'"questions"\s*:\s*\[', _answers),
            (r'"results"\s*:\s*\[', _results),
            (r'"metadata"\s*:', _responses),
        )
        return _summaries(path, next((read for look, read in looks if re.search(look, begin)), _json_lines))
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
    for topic, text, warning in read(path):
        if warning:
            run.warnings.append(f"{path}: {topic}: {warning}")
        if topic in run.texts:
            run.warnings.append(f"{path}: {topic}: stands twice; the first counts")
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
    text, warning = decode(data)
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"), warning


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
        topic, text = (value.get(key) if isinstance(value, dict) else None for key in ("id", "summary"))
        if not isinstance(topic, str) or not isinstance(text, str):
            raise InputError('an object with an "id" and a "summary" was expected', path, line)
        yield well_formed(topic), well_formed(text), ""


def _results(path: Path) -> Iterator[tuple[str, str, str]]:
    """A BioGen run of 2024, citations left out."""
    for item in stream(path, lists=("results",)):
        if item.key == "results" and item.element:
            topic, answer = (
                item.value.get(key) if isinstance(item.value, dict) else None for key in ("topic_id", "answer")
            )
            if not isinstance(topic, str) or not isinstance(answer, str):
                raise InputError('an object with a "topic_id" and an "answer" was expected', path, item.line)
            yield well_formed(topic), well_formed(parse(answer).text), ""


def _responses(path: Path) -> Iterator[tuple[str, str, str]]:
    """A BioGen run of 2025."""
    for line, value in read_json_lines(path):
        if isinstance(value, InputError):
            raise value
        try:
            topic, texts = value["metadata"]["topic_id"], [response["text"] for response in value["responses"]]
            yield well_formed(str(topic)), well_formed(" ".join(texts)), ""
        except (KeyError, TypeError):
            what = 'an object with "metadata" and "responses" was expected; `ilpsum check` tells all that is wrong'
            raise InputError(what, path, line) from None


def _links(path: Path) -> LinkRun:
    run = LinkRun(run_name(path), {})
    for link in task1.read(path):
        key = (link.topic, link.citance)
        if key in run.links:
            run.warnings.append(f"{path}: {link.topic} citance {link.citance} stands twice; the first counts")
        else:
            run.links[key] = link
    return run
