"""A page for one answer: its sentences, why each was chosen, and the sources beside it with the sentences marked."""

from collections.abc import Iterator, Sequence

from ilpsum.io.names import unsafe_name
from ilpsum.report.frame import framed
from ilpsum.report.markup import Markup, join, tag
from ilpsum.report.parts import Steer, fixed, left_out, notes, place_name, size_and_proof
from ilpsum.report.view import Answer, AnswerLine, Quote, Report, Source
from ilpsum.version import __version__

# A longer stretch of a source without a marked sentence is cut to these characters beside each mark.
_LONGEST, _BESIDE = 4000, 1000

# A marked passage of a source: start, end, number of the sentence that rests on it, its anchor, its title.
_Mark = tuple[int, int, int, str, str]


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
        yield name, page(answers[topic][run], topic, about)


def page(answer: Answer, title: str = "", about: Markup | str = "") -> str:
    """Return the page of one answer; equal answers give equal pages.

    `title` is used if there is no question; `about` is shown below it.
    """
    footer = (
        f"Made by ilpsum {__version__}. Every sentence is quoted from its source; its text links to its place there."
    )
    return framed(
        answer.question or title,
        about=tag("p", about) if about else "",
        main=beside(answer),
        footer=tag("p", footer),
        skip="Skip to the answer",
    )


def beside(answer: Answer, steer: Steer = fixed) -> Markup:
    """Return an answer beside its sources; `steer` draws what a reader can do with a sentence."""
    lines = [_line(line, i, steer) for i, line in enumerate(answer.lines, start=1)]
    nothing = tag("p", f"{answer.silence}.", class_="none")
    nearest = [_line(line, i, fixed) for i, line in enumerate(answer.nearest, start=1)]
    section = tag(
        "section",
        tag("h2", "Answer", id="answer"),
        join(tag("ol", *lines, class_="answer"), size_and_proof(answer, answer.words)) if lines else nothing,
        tag("ol", *nearest, class_="answer") if nearest else "",
        left_out(answer.left_out, shown=True, steer=steer),
        notes(answer.warnings),
        aria_labelledby="answer",
    )
    return tag("div", section, _sources(answer), class_="beside")


def _line(line: AnswerLine, index: int, steer: Steer) -> Markup:
    links = [join(", " if i else "", _link(quote, index)) for i, quote in enumerate(line.quotes)]
    sentence = tag("p", tag("a", line.text, href=f"#s{index}"), " [", *links, "]")
    own = tag("p", _described(line.quotes[0].source), class_="facts")
    why = tag("p", f"Chosen: {line.why}.", class_="facts") if line.why else ""
    return tag("li", sentence, own, why, steer(line.sentence), id=f"l{index}", data_place=place_name(line.sentence))


def _link(quote: Quote, sentence: int) -> Markup:
    link = tag("a", quote.source.mark, href=f"#{_anchor(quote, sentence)}", title=_described(quote.source))
    return link if quote.similarity is None else join(link, f" (similarity {quote.similarity:.2f})")


def _anchor(quote: Quote, sentence: int) -> str:
    return f"s{sentence}" if quote.similarity is None else f"s{sentence}-{quote.source.number}"


def _described(source: Source) -> str:
    return ", ".join(filter(None, (source.title.rstrip(".") or source.name, source.year, *source.publication.remarks)))


def _sources(answer: Answer) -> Markup:
    marks: dict[int, list[_Mark]] = {}
    for i, line in enumerate(answer.lines or answer.nearest, start=1):
        for quote in line.quotes:
            what = f"sentence {i} of the answer"
            if quote.similarity is not None:
                what = f"says the same as sentence {i}, similarity {quote.similarity:.2f}"
            mark = quote.start, quote.end, i, _anchor(quote, i), what
            marks.setdefault(quote.source.number, []).append(mark)
    shown = [_source(source, sorted(marks[source.number])) for source in answer.sources]
    return tag("section", tag("h2", "Sources", id="sources"), *shown, aria_labelledby="sources") if shown else Markup()


def _source(source: Source, marks: Sequence[_Mark]) -> Markup:
    named = [tag("a", name, href=url, rel="noreferrer") for name, url in source.links] or [tag("bdi", source.name)]
    name = join(named[0], *(join(", ", other) for other in named[1:]))
    known = [*filter(None, [source.byline]), *source.publication.remarks]
    facts = tag("p", name, f", {source.year}" if source.year else "", class_="facts")
    published = [tag("p", " · ".join(known), class_="facts")] if known else []
    # The text of an abstract starts with the title, which the heading shows already.
    begin = len(source.title) if source.title and source.text.startswith(source.title) else 0
    return tag(
        "article",
        tag("h3", f"[{source.number}] ", source.title or source.name),
        facts if source.title or source.url else "",
        *published,
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
