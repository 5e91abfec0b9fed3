"""Sortable tables, in particular of runs and scores, and small charts in their cells.

Charts are SVG with lengths in per cent of the width, so that text keeps its size on every screen.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass

from ilpsum.errors import counted
from ilpsum.evaluation.comparison import compare
from ilpsum.evaluation.scoring import Evaluation
from ilpsum.metrics.significance import Interval
from ilpsum.pages.markup import Markup, join, tag
from ilpsum.pages.view import Report
from ilpsum.records import RunSettings

Cell = str | float | Markup

COLOURS = 8
"""Number of run colours in the style sheet; further runs reuse them."""


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Markup:
    """Return a table with a caption; the first cell of each row is its header, numbers are right-aligned.

    The page's script makes columns sortable by `data-value`, or by text if there is none.
    """
    columns = tag("tr", *(tag("th", name, scope="col") for name in head))
    body = [tag("tr", tag("th", row[0], scope="row"), *map(_cell, row[1:])) for row in rows]
    inner = tag("table", tag("caption", caption), tag("thead", columns), tag("tbody", *body))
    # Focusable, so that the keyboard can scroll it sideways on a small screen.
    return tag("div", inner, class_="scroll", role="region", aria_label=caption, tabindex="0")


def number(value: float, digits: int = 4) -> str:
    """Format a number with a minus sign (U+2212); non-finite values become a dash."""
    return f"{value:.{digits}f}".replace("-", "−") if math.isfinite(value) else "–"


def _cell(value: Cell) -> Markup:
    if isinstance(value, float | int):
        return tag("td", number(value) if isinstance(value, float) else value, data_value=value, class_="number")
    return tag("td", value)


def run_name(name: str, index: int) -> Markup:
    """Return a run's name with its colour."""
    return join(tag("span", class_=f"key {colour(index)}", aria_hidden="true"), tag("bdi", name))


def runs(report: Report) -> Markup:
    """Return the table of runs: size and settings."""
    rows: list[list[Cell]] = []
    for i, name in enumerate(report.runs):
        own = [topic.runs[name] for topic in report.topics if name in topic.runs]
        summaries = [each for each in own if each.text]
        words = sum(len(each.text.split()) for each in summaries) / (len(summaries) or 1)
        failed = sum(bool(each.error) for each in own)
        settings = tag("div", report.settings.get(name, "–"), class_="settings")
        rows.append([run_name(name, i), len(summaries), failed, round(words), settings])
    head = ["run", "summaries", "failed topics", "mean words", "settings"]
    return table("Systems and settings", head, rows)


def scores(report: Report, evaluations: Sequence[Evaluation]) -> Markup:
    """Return the table of mean scores in one metric, with confidence intervals."""
    intervals = [e.interval(report.measure, seed=report.seed) for e in evaluations]
    low, high = min(i.low for i in intervals), max(i.high for i in intervals)
    rows: list[list[Cell]] = []
    for i, (evaluation, own) in enumerate(zip(evaluations, intervals, strict=True)):
        mean, chart = evaluation.mean, _chart(i, own, low, high)
        spread = join(f"{own.low:.4f} to {own.high:.4f}", chart)
        rows.append([run_name(evaluation.run, i), mean.recall, mean.precision, mean.f1, spread])
    head = ["run", "recall", "precision", "F1", f"{report.measure}, 95% interval"]
    return table(f"{evaluations[0].metric}, means over {counted(len(evaluations[0].topics), 'topic')}", head, rows)


def pairs(report: Report, evaluations: Sequence[Evaluation]) -> Markup:
    """Return the table of paired differences between runs in one metric, with significance; empty for one run."""
    rows: list[list[Cell]] = []
    for pair in compare(evaluations, report.measure, seed=report.seed):
        interval = f"{number(pair.low)} to {number(pair.high)}"
        tests: list[Cell] = ["too few topics" if p is None else p for p in (pair.p_value, pair.holm)]
        counts = f"{pair.wins} / {pair.ties} / {pair.losses}"
        names = f"{pair.first} − {pair.second}"
        rows.append([names, pair.difference, interval, *tests, pair.effect, counts])
    head = ["pair", "difference", "95% interval", "p, randomisation", "Holm", "effect"]
    caption = f"{evaluations[0].metric} {report.measure}: differences and their significance"
    return table(caption, [*head, "wins / ties / losses"], rows) if rows else Markup()


def by_topic(report: Report, evaluations: Sequence[Evaluation], anchors: Mapping[str, str]) -> Markup:
    """Return the table of scores by topic in one metric, with the differences between the first run and the others.

    Topics link to their sections; `anchors` are the ids of the sections by topic.
    """
    rows: list[list[Cell]] = []
    for topic in evaluations[0].topics:
        own, *others = (float(getattr(evaluation.topics[topic], report.measure)) for evaluation in evaluations)
        link = tag("a", tag("bdi", topic), href=f"#{anchors[topic]}")
        rows.append([link, own, *others, *(own - other for other in others)])
    first, *rest = (evaluation.run for evaluation in evaluations)
    head = ["topic", first, *rest, *(f"{first} − {other}" for other in rest)]
    return table(f"{evaluations[0].metric} {report.measure} by topic", head, rows)


def _chart(index: int, measured: Interval, low: float, high: float) -> Markup:
    """Plot a mean and its interval on a scale from `low` to `high`, for run `index`. Hidden from screen readers."""

    def at(value: float) -> str:
        return _share(4 + 92 * (value - low) / (high - low) if high > low else 50)

    line = tag("line", x1=at(measured.low), x2=at(measured.high), y1="9", y2="9", class_=colour(index))
    dot = tag("circle", cx=at(measured.mean), cy="9", r="5", class_=colour(index))
    return tag("svg", line, dot, aria_hidden="true", width="100%", height="18", class_="interval")


def colour(index: int) -> str:
    """Return the CSS class of a run's colour."""
    return f"run{index % COLOURS}"


def _share(value: float) -> str:
    return f"{value:.2f}%"


# Digests of input files and of the configuration, which no reader compares.
_DIGESTS = frozenset(("configuration", "documents", "answers", "pmids"))


def described(settings: RunSettings) -> tuple[str, ...]:
    """Return the settings that differ from the defaults.

    >>> from ilpsum.records import ObjectiveSettings, SystemSettings
    >>> described(RunSettings(words=250, system=SystemSettings(method="ilp"), objective=ObjectiveSettings(0.4)))
    ('words 250', 'system.method ilp', 'objective.lambda 0.4')
    """
    return tuple(_changed(settings, RunSettings(), ""))


def _changed(settings: object, default: object, prefix: str) -> Iterator[str]:
    for name in (field.name for field in fields(settings) if field.name not in _DIGESTS):  # type: ignore[arg-type]
        value, usual = getattr(settings, name), getattr(default, name)
        if is_dataclass(value):
            yield from _changed(value, usual, f"{prefix}{name}.")
        elif value != usual:
            shown = ", ".join(map(str, value)) if isinstance(value, tuple) else "yes" if value is True else value
            yield f"{prefix}{name.rstrip('_')} {'no' if shown is False else shown}"


def shared(settings: Iterable[RunSettings]) -> str:
    """Return the settings that all summaries of a run share."""
    phrases = [described(own) for own in settings]
    common = (phrase for phrase in phrases[0] if all(phrase in own for own in phrases)) if phrases else ()
    return "; ".join(common) if phrases else "no provenance"
