"""Options and gold topics of `evaluate`, `compare` and `report`, which score runs."""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from ilpsum.api import scoring
from ilpsum.cli.options import add_common, number_type, positive
from ilpsum.cli.terminal import notify, progress
from ilpsum.evaluation.gold import Gold, candidate_texts, named
from ilpsum.evaluation.scoring import Evaluation, Run
from ilpsum.files.records import LARGEST
from ilpsum.formats import ReaderOptions, resolve
from ilpsum.metrics.rouge import Multiple, Options, RougeOptions
from ilpsum.runs.reading import provenance_path, read_run

_CUT = number_type(int, lambda value: 0 <= value <= LARGEST, f"a whole number from 0 to {LARGEST}")


def add_scoring(parser: argparse.ArgumentParser, outputs: Sequence[str] = ()) -> None:
    """Add options for scores, gold topics and output; `outputs` lists the output formats, the default first."""
    add = parser.add_argument_group("scores").add_argument
    add(
        "--metrics",
        metavar="NAME,...",
        help="ROUGE-1 to -4, -L, -S4, -SU4, -S* and -SU* (default: ROUGE-2,ROUGE-SU4); exact-answer, the share of a "
        "question's exact answers in the text; without gold: JS, the divergence from the source (lower is better); "
        "for Task 1 files span-f1 and facet-accuracy (default: both), span-union-f1, against the union of the "
        "annotators, and CL-SciSumm's sentence-f1, span-ROUGE-2 and span-ROUGE-SU4",
    )
    default = "default: by the format of the run: tac stems and truncates to 250 words, others do neither"
    add("--stem", action=argparse.BooleanOptionalAction, help=f"ROUGE and JS: compare word stems (-m) ({default})")
    add("--words", type=_CUT, metavar="N", help="truncate texts to N words (ROUGE: references too, -l); 0: whole texts")
    add("--bytes", type=positive, metavar="N", help="truncate texts to N bytes instead (ROUGE: references too, -b)")
    add("--references", choices=["all", "first"], default="all", help="gold summaries to use (default: all)")
    add(
        "--multiple",
        choices=get_args(Multiple),
        default="average",
        help="ROUGE with multiple references: pool them (average, -f A), use the best (best, -f B), or jackknife "
        "(default: average)",
    )
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


def scored(options: argparse.Namespace, runs: Sequence[Run], gold: Gold) -> list[Evaluation]:
    """Score runs as the options say, and print unreadable topics and mismatches on stderr; see `api.scoring.scored`."""
    told: list[str] = []
    of_rouge = rouge_options(options)
    found = scoring.scored(runs, gold, metric_names(options), of_rouge, options.references, told.append)
    notify_differences(gold, told, options.quiet)
    return found


def rouge_options(options: argparse.Namespace) -> RougeOptions:
    """Return the ROUGE options; for the defaults see `ilpsum.api.scoring.rouge_options`."""
    given: Options = {"multiple": options.multiple, "bytes": options.bytes}
    if options.stem is not None:
        given["stem"] = options.stem
    if options.words is not None:
        given["words"] = options.words or None
    return scoring.rouge_options(options.run_paths, given, notify)


def metric_names(options: argparse.Namespace) -> list[str]:
    """Return the names in --metrics; empty without it."""
    return [name.strip() for name in (options.metrics or "").split(",") if name.strip()]


def read_runs(options: argparse.Namespace) -> list[Run]:
    """Read the runs under distinct names, and print their warnings on stderr."""
    runs = [read_run(path) for path in options.run_paths]
    for warning in (warning for run in runs for warning in run.warnings):
        notify(warning, options.quiet)
    return named(runs, options.run_paths)


def beside(runs: Sequence[Run], options: argparse.Namespace, without: str) -> dict[str, Path]:
    """Return provenance paths by run name; warns about runs without one, with the consequence `without`."""
    places = {run.name: provenance_path(path) for run, path in zip(runs, options.run_paths, strict=True)}
    if missing := [name for name, path in places.items() if not path.is_file()]:
        notify(f"no provenance beside {', '.join(missing)}: {without}", options.quiet)
    return {name: path for name, path in places.items() if name not in missing}


def gold_of(options: argparse.Namespace) -> Gold:
    """Return the gold topics of --gold or GOLD."""
    reading = ReaderOptions.of(options)
    # Read retracted abstracts, too, since runs may quote them.
    gold = resolve(options.gold, options.form, replace(reading, retracted=reading.pool == "abstracts"))
    topics = progress(gold.topics(), "topics", quiet=options.quiet)
    sources = candidate_texts(options.run_paths) if "JS" in metric_names(options) else {}
    return Gold(topics, gold.files[0], sources=sources)


def notify_differences(gold: Gold, lines: Iterable[str], quiet: bool) -> None:
    """Print the unreadable gold topics, and lines about mismatches between gold and runs."""
    for broken in gold.failed:
        notify(f"topic {broken.id} cannot be read and is not scored: {broken.error}")
    for line in lines:
        notify(line, quiet)
