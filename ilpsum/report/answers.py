"""A page for each answer with citations: its sentences beside the abstracts that they cite, with marks."""

from collections.abc import Iterator, Sequence

from ilpsum.io.names import unsafe_name
from ilpsum.records import CitedAbstract
from ilpsum.report.content import Answer, Report
from ilpsum.report.frame import body_of, framed
from ilpsum.report.markup import Markup, join, tag
from ilpsum.version import __version__

_PUBMED = "https://pubmed.ncbi.nlm.nih.gov/"

# A marked span of an abstract: start, end, its anchor on the page, and its title.
_Mark = tuple[int, int, str, str]


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
        yield name, page(run, topic, answers[topic][run], back)


def page(run: str, topic: str, answer: Answer, back: str) -> str:
    """Return the page of one answer; equal answers give equal pages."""
    title = answer.question or topic
    body = body_of(
        "answer.html",
        title=title,
        about=join(tag("a", "All answers", href=back), " · topic ", tag("bdi", topic), " · run ", tag("bdi", run)),
        notes=join(*(tag("p", warning, class_="note") for warning in answer.warnings)),
        answer=_answer(answer),
        abstracts=_abstracts(answer),
        version=__version__,
    )
    return framed(title, body, skip="Skip to the answer", styles=["style.css", "answer.css"])


def _answer(answer: Answer) -> Markup:
    if answer.unanswered:
        return tag("p", f"Unanswered: {answer.unanswered}.", class_="note")
    if not answer.responses:
        return tag("p", "The answer is empty.", class_="note")
    return tag("ol", *(_sentence(answer, i) for i in range(len(answer.responses))), class_="answer")


def _sentence(answer: Answer, index: int) -> Markup:
    response, chosen = answer.responses[index], answer.sentences[index].sentence
    own, *others = response.pmids
    similarity = {support.pmid: support.similarity for support in response.support}
    links: list[object] = [tag("a", own, href=f"#s{index + 1}")]
    for pmid in others:
        note = f" (similarity {similarity[pmid]:.2f})" if pmid in similarity else ""
        links.append(join(tag("a", pmid, href=f"#s{index + 1}-{pmid}"), note))
    cited = join(*(join(", " if i else "", link) for i, link in enumerate(links)))
    why = tag("p", f"Relevance {chosen.relevance:.4f}; {chosen.why}", class_="facts")
    return tag("li", tag("p", tag("a", response.text, href=f"#s{index + 1}"), " [", cited, "]"), why)


def _abstracts(answer: Answer) -> Markup:
    """Return the abstracts in the order of their first citation."""
    marks: dict[str, list[_Mark]] = {}
    for i, (chosen, response) in enumerate(zip(answer.sentences, answer.responses, strict=True), start=1):
        own = chosen.sentence.start, chosen.sentence.end, f"s{i}", f"sentence {i} of the answer"
        marks.setdefault(response.pmids[0], []).append(own)
        for support in response.support:
            title = f"says the same as sentence {i}, similarity {support.similarity:.2f}"
            marks.setdefault(support.pmid, []).append((support.start, support.end, f"s{i}-{support.pmid}", title))
    abstracts = {abstract.pmid: abstract for abstract in answer.abstracts}
    return join(*(_abstract(abstracts[pmid], of_abstract) for pmid, of_abstract in marks.items()))


def _abstract(abstract: CitedAbstract, marks: Sequence[_Mark]) -> Markup:
    source = tag("a", f"PMID {abstract.pmid}", href=f"{_PUBMED}{abstract.pmid}/", rel="noreferrer")
    # The text starts with the title, which the heading shows already.
    begin = len(abstract.title) if abstract.title and abstract.text.startswith(abstract.title) else 0
    return tag(
        "article",
        tag("h3", abstract.title or "without title"),
        tag("p", source, class_="facts"),
        tag("blockquote", *_marked(abstract.text, begin, sorted(marks))),
        id=f"a{abstract.pmid}",
    )


def _marked(whole: str, begin: int, marks: Sequence[_Mark]) -> Iterator[object]:
    """Yield the text from `begin` on with its marks; marks of the same span become one."""
    done = begin
    at: dict[tuple[int, int], list[tuple[str, str]]] = {}
    for start, end, anchor, title in marks:
        at.setdefault((start, end), []).append((anchor, title))
    for (start, end), of_span in at.items():
        if start < done and start >= begin:
            continue
        yield whole[done:start].lstrip() if done == begin else whole[done:start]
        anchors = [tag("span", id=anchor) for anchor, _ in of_span]
        titles = "; ".join(title for _, title in of_span)
        yield tag("mark", *anchors, whole[start:end] if start >= begin else "", title=titles)
        yield tag("sup", ", ".join(anchor.partition("-")[0].removeprefix("s") for anchor, _ in of_span))
        done = max(done, end)
    yield whole[done:].lstrip() if done == begin else whole[done:]
