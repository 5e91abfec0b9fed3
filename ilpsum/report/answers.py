"""A page for one answer: its sentences, why each was chosen, and the sources beside it with the sentences marked."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isfinite

from ilpsum.io.names import unsafe_name
from ilpsum.records import Sentence
from ilpsum.report.content import Report
from ilpsum.report.frame import framed
from ilpsum.report.markup import Markup, join, tag, text
from ilpsum.report.reading import Line, Quote, Reading, Source, reading_with_citations
from ilpsum.report.tables import number
from ilpsum.version import __version__

# A longer stretch of a source without a marked sentence is cut to these characters beside each mark.
_LONGEST, _BESIDE = 4000, 1000

# The folders of a file that a warning begins with (`FILE: ...`, `FILE:LINE: ...`), or of an absolute path inside it.
_FOLDERS = re.compile(
    r"^(?:(?:[A-Za-z]:[/\\]|/)(?:[^:]*[/\\])?|[^\s:]*[/\\])(?=[^/\\:]+:(?:\d+:)? )|(?<!\S)/(?:[^\s/:]+/)+(?=[^\s/])"
)

# A marked passage of a source: start, end, number of the sentence that rests on it, its anchor, its title.
_Mark = tuple[int, int, int, str, str]

Steer = Callable[[str, int, int], Markup]
"""Draws what a reader can do with a sentence, given its document, start and end."""


def _nothing(_document: str, _start: int, _end: int) -> Markup:
    return Markup()


def names(report: Report) -> dict[tuple[str, str], str]:
    """Return the file name of each answer with citations, by run and topic."""
    pages: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for topic in report.topics:
        for run, answer in topic.answers.items():
            if answer.cites:
                name = f"{run}-{topic.id}.html"
                # A topic's id may not be a valid file name, or may equal another on a file system that ignores case.
                if unsafe_name(name) or name.casefold() in taken:
                    name = f"answer-{len(taken) + 1}.html"
                taken.add(name.casefold())
                pages[run, topic.id] = name
    return pages


def pages(report: Report, back: str) -> Iterator[tuple[str, str]]:
    """Yield file name and page of each answer with citations; `back` is the report's address relative to the pages."""
    answers = {topic.id: topic.answers for topic in report.topics}
    for (run, topic), name in names(report).items():
        link = tag("a", "All answers", href=back)
        about = join(link, " · topic ", tag("bdi", topic), " · run ", tag("bdi", run))
        yield name, page(reading_with_citations(answers[topic][run]), topic, about)


def page(reading: Reading, title: str = "", about: Markup | str = "") -> str:
    """Return the page of one answer; equal answers give equal pages.

    `title` is used if there is no question; `about` is shown below it.
    """
    title = reading.question or title
    footer = (
        f"Made by ilpsum {__version__}. Every sentence is quoted from its source; its text links to its place there."
    )
    return framed(
        title,
        about=tag("p", about) if about else "",
        main=tag("div", beside(reading), class_="beside"),
        footer=tag("p", footer),
        skip="Skip to the answer",
    )


def beside(reading: Reading, steer: Steer = _nothing) -> Markup:
    """Return an answer beside its sources; `steer` draws what a reader can do with the sentence at a place."""
    answer = tag(
        "section",
        tag("h2", "Answer", id="answer"),
        _answer(reading, steer),
        _facts(reading),
        left_out(reading.left_out, shown=True, steer=steer),
        *notes(reading.warnings),
        aria_labelledby="answer",
    )
    return join(answer, _sources(reading))


def slider(
    id_: str, name: str, label: str, shown: str, hint: str = "", *, value: float | str, low: float, high: float,
    step: float, **data: str | bool,
) -> Markup:  # fmt: skip
    """Return a slider with its label, its value and the marks of its breakpoints, which a script draws.

    `shown` is the value in words, `hint` says what its ends mean, `data` are further attributes of the field.
    """
    output = f'<output id="{id_}-value" for="{id_}">{text(shown)}</output>'
    written = "".join(f' {key.replace("_", "-")}="{text(item)}"' for key, item in data.items() if item is not False)
    field = (
        f'<input id="{id_}" name="{name}" type="range" min="{low}" max="{high}" step="{step}" value="{value}"{written}>'
    )
    note = tag("span", hint, class_="facts") if hint else ""
    marks = tag(
        "svg", class_="stops", id=f"{id_}-stops", viewBox="0 0 1000 6", preserveAspectRatio="none", aria_hidden="true"
    )
    head = tag("label", f"{label}: ", Markup(output), " ", note, for_=id_)
    return tag("p", head, Markup(field), marks, class_="slider")


def notes(warnings: Iterable[str]) -> Iterator[Markup]:
    """Yield warnings, of each file its name only: a page may be passed on, and folders are of one computer."""
    for warning in warnings:
        yield tag("p", _FOLDERS.sub("", warning), class_="note")


def in_words(why: str) -> str:
    """Return a label as prose: one in capitals, such as that of a section, in small letters."""
    return why.lower() if why.isupper() else why


def left_out(sentences: Sequence[Sentence], *, shown: bool = False, steer: Steer = _nothing) -> Markup:
    """Return the best sentences that were left out, each with the reason, unfolded if `shown`; nothing without any."""
    if not sentences:
        return Markup()
    entries = [
        tag(
            "li", tag("p", s.text), tag("p", f"{s.why}. From ", tag("bdi", s.document), class_="facts"), steer(*s.place)
        )
        for s in sentences
    ]
    heading = tag("summary", "Left out: the most relevant sentences that were not chosen")
    return tag("details", heading, tag("ul", *entries), class_="left-out", open=shown)


def _answer(reading: Reading, steer: Steer) -> Markup:
    if not reading.lines:
        return tag("p", f"No answer: {reading.unanswered}.", class_="none")
    return tag("ol", *(_line(line, i, steer) for i, line in enumerate(reading.lines, start=1)), class_="answer")


def _line(line: Line, index: int, steer: Steer) -> Markup:
    links = [join(", " if i else "", _link(quote, index, i)) for i, quote in enumerate(line.quotes)]
    text = tag("p", tag("a", line.text, href=f"#s{index}"), " [", *links, "]")
    own = line.quotes[0]
    facts = (tag("p", fact, class_="facts") for fact in (_described(own.source), f"Chosen: {line.why}."))
    place = own.source.id, own.start, own.end
    return tag("li", text, *facts, steer(*place), id=f"l{index}", data_place=f"{place[0]}:{place[1]}-{place[2]}")


def _link(quote: Quote, sentence: int, place: int) -> Markup:
    link = tag("a", quote.source.number, href=f"#{_anchor(quote, sentence, place)}", title=_described(quote.source))
    return link if quote.similarity is None else join(link, f" (similarity {quote.similarity:.2f})")


def _anchor(quote: Quote, sentence: int, place: int) -> str:
    return f"s{sentence}-{quote.source.number}" if place else f"s{sentence}"


def _described(source: Source) -> str:
    return ", ".join(filter(None, (source.title.rstrip(".") or source.name, source.year)))


def _facts(reading: Reading) -> Markup:
    parts = [f"{sum(len(line.text.split()) for line in reading.lines)} words"]
    values = (("objective", reading.objective, 4), ("gap", reading.gap, 6))
    parts += [f"{name} {number(value, digits)}" for name, value, digits in values if isfinite(value)]
    return tag("p", ", ".join(parts), class_="facts") if reading.lines else Markup()


def _sources(reading: Reading) -> Markup:
    marks: dict[int, list[_Mark]] = {}
    for i, line in enumerate(reading.lines, start=1):
        for place, quote in enumerate(line.quotes):
            what = f"sentence {i} of the answer" if not place else f"says the same as sentence {i}"
            what += f", similarity {quote.similarity:.2f}" if quote.similarity is not None else ""
            mark = quote.start, quote.end, i, _anchor(quote, i, place), what
            marks.setdefault(quote.source.number, []).append(mark)
    shown = [_source(source, sorted(marks[source.number])) for source in reading.sources]
    return tag("section", tag("h2", "Sources", id="sources"), *shown, aria_labelledby="sources") if shown else Markup()


def _source(source: Source, marks: Sequence[_Mark]) -> Markup:
    name = tag("a", source.name, href=source.url, rel="noreferrer") if source.url else tag("bdi", source.name)
    facts = tag("p", name, f", {source.year}" if source.year else "", class_="facts")
    # The text of an abstract starts with the title, which the heading shows already.
    begin = len(source.title) if source.title and source.text.startswith(source.title) else 0
    return tag(
        "article",
        tag("h3", f"[{source.number}] ", source.title or source.name),
        facts if source.title or source.url else "",
        tag("blockquote", *_marked(source.text, begin, marks)),
        id=f"source{source.number}",
    )


def _marked(whole: str, begin: int, marks: Sequence[_Mark]) -> Iterator[object]:
    """Yield the text from `begin` on with its marks, each with a link to its sentence; equal spans have one mark."""
    done = begin
    at: dict[tuple[int, int], list[tuple[int, str, str]]] = {}
    for start, end, sentence, anchor, title in marks:
        at.setdefault((start, end), []).append((sentence, anchor, title))
    for (start, end), of_span in at.items():
        if start < done and start >= begin:
            continue
        yield _shortened(whole[done:start], first=done == begin)
        anchors = [tag("span", id=anchor) for _, anchor, _ in of_span]
        titles = "; ".join(title for *_, title in of_span)
        yield tag("mark", *anchors, whole[start:end] if start >= begin else "", title=titles)
        links = [join(", " if i else " ", tag("a", n, href=f"#l{n}")) for i, (n, *_) in enumerate(of_span)]
        yield tag("sup", "sentence", *links)
        done = max(done, end)
    yield _shortened(whole[done:], first=done == begin, last=True)


def _shortened(text: str, *, first: bool = False, last: bool = False) -> str:
    """Return a stretch between marks, its middle left out if it is long."""
    text = text.lstrip() if first else text
    if len(text) <= _LONGEST:
        return text
    before, after = "" if first else text[:_BESIDE], "" if last else text[-_BESIDE:]
    return f"{before} … {after}"
