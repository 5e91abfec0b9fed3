"""Reads runs for scoring, comparison and reports.

A summary run is a directory with one file per topic, its `.tar.gz`, a BioASQ or BioGen submission,
or JSON lines; a link run (TAC 2014, Task 1) is a file with one line per citance. The format is
detected from the content.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ilpsum.errors import InputError
from ilpsum.files.folders import is_archive
from ilpsum.files.reading import decode_text, placed, require_start
from ilpsum.files.start import Start
from ilpsum.runs.seen import Training, read_training
from ilpsum.tasks import task1
from ilpsum.tasks.registry import FORMATS
from ilpsum.tasks.submissions import PROVENANCE, no_such_run

_EXTENSIONS = (".tar.gz", ".tgz", ".tar", ".json.gz", ".json", ".jsonl.gz", ".jsonl", ".txt")
_EXPECTED = "expected a run directory, its .tar.gz, a .json, a .jsonl, or a Task 1 file"
# A key of the first object of a JSON file by format. JSON lines of ours have a summary.
_JSON_FORMATS = {
    "summary": "jsonl",
    "questions": "bioasq",
    "results": "biogen-2024",
    "metadata": "biogen-2025",
}
# A text that is cut off reaches to the end, so that it is read once.
_JSON_TOKEN = re.compile(
    r'"((?:[^"\\]|\\.)*+)(?:"\s*+(:?)|\\?\Z)|[{}\[\]]',
    re.DOTALL,
)
# Control characters that no line of text has, unlike a tab or a form feed.
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufffd]")


@dataclass(frozen=True, slots=True)
class SummaryRun:
    """A system's summaries by topic id, with newlines after sentences or paragraphs, reading
    warnings, its provenance, if it has some, and what that says of its training.
    """

    name: str
    texts: dict[str, str]
    warnings: list[str] = field(default_factory=list)
    training: Training = field(default_factory=Training)
    provenance: Path | None = None


@dataclass(frozen=True, slots=True)
class LinkRun:
    """A system's links by topic id and citance number; otherwise as `SummaryRun`."""

    name: str
    links: dict[tuple[str, int], task1.Link]
    warnings: list[str] = field(default_factory=list)
    training: Training = field(default_factory=Training)


def read_run(path: str | Path) -> SummaryRun | LinkRun:
    """Read a run.

    If a topic or citance appears twice, the first counts. The path of a single-file run may lack
    its extension, as in `ilpsum summarize`. `InputError` if the path does not exist, is not a run,
    or cannot be read.
    """
    path = Path(path)
    if not path.exists():
        files = [path.with_name(f"{path.name}{extension}") for extension in _EXTENSIONS]
        existing = [file for file in files if file.exists()]
        if len(existing) == 1:
            path = existing[0]
    if not path.exists():
        raise no_such_run(path, _EXPECTED)
    form = likely_format(path)
    if form == "task1":
        return _links(path)
    if not form:
        # These raise a more specific error, for a pipe, an unreadable file, or UTF-16.
        require_start(path)
        decode_text(Start.of(path).data, path)
        raise InputError(f"not a run; {_EXPECTED}", path)
    return _summaries(path, form)


def likely_format(path: Path) -> str:
    """Guess the run format of a file or directory; empty if there is no match, `InputError` for a
    folder of runs.
    """
    for inside in path.glob(f"*{PROVENANCE}") if path.is_dir() else ():
        example = inside.with_name(inside.name.removesuffix(PROVENANCE))
        raise InputError(f"a folder of runs, not a run; name one of them, such as {example}", path)
    start = Start.of(path)
    if path.is_dir() or is_archive(start):
        return "tac"
    if start.text.startswith("{"):
        keys = set(_keys_of_first(start.text))
        return next((form for key, form in _JSON_FORMATS.items() if key in keys), "jsonl")
    line = start.text.partition("\n")[0]
    return "task1" if "|" in line and not _BINARY.search(line) else ""


def _keys_of_first(text: str) -> Iterator[str]:
    """Yield the keys of the first object of a JSON text, which may be cut off; not those of objects
    in it.
    """
    depth = 0
    for token in _JSON_TOKEN.finditer(text):
        if token[0] in "{[":
            depth += 1
        elif token[0] in "}]":
            depth -= 1
        elif depth == 1 and token[2]:
            yield token[1]
        if not depth:
            return


def run_name(path: str | Path) -> str:
    """Return a run's name: its file or directory name without extension."""
    name = placed(path).name
    return next((name.removesuffix(end) for end in _EXTENSIONS if name.endswith(end)), name)


def provenance_path(path: str | Path) -> Path:
    """Return the path of a run's provenance file, which may not exist."""
    return placed(path).parent / f"{run_name(path)}{PROVENANCE}"


def link_provenance_path(path: str | Path) -> Path:
    """Return the path of the provenance of a link run, which may not exist.

    It keeps the run's extension: a summary run of the same name may be beside it.
    """
    return placed(path).parent / f"{placed(path).name}{PROVENANCE}"


def _summaries(path: Path, form: str) -> SummaryRun:
    provenance = provenance_path(path)
    run = SummaryRun(
        run_name(path),
        {},
        training=read_training(provenance),
        provenance=provenance if provenance.is_file() else None,
    )
    inside = sorted(path.glob("[!.]*")) if path.is_dir() else []
    for folder in filter(Path.is_dir, inside):
        what = f"not a run: it has folders, such as {folder.name}"
        raise InputError(f"{what}; expected a folder with a file for each topic", path)
    for topic, text, warning in FORMATS[form].texts(path):
        if warning:
            run.warnings.append(f"{path}: {topic}: {warning}")
        if topic in run.texts:
            run.warnings.append(f"{path}: {topic}: appears twice; the first counts")
        run.texts.setdefault(topic, text)
    if not run.texts:
        raise InputError("no summaries; expected one per topic", path)
    return run


def _links(path: Path) -> LinkRun:
    run = LinkRun(run_name(path), {}, training=read_training(link_provenance_path(path)))
    for link in task1.read(path):
        if run.links.setdefault((link.topic, link.citance), link) is not link:
            run.warnings.append(
                f"{path}: {link.topic} citance {link.citance} appears twice; the first counts"
            )
    return run
