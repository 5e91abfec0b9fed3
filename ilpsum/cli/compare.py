"""`ilpsum compare`: compare runs on the same topics, with significance tests."""

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from ilpsum.cli.options import notify, positive
from ilpsum.cli.pages import require_place
from ilpsum.cli.scoring import Gold, add_scoring, beside, metric_names, named, read_runs, rouge_options, rounded
from ilpsum.errors import UsageError
from ilpsum.evaluation.comparison import (
    Chosen,
    Pair,
    Place,
    SharedSentences,
    chosen_sentences,
    compare,
    shared_sentences,
)
from ilpsum.evaluation.scoring import Evaluation, Measure, Run, evaluate
from ilpsum.runs.reading import SummaryRun

if TYPE_CHECKING:
    from ilpsum.report.content import Contrast

EXAMPLE = "ilpsum compare runs/FIRST1 runs/SECOND1 --gold demo/topics"

_ByRun = Mapping[str, Mapping[str, Chosen]]
_Contrasts = Mapping[str, "Sequence[Contrast]"]
_MEASURES: tuple[Measure, ...] = get_args(Measure)
_Row = dict[str, Any]

_LEGEND = """\
# interval: 95%, by bootstrap; difference: first minus second
# p: two-sided, by paired bootstrap and by approximate randomisation; holm: corrected for all pairs of a metric
# effect: Cohen's d of the paired differences; wins, ties, losses: of the first run"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("run_paths", nargs="+", metavar="RUN", help="two or more runs, as for `ilpsum evaluate`")
    add = parser.add_argument_group("comparison").add_argument
    add("--gold", nargs="+", required=True, metavar="GOLD", help="topics with gold summaries, or annotated citances")
    add("--measure", choices=_MEASURES, help="measure to compare (default: recall; f1 for Task 1 files)")
    add("--samples", type=positive, default=10_000, metavar="N", help="samples of each test (default: 10000)")
    add("--html", metavar="FILE", help="also write a page of the comparison; replaces an earlier one but no other file")
    add_scoring(parser, ["table", "jsonl"])


@dataclass(frozen=True)
class _MetricResult:
    """The comparison by one metric."""

    evaluations: Sequence[Evaluation]
    measure: Measure
    pairs: Sequence[Pair]
    seed: int


def run(options: argparse.Namespace) -> int:
    """Print the comparison; exit status 1 if a gold topic cannot be read."""
    if len(options.run_paths) < 2:
        raise UsageError("expected two or more runs; `ilpsum evaluate` scores one run")
    if options.html:
        require_place(Path(options.html), "--html")
    runs = named(read_runs(options.run_paths, options.quiet), options.run_paths)
    provenance = beside(runs, options.run_paths, "shared sentences not counted", options.quiet)
    chosen = {name: chosen_sentences(path) for name, path in provenance.items()}
    gold = Gold(options, options.gold, runs, options.run_paths)
    evaluations = evaluate(
        runs, gold, metric_names(options), rouge_options(options, options.run_paths), options.references
    )
    gold.notify_differences(evaluations)
    metrics = len(evaluations) // len(runs)
    results = [_result(evaluations[i::metrics], options) for i in range(metrics)]
    shared = list(shared_sentences(chosen))
    show = {"table": _table, "jsonl": _jsonl}[options.output]
    for line in show(results, shared):
        print(line)
    if options.html:
        _write_page(results, chosen, _contrasts(runs, provenance), options)
    return 1 if gold.failed else 0


def _contrasts(runs: Sequence[Run], provenance: Mapping[str, Path]) -> _Contrasts:
    """Return, by topic, what each run took and paid; empty for links."""
    from ilpsum.report import gather

    if not all(isinstance(run, SummaryRun) for run in runs):
        return {}
    return {topic.id: topic.contrasts for topic in gather(runs, provenance, curves=False).topics}


def _write_page(
    results: Sequence[_MetricResult], chosen: _ByRun, contrasts: _Contrasts, options: argparse.Namespace
) -> None:
    """Write the page of the comparison."""
    from ilpsum.io.atomic import write_file
    from ilpsum.report.comparison import Compared, Side, comparison_page
    from ilpsum.report.settings import shared

    sides = []
    texts: dict[tuple[str, Place], str] = {}
    questions: dict[str, str] = {}
    for run in (evaluation.run for evaluation in results[0].evaluations):
        own = chosen.get(run, {})
        settings = shared([of.settings for of in own.values()])
        sides.append(Side(run, settings, {topic: list(of.texts) for topic, of in own.items()}))
        texts |= {(topic, place): text for topic, of in own.items() for place, text in of.texts.items()}
        questions |= {topic: of.question for topic, of in own.items()}
    evaluations = [result.evaluations for result in results]
    about = f"{len(evaluations[0][0].topics)} topics."
    measure = results[0].measure
    compared = Compared(about, sides, evaluations, texts, questions, measure, options.seed, contrasts)
    page = comparison_page(compared)
    write_file(options.html, page.encode())
    notify(f"the page of the comparison is {options.html}", options.quiet)


def _result(evaluations: Sequence[Evaluation], options: argparse.Namespace) -> _MetricResult:
    default: Measure = "recall" if evaluations[0].metric.startswith("ROUGE") else "f1"
    measure: Measure = options.measure or default
    pairs = compare(evaluations, measure, samples=options.samples, seed=options.seed)
    return _MetricResult(evaluations, measure, pairs, options.seed)


def _run_rows(result: _MetricResult) -> Iterator[_Row]:
    for evaluation in result.evaluations:
        interval = evaluation.interval(result.measure, seed=result.seed)
        scores: _Row = {measure: getattr(evaluation.mean, measure) for measure in _MEASURES}
        yield {"run": evaluation.run, **scores, "measure": result.measure, "low": interval.low, "high": interval.high}


def _pair_rows(result: _MetricResult) -> Iterator[_Row]:
    for pair in result.pairs:
        yield {
            "first": pair.first,
            "second": pair.second,
            **{name: getattr(pair.bootstrap, name) for name in ("difference", "low", "high")},
            "p_bootstrap": pair.bootstrap.p_value,
            "p_bootstrap_holm": pair.bootstrap_holm,
            "p_randomisation": pair.randomisation.p_value,
            "p_randomisation_holm": pair.randomisation_holm,
            **{name: getattr(pair, name) for name in ("effect", "wins", "ties", "losses")},
        }


def _topic_rows(result: _MetricResult) -> Iterator[_Row]:
    for first, second in combinations(result.evaluations, 2):
        for topic in first.topics:
            scores = [getattr(evaluation.topics[topic], result.measure) for evaluation in (first, second)]
            names = {"topic": topic, "first": first.run, "second": second.run}
            yield {**names, "first_score": scores[0], "second_score": scores[1], "difference": scores[0] - scores[1]}


def _shared_row(shared: SharedSentences) -> _Row:
    names = {"topic": shared.topic, "first": shared.first, "second": shared.second}
    return {**names, "both": len(shared.both), "only_first": shared.only_first, "only_second": shared.only_second}


def _rows(results: Sequence[_MetricResult], shared: Sequence[SharedSentences]) -> Iterator[tuple[str, _Row]]:
    """Yield every row with its kind."""
    for result in results:
        metric = {"metric": result.evaluations[0].metric}
        for kind, rows in (("run", _run_rows), ("pair", _pair_rows), ("topic", _topic_rows)):
            yield from ((kind, metric | row) for row in rows(result))
    yield from (("shared", _shared_row(entry)) for entry in shared)


def _jsonl(results: Sequence[_MetricResult], shared: Sequence[SharedSentences]) -> Iterator[str]:
    signatures = {result.evaluations[0].metric: str(result.evaluations[0].signature) for result in results}
    sentences = iter(shared)
    for kind, row in _rows(results, shared):
        record = {name: rounded(value) for name, value in row.items()}
        if kind == "run":
            record["signature"] = signatures[row["metric"]]
        if kind == "shared":
            places = next(sentences).both
            record["sentences"] = [dict(zip(("document", "start", "end"), p, strict=True)) for p in places]
        yield json.dumps({"kind": kind, **record}, ensure_ascii=False)


def _comments(results: Sequence[_MetricResult]) -> Iterator[str]:
    for result in results:
        yield f"# {result.evaluations[0].signature}"
    yield from _LEGEND.split("\n")
    if any(result.evaluations[0].metric == "JS" for result in results):
        yield "# JS: lower is better, so a win is the worse score"


def _table(results: Sequence[_MetricResult], shared: Sequence[SharedSentences]) -> Iterator[str]:
    yield from _comments(results)
    for result in results:
        first = result.evaluations[0]
        counted = "topics" if len(first.units) == len(first.topics) else f"citances of {len(first.topics)} topics"
        yield from ("", f"{first.metric} {result.measure} over {len(first.units)} {counted}", "")
        yield from _aligned(_side_by_side(result))
        yield ""
        yield from _aligned({k: v for k, v in row.items() if k != "measure"} for row in _run_rows(result))
        yield ""
        yield from _aligned(_pair_rows(result))
    if shared:
        yield from ("", "sentences that both chose, or only one of them", "")
        yield from _aligned(_totals(shared))


def _side_by_side(result: _MetricResult) -> Iterator[_Row]:
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
    cells = [list(table[0]), *([_cell(value, 4) for value in row.values()] for row in table)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    left = [isinstance(value, str) for value in table[0].values()]
    for line in cells:
        padded = (c.ljust(w) if text else c.rjust(w) for c, w, text in zip(line, widths, left, strict=True))
        yield "  ".join(padded).rstrip()


def _cell(value: Any, digits: int) -> str:
    return f"{value:.{digits}f}" if isinstance(value, float) else " ".join(str(value).split())
