"""`ilpsum compare`: compare runs on the same topics, with significance tests."""

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, get_args

from ilpsum.cli.options import positive
from ilpsum.cli.scoring import (
    add_scoring,
    beside,
    gold_of,
    metric_names,
    notify_differences,
    read_runs,
    rouge_options,
    rounded,
)
from ilpsum.errors import UsageError
from ilpsum.evaluation.comparison import (
    FEWEST_TESTED,
    Pair,
    SharedSentences,
    chosen_sentences,
    compare,
    shared_sentences,
)
from ilpsum.evaluation.scoring import Evaluation, Measure, evaluate

_MEASURES: tuple[Measure, ...] = get_args(Measure)
_Row = dict[str, Any]

_LEGEND = """\
# difference: first minus second, with its 95% interval by paired bootstrap
# p: two-sided, by paired randomisation; holm: corrected for all pairs of a metric
# effect: Cohen's d of the paired differences; wins, ties, losses: of the first run"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("run_paths", nargs="+", metavar="RUN", help="two or more runs, as for `ilpsum evaluate`")
    add = parser.add_argument_group("comparison").add_argument
    add("--gold", nargs="+", required=True, metavar="GOLD", help="topics with gold summaries, or annotated citances")
    add("--measure", choices=_MEASURES, help="measure to compare (default: recall; f1 for Task 1 files)")
    add(
        "--samples",
        type=positive,
        default=10_000,
        metavar="N",
        help="samples of the test and the interval (default: 10000)",
    )
    add_scoring(parser, ["table", "jsonl"])


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The comparison by one metric."""

    evaluations: Sequence[Evaluation]
    measure: Measure
    pairs: Sequence[Pair]
    seed: int

    @property
    def metric(self) -> str:
        return self.evaluations[0].metric


def run(options: argparse.Namespace) -> int:
    """Print the comparison; exit status 1 if a gold topic cannot be read."""
    if len(options.run_paths) < 2:
        raise UsageError("expected two or more runs; `ilpsum evaluate` scores one run")
    runs = read_runs(options)
    provenance = beside(runs, options, "shared sentences not counted")
    shared = list(shared_sentences({name: chosen_sentences(path) for name, path in provenance.items()}))
    gold = gold_of(options, runs)
    evaluations = evaluate(runs, gold, metric_names(options), rouge_options(options), options.references)
    notify_differences(gold, evaluations, options.quiet)
    metrics = len(evaluations) // len(runs)
    results = [_compared(evaluations[i::metrics], options) for i in range(metrics)]
    for line in (_jsonl if options.output == "jsonl" else _table)(results, shared):
        print(line)
    return 1 if gold.failed else 0


def _compared(evaluations: Sequence[Evaluation], options: argparse.Namespace) -> _Comparison:
    measure: Measure = options.measure or ("recall" if evaluations[0].metric.startswith("ROUGE") else "f1")
    pairs = compare(evaluations, measure, samples=options.samples, seed=options.seed)
    return _Comparison(evaluations, measure, pairs, options.seed)


def _run_rows(result: _Comparison) -> Iterator[_Row]:
    for evaluation in result.evaluations:
        interval = evaluation.interval(result.measure, seed=result.seed)
        scores: _Row = {measure: getattr(evaluation.mean, measure) for measure in _MEASURES}
        yield {"run": evaluation.run, **scores, "measure": result.measure, "low": interval.low, "high": interval.high}


def _pair_rows(result: _Comparison) -> Iterator[_Row]:
    for pair in result.pairs:
        yield asdict(pair)


def _topic_rows(result: _Comparison) -> Iterator[_Row]:
    for first, second in combinations(result.evaluations, 2):
        for topic in first.topics:
            scores = [getattr(evaluation.topics[topic], result.measure) for evaluation in (first, second)]
            names = {"topic": topic, "first": first.run, "second": second.run}
            yield {**names, "first_score": scores[0], "second_score": scores[1], "difference": scores[0] - scores[1]}


def _shared_row(shared: SharedSentences) -> _Row:
    names = {"topic": shared.topic, "first": shared.first, "second": shared.second}
    return {**names, "both": len(shared.both), "only_first": shared.only_first, "only_second": shared.only_second}


def _jsonl(results: Sequence[_Comparison], shared: Sequence[SharedSentences]) -> Iterator[str]:
    """Yield an object for each run, pair and topic of a metric, then for each topic that two runs share."""
    for result in results:
        signature = {"signature": str(result.evaluations[0].signature)}
        for kind, rows in (("run", _run_rows), ("pair", _pair_rows), ("topic", _topic_rows)):
            for row in rows(result):
                more = signature if kind == "run" else {}
                yield _object({"kind": kind, "metric": result.metric} | row | more)
    for entry in shared:
        places = [dict(zip(("document", "start", "end"), place, strict=True)) for place in entry.both]
        yield _object({"kind": "shared", **_shared_row(entry), "sentences": places})


def _object(row: _Row) -> str:
    return json.dumps({name: rounded(value) for name, value in row.items()}, ensure_ascii=False)


def _table(results: Sequence[_Comparison], shared: Sequence[SharedSentences]) -> Iterator[str]:
    """Yield tables for people: the signatures, the runs and pairs by each metric, the shared sentences."""
    for result in results:
        yield f"# {result.evaluations[0].signature}"
    yield from _LEGEND.split("\n")
    if any(result.metric == "JS" for result in results):
        yield "# JS: lower is better, so a win is the worse score"
    for result in results:
        first = result.evaluations[0]
        counted = "topics" if len(first.units) == len(first.topics) else f"citances of {len(first.topics)} topics"
        yield from ("", f"{result.metric} {result.measure} over {len(first.units)} {counted}", "")
        yield from _aligned(_side_by_side(result))
        yield ""
        yield from _aligned({k: v for k, v in row.items() if k != "measure"} for row in _run_rows(result))
        yield ""
        yield from _aligned({k: v for k, v in row.items() if k != "metric"} for row in _pair_rows(result))
        if len(first.units) < FEWEST_TESTED:
            yield f"{len(first.units)} are too few for a test of significance; expected {FEWEST_TESTED} or more"
    if shared:
        yield from ("", "sentences that both chose, or only one of them", "")
        yield from _aligned(_totals(shared))


def _side_by_side(result: _Comparison) -> Iterator[_Row]:
    """Yield the topics with the score of each run, and the first run's difference to each other run."""
    first, *others = result.evaluations
    for topic in first.topics:
        scores = {e.run: getattr(e.topics[topic], result.measure) for e in result.evaluations}
        distances = {f"{first.run} - {other.run}": scores[first.run] - scores[other.run] for other in others}
        yield {"topic": topic, **scores, **distances}


def _totals(shared: Sequence[SharedSentences]) -> Iterator[_Row]:
    """Sum the shared sentences of each pair over topics."""
    totals: dict[tuple[str, str], _Row] = {}
    for entry in shared:
        row, pair = _shared_row(entry), {"first": entry.first, "second": entry.second}
        total = totals.setdefault((entry.first, entry.second), pair | {"topics": 0})
        total["topics"] += 1
        for name in ("both", "only_first", "only_second"):
            total[name] = total.get(name, 0) + row[name]
    yield from totals.values()


def _aligned(rows: Iterable[_Row]) -> Iterator[str]:
    """Format a table: text aligned to the left, numbers to the right."""
    table = list(rows)
    cells = [list(table[0]), *([_cell(value) for value in row.values()] for row in table)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    left = [isinstance(value, str) for value in table[0].values()]
    for line in cells:
        padded = (c.ljust(w) if text else c.rjust(w) for c, w, text in zip(line, widths, left, strict=True))
        yield "  ".join(padded).rstrip()


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else " ".join(str(value).split())
