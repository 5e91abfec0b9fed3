"""`ilpsum evaluate`: score a run, with a row for each topic and metric, or compressions of titles."""

import argparse
import json
from collections.abc import Iterator, Sequence
from functools import partial

from ilpsum.cli import compressions
from ilpsum.cli.scoring import Gold, add_scoring, metric_names, read_runs, rouge_options
from ilpsum.errors import UsageError
from ilpsum.evaluation.scoring import Evaluation, Measure, evaluate
from ilpsum.metrics.rouge import Score

_MEASURES: tuple[Measure, ...] = ("recall", "precision", "f1")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    run = "run folder, its .tar.gz, .json, .jsonl, a Task 1 file, compressions of titles, or judgments on them"
    parser.add_argument("run_path", metavar="RUN", help=run)
    gold = "topics with gold summaries or annotated citances; a table of manual compressions; nothing for judgments"
    parser.add_argument("gold", nargs="*", metavar="GOLD", help=gold)
    parser.add_argument("--header", action="store_true", help="tsv: name the columns in a line before the rows")
    add_scoring(parser, ["tsv", "jsonl"])


def run(options: argparse.Namespace) -> int:
    """Print the scores; exit status 1 if a gold topic cannot be read."""
    if options.header and options.output != "tsv":
        raise UsageError("--header is for -o tsv; the objects of -o jsonl name their fields")
    if (rows := compressions.scores(options)) is not None:
        for line in rows:
            print(line)
        return 0
    runs = read_runs([options.run_path], options.quiet)
    gold = Gold(options, options.gold, runs, [options.run_path])
    evaluations = evaluate(runs, gold, metric_names(options), rouge_options(options), options.references)
    gold.notify_differences(evaluations)
    lines = partial(_tsv, header=options.header) if options.output == "tsv" else _jsonl
    topics = [topic for topic in gold.ids if any(topic in evaluation.topics for evaluation in evaluations)]
    for line in lines(evaluations, topics, options.seed):
        print(line)
    return 1 if gold.failed else 0


def _tsv(evaluations: Sequence[Evaluation], topics: Sequence[str], seed: int, *, header: bool) -> Iterator[str]:
    """Yield comments with signatures and intervals, a row for each topic and metric, and the means."""
    for evaluation in evaluations:
        yield f"# {evaluation.signature}"
    for evaluation in evaluations:
        ends = ", ".join(f"{m} {low:.6f}-{high:.6f}" for m, (low, high) in _intervals(evaluation, seed).items())
        yield f"# {evaluation.metric} 95% interval of the mean (bootstrap, {_samples(evaluation, seed)}): {ends}"
    if header:
        yield "\t".join(["topic", "metric", *_MEASURES])
    for topic in topics:
        for evaluation in (evaluation for evaluation in evaluations if topic in evaluation.topics):
            yield _row(topic, evaluation.metric, evaluation.topics[topic])
    for evaluation in evaluations:
        yield _row("all", evaluation.metric, evaluation.mean)


def _row(topic: str, metric: str, score: Score) -> str:
    return "\t".join([" ".join(topic.split()), metric, *(f"{getattr(score, m):.6f}" for m in _MEASURES)])


def _jsonl(evaluations: Sequence[Evaluation], topics: Sequence[str], seed: int) -> Iterator[str]:
    """Yield an object for each row; means also have signature and intervals."""
    for topic in topics:
        for evaluation in (evaluation for evaluation in evaluations if topic in evaluation.topics):
            yield json.dumps(_object(topic, evaluation, evaluation.topics[topic]), ensure_ascii=False)
    for evaluation in evaluations:
        details = {
            "signature": str(evaluation.signature),
            "intervals": {m: [round(end, 6) for end in ends] for m, ends in _intervals(evaluation, seed).items()},
            "drawn": _samples(evaluation, seed),
        }
        yield json.dumps(_object("all", evaluation, evaluation.mean) | details, ensure_ascii=False)


def _object(topic: str, evaluation: Evaluation, score: Score) -> dict[str, object]:
    numbers: dict[str, float] = {m: round(getattr(score, m), 6) for m in _MEASURES}
    return {"topic": topic, "metric": evaluation.metric, **numbers}


def _intervals(evaluation: Evaluation, seed: int) -> dict[Measure, tuple[float, float]]:
    intervals = {m: evaluation.interval(m, seed=seed) for m in _MEASURES}
    return {m: (interval.low, interval.high) for m, interval in intervals.items()}


def _samples(evaluation: Evaluation, seed: int) -> str:
    kind = "topics" if len(evaluation.units) == len(evaluation.topics) else "citances"
    return f"1000 samples of {len(evaluation.units)} {kind}, seed {seed}"
