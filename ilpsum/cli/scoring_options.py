"""Options of `evaluate`, `compare` and `report`, which score runs."""

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, replace
from functools import partial
from pathlib import Path
from typing import get_args

from ilpsum.api import scoring
from ilpsum.cli.options import add_common, add_value, positive, whole_from
from ilpsum.cli.terminal import cell, list_broken, notify, progress
from ilpsum.evaluation.comparison import Comparison
from ilpsum.evaluation.gold import Gold
from ilpsum.evaluation.publishing import TABLES, csv_text
from ilpsum.files.atomic import require_place, write_file
from ilpsum.metrics.rouge import Multiple, Options
from ilpsum.metrics.significance import SAMPLES
from ilpsum.tasks import ReaderOptions, resolve


def add_baseline(parser: argparse.ArgumentParser) -> None:
    """Add --baseline and --gold of the verbs that compare runs."""
    add_value(
        parser,
        "--baseline",
        "RUN",
        "run to compare all others with; only these pairs are tested and corrected for",
    )
    add_value(
        parser,
        "--gold",
        "GOLD",
        "topics with gold summaries and documents, or annotated citances",
        nargs="+",
        action="extend",
        default=[],
    )


def add_scoring(
    parser: argparse.ArgumentParser,
    outputs: Sequence[str] = (),
    files: Sequence[str] = (),
) -> None:
    """Add options for scores, gold topics and output.

    `outputs` lists the output formats, the default first; `files` the suffixes of other outputs.
    """
    scores = parser.add_argument_group("scores")
    _add_metrics(scores)
    _add_rouge(scores)
    add_value(
        scores,
        "--seed",
        "N",
        "random seed for resampling (default: 0)",
        type=whole_from(0),
        default=0,
    )
    gold = parser.add_argument_group("gold topics")
    answers = "BioASQ: files with ideal answers, matched by id"
    add_value(gold, "--answers", "FILE", answers, nargs="+")
    add_common(gold, "--from", "--summaries")
    if outputs:
        _add_outputs(parser, outputs, files)
    add_common(parser, "--quiet")


def _add_metrics(group: "argparse._ActionsContainer") -> None:
    group.add_argument(
        "--measure",
        choices=scoring.MEASURES,
        help="measure of tables, tests and charts (default: recall for ROUGE, else f1)",
    )
    add_value(
        group,
        "--metrics",
        "NAME,...",
        "names in any case: ROUGE-1 to -4, -L, -S4, -SU4, -S* and -SU* (default: "
        "ROUGE-2,ROUGE-SU4); exact-answer: share of a question's exact answers in the text; "
        "Task 1: span-f1 and facet-accuracy (default: both), span-union-f1 (against all "
        "annotators together); "
        "CL-SciSumm: sentence-f1, span-ROUGE-2, span-ROUGE-SU4",
    )


def _add_rouge(group: "argparse._ActionsContainer") -> None:
    group.add_argument(
        "--stem",
        action=argparse.BooleanOptionalAction,
        help="ROUGE: compare word stems (-m) (default: by the gold: for papers TAC's rules, stems "
        "and the first 250 words, else neither)",
    )
    add_value(
        group,
        "--words",
        "N",
        "score the first N words (ROUGE: of references too, -l); 0: all",
        type=whole_from(0),
    )
    add_value(
        group,
        "--bytes",
        "N",
        "score the first N bytes instead (ROUGE: of references too, -b)",
        type=positive,
    )
    group.add_argument(
        "--references",
        choices=["all", "first"],
        default="all",
        help="gold summaries to use (default: all)",
    )
    group.add_argument(
        "--multiple",
        choices=get_args(Multiple),
        default="pool",
        help="ROUGE with several references: pool adds up their counts (-f A), best takes the "
        "best (-f B), jackknife leaves out one at a time (default: pool)",
    )


def _add_outputs(
    parser: argparse.ArgumentParser,
    outputs: Sequence[str],
    files: Sequence[str],
) -> None:
    parser.add_argument(
        "-o",
        "--output",
        type=partial(_output, outputs, files),
        metavar="FORMAT|FILE",
        default=outputs[0],
        help=f"{', '.join(outputs)} (default: {outputs[0]}); or a table or figure for a paper: a "
        f"file that ends in {', '.join(files)}",
    )
    add_value(
        parser,
        "--scores",
        "FILE.csv",
        "also write one row for each run, topic and metric",
    )
    add_common(parser, "--json")


def _output(outputs: Sequence[str], files: Sequence[str], text: str) -> str:
    """Return a format, or a file with one of the suffixes."""
    if text not in outputs and Path(text).suffix not in files:
        raise argparse.ArgumentTypeError(
            f"expected {', '.join(outputs)}, or a file that ends in {', '.join(files)}; got {text}"
        )
    return text


def _write_files(options: argparse.Namespace, compared: Sequence[Comparison]) -> bool:
    """Write the files of --scores and -o, printing their paths; return whether -o named one."""
    if options.scores:
        frame = scoring.values(compared)
        rows = [replace(row, topic=cell(row.topic)) for row in frame]
        table = csv_text([frame.columns, *map(astuple, rows)])
        write_file(options.scores, table.encode())
        print(options.scores)
    suffix = Path(options.output).suffix
    if not suffix:
        return False
    if suffix == ".svg":
        from ilpsum.pages.figures import differences

        drawing = differences(compared)
    else:
        drawing = TABLES[suffix](compared)
    write_file(options.output, drawing.encode())
    print(options.output)
    return True


def print_scores(
    options: argparse.Namespace,
    outputs: Mapping[str, Callable[[Sequence[Comparison]], Iterable[str]]],
    baseline: str | None = None,
    samples: int = SAMPLES,
) -> int:
    """Score and compare runs as the options say; print the comparisons in the chosen format, or
    write the files of -o and --scores.

    Prints unreadable topics and mismatches on stderr; returns the exit status, 1 if a topic of the
    gold cannot be read.
    """
    if Path(options.output).suffix:
        require_place(Path(options.output), "-o")
    if options.scores:
        require_place(Path(options.scores), "--scores")
    warn = partial(notify, quiet=options.quiet)
    runs, reference = scoring.named_runs(options.run_paths, baseline, warn)
    gold = gold_of(options)
    compared = scoring.scored(
        runs,
        gold,
        metric_names(options),
        rouge_options(options),
        options.references,
        measure=options.measure,
        reference=reference,
        samples=samples,
        seed=options.seed,
        warn=warn,
    )
    if not _write_files(options, compared):
        for line in outputs[options.output](compared):
            print(line)
    return list_broken(gold.failed, "cannot be read and is not scored")


def rouge_options(options: argparse.Namespace) -> Options:
    """Return the ROUGE options given; for the others see `evaluation.gold.rouge_options`."""
    arguments: Options = {"multiple": options.multiple, "bytes": options.bytes}
    if options.stem is not None:
        arguments["stem"] = options.stem
    if options.words is not None:
        arguments["words"] = options.words or None
    return arguments


def metric_names(options: argparse.Namespace) -> list[str]:
    """Return the names in --metrics; empty without it."""
    return [name.strip() for name in (options.metrics or "").split(",") if name.strip()]


def gold_of(options: argparse.Namespace) -> Gold:
    """Return the gold topics of --gold or GOLD."""
    inputs = resolve(options.gold, options.form, ReaderOptions.of(options), gold=True)
    topics = progress(inputs.topics(), "topics", quiet=options.quiet)
    return Gold(topics, inputs.files[0])
