"""`ilpsum evaluate`: score a run, with one row per topic and metric."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from ilpsum.api.scoring import MEAN, MEASURES
from ilpsum.api.tables import json_line
from ilpsum.cli.options import add_value
from ilpsum.cli.scoring import add_scoring, require_outputs, scored, write_outputs
from ilpsum.cli.terminal import cell
from ilpsum.errors import UsageError
from ilpsum.evaluation.comparison import comparisons
from ilpsum.evaluation.publishing import TABLES
from ilpsum.evaluation.scoring import Evaluation, Measure
from ilpsum.metrics.rouge import Score
from ilpsum.metrics.significance import SAMPLES


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
    require_outputs(options)
    scores = scored(options)
    compared = comparisons(
        scores.evaluations,
        options.measure,
        seed=options.seed,
    )
    if write_outputs(options, compared):
        return 1 if scores.gold.failed else 0
    lines = _tsv if options.output == "tsv" else _jsonl
    for line in lines(scores.evaluations, [*scores.gold.ids], options.seed):
        print(line)
    return 1 if scores.gold.failed else 0


def _tsv(evaluations: Sequence[Evaluation], topics: Sequence[str], seed: int) -> Iterator[str]:
    """Yield comments (signatures, intervals), then a row per topic and metric, then the means."""
    for evaluation in evaluations:
        yield f"# {evaluation.signed}"
    for evaluation in evaluations:
        ends = ", ".join(
            f"{m} {low:.6f}-{high:.6f}" for m, (low, high) in _intervals(evaluation, seed).items()
        )
        yield (
            f"# {evaluation.metric} 95% interval of the mean (bootstrap, "
            f"{_samples(evaluation, seed)}): {ends}"
        )
    for topic, evaluation, score in _rows(evaluations, topics):
        yield "\t".join(
            [cell(topic), evaluation.metric, *(f"{value:.6f}" for value in asdict(score).values())]
        )


def _rows(
    evaluations: Sequence[Evaluation],
    topics: Sequence[str],
) -> Iterator[tuple[str, Evaluation, Score]]:
    """Yield the scores of each topic in the metrics for which it has gold, then the means."""
    yield from (
        (topic, e, e.topics[topic]) for topic in topics for e in evaluations if topic in e.topics
    )
    yield from ((MEAN, e, e.mean) for e in evaluations)


def _jsonl(evaluations: Sequence[Evaluation], topics: Sequence[str], seed: int) -> Iterator[str]:
    """Yield an object per row; means add signature and intervals."""
    for topic, evaluation, score in _rows(evaluations, topics):
        row: dict[str, object] = {"topic": topic, "metric": evaluation.metric, **asdict(score)}
        if score is evaluation.mean:
            row |= {
                "signature": str(evaluation.signed),
                "intervals": _intervals(evaluation, seed),
            }
            row["drawn"] = _samples(evaluation, seed)
        yield json_line(row)


def _intervals(evaluation: Evaluation, seed: int) -> dict[Measure, tuple[float, float]]:
    intervals = {m: evaluation.interval(m, seed=seed) for m in MEASURES}
    return {m: (interval.low, interval.high) for m, interval in intervals.items()}


def _samples(evaluation: Evaluation, seed: int) -> str:
    kind = "topics" if len(evaluation.units) == len(evaluation.topics) else "citances"
    return f"{SAMPLES} samples of {len(evaluation.units)} {kind}, seed {seed}"
