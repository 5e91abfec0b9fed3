"""Options of `evaluate`, `compare` and `report`, which score runs."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import get_args

from ilpsum.api import scoring
from ilpsum.cli.options import add_common, number_type, positive
from ilpsum.cli.terminal import notify, progress
from ilpsum.evaluation.comparison import Reference
from ilpsum.evaluation.gold import Gold
from ilpsum.evaluation.scoring import Evaluation
from ilpsum.files.records import LARGEST
from ilpsum.metrics.rouge import Multiple, Options
from ilpsum.tasks import ReaderOptions, resolve

_CUT = number_type(int, lambda value: 0 <= value <= LARGEST, f"a whole number from 0 to {LARGEST}")


def add_baseline(parser: argparse.ArgumentParser) -> None:
    """Add --baseline and --gold of the verbs that compare runs."""
    parser.add_argument(
        "--baseline",
        metavar="RUN",
        help="the run to compare the others with; only these pairs are tested and corrected for",
    )
    parser.add_argument(
        "--gold",
        nargs="+",
        action="extend",
        default=[],
        metavar="GOLD",
        help="topics with gold summaries and documents, or annotated citances",
    )


def add_scoring(parser: argparse.ArgumentParser, outputs: Sequence[str] = ()) -> None:
    """Add options for scores, gold topics and output; `outputs` lists the output formats, the
    default first.
    """
    add = parser.add_argument_group("scores").add_argument
    add(
        "--measure",
        choices=scoring.MEASURES,
        help="measure of tables, tests and charts (default: recall for ROUGE, else f1)",
    )
    add(
        "--metrics",
        metavar="NAME,...",
        help="names in any case: ROUGE-1 to -4, -L, -S4, -SU4, -S* and -SU* (default: "
        "ROUGE-2,ROUGE-SU4); exact-answer: share of a question's exact answers in the text; "
        "Task 1: span-f1 and facet-accuracy (default: both), span-union-f1 (against all "
        "annotators together); "
        "CL-SciSumm: sentence-f1, span-ROUGE-2, span-ROUGE-SU4",
    )
    default = (
        "default: by the gold: for papers TAC's rules, stems and the first 250 words, else neither"
    )
    add(
        "--stem",
        action=argparse.BooleanOptionalAction,
        help=f"ROUGE: compare word stems (-m) ({default})",
    )
    add(
        "--words",
        type=_CUT,
        metavar="N",
        help="score the first N words (ROUGE: of references too, -l); 0: all",
    )
    add(
        "--bytes",
        type=positive,
        metavar="N",
        help="score the first N bytes instead (ROUGE: of references too, -b)",
    )
    add(
        "--references",
        choices=["all", "first"],
        default="all",
        help="gold summaries to use (default: all)",
    )
    multiple = (
        "ROUGE with several references: average pools them (-f A), best takes the best (-f "
        "B) (default: average)"
    )
    add("--multiple", choices=get_args(Multiple), default="average", help=multiple)
    add("--seed", type=int, default=0, metavar="N", help="random seed for resampling (default: 0)")
    gold = parser.add_argument_group("gold topics")
    gold.add_argument(
        "--answers",
        nargs="+",
        metavar="FILE",
        help="BioASQ: files with ideal answers, matched by id",
    )
    add_common(gold, "--from", "--summaries")
    if outputs:
        what = f"output format (default: {outputs[0]})"
        parser.add_argument("-o", "--output", choices=outputs, default=outputs[0], help=what)
        add_common(parser, "--json")
    add_common(parser, "--quiet")


@dataclass(frozen=True)
class ScoredRuns:
    """Runs with their scores against gold, and what they are compared with."""

    evaluations: list[Evaluation]
    gold: Gold
    reference: Reference


def scored(options: argparse.Namespace) -> ScoredRuns:
    """Score runs as the options say, and print unreadable topics and mismatches on stderr."""
    runs = scoring.runs_at(options.run_paths, partial(notify, quiet=options.quiet))
    reference = Reference()
    if len(runs) > 1:
        reference = scoring.reference_of(runs, options.run_paths, options.baseline)
    gold = gold_of(options)
    mismatches: list[str] = []
    evaluations = scoring.scored(
        runs,
        gold,
        metric_names(options),
        rouge_options(options),
        options.references,
        mismatches.append,
    )
    list_unscored(gold)
    for line in mismatches:
        notify(line, options.quiet)
    return ScoredRuns(evaluations, gold, reference)


def rouge_options(options: argparse.Namespace) -> Options:
    """Return the ROUGE options given; for the others see `evaluation.options.rouge_options`."""
    given: Options = {"multiple": options.multiple, "bytes": options.bytes}
    if options.stem is not None:
        given["stem"] = options.stem
    if options.words is not None:
        given["words"] = options.words or None
    return given


def metric_names(options: argparse.Namespace) -> list[str]:
    """Return the names in --metrics; empty without it."""
    return [name.strip() for name in (options.metrics or "").split(",") if name.strip()]


def gold_of(options: argparse.Namespace) -> Gold:
    """Return the gold topics of --gold or GOLD."""
    reading = ReaderOptions.of(options)
    # Read retracted abstracts, too, since runs may quote them.
    found = resolve(
        options.gold, options.form, replace(reading, retracted=reading.pool == "abstracts")
    )
    return Gold(progress(found.topics(), "topics", quiet=options.quiet), found.files[0])


def list_unscored(gold: Gold) -> None:
    """Print the gold topics that cannot be read."""
    for broken in gold.failed:
        notify(f"topic {broken.id} cannot be read and is not scored: {broken.error}")
