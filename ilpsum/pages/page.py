"""The report as one HTML file that makes no network requests."""

from collections.abc import Mapping

from ilpsum.errors import counted
from ilpsum.pages import tables, topics
from ilpsum.pages.markup import Markup, framed, join, tag
from ilpsum.pages.view import Report, ShownTopic
from ilpsum.version import __version__

_OPEN = tag("p", tag("button", "Open all reasons", type="button", id="all", aria_pressed="false"))


def page(report: Report, links: Mapping[tuple[str, str], str] | None = None) -> str:
    """Return the page of a report, deterministically. `links`: URLs of the answer pages by run and topic."""
    anchors = {topic.id: f"topic-{i}" for i, topic in enumerate(report.topics, start=1)}
    settings = tag("details", tag("summary", "Systems and settings"), tables.runs(report))
    return framed(
        f"Summaries by {', '.join(report.runs[:4])}{', …' if len(report.runs) > 4 else ''}",
        about=tag("p", _about(report)),
        switches=_OPEN,
        scripts=("page.js", "report.js"),
        navigation=_navigation(report, anchors),
        main=join(
            *(topics.section(report, topic, anchors[topic.id], links or {}) for topic in report.topics),
            _scores(report, anchors),
            _section("runs", "Runs", settings),
        ),
        footer=_footer(report),
    )


def _section(anchor: str, title: str, *content: Markup) -> Markup:
    return tag("section", tag("h2", title, id=anchor, tabindex="-1"), *content, aria_labelledby=anchor)


def _about(report: Report) -> str:
    gold = sum(bool(topic.gold) for topic in report.topics)
    size = f"{counted(len(report.topics), 'topic')}, {counted(len(report.runs), 'run')}"
    golden = f"gold summaries for {gold}" if gold else "no gold summaries"
    return f"{size}, {golden}."


def _navigation(report: Report, anchors: Mapping[str, str]) -> Markup:
    parts = [*([("scores", "Scores")] if report.scores else []), ("runs", "Runs")]
    entries = [tag("li", tag("a", name, href=f"#{anchor}")) for anchor, name in parts]
    listed = [tag("li", _entry(topic, anchors[topic.id])) for topic in report.topics]
    return join(tag("ul", *listed, class_="topics"), tag("ul", *entries))


def _entry(topic: ShownTopic, anchor: str) -> Markup:
    """Return a link to a topic, labelled with question and id; with the id alone for citances."""
    if not topic.query or topics.is_long(topic.query):
        return tag("a", tag("bdi", topic.id), href=f"#{anchor}")
    return join(tag("a", tag("bdi", topic.query), href=f"#{anchor}"), " ", tag("small", tag("bdi", topic.id)))


def _scores(report: Report, anchors: Mapping[str, str]) -> Markup:
    if not report.scores:
        return Markup()
    parts = []
    for evaluations in report.scores:
        parts += [
            tag("h3", evaluations[0].metric),
            tables.scores(report, evaluations),
            tables.pairs(report, evaluations),
            tables.by_topic(report, evaluations, anchors),
        ]
    signatures = [tag("li", tag("code", str(evaluations[0].signature))) for evaluations in report.scores]
    fold = tag("details", tag("summary", "Means, significance, and scores by topic"), *parts)
    return _section("scores", "Scores", tag("ul", *signatures, class_="facts"), fold)


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
