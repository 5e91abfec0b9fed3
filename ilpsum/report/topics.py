"""The topics of a report: summaries side by side, each sentence with its source and its reasons."""

import re
from collections.abc import Iterator, Mapping
from math import isfinite

from features.text import words
from ilpsum.evaluation.comparison import Place
from ilpsum.pipeline.explanation import ordinal
from ilpsum.records import Sentence
from ilpsum.report import answers, charts, curves
from ilpsum.report.content import Answer, Bigrams, Chosen, Report, ShownTopic, bigrams
from ilpsum.report.excerpts import Excerpt
from ilpsum.report.markup import Markup, join, tag
from ilpsum.report.tables import number, run_name

_LETTERS = re.compile(r"[^\W_]+")
_LONG_QUERY = 300


def section(
    report: Report, topic: ShownTopic, anchor: str, links: Mapping[tuple[str, str], str] | None = None
) -> Markup:
    """Return a topic with all its summaries; `anchor` is the id of the section, `links` are as for a page."""
    columns = [_column(report, topic, i, f"{anchor}-{i}", links or {}) for i in range(len(report.runs))]
    gold = [_gold(text, i) for i, text in enumerate(topic.gold, start=1)]
    return tag(
        "section",
        tag("h3", tag("bdi", topic.id), id=anchor, tabindex="-1"),
        _query(topic.query),
        tag("div", *columns, class_="columns"),
        tag("div", *gold, class_="columns gold") if gold else "",
        class_="topic",
        aria_labelledby=anchor,
    )


def _query(query: str) -> Markup:
    """Return a question in full; the citances of a paper, which are long, collapsed."""
    if len(query) <= _LONG_QUERY:
        return tag("p", query, class_="query") if query else Markup()
    return tag("details", tag("summary", f"Query ({len(query.split())} words)"), tag("p", query))


def _gold(text: str, index: int) -> Markup:
    paragraphs = [tag("p", line) for line in text.splitlines() if line.strip()]
    return tag("article", tag("h4", f"Gold summary {index}"), *paragraphs)


def _column(report: Report, topic: ShownTopic, index: int, prefix: str, links: Mapping[tuple[str, str], str]) -> Markup:
    name = report.runs[index]
    answer = topic.answers.get(name)
    return tag(
        "article",
        tag("h4", run_name(name, index)),
        tag("p", tag("a", "The answer with its abstracts", href=own)) if (own := links.get((name, topic.id))) else "",
        _score_line(report, topic, index),
        tag("p", "The run has no answer for this topic.", class_="note") if answer is None else "",
        *(_summary(report, topic, name, answer, prefix) if answer else ()),
        class_=charts.colour(index),
    )


def _score_line(report: Report, topic: ShownTopic, index: int) -> Markup:
    scores = [
        f"{evaluations[index].metric} {getattr(evaluations[index].topics[topic.id], report.measure):.4f}"
        for evaluations in report.scores
        if topic.id in evaluations[index].topics
    ]
    return tag("p", f"{report.measure}: {', '.join(scores)}", class_="scores") if scores else Markup()


def _summary(report: Report, topic: ShownTopic, run: str, answer: Answer, prefix: str) -> Iterator[Markup]:
    if answer.error:
        yield tag("p", f"Failed: {answer.error}", class_="note")
    elif answer.unanswered:
        yield tag("p", f"Unanswered: {answer.unanswered}.", class_="note")
    elif not answer.text:
        yield tag("p", "The summary is empty.", class_="note")
    if answer.sentences:
        shared, numbered = _shared(topic, run), enumerate(answer.sentences, start=1)
        entries = [_sentence(report, topic, answer, chosen, shared, f"{prefix}-{i}") for i, chosen in numbered]
        yield tag("ol", *entries, class_="sentences")
    else:
        yield from (tag("p", line) for line in answer.text.splitlines() if line.strip())
    yield answers.left_out(answer.left_out)
    yield _metadata(answer)
    if answer.curve:
        metrics = [evaluations[0].metric for evaluations in report.scores]
        yield curves.of_topic(answer.curve, metrics, report.measure, report.runs.index(run))
    for warning in answer.warnings:
        yield tag("p", warning, class_="note")


def _metadata(answer: Answer) -> Markup:
    parts = [f"{len(answer.text.split())} words"]
    if answer.candidates:
        parts.append(f"{len(answer.sentences)} of {answer.candidates} candidates")
    values = (("objective", answer.objective, 4), ("gap", answer.gap, 6))
    parts += [f"{name} {number(value, digits)}" for name, value, digits in values if isfinite(value)]
    return tag("p", ", ".join(parts), class_="facts")


def _shared(topic: ShownTopic, run: str) -> Mapping[Place, list[str]]:
    """Return the other runs that chose a sentence, by its place."""
    runs: dict[Place, list[str]] = {}
    for other, answer in topic.answers.items():
        for chosen in answer.sentences if other != run else ():
            runs.setdefault(chosen.sentence.place, []).append(other)
    return runs


def _sentence(
    report: Report, topic: ShownTopic, answer: Answer, chosen: Chosen, shared: Mapping[Place, list[str]], anchor: str
) -> Markup:
    others = shared.get(chosen.sentence.place, [])
    rows = [(row, None) for row in (*_source(chosen), *_reasons(answer, chosen, others))]
    wide = [(row, "wide") for row in (*_features(chosen), *_bigrams(report, topic, chosen))]
    terms = [join(tag("dt", name, class_=c), tag("dd", *value, class_=c)) for (name, *value), c in [*rows, *wide]]
    text = _marked(chosen.sentence.text, topic.covered, stems=report.stems)
    button = tag("button", text, type="button", aria_expanded="false", aria_controls=anchor)
    panel = tag("div", tag("dl", *terms), _excerpt(chosen.excerpt), id=anchor, class_="panel")
    return tag("li", button, panel)


def _source(chosen: Chosen) -> Iterator[tuple[object, ...]]:
    sentence, excerpt = chosen.sentence, chosen.excerpt
    title = f" ({excerpt.title})" if excerpt and excerpt.title else ""
    yield "Document", tag("bdi", sentence.document), title
    if sentence.section:
        yield "Section", sentence.section
    characters = f"{sentence.start}–{sentence.end}"
    if excerpt and (length := excerpt.length):
        bar = charts.place(sentence.start, sentence.end, length) if excerpt.marked else ""
        yield "Characters", f"{characters} of {length}, at {100 * sentence.start / length:.0f}%", bar
    else:
        yield "Characters", characters
    yield "Words", sentence.words
    if sentence.original:
        yield "Compressed by", ", ".join(dict.fromkeys(cut.rule for cut in sentence.cuts))
        yield "Whole sentence", *_with_cuts(sentence)


def _with_cuts(sentence: Sentence) -> Iterator[object]:
    text, done = sentence.original, 0
    for cut in sorted(sentence.cuts, key=lambda c: (c.start, c.end)):
        start, end = max(done, cut.start), max(done, cut.end)
        yield text[done:start]
        yield tag("del", text[start:end], title=cut.rule) if end > start else ""
        done = end
    yield text[done:]


def _reasons(answer: Answer, chosen: Chosen, others: list[str]) -> Iterator[tuple[object, ...]]:
    sentence = chosen.sentence
    predicted = f"{number(sentence.relevance)}, rank {chosen.rank} of {answer.candidates}"
    yield "Relevance", predicted if chosen.rank else "not predicted by this system"
    if sentence.facet:
        yield "Facet", sentence.facet
    if sentence.why:
        yield "Reason", sentence.why
    if others:
        yield "Also chosen by", tag("bdi", ", ".join(others))


def _features(chosen: Chosen) -> Iterator[tuple[object, ...]]:
    if values := chosen.sentence.features:
        listed = " · ".join(f"{f.name} {f.value:.4g} ({ordinal(f.rank)})" for f in values)
        yield f"Features ({len(values)}), with their rank among the candidates", listed


def _bigrams(report: Report, topic: ShownTopic, chosen: Chosen) -> Iterator[tuple[object, ...]]:
    """Yield the bigrams of a sentence, each once; first, and marked, those of the gold."""
    text = chosen.sentence.text
    shown: dict[tuple[str, str], str] = {}
    for key, pair in zip(bigrams(text, stems=report.stems), bigrams(text, stems=False), strict=True):
        shown.setdefault(key, " ".join(pair))
    if not topic.gold:
        yield f"Bigrams ({len(shown)})", " · ".join(shown.values())
        return
    gold = [pair for key, pair in shown.items() if key in topic.covered]
    others = [pair for key, pair in shown.items() if key not in topic.covered]
    listed: list[object] = [join(" · " if i else "", tag("mark", pair)) for i, pair in enumerate(gold)]
    yield f"Bigrams shared with the gold ({len(gold)})", *(listed or ["none"])
    yield f"Other bigrams ({len(others)})", " · ".join(others) or "none"


def _marked(text: str, covered: Bigrams, *, stems: bool) -> Markup:
    """Return a sentence with the words marked that are part of a bigram of the gold."""
    places = _word_places(text)
    hits = [i for i, pair in enumerate(bigrams(text, stems=stems)) if pair in covered]
    if len(places) != len(words(text)):
        return join(text)
    pieces: list[object] = []
    done = 0
    for first, last in _stretches(hits):
        start, end = max(places[first][0], done), places[last][1]
        pieces += [text[done:start], tag("mark", text[start:end])]
        done = end
    return join(*pieces, text[done:])


def _stretches(hits: list[int]) -> Iterator[tuple[int, int]]:
    """Return the first and last word of each stretch of overlapping bigrams."""
    starts = [i for k, i in enumerate(hits) if k == 0 or i > hits[k - 1] + 1]
    ends = [i + 1 for k, i in enumerate(hits) if k == len(hits) - 1 or hits[k + 1] > i + 1]
    return zip(starts, ends, strict=True)


def _word_places(text: str) -> list[tuple[int, int]]:
    """Return the span of each word in a text; lower-casing may split one stretch of letters into several words."""
    return [match.span() for match in _LETTERS.finditer(text) for _ in words(match.group())]


def _excerpt(excerpt: Excerpt | None) -> Markup:
    if excerpt is None:
        return Markup()
    note = tag("p", excerpt.note, class_="note") if excerpt.note else Markup()
    if not excerpt.marked:
        return note
    quoted = tag("blockquote", excerpt.before, tag("mark", excerpt.marked), excerpt.after)
    return join(note, tag("figure", tag("figcaption", "In the document"), quoted))
