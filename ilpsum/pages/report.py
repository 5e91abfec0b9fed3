"""The report of runs as one HTML file that makes no network requests: the result first, then the
texts by topic.

Everything is drawn once in each metric; the page shows the metric that its switch names.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ilpsum.errors import counted
from ilpsum.evaluation.comparison import FEWEST_TESTED, Comparison, Pair
from ilpsum.files.atomic import write_errors, write_file
from ilpsum.pages import charts, topics
from ilpsum.pages.charts import Scale
from ilpsum.pages.gathering import Report
from ilpsum.pages.markup import (
    Markup,
    cell,
    filled,
    framed,
    head,
    join,
    run_name,
    short,
    table,
    tag,
)
from ilpsum.version import __version__

_FEW = 5
# Pairs of runs that are not folded, and differences in the table of topics.
_MOST_PAIRS, _MOST_DIFFERENCES = 3, 2
_NO_SCORES = (
    "No scores: no topic has gold summaries. Name topics that have some with --gold TOPICS."
)
_IN_SAMPLE = (
    "Not tested against each other: the values of each configuration were chosen by its scores on "
    "these topics, which favours those with more values. Compare the intervals; for a held-out "
    "comparison, summarise with --folds 5 and use ilpsum compare."
)
_OF_NESTED = (
    " The nested choice is no configuration: it estimates the whole procedure of choosing, each "
    "topic by the configuration that is best on the other folds."
)
_OPEN = tag(
    "button",
    "Open all reasons",
    type="button",
    id="all",
    aria_pressed="false",
)
_TESTS = (
    "Tests are two-sided and paired by topic; Holm's correction counts {pairs} of a metric; the "
    "effect is Cohen's d of the paired differences."
)


def write(path: str | Path, report: Report) -> None:
    """Write a report; `IlpsumError` if that fails, which keeps an existing file."""
    with write_errors(Path(path)):
        write_file(path, page(report).encode())


def page(report: Report) -> str:
    """Return the page of a report, deterministically."""
    gold = sum(bool(topic.gold) for topic in report.topics)
    size = counted(len(report.topics), "topic")
    if report.swept:
        title = f"Sweep of {counted(len(report.swept) - 1, 'configuration')}"
    else:
        title = f"Summaries by {', '.join(report.runs[:4])}{', …' if len(report.runs) > 4 else ''}"
        size += f", {counted(len(report.runs), 'run')}"
    about = f"{size}, {f'gold summaries for {gold}' if gold else 'no gold summaries'}. "
    notes = [f"Made by ilpsum {__version__}."]
    if report.compared:
        notes.append("Intervals are 95% bootstrap intervals of the mean.")
    if report.compared and len(report.runs) > 1 and not report.swept:
        baseline = report.compared[0].reference.baseline
        pairs = "the pairs with the reference" if baseline else "all pairs"
        notes.append(_TESTS.format(pairs=pairs))
    style = ""
    if len(report.compared) > 1:
        # Without a choice, the first metric is shown.
        rule = ".overview:not(:has(#metric-{0}:checked)) .m{0} {{ display: none; }}\n"
        style = "".join(map(rule.format, range(len(report.compared))))
    sections = [topics.section(report, topic) for topic in report.topics]
    return framed(
        title,
        about=tag("p", about, _OPEN),
        scripts=("page.js", "report.js"),
        style=style,
        main=join(_overview(report), *sections),
        footer=tag("p", " ".join(notes)),
    )


def _overview(report: Report) -> Markup:
    parts = [tag("h2", "Result", id="result", tabindex="-1"), _switch(report)]
    result = _result(report)
    if report.swept:
        parts += [_curves(report), _runs(report), _configurations(report), result]
    else:
        parts += [result, _runs(report)]
    parts += [_topics(report), _measured(report)]
    # Of many topics, the script shows one at a time.
    many = "overview many" if len(report.topics) > _FEW else "overview"
    return tag("section", *parts, class_=many, aria_labelledby="result")


def _switch(report: Report) -> Markup:
    if len(report.compared) < 2:
        return Markup()
    labels = []
    for i, comparison in enumerate(report.compared):
        button = tag(
            "input",
            type="radio",
            name="metric",
            id=f"metric-{i}",
            autocomplete="off",
            checked=i == 0,
        )
        labels.append(tag("label", button, f" {comparison.name}"))
    return tag("fieldset", tag("legend", "Score"), *labels, class_="metrics")


def _configurations(report: Report) -> Markup:
    names, *rows = report.swept
    cells = []
    for mark, (system, *rest) in zip(report.marks, rows, strict=True):
        first = system if mark is None else run_name(system, mark)
        cells.append([first, *(tag("td", value) for value in rest)])
    shown = table("Configurations", [*map(head, names)], cells)
    return tag("details", tag("summary", f"All {counted(len(rows), 'configuration')}"), shown)


def _measured(report: Report) -> Markup:
    settings: list[Markup] = []
    for name, values in report.settings.items():
        settings += [tag("dt", tag("bdi", name)), tag("dd", values[-1])]
    heading = tag("summary", "Settings of the runs, and how the scores were computed")
    signatures = tag("ul", *_signatures(report), class_="facts")
    return tag("details", heading, tag("dl", *settings), signatures)


def _signatures(report: Report) -> Iterator[Markup]:
    """Yield the signatures of the scores; one that not all runs share has the names of its runs."""
    for comparison in report.compared:
        runs_of: dict[str, list[str]] = {}
        for evaluation in comparison.evaluations:
            runs_of.setdefault(str(evaluation.signed), []).append(evaluation.run)
        for signature, runs in runs_of.items():
            names = f" {', '.join(runs)}" if len(runs_of) > 1 else ""
            yield tag("li", tag("code", signature), names)


def _result(report: Report) -> Markup:
    """Return what the scores say of each pair of runs, in each metric, the reference first; the run
    with the higher mean comes first. Configurations of a sweep are not tested.
    """
    if report.swept:
        return tag("p", _IN_SAMPLE, _OF_NESTED if report.nested else "", class_="result")
    parts = [tag("p", _NO_SCORES, class_="result")] if not report.compared else []
    for i, comparison in enumerate(report.compared):
        asked, others = _asked_first(report, comparison)
        pairs = [_pair(report, comparison, pair) for pair in (*asked, *others)]
        number = max(len(asked), _MOST_PAIRS)
        if len(pairs) == number + 1:
            number += 1
        shown = [*_reference(report, comparison, len(pairs)), *pairs[:number]]
        if rest := pairs[number:]:
            heading = tag("summary", f"{counted(len(rest), 'more pair')} of runs")
            shown.append(tag("details", heading, *rest))
        parts.append(tag("div", *shown, class_=f"m{i}"))
    return join(*parts)


def _asked_first(report: Report, comparison: Comparison) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs with the baseline, or else with the run that was named first, and the other
    pairs.
    """
    run = comparison.reference.baseline or report.runs[0]
    pairs = comparison.ranked.pairs
    asked = [pair for pair in pairs if run in (pair.first, pair.second)]
    return asked, [pair for pair in pairs if pair not in asked]


def _reference(report: Report, comparison: Comparison, pairs: int) -> Iterator[Markup]:
    """Yield what the runs are compared with, and which runs are not tested."""
    reference = comparison.reference
    if reference.baseline:
        index = report.runs.index(reference.baseline)
        mean = comparison.mean(comparison.evaluations[index])
        yield tag(
            "p",
            "Reference: ",
            run_name(reference.baseline, index),
            f", mean {comparison.name} {short(mean)}. The other runs are compared with it; "
            f"p-values are corrected for {counted(pairs, 'comparison')}.",
            class_="result",
        )
    for oracle in reference.oracles:
        name = run_name(oracle, report.runs.index(oracle))
        yield tag("p", name, " has seen the gold summaries: an upper bound, which is not tested.")


def _pair(report: Report, comparison: Comparison, pair: Pair) -> Markup:
    """Return the sentence that compares two runs: difference, interval, wins, p-value, extremes."""
    i, j = report.runs.index(pair.first), report.runs.index(pair.second)
    by_topic = comparison.gaps(pair.first, pair.second)
    gaps = sorted((gap, topic) for topic, gap in by_topic.items())
    begins = ""
    if pair.holm is None:
        begins = f"Too few topics for a test ({len(gaps)} of {FEWEST_TESTED}). "
    elif not pair.is_significant:
        begins = "No significant difference: "
    # Of equal means, the difference may be a rounding error.
    sign = round(pair.difference, 12)
    below = sign < 0
    between = ", difference " if below else " "
    interval = f"[{short(pair.low)}, {short(pair.high)}]"
    measured = f" {comparison.name}{between}{interval}"
    equal = f", {pair.ties} equal" if pair.ties else ""
    won = f", {pair.wins} of {counted(len(gaps), 'topic')}{equal}"
    tested = "" if pair.holm is None else f"; p = {short(pair.holm, 4)}, corrected"
    ends = [_extreme(report, "gain", *gaps[-1]), _extreme(report, "loss", *gaps[0])]
    design = comparison.design_notes.get((pair.first, pair.second), "")
    return tag(
        "p",
        begins,
        run_name(pair.first, i),
        " is below " if below else " is above " if sign else " equals ",
        run_name(pair.second, j),
        " by ",
        tag("b", short(abs(pair.difference))),
        measured,
        won,
        tested,
        ". ",
        tag("small", join(f"Effect {short(pair.effect, 2)}", *ends, between=", ")),
        design and tag("small", design, class_="design"),
        class_="result",
    )


def _extreme(report: Report, name: str, gap: float, topic: str) -> Markup:
    """Return the topic with the largest gain or loss, linked; or that there is none."""
    if gap <= 0 if name == "gain" else gap >= 0:
        return join(f"no {name}")
    link = tag("a", tag("bdi", topic), href=f"#{report.anchors[topic]}")
    return join(f"largest {name} ", link, f" ({short(gap, signed=True)})")


def _runs(report: Report) -> Markup:
    """Return the table of runs: system, lambda or threshold, words, and the mean of each metric
    with its interval.
    """
    heads = ["run", "system", "lambda or threshold", "words", "texts"]
    heads += [comparison.name for comparison in report.compared]
    rows = [_run(report, i) for i in range(len(report.runs))]
    for comparison in report.compared:
        intervals = [comparison.interval(evaluation) for evaluation in comparison.evaluations]
        scale = Scale.of(end for mean in intervals for end in (mean.low, mean.high))
        for run, row, mean in zip(report.runs, rows, intervals, strict=True):
            ends = f" [{short(mean.low)}, {short(mean.high)}]"
            drawn = charts.interval(scale, report.numbers[run], mean)
            shown = (tag("b", short(mean.mean)), ends, drawn)
            row.append(tag("td", *shown, data_value=mean.mean, class_="mean"))
    caption = "Runs, best first" if report.swept else "Runs"
    return table(caption, [*map(head, heads)], rows)


def _run(report: Report, i: int) -> list[object]:
    """Return the cells of a run before its scores."""
    run = report.runs[i]
    name = run_name(run, report.numbers[run])
    note = report.compared[0].evaluations[i].training_note if report.compared else ""
    if note:
        name = join(name, tag("small", note, class_="note"))
    if report.swept:
        name = join(report.heads[run], " ", name)
    summaries = [topic.runs[run] for topic in report.topics if run in topic.runs]
    sizes = [len(summary.text.split()) for summary in summaries if summary.text]
    words = sum(sizes) / (len(sizes) or 1)
    failed = sum(bool(summary.error) for summary in summaries)
    texts = f"{len(sizes)}, {failed} failed" if failed else f"{len(sizes)}"
    row: list[object] = [name]
    row += [tag("td", value or "–") for value in report.settings.get(run, ("", ""))[:2]]
    return [*row, cell(words, f"{words:.0f}"), cell(len(sizes), texts)]


class _Column(NamedTuple):
    """A column of the table of topics: its head, the number of its metric, whether it holds
    differences, and its values by topic.
    """

    head: object
    metric: int
    is_difference: bool
    values: Mapping[str, float]


def _topics(report: Report) -> Markup:
    """Return the table of topics: dots, differences and scores in each metric, words shared,
    question or title.

    Topics are ordered by their differences in the first metric.
    """
    columns: list[_Column] = []
    scales = []
    for metric, comparison in enumerate(report.compared):
        # The differences of the best runs from the baseline, or of the best run from the next.
        for first, second in comparison.ranked.tested[:_MOST_DIFFERENCES]:
            columns.append(_difference(report, metric, first.run, second.run))
        for run, scores in comparison.scores.items():
            name = run_name(report.heads[run], report.numbers[run])
            columns.append(_Column(name, metric, False, scores))
        by_run = comparison.scores.values()
        scales.append(Scale.of(value for scores in by_run for value in scores.values()))
    heads = [head("topic")]
    if scales:
        axes = [charts.axis(scale, f"grid-{i}", f"m{i}") for i, scale in enumerate(scales)]
        heads.append(head(tag("span", "plot", class_="spoken"), *axes, class_="plot"))
    for n, column in enumerate(columns):
        order = None if n else "descending"
        heads.append(head(column.head, class_=f"m{column.metric}", aria_sort=order))
    is_compared = len(report.runs) > 1
    heads += [head("words shared")] * is_compared
    heads.append(head("question or title"))
    first_values = columns[0].values if columns else {}
    ordered = sorted(report.topics, key=lambda topic: -first_values.get(topic.id, -math.inf))
    rows = []
    for topic in ordered:
        row: list[object] = [tag("a", tag("bdi", topic.id), href=f"#{report.anchors[topic.id]}")]
        if scales:
            row.append(tag("td", *_dots(report, scales, topic.id), class_="plot"))
        for column in columns:
            value = column.values.get(topic.id, math.nan)
            shown = short(value, signed=column.is_difference)
            row.append(cell(value, shown, f"m{column.metric}"))
        if is_compared:
            shared = f"{topic.shared:.0%}" if math.isfinite(topic.shared) else "–"
            row.append(cell(topic.shared, shared))
        about = topic.title or ("" if topic.has_citances else topic.query)
        rows.append([*row, tag("td", about, class_="about")])
    return table("Topics", heads, rows, id="topics")


def _difference(report: Report, metric: int, first: str, second: str) -> _Column:
    """Return the column of the differences of two runs in a metric."""
    values = report.compared[metric].gaps(first, second)
    name = f"{report.heads[first]} −\N{NO-BREAK SPACE}{report.heads[second]}"
    return _Column(name, metric, True, values)


def _dots(report: Report, scales: Sequence[Scale], topic: str) -> Iterator[Markup]:
    """Yield the scores of a topic as dots, in each metric."""
    for i, (comparison, scale) in enumerate(zip(report.compared, scales, strict=True)):
        values = []
        for run, scores in comparison.scores.items():
            values.append((report.numbers[run], scores.get(topic, math.nan)))
        yield charts.dots(scale, values, f"grid-{i}", f"m{i}")


def _curves(report: Report) -> Markup:
    """Return the mean scores over lambda, in each metric; empty unless the sweep has several
    lambdas.
    """
    if not report.curves:
        return Markup()
    exact = any(map(charts.have_breakpoints, report.curves))
    below = "; below, the breakpoints of exact paths" if exact else ""
    drawn = []
    for i, (comparison, curves) in enumerate(zip(report.compared, report.curves, strict=True)):
        drawn.append(charts.curves(curves, f"mean {comparison.name}", f"m{i}"))
    return filled("report-lambda.html", below=below, drawn=join(*drawn))
