"""`ilpsum compare`: compare runs on the same topics, with significance tests."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

from ilpsum.api.scoring import MEASURES
from ilpsum.api.tables import aligned, json_line
from ilpsum.cli.options import add_value, whole_from
from ilpsum.cli.scoring_options import add_baseline, add_scoring, print_scores
from ilpsum.errors import UsageError
from ilpsum.evaluation.comparison import FEWEST_TESTED, Comparison
from ilpsum.evaluation.publishing import TABLES, run_notes
from ilpsum.metrics.significance import SAMPLES

_Row = dict[str, Any]

_LEGEND = """\
# run: its means over {units}, and the 95% interval of the mean that is compared
# difference: first minus second; low, high: 95% interval of this difference, by paired bootstrap
# intervals by bootstrap over {units}, {samples} samples, seed {seed}
# p: two-sided, by paired randomisation; holm: corrected for {pairs} of a metric
# effect: Cohen's d of the paired differences; wins, ties, losses: of the first run"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_value(parser, "run_paths", "RUN", "two or more runs, as for `ilpsum evaluate`", nargs="+")
    add_baseline(parser)
    samples = f"number of samples of tests and intervals (default: {SAMPLES})"
    add_value(parser, "--samples", "N", samples, type=whole_from(2), default=SAMPLES)
    add_scoring(parser, ["table", "jsonl"], [*TABLES, ".svg"])


def run(options: argparse.Namespace) -> int:
    """Print the comparison; exit status 1 if a gold topic cannot be read."""
    if len(options.run_paths) < 2:
        raise UsageError("expected two or more runs; `ilpsum evaluate` scores one run")
    if not options.gold:
        raise UsageError("--gold GOLD is missing: topics with gold summaries")
    outputs = {"table": _table, "jsonl": _jsonl}
    return print_scores(options, outputs, options.baseline, options.samples)


def _run_rows(result: Comparison) -> Iterator[_Row]:
    for evaluation in result.evaluations:
        interval = result.interval(evaluation)
        means: _Row = {measure: getattr(evaluation.mean, measure) for measure in MEASURES}
        yield {
            "run": evaluation.run,
            **means,
            "measure": result.measure,
            "low": interval.low,
            "high": interval.high,
            "signature": str(evaluation.signed),
        }


def _topic_rows(result: Comparison) -> Iterator[_Row]:
    pairs = combinations(result.scores, 2)
    for first, second in result.differences if result.reference.baseline else pairs:
        for topic, difference in result.gaps(first, second).items():
            yield {
                "topic": topic,
                "first": first,
                "second": second,
                "first_score": result.scores[first][topic],
                "second_score": result.scores[second][topic],
                "difference": difference,
            }


def _jsonl(results: Sequence[Comparison]) -> Iterator[str]:
    """Yield an object for each run, pair and topic by metric."""
    for result in results:
        for kind, rows in (
            ("run", _run_rows(result)),
            ("pair", map(asdict, result.pairs)),
            ("topic", _topic_rows(result)),
        ):
            for row in rows:
                yield json_line({"kind": kind, "metric": result.metric} | row)


def _table(results: Sequence[Comparison]) -> Iterator[str]:
    """Yield readable tables: signatures, then runs and pairs by metric."""
    for result in results:
        yield f"# {result.evaluations[0].signature}"
    first = results[0]
    for note in run_notes(first):
        yield f"# {note}"
    reference = first.reference
    yield from _LEGEND.format(
        units=first.kind,
        samples=first.samples,
        seed=first.seed,
        pairs=f"the pairs with {reference.baseline}" if reference.baseline else "all pairs",
    ).split("\n")
    for result in results:
        yield from ("", f"{result.name} over {result.units}", "")
        yield from aligned(_side_by_side(result))
        yield ""
        yield from aligned(_with_interval_named(row) for row in _run_rows(result))
        yield ""
        pairs = [asdict(pair) for pair in result.pairs]
        for row in pairs:
            del row["metric"]
        yield from aligned(pairs)
        number = len(result.evaluations[0].units)
        if number < FEWEST_TESTED:
            yield (
                f"{number} topics are too few for a significance test, which needs at least "
                f"{FEWEST_TESTED}"
            )


def _with_interval_named(row: _Row) -> _Row:
    """Return the row of a run for printing: the interval's columns name its measure."""
    measure, low, high = row["measure"], row["low"], row["high"]
    shown = {name: row[name] for name in ("run", *MEASURES)}
    return shown | {f"{measure} low": low, f"{measure} high": high}


def _side_by_side(result: Comparison) -> Iterator[_Row]:
    """Yield each topic's scores by run, then the differences from the baseline, or from the first
    run.
    """
    for topic in result.evaluations[0].topics:
        scores = {run: by_topic[topic] for run, by_topic in result.scores.items()}
        row: _Row = {"topic": topic, **scores}
        for first, second in result.differences:
            row[f"{first} - {second}"] = scores[first] - scores[second]
        yield row
