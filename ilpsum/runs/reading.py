"""Reads runs for scoring, comparison and reports.

A summary run is a directory with one file per topic, its `.tar.gz`, a BioASQ or BioGen submission,
or JSON lines; a link run (TAC 2014, Task 1) is a file with one line per citance. The format is
detected from the content.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from ilpsum.errors import InputError
from ilpsum.files.folders import is_archive
from ilpsum.files.reading import placed, require_start
from ilpsum.files.start import Start
from ilpsum.runs.seen import Training, read_training
from ilpsum.tasks import task1
from ilpsum.tasks.registry import FORMATS
from ilpsum.tasks.submissions import PROVENANCE, no_such_run

_EXTENSIONS = (".tar.gz", ".tgz", ".tar", ".json.gz", ".json", ".jsonl.gz", ".jsonl", ".txt")
_EXPECTED = "expected a run directory, its .tar.gz, a .json, a .jsonl, or a Task 1 file"
# Patterns in the first characters of a JSON file by format.
_LOOK = 4096
_JSON_FORMATS = (
    ("bioasq", re.compile(r'"questions"\s*:\s*\[')),
    ("biogen-2024", re.compile(r'"results"\s*:\s*\[')),
    ("biogen-2025", re.compile(r'"metadata"\s*:')),
)


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
        require_start(path)  # raises a more specific error for a pipe or an unreadable file
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
    text = start.text[:_LOOK]
    if text.startswith("{"):
        return next((form for form, pattern in _JSON_FORMATS if pattern.search(text)), "jsonl")
    line = text.partition("\n")[0].rstrip("\r")
    return "task1" if "|" in line and line.isprintable() else ""


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
