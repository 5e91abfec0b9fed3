"""`ilpsum report`: runs as one page of HTML, each sentence with where it comes from and why it was chosen."""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import get_args

from ilpsum.cli.options import notify, progress
from ilpsum.cli.scoring import Gold, add_scoring, metric_names, named, read_runs, rouge_options
from ilpsum.errors import IlpsumError, UsageError
from ilpsum.evaluation.scoring import Measure, Run
from ilpsum.report import Report, answers, gather, page
from ilpsum.runs.reading import provenance_path

# How every page of a report begins, by which it is told from what must not be replaced.
_PAGE = b"<!doctype html"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    parser.add_argument("run_paths", nargs="+", metavar="RUN", help="runs over the same topics")
    parser.add_argument(
        "--gold",
        nargs="+",
        default=[],
        metavar="TOPICS",
        help="the topics: gold summaries for the scores, documents for the places of the sentences",
    )
    parser.add_argument(
        "--out", required=True, metavar="FILE", help="the page, report.html; replaces an earlier page and nothing else"
    )
    parser.add_argument(
        "--measure", choices=get_args(Measure), default="recall", help="what charts and tests compare (default recall)"
    )
    parser.add_argument(
        "--pool", choices=["snippets", "merged", "abstracts"], help="BioASQ: what a question's documents are"
    )
    parser.add_argument("--documents", nargs="+", metavar="FILE", help="abstracts: JSONL, PubMed XML, MEDLINE")
    parser.add_argument(
        "--no-curves", dest="curves", action="store_false", help="leave out what the runs would be at other lambdas"
    )
    add_scoring(parser)


def run(options: argparse.Namespace) -> int:
    """Writes the page and prints its path; exit status 1 if a topic cannot be read."""
    placed(Path(options.out))
    runs = named(read_runs(options.run_paths, options.quiet), options.run_paths)
    provenance = _provenance(runs, options)
    gold = Gold(options, options.gold, runs, every=True)
    report = gather(
        runs,
        provenance,
        gold if options.gold else (),
        metrics=metric_names(options),
        options=rouge_options(options),
        references=options.references,
        measure=options.measure,
        seed=options.seed,
        curves=options.curves,
        progress=partial(progress, quiet=options.quiet),
    )
    _tell(report, gold, options.quiet)
    write(options.out, report)
    print(options.out)
    _write_answers(Path(options.out), report)
    return 1 if gold.failed else 0


def _write_answers(path: Path, report: Report) -> None:
    """A page for each answer with citations, in a folder named for the report; their paths go to stdout."""
    folder = path.with_name(_folder(path))
    try:
        for name, answer in answers.pages(report, f"../{path.name}"):
            folder.mkdir(exist_ok=True)
            (folder / name).write_bytes(answer.encode())
            print(folder / name)
    except OSError as error:
        raise IlpsumError(f"{error.filename or folder}: cannot be written: {error.strerror}") from None


def _folder(path: Path) -> str:
    return f"{path.stem}-answers"


def placed(path: Path) -> None:
    """Tells before any work that the page could not be written."""
    if path.is_dir():
        raise UsageError(f"--out {path}: is a folder; name a file in it, such as report.html")
    if not path.parent.is_dir():
        raise UsageError(f"--out {path}: there is no folder {path.parent}; make it, or name another")
    if path.exists() and not _is_page(path):
        raise UsageError(f"--out {path}: is there already and is no earlier report; name another file")


def _is_page(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with path.open("rb") as stream:
            return stream.read(len(_PAGE)).lower() == _PAGE
    except OSError as error:
        raise UsageError(f"--out {path}: cannot be read: {error.strerror}; name another file") from None


def write(path: str | Path, report: Report) -> None:
    """Writes the page of a report, as a whole or not at all.

    Raises:
        IlpsumError: it cannot be written.
    """
    path = Path(path)
    if path.is_dir():
        raise IlpsumError(f"{path}: cannot be written: it is a folder; name a file in it, such as report.html")
    part = path.with_name(f".{path.name}.part")
    try:
        links = {key: f"{_folder(path)}/{name}" for key, name in answers.names(report).items()}
        part.write_bytes(page(report, links).encode())
        part.replace(path)
    except OSError as error:
        raise IlpsumError(f"{path}: cannot be written: {error.strerror}") from None


def _provenance(runs: Sequence[Run], options: argparse.Namespace) -> dict[str, Path]:
    places = {run.name: provenance_path(path) for run, path in zip(runs, options.run_paths, strict=True)}
    there = {name: path for name, path in places.items() if path.is_file()}
    if missing := [name for name in places if name not in there]:
        notify(f"no provenance beside {', '.join(missing)}: shown as bare text", options.quiet)
    return there


def _tell(report: Report, gold: Gold, quiet: bool) -> None:
    if report.scores:
        gold.notify_differences([evaluation for run in zip(*report.scores, strict=True) for evaluation in run])
        return
    for broken in gold.failed:
        notify(f"topic {broken.id} cannot be read and is not shown: {broken.error}")
    why = "the topics have no gold summaries" if gold.paths else "no --gold was given"
    notify(f"{why}: no scores", quiet)
    if not gold.paths:
        notify("with --gold TOPICS the page shows the sentences in their documents", quiet)
