"""The page of a report: one HTML file that makes no network requests."""

from collections.abc import Mapping

from ilpsum.report import curves, tables, topics
from ilpsum.report.content import Report
from ilpsum.report.frame import framed
from ilpsum.report.markup import Markup, join, tag
from ilpsum.report.settings import scored
from ilpsum.version import __version__

_OPEN = tag("p", tag("button", "Open all reasons", type="button", id="all", aria_pressed="false"))


def page(report: Report, links: Mapping[tuple[str, str], str] | None = None) -> str:
    """Return the page; equal reports give equal pages. `links`: addresses of the answers' pages, by run and topic."""
    anchors = {topic.id: f"topic-{i}" for i, topic in enumerate(report.topics, start=1)}
    title = f"Summaries by {', '.join(report.runs[:4])}{', …' if len(report.runs) > 4 else ''}"
    settings = tag("details", tag("summary", "Systems and settings"), tables.runs(report))
    return framed(
        title,
        about=tag("p", _about(report)),
        switches=_OPEN,
        navigation=_navigation(report, anchors),
        main=join(
            *(topics.section(report, topic, anchors[topic.id], links or {}) for topic in report.topics),
            _scores(report, anchors),
            tag("section", tag("h2", "Runs", id="runs", tabindex="-1"), settings, aria_labelledby="runs"),
        ),
        footer=_footer(report),
    )


def _about(report: Report) -> str:
    gold = sum(bool(topic.gold) for topic in report.topics)
    size = f"{_counted(len(report.topics), 'topic')}, {_counted(len(report.runs), 'run')}"
    return f"{size}, gold summaries for {gold}." if gold else f"{size}, no gold summaries."


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _navigation(report: Report, anchors: dict[str, str]) -> Markup:
    parts = [*([("scores", "Scores")] if report.scores else []), ("runs", "Runs")]
    entries = [tag("li", tag("a", name, href=f"#{anchor}")) for anchor, name in parts]
    listed = [tag("li", tag("a", tag("bdi", id_), href=f"#{anchor}")) for id_, anchor in anchors.items()]
    return join(tag("ul", *listed, class_="topics"), tag("ul", *entries))


def _scores(report: Report, anchors: dict[str, str]) -> Markup:
    if not report.scores:
        return Markup()
    parts = []
    for evaluations in report.scores:
        metric, measure = evaluations[0].metric, report.measure
        parts += [
            tag("h3", metric),
            tables.scores(evaluations, measure, report.seed),
            tables.pairs(report, evaluations) if len(evaluations) > 1 else "",
            tables.by_topic(report, evaluations, anchors),
            _over_lambda(report, metric),
        ]
    head = tag("h2", "Scores", id="scores", tabindex="-1")
    signatures = [tag("li", scored(evaluations[0].signature)) for evaluations in report.scores]
    fold = tag("details", tag("summary", "Means, significance, and scores by topic"), *parts)
    return tag("section", head, tag("ul", *signatures, class_="facts"), fold, aria_labelledby="scores")


def _over_lambda(report: Report, metric: str) -> Markup:
    """Return the mean of each run over lambda, over the topics whose curves are known."""
    parts = []
    for index, run in enumerate(report.runs):
        answers = [topic.answers[run] for topic in report.topics if run in topic.answers and topic.gold]
        known = [a.steering for a in answers if a.steering and metric in a.steering.own.stretches[0].scores]
        if known:
            few = f", {_counted(len(known), 'topic')} of {len(answers)}" if len(known) < len(answers) else ""
            parts += [tag("h5", tables.run_name(run, index), few)]
            parts += [curves.of_run(known, metric, report.measure, index)]
    heading = f"{metric} {report.measure} over lambda, mean of the topics"
    return join(tag("h4", heading), tag("div", *parts, class_="curves")) if parts else Markup()


def _footer(report: Report) -> Markup:
    notes = [f"Made by ilpsum {__version__}."]
    if report.scores:
        notes.append("Intervals are 95% bootstrap intervals of the mean.")
    if report.scores and len(report.runs) > 1:
        notes.append(
            "p is two-sided, by approximate randomisation, with Holm's correction over all pairs of a metric; "
            "the effect is Cohen's d of the paired differences. More is printed by ilpsum compare."
        )
    signatures = [tag("li", tag("code", str(evaluations[0].signature))) for evaluations in report.scores]
    return join(tag("p", " ".join(notes)), tag("ul", *signatures) if signatures else "")
