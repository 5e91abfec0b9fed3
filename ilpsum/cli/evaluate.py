"""`ilpsum evaluate`: score a run, with one row per topic and metric."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import chain

from ilpsum.api.scoring import MEAN, MEASURES
from ilpsum.api.tables import json_line
from ilpsum.cli.options import add_value
from ilpsum.cli.scoring_options import add_scoring, print_scores
from ilpsum.cli.terminal import cell
from ilpsum.errors import UsageError
from ilpsum.evaluation.comparison import Comparison
from ilpsum.evaluation.publishing import TABLES
from ilpsum.evaluation.run_scores import Measure
from ilpsum.metrics.rouge import Score


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    run = "run: a folder, its .tar.gz, a .json, a .jsonl, or a Task 1 file"
    gold = "topics with gold summaries or annotated citances"
    add_value(parser, "run_paths", "RUN", run, nargs=1)
    add_value(parser, "gold", "GOLD", f"{gold}, or --gold", nargs="*")
    add_value(
        parser,
        "--gold",
        "GOLD",
        gold,
        dest="more",
        action="append",
        default=[],
    )
    add_scoring(parser, ["tsv", "jsonl"], [*TABLES])


def run(options: argparse.Namespace) -> int:
    """Print the scores; exit status 1 if a gold topic cannot be read."""
    options.gold += options.more
    if not options.gold:
        raise UsageError("GOLD is missing: topics with gold summaries or annotated citances")
    return print_scores(options, {"tsv": _tsv, "jsonl": _jsonl})


def _tsv(compared: Sequence[Comparison]) -> Iterator[str]:
    """Yield comments (signatures, intervals), then a row per topic and metric, then the means."""
    for comparison in compared:
        yield f"# {comparison.evaluations[0].signed}"
    for comparison in compared:
        ends = []
        for measure, (low, high) in _intervals(comparison).items():
            ends.append(f"{measure} {low:.6f}-{high:.6f}")
        yield (
            f"# {comparison.metric} 95% interval of the mean (bootstrap, {_samples(comparison)}): "
            f"{', '.join(ends)}"
        )
    for topic, comparison, score in _rows(compared):
        numbers = [f"{value:.6f}" for value in asdict(score).values()]
        yield "\t".join([cell(topic), comparison.metric, *numbers])


def _rows(compared: Sequence[Comparison]) -> Iterator[tuple[str, Comparison, Score]]:
    """Yield the scores of each topic in the metrics for which it has gold, then the means."""
    topics = chain.from_iterable(comparison.evaluations[0].topics for comparison in compared)
    for topic in dict.fromkeys(topics):
        for comparison in compared:
            scores = comparison.evaluations[0].topics
            if topic in scores:
                yield topic, comparison, scores[topic]
    for comparison in compared:
        yield MEAN, comparison, comparison.evaluations[0].mean


def _jsonl(compared: Sequence[Comparison]) -> Iterator[str]:
    """Yield an object per row; means add signature and intervals."""
    for topic, comparison, score in _rows(compared):
        row: dict[str, object] = {"topic": topic, "metric": comparison.metric, **asdict(score)}
        evaluation = comparison.evaluations[0]
        if score is evaluation.mean:
            row["signature"] = str(evaluation.signed)
            row["intervals"] = _intervals(comparison)
            row["drawn"] = _samples(comparison)
        yield json_line(row)


def _intervals(comparison: Comparison) -> dict[Measure, tuple[float, float]]:
    intervals = {}
    for measure in MEASURES:
        interval = replace(comparison, measure=measure).interval(comparison.evaluations[0])
        intervals[measure] = interval.low, interval.high
    return intervals


def _samples(comparison: Comparison) -> str:
    number = len(comparison.evaluations[0].units)
    return f"{comparison.samples} samples of {number} {comparison.kind}, seed {comparison.seed}"
