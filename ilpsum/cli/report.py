"""`ilpsum report`: show runs on one HTML page, each sentence with its source and the reason for choosing it."""

import argparse
from functools import partial
from pathlib import Path
from typing import get_args

from ilpsum.cli.options import abstract_files, add_common, list_damaged, notify, progress
from ilpsum.cli.pages import require_place
from ilpsum.cli.scoring import add_scoring, beside, gold_of, metric_names, notify_differences, read_runs, rouge_options
from ilpsum.corpora.abstracts import Damaged
from ilpsum.errors import IlpsumError
from ilpsum.evaluation.gold import Gold
from ilpsum.evaluation.scoring import Measure
from ilpsum.io.atomic import write_errors, write_file
from ilpsum.report import answers
from ilpsum.report.gathering import gather
from ilpsum.report.page import page
from ilpsum.report.view import Report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    parser.add_argument("run_paths", nargs="+", metavar="RUN", help="runs over the same topics")
    add = parser.add_argument_group("most used").add_argument
    add("--out", required=True, metavar="FILE", help="HTML file to write; replaces an earlier report but no other file")
    add("--gold", nargs="+", default=[], metavar="TOPICS", help="topics with gold summaries and documents")
    add("--measure", choices=get_args(Measure), default="recall", help="measure of charts and tests (default: recall)")
    add("--no-curves", dest="curves", action="store_false", help="leave out the sliders")
    add_common(parser.add_argument_group("documents of the topics"), "--pool", "--documents")
    add_scoring(parser)


def run(options: argparse.Namespace) -> int:
    """Write the report and print its path; exit status 1 if a topic cannot be read."""
    require_place(Path(options.out), "--out")
    damaged = Damaged()
    options.documents = abstract_files(options, damaged)
    options.damaged = damaged if options.documents else None
    runs = read_runs(options)
    provenance = beside(runs, options, "shown as plain text")
    gold = gold_of(options, runs, every=True)
    report = gather(
        runs,
        provenance,
        gold if options.gold else (),
        metrics=metric_names(options),
        options=rouge_options(options),
        references=options.references,
        measure=options.measure,
        seed=options.seed,
        sliders=options.curves,
        progress=partial(progress, quiet=options.quiet),
    )
    _notify(report, gold, options.quiet)
    write(options.out, report)
    print(options.out)
    _write_answers(Path(options.out), report)
    return max(1 if gold.failed else 0, list_damaged(damaged))


def _write_answers(path: Path, report: Report) -> None:
    """Write a page for each answer with citations, in a folder named for the report, and print their paths."""
    folder = path.with_name(_folder(path))
    with write_errors(folder):
        for name, answer in answers.pages(report, f"../{path.name}"):
            folder.mkdir(exist_ok=True)
            require_place(folder / name, "--out")
            write_file(folder / name, answer.encode())
            print(folder / name)


def _folder(path: Path) -> str:
    return f"{path.stem}-answers"


def write(path: str | Path, report: Report) -> None:
    """Write a report, completely or not at all.

    Raises:
        IlpsumError: it cannot be written.
    """
    path = Path(path)
    if path.is_dir():
        raise IlpsumError(f"{path}: cannot be written: it is a folder; name a file in it, such as report.html")
    links = {key: f"{_folder(path)}/{name}" for key, name in answers.names(report).items()}
    with write_errors(path):
        write_file(path, page(report, links).encode())


def _notify(report: Report, gold: Gold, quiet: bool) -> None:
    if report.scores:
        notify_differences(gold, [each for run in zip(*report.scores, strict=True) for each in run], quiet)
        return
    for broken in gold.failed:
        notify(f"topic {broken.id} cannot be read and is not shown: {broken.error}")
    if gold.input.files:
        notify("the topics have no gold summaries: no scores", quiet)
    else:
        notify("no --gold: no scores, and sentences amid the other candidates, not in their documents", quiet)
