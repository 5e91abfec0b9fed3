"""The topics of a report: summaries side by side, each sentence with its source and, collapsed, its reasons."""

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from ilpsum.errors import counted, ordinal
from ilpsum.pages.markup import Markup, filled, join, tag
from ilpsum.pages.parts import figures, in_words, left_out, notes
from ilpsum.pages.steering import Steering
from ilpsum.pages.tables import colour, number, run_name
from ilpsum.pages.view import Excerpt, Report, RunLine, RunSummary, ShownTopic, Source
from ilpsum.selection import Segment

_LONG_QUERY = 300
_DIFFERS = "The run's file differs from its provenance: scores are from the file, sentences from the provenance."
_BLANK_LINES = re.compile(r"\n\s*\n")


def section(report: Report, topic: ShownTopic, anchor: str, links: Mapping[tuple[str, str], str]) -> Markup:
    """Return the section of a topic with all its summaries; `anchor` is its id, `links` as in `page`."""
    columns = [_column(report, topic, i, f"{anchor}-{i}", links) for i in range(len(report.runs))]
    gold = [_gold(text, i) for i, text in enumerate(topic.gold, start=1)]
    golden = f"Gold summaries ({len(gold)})" if len(gold) > 1 else "Gold summary"
    return tag(
        "section",
        tag("h2", tag("bdi", topic.id), id=anchor, tabindex="-1"),
        _asked(topic.query),
        _sliders(topic, anchor),
        tag("div", *columns, class_="columns" if len(columns) > 1 else "columns single"),
        tag("details", tag("summary", golden), tag("div", *gold, class_="columns gold")) if gold else "",
        class_="topic",
        aria_labelledby=anchor,
    )


def is_long(query: str) -> bool:
    """Return whether a query is too long for a question: the citances of a paper."""
    return len(query) > _LONG_QUERY


def _asked(query: str) -> Markup:
    """Return a question in full, citances collapsed."""
    if not is_long(query):
        return tag("p", query, class_="query") if query else Markup()
    return tag("details", tag("summary", f"Citances ({counted(len(query.split()), 'word')})"), tag("p", query))


def _gold(text: str, index: int) -> Markup:
    paragraphs = [tag("p", line) for line in text.splitlines() if line.strip()]
    return tag("article", tag("h3", f"Gold summary {index}"), *paragraphs)


def _sliders(topic: ShownTopic, anchor: str) -> Markup:
    """Return the sliders, which move all runs of the topic that have paths; only the page's script shows them."""
    steered = [own.steering for own in topic.runs.values() if own.steering]
    if not steered:
        return Markup()
    limits = sorted({words for steering in steered for words in steering.paths})
    words, lambdas = max(steering.words for steering in steered), {steering.lambda_ for steering in steered}
    own = f"{next(iter(lambdas)):g}" if len(lambdas) == 1 else "of each run"
    return filled(
        "report-sliders.html", id=anchor, words=words, at=limits.index(words), last=len(limits) - 1,
        limits=" ".join(map(str, limits)), own=own, lambda_=min(lambdas),
    )  # fmt: skip


def _column(report: Report, topic: ShownTopic, index: int, prefix: str, links: Mapping[tuple[str, str], str]) -> Markup:
    name = report.runs[index]
    own, address = topic.runs.get(name), links.get((name, topic.id))
    return tag(
        "article",
        tag("h3", run_name(name, index)),
        tag("p", "The run has no answer for this topic.", class_="note") if own is None else "",
        *(_summary(topic, name, own, prefix) if own else ()),
        _score_line(report, topic, index),
        tag("p", tag("a", "The answer with its abstracts", href=address), class_="of-run") if address else "",
        class_=colour(index),
    )


def _score_line(report: Report, topic: ShownTopic, index: int) -> Markup:
    scores = [
        f"{evaluations[index].metric} {getattr(evaluations[index].topics[topic.id], report.measure):.4f}"
        for evaluations in report.scores
        if topic.id in evaluations[index].topics
    ]
    return tag("p", f"{', '.join(scores)} ({report.measure})", class_="facts of-run") if scores else Markup()


def _summary(topic: ShownTopic, run: str, own: RunSummary, prefix: str) -> Iterator[Markup]:
    answer, steering = own.answer, own.steering
    search = answer.search if answer else None
    if own.error:
        yield tag("p", f"Failed: {own.error}", class_="note")
    elif answer and search and not own.lines:
        yield tag("p", f"{answer.silence}.", class_="note")
        yield from (tag("blockquote", near.text, " (", tag("bdi", near.document), ")") for near in search.nearest)
    elif not own.text:
        yield tag("p", "The summary is empty.", class_="note")
    if own.lines:
        compared = sum(bool(other.lines) for other in topic.runs.values()) > 1
        entries = [_entry(topic, run, own, i, compared=compared) for i in range(len(own.lines))]
        path, lambda_ = (_path(steering), steering.lambda_) if steering else (None, None)
        yield tag("ol", *entries, id=prefix, class_="answer", data_path=path, data_lambda=lambda_)
    else:
        yield from (tag("p", line) for line in own.text.splitlines() if line.strip())
    words = counted(len(own.text.split()), "word")
    yield tag("p", ", ".join([words, *(figures(answer) if answer else ())]), class_="facts position")
    if answer:
        yield left_out(answer.left_out)
        yield notes(answer.summary.warnings)
        yield notes([_DIFFERS] if own.text.split() != answer.summary.text.split() else ())


def _path(steering: Steering) -> str:
    """Return the paths as JSON for the page's script: pairs of word limit and optima by ascending lambda.

    An optimum is its first lambda, relevance, coverage, costs, and sentence numbers in text order.
    """

    def optimum(s: Segment) -> tuple[object, ...]:
        return *(float(f"{value:.6g}") for value in (s.start, s.relevance, s.coverage, s.costs)), s.chosen

    return msgspec.json.encode([(words, [optimum(s) for s in path]) for words, path in steering.paths.items()]).decode()


def _entry(topic: ShownTopic, run: str, own: RunSummary, number: int, *, compared: bool) -> Markup:
    """Return a sentence; it starts hidden if the run selects it only at other settings.

    If runs are `compared`, a sentence that only this run chose is marked.
    """
    line, is_own = own.lines[number], number < len(own.own)
    others = [
        name
        for name, other in topic.runs.items()
        if name != run and line.sentence.place in (each.sentence.place for each in other.own)
    ]
    rows = _rows(line, others, is_own=is_own)
    terms = [join(tag("dt", name), tag("dd", *value)) for name, *value in rows]
    # With several runs, omit the excerpts of sentences selected only at other settings: they would double the page.
    excerpt, single = _excerpt(line.excerpt), len(topic.runs) == 1
    folded = excerpt if is_own and not single else ""
    why = tag("details", tag("summary", "Why, and where"), tag("dl", *terms), folded, class_="why")
    shown = tag("div", tag("p", line.text), _source(line, own), why)
    inner = tag("div", shown, tag("div", excerpt), class_="row") if single else shown
    only = "only" if compared and is_own and not others else None
    return tag("li", inner, class_=only, hidden=not is_own, data_number=number)


def _source(line: RunLine, own: RunSummary) -> Markup:
    """Return the origin of a sentence: document (linked if it is an abstract), title, section, position."""
    sentence, excerpt = line.sentence, line.excerpt
    number = sentence.document.partition("-")[0]
    is_abstract = own.cites or bool(own.answer and own.answer.summary.settings.input.pool)
    source = Source(sentence.document, pmid=number if is_abstract and number.isdecimal() else "")
    name = tag("a", source.name, href=source.url, rel="noreferrer") if source.url else tag("bdi", source.name)
    at = f"{100 * sentence.start / excerpt.length:.0f}% into it" if excerpt.length and not source.url else ""
    rest = filter(None, (excerpt.title.rstrip("."), in_words(sentence.section), at))
    return tag("p", name, *(f" · {part}" for part in rest), class_="facts source")


def _rows(line: RunLine, others: Sequence[str], *, is_own: bool) -> Iterator[tuple[object, ...]]:
    """Yield the details of a sentence as name and value."""
    sentence, excerpt = line.sentence, line.excerpt
    if sentence.why:
        yield "Chosen" if is_own else "The run left it out", in_words(sentence.why)
    predicted = f"{number(sentence.relevance)}, {ordinal(line.rank)} of the candidates"
    yield "Relevance", predicted if line.rank else "not predicted by this system"
    if sentence.facet:
        yield "Facet", sentence.facet
    if others:
        yield "Also chosen by", tag("bdi", ", ".join(others))
    if is_own:
        of = f" of {excerpt.length}" if excerpt.length else ""
        yield "Characters", f"{sentence.start}–{sentence.end}{of}"
    # Omit features that are 0 for every candidate.
    if values := [f for f in sentence.features if f.value or f.rank > 1]:
        listed = " · ".join(f"{f.name} {f.value:.4g} ({ordinal(f.rank)})" for f in values)
        heading = tag("summary", f"{len(values)}, with their rank among the candidates")
        yield "Features", tag("details", heading, tag("p", listed))


def _excerpt(excerpt: Excerpt) -> Markup:
    note = tag("p", excerpt.note, class_="note") if excerpt.note else Markup()
    if not excerpt.marked:
        return note
    before, after = (_BLANK_LINES.sub("\n", text) for text in (excerpt.before, excerpt.after))
    return join(note, tag("blockquote", before, tag("mark", excerpt.marked), after))
