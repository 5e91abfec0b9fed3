"""Tables whose columns sort, and the tables of scores and of runs."""

import math
from collections.abc import Sequence

from ilpsum.evaluation.comparison import compare
from ilpsum.evaluation.scoring import Evaluation, Measure
from ilpsum.report import charts
from ilpsum.report.content import Report
from ilpsum.report.markup import Markup, join, tag
from ilpsum.report.settings import shared

Cell = str | float | Markup


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Markup:
    """Return a table with a caption; the first cell of a row is its heading, numbers are right-aligned.

    The page's script makes the columns sortable, by `data-value` or else by their text.
    """
    columns = tag("tr", *(tag("th", name, scope="col") for name in head))
    body = [tag("tr", tag("th", row[0], scope="row"), *map(_cell, row[1:])) for row in rows]
    inner = tag("table", tag("caption", caption), tag("thead", columns), tag("tbody", *body))
    # It scrolls sideways on a small screen, and must do so by keyboard too.
    return tag("div", inner, class_="scroll", role="region", aria_label=caption, tabindex="0")


def number(value: float, digits: int = 4, sign: str = "-") -> str:
    """Format a number, with a true minus; nan becomes a dash. With `+` as sign, a positive one has its plus."""
    return f"{value:{sign}.{digits}f}".replace("-", "−") if math.isfinite(value) else "–"


def _cell(value: Cell) -> Markup:
    if isinstance(value, float | int):
        return tag("td", number(value) if isinstance(value, float) else value, data_value=value, class_="number")
    return tag("td", value)


def runs(report: Report) -> Markup:
    """Return the table of runs: system, size and settings."""
    rows: list[list[Cell]] = []
    for i, name in enumerate(report.runs):
        answers = [topic.answers[name] for topic in report.topics if name in topic.answers]
        summaries = [answer for answer in answers if answer.text]
        words = sum(len(answer.text.split()) for answer in summaries) / (len(summaries) or 1)
        failed = sum(bool(answer.error) for answer in answers)
        known = [answer.settings for answer in answers if answer.settings]
        systems = ", ".join(dict.fromkeys(own.system for own in known if own.system)) or "–"
        settings = tag("div", shared(known) if known else "no provenance", class_="settings")
        rows.append([run_name(name, i), systems, len(summaries), failed, round(words), settings])
    head = ["run", "system", "summaries", "failed topics", "mean words", "settings"]
    return table("Systems and settings", head, rows)


def run_name(name: str, index: int) -> Markup:
    """Return a run's name with its colour."""
    return join(tag("span", class_=f"key {charts.colour(index)}", aria_hidden="true"), tag("bdi", name))


def scores(evaluations: Sequence[Evaluation], measure: Measure, seed: int, what: str = "run") -> Markup:
    """Return the table of means by one metric, with confidence intervals; `what` heads the names."""
    intervals = [e.interval(measure, seed=seed) for e in evaluations]
    low, high = min(i.low for i in intervals), max(i.high for i in intervals)
    rows: list[list[Cell]] = []
    for i, (evaluation, own) in enumerate(zip(evaluations, intervals, strict=True)):
        mean, chart = evaluation.mean, charts.interval(i, own, low, high)
        spread = join(f"{own.low:.4f} to {own.high:.4f}", chart)
        rows.append([run_name(evaluation.run, i), mean.recall, mean.precision, mean.f1, spread])
    head = [what, "recall", "precision", "F1", f"{measure}, 95% interval"]
    return table(f"{evaluations[0].metric}, means over {len(evaluations[0].topics)} topics", head, rows)


def pairs(report: Report, evaluations: Sequence[Evaluation]) -> Markup:
    """Return the table of paired differences between runs by one metric, with significance."""
    rows: list[list[Cell]] = []
    for pair in compare(evaluations, report.measure, seed=report.seed):
        names, counts = f"{pair.first} − {pair.second}", f"{pair.wins} / {pair.ties} / {pair.losses}"
        spread = f"{number(pair.bootstrap.low)} to {number(pair.bootstrap.high)}"
        rows.append([names, pair.bootstrap.difference, spread, pair.randomisation_holm, pair.effect, counts])
    head = ["pair", "difference", "95% interval", "p", "effect", "wins / ties / losses"]
    return table(f"{evaluations[0].metric} {report.measure}: differences", head, rows)


def by_topic(report: Report, evaluations: Sequence[Evaluation], anchors: dict[str, str]) -> Markup:
    """Return the table of scores by topic and one metric; topics link to their sections, whose ids are `anchors`."""
    rows: list[list[Cell]] = []
    for topic in evaluations[0].topics:
        link = tag("a", tag("bdi", topic), href=f"#{anchors[topic]}")
        rows.append([link, *(getattr(evaluation.topics[topic], report.measure) for evaluation in evaluations)])
    head = ["topic", *(evaluation.run for evaluation in evaluations)]
    return table(f"{evaluations[0].metric} {report.measure} by topic", head, rows)
