"""`ilpsum compare`: compare runs on the same topics, with significance tests."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

from ilpsum.api.scoring import MEASURES
from ilpsum.api.tables import aligned, json_line
from ilpsum.cli.options import positive
from ilpsum.cli.scoring import add_scoring, scored
from ilpsum.errors import UsageError, counted
from ilpsum.evaluation.comparison import FEWEST_TESTED, Comparison, comparisons

_Row = dict[str, Any]

_LEGEND = """\
# difference: first minus second, with its 95% interval by paired bootstrap
# p: two-sided, by paired randomisation; holm: corrected for all pairs of a metric
# effect: Cohen's d of the paired differences; wins, ties, losses: of the first run"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "run_paths", nargs="+", metavar="RUN", help="two or more runs, as for `ilpsum evaluate`"
    )
    add = parser.add_argument_group("comparison").add_argument
    add(
        "--gold",
        nargs="+",
        required=True,
        metavar="GOLD",
        help="topics with gold summaries, or annotated citances",
    )
    add(
        "--measure",
        choices=MEASURES,
        help="measure to compare (default: recall; f1 for Task 1 files)",
    )
    samples = "number of samples for test and interval (default: 10000)"
    add("--samples", type=positive, default=10_000, metavar="N", help=samples)
    add_scoring(parser, ["table", "jsonl"])


def run(options: argparse.Namespace) -> int:
    """Print the comparison; exit status 1 if a gold topic cannot be read."""
    if len(options.run_paths) < 2:
        raise UsageError("expected two or more runs; `ilpsum evaluate` scores one run")
    evaluations, gold = scored(options)
    results = comparisons(evaluations, options.measure, samples=options.samples, seed=options.seed)
    for line in (_jsonl if options.output == "jsonl" else _table)(results, options.seed):
        print(line)
    return 1 if gold.failed else 0


def _run_rows(result: Comparison, seed: int) -> Iterator[_Row]:
    for evaluation in result.evaluations:
        interval = evaluation.interval(result.measure, seed=seed)
        scores: _Row = {measure: getattr(evaluation.mean, measure) for measure in MEASURES}
        yield {
            "run": evaluation.run,
            **scores,
            "measure": result.measure,
            "low": interval.low,
            "high": interval.high,
        }


def _topic_rows(result: Comparison) -> Iterator[_Row]:
    for first, second in combinations(result.evaluations, 2):
        for topic in first.topics:
            scores = [
                getattr(evaluation.topics[topic], result.measure) for evaluation in (first, second)
            ]
            names = {"topic": topic, "first": first.run, "second": second.run}
            yield {
                **names,
                "first_score": scores[0],
                "second_score": scores[1],
                "difference": scores[0] - scores[1],
            }


def _jsonl(results: Sequence[Comparison], seed: int) -> Iterator[str]:
    """Yield an object for each run, pair and topic by metric."""
    for result in results:
        first = result.evaluations[0]
        signed = ({**row, "signature": str(first.signature)} for row in _run_rows(result, seed))
        for kind, rows in (
            ("run", signed),
            ("pair", map(asdict, result.pairs)),
            ("topic", _topic_rows(result)),
        ):
            for row in rows:
                yield json_line({"kind": kind, "metric": first.metric} | row)


def _table(results: Sequence[Comparison], seed: int) -> Iterator[str]:
    """Yield readable tables: signatures, then runs and pairs by metric."""
    for result in results:
        yield f"# {result.evaluations[0].signature}"
    yield from _LEGEND.split("\n")
    for result in results:
        first = result.evaluations[0]
        over = counted(len(first.topics), "topic")
        over = (
            over
            if len(first.units) == len(first.topics)
            else f"{counted(len(first.units), 'citance')} of {over}"
        )
        yield from ("", f"{first.metric} {result.measure} over {over}", "")
        yield from aligned(_side_by_side(result))
        yield ""
        yield from aligned(
            {k: v for k, v in row.items() if k != "measure"} for row in _run_rows(result, seed)
        )
        yield ""
        yield from aligned(
            {k: v for k, v in asdict(pair).items() if k != "metric"} for pair in result.pairs
        )
        if len(first.units) < FEWEST_TESTED:
            yield (
                f"{len(first.units)} are too few for a test of significance; expected "
                f"{FEWEST_TESTED} or more"
            )


def _side_by_side(result: Comparison) -> Iterator[_Row]:
    """Yield each topic's scores by run, with the differences between the first run and the
    others.
    """
    first, *others = result.evaluations
    for topic in first.topics:
        scores = {e.run: getattr(e.topics[topic], result.measure) for e in result.evaluations}
        distances = {
            f"{first.run} - {other.run}": scores[first.run] - scores[other.run] for other in others
        }
        yield {"topic": topic, **scores, **distances}
