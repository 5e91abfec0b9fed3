"""The report as one HTML file that makes no network requests."""

from collections.abc import Mapping

from ilpsum.errors import counted
from ilpsum.pages import overview, tables, topics
from ilpsum.pages.markup import Markup, framed, join, tag
from ilpsum.pages.view import Report
from ilpsum.version import __version__

_FEW = 5
_OPEN = tag("p", tag("button", "Open all reasons", type="button", id="all", aria_pressed="false"))


def page(report: Report, links: Mapping[tuple[str, str], str] | None = None) -> str:
    """Return the page of a report, deterministically. `links`: URLs of the answer pages by run and topic."""
    anchors = {topic.id: f"topic-{i}" for i, topic in enumerate(report.topics, start=1)}
    names = f"{', '.join(report.runs[:4])}{', …' if len(report.runs) > 4 else ''}"
    return framed(
        f"Sweep of {counted(len(report.swept) - 1, 'configuration')}" if report.swept else f"Summaries by {names}",
        about=tag("p", _about(report)),
        switches=_OPEN,
        scripts=("page.js", "report.js"),
        style=overview.style(report),
        main=join(
            _overview(report, anchors),
            *(topics.section(report, topic, anchors[topic.id], links or {}) for topic in report.topics),
        ),
        footer=_footer(report),
    )


def _overview(report: Report, anchors: Mapping[str, str]) -> Markup:
    result, runs = overview.result(report, anchors), overview.runs(report)
    parts = (overview.curves(report), runs, _configurations(report), result) if report.swept else (result, runs)
    title = tag("h2", "Result", id="result", tabindex="-1")
    # Of many topics, the script shows one at a time.
    many = "overview many" if len(report.topics) > _FEW else "overview"
    return tag(
        "section", title, overview.switch(report), *parts, overview.topics(report, anchors), _measured(report),
        class_=many, aria_labelledby="result",
    )  # fmt: skip


def _configurations(report: Report) -> Markup:
    """Return the table of all configurations of a sweep, folded if the table of runs has them all."""
    names, *rows = report.swept
    shown = tables.table(
        "Configurations", [*map(tables.head, names)], [[a, *(tag("td", v) for v in rest)] for a, *rest in rows]
    )
    return tag("details", tag("summary", f"All {counted(len(rows), 'configuration')}"), shown)


def _measured(report: Report) -> Markup:
    """Return the settings of the runs and the signatures of the metrics, folded."""
    settings = [join(tag("dt", tag("bdi", name)), tag("dd", own[-1])) for name, own in report.settings.items()]
    signatures = [tag("li", tag("code", str(evaluations[0].signature))) for evaluations in report.scores]
    heading = tag("summary", "Settings of the runs, and how the scores were computed")
    return tag("details", heading, tag("dl", *settings), tag("ul", *signatures, class_="facts"))


def _about(report: Report) -> str:
    gold = sum(bool(topic.gold) for topic in report.topics)
    size = f"{counted(len(report.topics), 'topic')}, {counted(len(report.runs), 'run')}"
    golden = f"gold summaries for {gold}" if gold else "no gold summaries"
    return f"{size}, {golden}."


def _footer(report: Report) -> Markup:
    notes = [f"Made by ilpsum {__version__}."]
    if report.scores:
        notes.append("Intervals are 95% bootstrap intervals of the mean.")
    if report.scores and len(report.runs) > 1:
        notes.append(
            "Tests are two-sided and paired by topic; Holm's correction counts all pairs of a metric; the effect is "
            "Cohen's d of the paired differences."
        )
    return tag("p", " ".join(notes))
