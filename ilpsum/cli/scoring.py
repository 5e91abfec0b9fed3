"""Options and gold topics of the verbs that score runs: `evaluate`, `compare` and `report`."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import get_args

from ilpsum.cli.options import add_common, notify, number_type, positive, progress
from ilpsum.corpora import ReaderOptions, resolve
from ilpsum.errors import InputError
from ilpsum.evaluation.gold import Gold, format_of, named
from ilpsum.evaluation.scoring import Evaluation, Run
from ilpsum.io.records import LARGEST
from ilpsum.metrics.rouge import Multiple, RougeOptions
from ilpsum.metrics.wordnet import read_exceptions
from ilpsum.runs.formats import Format
from ilpsum.runs.reading import provenance_path, read_run

_CUT = number_type(int, lambda value: 0 <= value <= LARGEST, f"a whole number from 0 to {LARGEST}")


def add_scoring(parser: argparse.ArgumentParser, outputs: Sequence[str] = ()) -> None:
    """Add the options of scores, gold topics and output; `outputs` are its formats, the default first, if several."""
    add = parser.add_argument_group("scores").add_argument
    add(
        "--metrics",
        metavar="NAME,...",
        help="ROUGE-1 to -4, -L, -S4, -SU4, -S* and -SU* (default: ROUGE-2,ROUGE-SU4); exact-answer, the share of a "
        "question's exact answers in the text; without gold JS, the divergence from the source (lower is better), and "
        "readability, the share of sentences without a fault; for Task 1 files span-f1 and facet-accuracy (default: "
        "both), span-union-f1, against what any annotator marked, and CL-SciSumm's sentence-f1, span-ROUGE-2 and "
        "span-ROUGE-SU4",
    )
    default = "default: as the format of the run says: tac stems and cuts at 250, others do neither"
    add("--stem", action=argparse.BooleanOptionalAction, help=f"ROUGE and JS: compare word stems (-m) ({default})")
    add("--words", type=_CUT, metavar="N", help="cut every text to N words (ROUGE: references too, -l); 0: whole texts")
    add("--bytes", type=positive, metavar="N", help="cut every text to N bytes instead (ROUGE: references too, -b)")
    add("--references", choices=["all", "first"], default="all", help="gold summaries to use (default: all)")
    add(
        "--multiple",
        choices=get_args(Multiple),
        default="average",
        help="ROUGE with several references: pool them (average, -f A), use the best (best, -f B), or average over "
        "leaving one out (jackknife) (default: average)",
    )
    add("--exceptions", metavar="DIR", help="ROUGE: folder of WordNet's *.exc, looked up before stemming")
    add("--seed", type=int, default=0, help="random seed for resampling (default: 0)")
    gold = parser.add_argument_group("gold topics")
    gold.add_argument("--answers", nargs="+", metavar="FILE", help="BioASQ: files with ideal answers, matched by id")
    add_common(gold, "--from", "--summaries")
    if outputs:
        what = f"output format (default: {outputs[0]})"
        add = parser.add_mutually_exclusive_group().add_argument
        add("-o", "--output", choices=outputs, default=outputs[0], help=what)
        add_common(parser, "--json")
    add_common(parser, "--quiet")


def rouge_options(options: argparse.Namespace) -> RougeOptions:
    """Return the options of ROUGE.

    Without --stem, --words and --bytes they are those of the first format that the provenance of a run names. A run
    that ilpsum did not write names none, and is scored as ROUGE-1.5.5 does without options.
    """
    stem, words = options.stem, options.words
    if options.bytes and words is None:
        words = 0
    if stem is None or words is None:
        targets = [_format(path) for path in options.run_paths]
        first = next(filter(None, targets), None)
        if first and len({(each.stem, each.cut) if each else (False, None) for each in targets}) > 1:
            what = f"the runs have different formats; all are scored as those of the format {first.name}"
            notify(f"{what} (--stem and --words decide otherwise)")
        stem = (first.stem if first else False) if stem is None else stem
        words = (first.cut if first else None) if words is None else words
    exceptions = read_exceptions(options.exceptions) if options.exceptions else None
    return RougeOptions(stem, words or None, options.multiple, exceptions, options.bytes)


def _format(run_path: str) -> Format | None:
    try:
        return format_of(run_path)
    except InputError as error:
        remedy = "or decide --stem or --no-stem, and --words, which it would tell"
        raise InputError(f"{error.message}, {remedy}", error.file, error.line) from None


def metric_names(options: argparse.Namespace) -> list[str]:
    """Return the names in --metrics; empty without it."""
    return [name.strip() for name in (options.metrics or "").split(",") if name.strip()]


def read_runs(options: argparse.Namespace) -> list[Run]:
    """Read the runs, each with a name of its own, and print their warnings on stderr."""
    runs = [read_run(path) for path in options.run_paths]
    for warning in (warning for run in runs for warning in run.warnings):
        notify(warning, options.quiet)
    return named(runs, options.run_paths)


def beside(runs: Sequence[Run], options: argparse.Namespace, without: str) -> dict[str, Path]:
    """Return the provenance of each run that has one, by the run's name; a warning says what is missing `without`."""
    places = {run.name: provenance_path(path) for run, path in zip(runs, options.run_paths, strict=True)}
    if missing := [name for name, path in places.items() if not path.is_file()]:
        notify(f"no provenance beside {', '.join(missing)}: {without}", options.quiet)
    return {name: path for name, path in places.items() if name not in missing}


def gold_of(options: argparse.Namespace, runs: Sequence[Run], *, every: bool = False) -> Gold:
    """Return the gold topics of --gold, or of GOLD."""
    reading = ReaderOptions.of(options)
    # A run may quote retracted abstracts.
    gold = resolve(options.gold, options.form, replace(reading, retracted=reading.pool == "abstracts"))
    total = None if options.quiet else gold.count()
    watch = partial(progress, what="topics", quiet=options.quiet, total=total)
    return Gold(gold, runs, metric_names(options), options.run_paths, every, watch)


def notify_differences(gold: Gold, evaluations: Sequence[Evaluation], quiet: bool) -> None:
    """Print on stderr which topics are only in the gold, only in a run, or cannot be read; errors as `differences`."""
    lines = list(gold.differences(evaluations))
    for broken in gold.failed:
        notify(f"topic {broken.id} cannot be read and is not scored: {broken.error}")
    for line in lines:
        notify(line, quiet)
