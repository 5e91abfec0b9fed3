"""The topics of a report: summaries side by side, each sentence with its source and, collapsed, its
reasons.
"""

import math
from collections.abc import Iterator

import msgspec

from features.text import STOP_WORDS, porter, words
from ilpsum.errors import counted, ordinal
from ilpsum.evaluation.steering import Steering
from ilpsum.pages.answer import figures, left_out, notes
from ilpsum.pages.gathering import Report, RunLine, RunSummary, ShownTopic
from ilpsum.pages.markup import Markup, colour, filled, join, number, run_name, short, tag
from ilpsum.pages.view import Source
from ilpsum.records import Sentence
from ilpsum.selection import Segment

_MOST_FEATURES = 6
_DIFFERS = (
    "The run's file differs from its provenance: scores are from the file, sentences from "
    "the provenance."
)


def section(report: Report, topic: ShownTopic, anchor: str) -> Markup:
    """Return the section of a topic with all its summaries; `anchor` is its id."""
    columns = [_column(report, topic, i, f"{anchor}-{i}") for i in range(len(report.runs))]
    # A question is shown in full, citances collapsed.
    asked = tag("p", topic.query, class_="query") if topic.query else ""
    if topic.has_citances:
        size = counted(len(topic.query.split()), "word")
        asked = tag("details", tag("summary", f"Citances ({size})"), tag("p", topic.query))
    return tag(
        "section",
        tag("h2", tag("bdi", topic.id), id=anchor, tabindex="-1"),
        tag("p", topic.title, class_="query") if topic.title else "",
        asked,
        _sliders(topic, anchor),
        _beside(topic, anchor) if topic.gold else "",
        tag("div", *columns, _gold(topic) if topic.gold else "", class_="columns"),
        class_="topic",
        aria_labelledby=anchor,
    )


def _beside(topic: ShownTopic, anchor: str) -> Markup:
    """Return the switch that shows the gold summaries beside the texts; works without a script."""
    number = len(topic.gold)
    what = f"the {number} gold summaries" if number > 1 else "the gold summary"
    box = Markup(f'<input type="checkbox" id="{anchor}-gold" autocomplete="off">')
    label = tag("label", box, f" Show {what} and underline shared words")
    return tag("p", label, class_="with-gold")


def _gold(topic: ShownTopic) -> Markup:
    parts = [Markup()]
    for i, text in enumerate(topic.gold, start=1):
        title = f"Gold summary {i}" if len(topic.gold) > 1 else "Gold summary"
        parts += [tag("h3", title), *(tag("p", line) for line in text.splitlines() if line.strip())]
    return tag("article", *parts, class_="gold", data_shared=" ".join(_shared(topic)))


def _shared(topic: ShownTopic) -> list[str]:
    """Return the content words of sentences and gold that have a stem in common; the script
    underlines them.
    """
    texts = (
        text
        for own in topic.runs.values()
        for text in (*own.said, *(line.text for line in own.lines))
    )
    said, gold = (
        {word for text in each for word in words(text)} - STOP_WORDS for each in (texts, topic.gold)
    )
    common = set(map(porter, said)) & set(map(porter, gold))
    return sorted(word for word in said | gold if porter(word) in common)


def _sliders(topic: ShownTopic, anchor: str) -> Markup:
    """Return the sliders, which move all runs of the topic that have paths; only the page's script
    shows them.
    """
    steered = [own.steering for own in topic.runs.values() if own.steering]
    if not steered:
        return Markup()
    limits = sorted({words for steering in steered for words in steering.paths})
    words, lambdas = (
        max(steering.words for steering in steered),
        {steering.lambda_ for steering in steered},
    )
    own = f"{next(iter(lambdas)):g}" if len(lambdas) == 1 else "of each run"
    return filled(
        "report-sliders.html", id=anchor, words=words, at=limits.index(words), last=len(limits) - 1,
        limits=" ".join(map(str, limits)), own=own, lambda_=min(lambdas),
    )  # fmt: skip


def _column(report: Report, topic: ShownTopic, index: int, prefix: str) -> Markup:
    name, class_ = report.runs[index], colour(index)
    title, own = tag("h3", run_name(name, index)), topic.runs.get(name)
    if own is None:
        return tag(
            "article", title, notes(["The run has no answer for this topic."]), class_=class_
        )
    # The script changes the scores with the text.
    scores = [
        tag(
            "span",
            f"{each[index].metric} {report.measure} ",
            tag("b", short(report.score(by_topic, topic.id), 4)),
        )
        for each in report.scores
        if topic.id in (by_topic := each[index].topics)
    ]
    top = tag("div", title, tag("p", *scores, class_="score") if scores else "", *_silence(own))
    return tag(
        "article", top, _text(topic, name, own, prefix), tag("div", *_facts(own)), class_=class_
    )


def _silence(own: RunSummary) -> Iterator[Markup]:
    search = own.answer.search if own.answer else None
    if own.error:
        yield notes([f"Failed: {own.error}"])
    elif own.answer and search and not own.lines:
        yield notes([f"{own.answer.silence}."])
        yield from (
            tag("blockquote", near.text, " (", tag("bdi", near.document), ")")
            for near in search.nearest
        )
    elif not own.text:
        yield notes(["The summary is empty."])


def _text(topic: ShownTopic, run: str, own: RunSummary, prefix: str) -> Markup:
    """Return the sentences of a run; those selected only at other settings start hidden."""
    others = [
        set(topic.keys(o)[: len(o.said)])
        for name, o in topic.runs.items()
        if name != run and o.said
    ]
    # Equal sentences have equal numbers, by which the script sets them side by side.
    every = dict.fromkeys(key for each in topic.runs.values() for key in topic.keys(each))
    numbers, entries = {key: number for number, key in enumerate(every)}, []
    texts = [line.text for line in own.lines] or own.said
    for i, (key, text) in enumerate(zip(topic.keys(own), texts, strict=True)):
        also, is_own = any(key in said for said in others), i < len(own.said)
        inner = [tag("p", text)]
        if own.lines:
            inner += [_source(own.lines[i].sentence, own), _why(own.lines[i], is_own=is_own)]
        kind = ("both" if also else "only") if others and is_own else None
        shown = {"class_": kind, "hidden": not is_own, "data_number": i, "data_same": numbers[key]}
        entries.append(tag("li", tag("div", *inner), **shown))
    path, lambda_ = (_path(own.steering), own.steering.lambda_) if own.steering else (None, None)
    return (
        tag("ol", *entries, id=prefix, class_="answer", data_path=path, data_lambda=lambda_)
        if entries
        else Markup()
    )


def _facts(own: RunSummary) -> Iterator[Markup]:
    """Yield what stands below a text: its figures, what was left out, warnings."""
    words = counted(len(own.text.split()), "word")
    yield tag(
        "p",
        ", ".join([words, *(figures(own.answer) if own.answer else ())]),
        class_="facts position",
    )
    if own.answer:
        yield left_out(own.answer.left_out)
        yield notes(own.answer.summary.warnings)
        yield notes([_DIFFERS] if own.text.split() != own.answer.summary.text.split() else ())


def _path(steering: Steering) -> str:
    """Return the paths as JSON for the page's script: pairs of word limit and optima by ascending
    lambda.

    An optimum is its first lambda, relevance, coverage, costs, sentence numbers in text order, and
    scores by metric.
    """

    def optimum(s: Segment) -> tuple[object, ...]:
        terms = (float(f"{value:.6g}") for value in (s.start, s.relevance, s.coverage, s.costs))
        return *terms, s.chosen, steering.scores.get(s.chosen, ())

    return msgspec.json.encode(
        [(words, [optimum(s) for s in path]) for words, path in steering.paths.items()]
    ).decode()


def _why(line: RunLine, *, is_own: bool) -> Markup:
    terms = [join(tag("dt", name), tag("dd", value)) for name, value in _rows(line, is_own=is_own)]
    return (
        tag("details", tag("summary", "Why"), tag("dl", *terms), class_="why")
        if terms
        else Markup()
    )


def _source(sentence: Sentence, own: RunSummary) -> Markup:
    """Return the origin of a sentence: document (linked if it is an abstract), section,
    characters.
    """
    number, summary = (
        sentence.document.partition("-")[0],
        own.answer.summary if own.answer else None,
    )
    is_abstract = summary and (summary.responses or summary.settings.input.pool)
    source = Source(sentence.document, pmid=number if is_abstract and number.isdecimal() else "")
    name = (
        tag("a", source.name, href=source.url, rel="noreferrer")
        if source.url
        else tag("bdi", source.name)
    )
    section = f" · {sentence.section.lower()}" if sentence.section else ""
    return tag(
        "p", name, section, f" · characters {sentence.start}–{sentence.end}", class_="facts source"
    )


def _rows(line: RunLine, *, is_own: bool) -> Iterator[tuple[str, str]]:
    sentence = line.sentence
    if sentence.why:
        yield "Chosen" if is_own else "The run left it out", sentence.why
    predicted = f"{number(sentence.relevance)}, {ordinal(line.rank)} of the candidates"
    if not math.isnan(sentence.relevance):
        yield "Relevance", predicted if line.rank else "not predicted by this system"
    if sentence.facet:
        yield "Facet", sentence.facet
    # The features that speak for it most; its provenance has all. Omit those that are 0 for every
    # candidate.
    if values := sorted(
        (f for f in sentence.features if f.value or f.rank > 1), key=lambda f: f.rank
    ):
        best = values[:_MOST_FEATURES]
        of = f"the best {len(best)} of {len(values)}: " if len(best) < len(values) else ""
        yield (
            "Features",
            of + " · ".join(f"{f.name} {f.value:.4g} ({ordinal(f.rank)})" for f in best),
        )
