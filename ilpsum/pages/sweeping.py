"""Collects the content of the report of a finished sweep from its runs and their table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ilpsum.errors import InputError
from ilpsum.evaluation.comparison import Comparison
from ilpsum.evaluation.run_scores import Evaluation, evaluate
from ilpsum.evaluation.sweeps.results import grouped
from ilpsum.evaluation.sweeps.table import (
    RANK,
    Row,
    SweepTable,
    by_lambda,
    labels,
    printed,
    read_sweep,
)
from ilpsum.metrics.rouge import RougeOptions
from ilpsum.pages.charts import Curve
from ilpsum.pages.figures import over_lambda
from ilpsum.pages.gathering import NESTED, Report, collect
from ilpsum.runs.reading import SummaryRun, read_run

# Configurations whose texts are shown side by side.
_MOST = 8


def gather_sweep(folder: Path) -> Report:
    """Collect the content of the report of a finished sweep: the scores of all configurations, and
    the texts of the best ones, each at its best lambda, and of the nested choice.

    Raises `InputError` if a file of the sweep is missing or damaged.
    """
    table = read_sweep(folder)
    scoring, names = table.scoring, _names(table.rows)
    of_limits = _shown(table)
    choices = {row.words: row for row in table.nested if not row.method}
    ranked = _ranked(table.rows)
    runs: list[SummaryRun] = []
    evaluations: list[list[Evaluation]] = [[] for _ in scoring.metrics]
    settings = {}
    topics = [topic.topic for topic in table.topics]
    for words, rows in of_limits.items():
        of_limit = [_run(folder, row.run, names[row.group]) for row in rows]
        if words in choices:
            limit = f", {words} words" if len(of_limits) > 1 else ""
            of_limit.append(_run(folder, choices[words].run, f"{NESTED}{limit}"))
            folds = f"each topic as is best on the others of {choices[words].folds} folds"
            settings[of_limit[-1].name] = (NESTED, "", folds)
        options = RougeOptions(scoring.stem, words)
        scored = evaluate(of_limit, topics, scoring.metrics, options)
        for of_metric, more in zip(evaluations, scored, strict=True):
            of_metric += more
        runs += of_limit
    shown = collect(runs, topics, {topic.id: topic.title for topic in table.topics})
    # Runs whose texts are shown have the first numbers, as in `Report.numbers`.
    first = [row.group for rows in of_limits.values() for row in rows]
    drawn = [group[0].group for group in by_lambda(table.rows) if len(group) > 1 or group[0].curve]
    marks = {group: number for number, group in enumerate(dict.fromkeys((*first, *drawn)))}
    curves = [_curves(table, marks, metric) for metric in scoring.metrics]
    return Report(
        runs=tuple(run.name for run in runs),
        topics=shown.topics,
        compared=tuple(Comparison(e, scoring.measure) for e in evaluations),
        settings={**shown.settings, **settings},
        swept=tuple(map(tuple, printed(ranked))),
        marks=tuple(marks.get(row.group) for row in ranked),
        curves=tuple(curves) if curves[0] else (),
    )


def lambda_figure(table: SweepTable) -> str:
    """Return the figure of a sweep's ranking score over lambda as an SVG file; empty if no
    configuration has several lambdas.
    """
    names = _names(table.rows)
    scoring = table.scoring
    curves = _curves(table, {group: group for group in names}, RANK)
    if not curves:
        return ""
    drawn = [(names[curve.index], curve) for curve in curves]
    return over_lambda(drawn, f"mean {scoring.measure} of {', '.join(scoring.metrics)}")


def _run(folder: Path, run: str, name: str) -> SummaryRun:
    """Read a run of the sweep under the name that the report gives it."""
    read = read_run(folder / f"{run}.jsonl")
    if not isinstance(read, SummaryRun):
        raise InputError("expected summaries", folder / f"{run}.jsonl")
    return replace(read, name=name)


def _best(rows: Sequence[Row]) -> Row:
    return max(rows, key=lambda row: row.score)


def _names(rows: Sequence[Row]) -> dict[int, str]:
    """Return what tells apart the configurations that differ in more than lambda, by group."""
    tops = [_best(group) for group in by_lambda(rows)]
    return {row.group: name for row, name in zip(tops, labels(tops), strict=True)}


def _shown(table: SweepTable) -> dict[int, list[Row]]:
    """Return the best configurations by word limit, each at its best lambda, the best first."""
    tops = [_best(group) for group in by_lambda(table.rows)]
    of_limits = grouped(_ranked(tops), lambda row: row.words)
    most = max(1, _MOST // len(of_limits))
    return {words: rows[:most] for words, rows in of_limits.items()}


def _ranked(rows: Sequence[Row]) -> list[Row]:
    """Return rows by word limit, in order of the limits, then by score, the best first."""
    of_limits = grouped(rows, lambda row: row.words).values()
    return [row for of_limit in of_limits for row in sorted(of_limit, key=lambda row: -row.score)]


def _curves(table: SweepTable, marks: Mapping[int, int], metric: str) -> tuple[Curve, ...]:
    """Return the curves of the configurations that have several lambdas, in a metric or the ranking
    score; `marks` numbers them by group.
    """
    curves = []
    for group in by_lambda(table.rows):
        top = _best(group)
        if top.lambda_ is None:
            continue
        points = []
        if top.curve:
            corners = top.curve[metric]
            ends = [*(start for start, _ in corners[1:]), 1.0]
            for (start, score), end in zip(corners, ends, strict=True):
                points += [(start, score), (end, score)]
        elif len(group) > 1:
            points = sorted((row.lambda_ or 0.0, table.value(row, metric)) for row in group)
        if points:
            number, value = marks[top.group], table.value(top, metric)
            curves.append(Curve(number, top.lambda_, value, points, top.breakpoints))
    return tuple(curves)
