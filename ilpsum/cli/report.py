"""`ilpsum report`: compare runs, or the configurations of a sweep, on one HTML page: the result, then the texts."""

import argparse
from functools import partial
from pathlib import Path
from typing import get_args

from ilpsum.cli.options import abstract_files, add_common
from ilpsum.cli.scoring import add_scoring, beside, gold_of, metric_names, notify_differences, read_runs, rouge_options
from ilpsum.cli.terminal import list_damaged, progress
from ilpsum.errors import UsageError
from ilpsum.evaluation.gold import Gold
from ilpsum.evaluation.scoring import Measure
from ilpsum.files.atomic import require_place
from ilpsum.formats.abstracts import SkippedFiles
from ilpsum.pages.gathering import gather
from ilpsum.pages.report import write


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    parser.add_argument("run_paths", nargs="+", metavar="RUN", help="runs over the same topics, or a finished sweep")
    add = parser.add_argument_group("most used").add_argument
    add("--out", required=True, metavar="FILE", help="HTML file to write; replaces only an earlier report")
    add("--gold", nargs="+", default=[], metavar="TOPICS", help="topics with gold summaries and documents")
    add("--measure", choices=get_args(Measure), default="recall", help="measure for charts and tests (default: recall)")
    add_common(parser.add_argument_group("documents of the topics"), "--pool", "--documents")
    add_scoring(parser)


def run(options: argparse.Namespace) -> int:
    """Write the report and print its path; exit status 1 if a topic cannot be read."""
    require_place(Path(options.out), "--out")
    if any(Path(path, "rows.jsonl").is_file() for path in options.run_paths):
        return _sweep(options)
    damaged = SkippedFiles()
    options.documents = abstract_files(options, damaged)
    options.damaged = damaged if options.documents else None
    runs = read_runs(options)
    provenance = beside(runs, options, "shown as plain text")
    gold = gold_of(options) if options.gold else Gold(())
    report = gather(
        runs,
        provenance,
        gold,
        metrics=metric_names(options),
        options=rouge_options(options),
        references=options.references,
        measure=options.measure,
        seed=options.seed,
        progress=partial(progress, quiet=options.quiet),
    )
    evaluations = [each for run in zip(*report.scores, strict=True) for each in run]
    lines = list(gold.differences(runs, evaluations)) if evaluations else ["the topics have no gold: no scores"]
    if not options.gold:
        lines = ["no --gold: no scores, and candidates in place of documents around the sentences"]
    notify_differences(gold, lines, options.quiet)
    write(options.out, report)
    print(options.out)
    return max(1 if gold.failed else 0, list_damaged(damaged))


def _sweep(options: argparse.Namespace) -> int:
    """Write the report of a finished sweep, which has its own topics and scores."""
    from ilpsum.pages.sweeping import gather_sweep

    if len(options.run_paths) > 1:
        raise UsageError("a report shows runs, or one sweep: name the folder of the sweep alone")
    if options.gold or options.metrics:
        raise UsageError("--gold and --metrics are for runs: a sweep has its own topics and scores")
    write(options.out, gather_sweep(options.run_paths[0]))
    print(options.out)
    return 0
