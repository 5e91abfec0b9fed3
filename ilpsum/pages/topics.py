"""The topics of a report: summaries side by side, each sentence with its source and, collapsed, its
reasons.
"""

import math
from collections.abc import Iterator
from itertools import chain
from operator import attrgetter

from features.text import STOP_WORDS, porter, words
from ilpsum.errors import counted, ordinal
from ilpsum.pages.answer import left_out, notes
from ilpsum.pages.gathering import Report, RunSummary, ShownTopic
from ilpsum.pages.markup import Markup, colour, number, run_name, short, tag
from ilpsum.pages.view import Answer, Source
from ilpsum.records import Sentence, Summary

_MOST_FEATURES = 6
_DIFFERS = (
    "The run's file differs from its provenance: scores are from the file, sentences from "
    "the provenance."
)


def section(report: Report, topic: ShownTopic) -> Markup:
    """Return the section of a topic with all its summaries."""
    anchor = report.anchors[topic.id]
    parts: list[object] = [tag("h2", tag("bdi", topic.id), id=anchor, tabindex="-1")]
    if topic.title:
        parts.append(tag("p", topic.title, class_="query"))
    # A question is shown in full, citances collapsed.
    if topic.has_citances:
        size = tag("summary", f"Citances ({counted(len(topic.query.split()), 'word')})")
        parts.append(tag("details", size, tag("p", topic.query)))
    elif topic.query:
        parts.append(tag("p", topic.query, class_="query"))
    columns = [_column(report, topic, run) for run in report.runs]
    if topic.gold:
        parts.append(_beside(topic, anchor))
        columns.append(_gold(topic))
    parts.append(tag("div", *columns, class_="columns"))
    return tag("section", *parts, class_="topic", aria_labelledby=anchor)


def _beside(topic: ShownTopic, anchor: str) -> Markup:
    """Return the switch that shows the gold summaries beside the texts; works without a script."""
    size = len(topic.gold)
    what = f"the {size} gold summaries" if size > 1 else "the gold summary"
    box = tag("input", type="checkbox", id=f"{anchor}-gold", autocomplete="off")
    label = tag("label", box, f" Show {what} and underline shared words")
    return tag("p", label, class_="with-gold")


def _gold(topic: ShownTopic) -> Markup:
    parts = [Markup()]
    for i, text in enumerate(topic.gold, start=1):
        title = f"Gold summary {i}" if len(topic.gold) > 1 else "Gold summary"
        parts += [tag("h3", title), *(tag("p", line) for line in text.splitlines() if line.strip())]
    return tag(
        "article",
        *parts,
        class_="gold",
        data_shared=" ".join(_shared(topic)),
    )


def _shared(topic: ShownTopic) -> list[str]:
    """Return the content words of sentences and gold that have a stem in common; the script
    underlines them.
    """
    printed: set[str] = set()
    for summary in topic.runs.values():
        for line in summary.lines:
            printed.update(words(line.text))
    gold: set[str] = set()
    gold.update(*map(words, topic.gold))
    common = set(map(porter, printed - STOP_WORDS)) & set(map(porter, gold - STOP_WORDS))
    return sorted(word for word in (printed | gold) - STOP_WORDS if porter(word) in common)


def _column(report: Report, topic: ShownTopic, run: str) -> Markup:
    """Return the summary of a run."""
    index = report.numbers[run]
    top = [tag("h3", run_name(run, index))]
    summary = topic.runs.get(run)
    if summary is None:
        top.append(notes(["The run has no answer for this topic."]))
        return tag("article", *top, class_=colour(index))
    scores = []
    for comparison in report.compared:
        if topic.id in comparison.scores[run]:
            score = short(comparison.scores[run][topic.id], 4)
            scores.append(tag("span", f"{comparison.name} ", tag("b", score)))
    if scores:
        top.append(tag("p", *scores, class_="score"))
    top += _silence(summary)
    facts = tag("div", *_facts(summary))
    return tag("article", tag("div", *top), _text(topic, run), facts, class_=colour(index))


def _silence(answer: RunSummary) -> Iterator[Markup]:
    if answer.error:
        yield notes([f"Failed: {answer.error}"])
    elif answer.summary is not None and answer.summary.search and not answer.lines:
        yield notes([f"{Answer(answer.summary).opening}."])
        for near in answer.summary.search.nearest:
            yield tag("blockquote", near.text, " (", tag("bdi", near.document), ")")
    elif not answer.text:
        yield notes(["The summary is empty."])


def _text(topic: ShownTopic, run: str) -> Markup:
    """Return the sentences of a run."""
    summary = topic.runs[run]
    others = [texts for name, texts in topic.texts_at.items() if name != run]
    # Equal sentences have equal numbers, by which the script sets them side by side.
    numbers = {place: i for i, place in enumerate(dict.fromkeys(chain(*topic.places.values())))}
    entries = []
    for place, line in zip(topic.places[run], summary.lines, strict=True):
        parts = [tag("p", line.text)]
        if summary.summary:
            parts += [_source(line, summary.summary), _why(line)]
        kind = None
        if others:
            kind = "both" if any(place in texts for texts in others) else "only"
        entries.append(tag("li", tag("div", *parts), class_=kind, data_same=numbers[place]))
    if not entries:
        return Markup()
    return tag("ol", *entries, class_="answer")


def _facts(run_summary: RunSummary) -> Iterator[Markup]:
    """Yield what stands below a text: its figures, what was left out, warnings."""
    facts = [counted(len(run_summary.text.split()), "word")]
    answer = Answer(run_summary.summary) if run_summary.summary is not None else None
    if answer:
        facts += _figures(answer)
    yield tag("p", ", ".join(facts), class_="facts")
    if answer:
        yield left_out(answer)
        yield notes(answer.summary.warnings)
        if run_summary.differs:
            yield notes([_DIFFERS])


def _figures(answer: Answer) -> list[str]:
    """Return the known figures of the selection, the solver and the search, each with its name."""
    summary, search = answer.summary, answer.search
    lambda_ = summary.settings.objective.lambda_
    values = [
        ("objective", summary.objective, 4),
        ("bound", summary.bound, 4),
        ("gap", summary.gap, 6),
    ]
    if lambda_ is not None:
        values.append(("lambda", lambda_, 3))
    if search:
        values.append(("coverage of the question", search.coverage, 2))
        values.append(("probability of an answer", search.answerable, 2))
    shown = []
    if summary.candidates:
        shown.append(f"{len(summary)} of {len(summary.candidates)} candidates")
    for name, value, digits in values:
        if math.isfinite(value):
            shown.append(f"{name} {number(value, digits)}")
    return shown


def _why(sentence: Sentence) -> Markup:
    """Return why a sentence was chosen, folded; its reason has its relevance."""
    terms: list[Markup] = []
    for name, value in _rows(sentence):
        terms += [tag("dt", name), tag("dd", value)]
    if not terms:
        return Markup()
    return tag("details", tag("summary", "Why"), tag("dl", *terms), class_="why")


def _source(sentence: Sentence, summary: Summary) -> Markup:
    """Return the origin of a sentence: document (linked if it is an abstract), section,
    characters.
    """
    pmid = sentence.document.partition("-")[0]
    is_abstract = summary.responses or summary.settings.input.pool
    source = Source(sentence.document, pmid=pmid if is_abstract and pmid.isdecimal() else "")
    name = tag("bdi", source.name)
    if source.url:
        name = tag("a", source.name, href=source.url, rel="noreferrer")
    section = f" · {sentence.section.lower()}" if sentence.section else ""
    place = f"{section} · characters {sentence.start}–{sentence.end}"
    return tag("p", name, place, class_="facts source")


def _rows(sentence: Sentence) -> Iterator[tuple[str, str]]:
    if sentence.why:
        yield "Chosen", sentence.why
    if sentence.facet:
        yield "Facet", sentence.facet
    # The features that speak for it most; its provenance has all. Omit those that are 0 for every
    # candidate.
    features = [feature for feature in sentence.features if feature.value or feature.rank > 1]
    features.sort(key=attrgetter("rank"))
    best = [f"{f.name} {f.value:.4g} ({ordinal(f.rank)})" for f in features[:_MOST_FEATURES]]
    if best:
        of = f"the best {len(best)} of {len(features)}: " if len(best) < len(features) else ""
        yield "Features", of + " · ".join(best)
