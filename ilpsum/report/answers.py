"""A page for each answer with citations: its sentences, and the abstracts that they cite, with the sentences marked."""

from collections.abc import Iterator, Mapping, Sequence
from string import Template
from typing import Any

from ilpsum.io.names import unsafe_name
from ilpsum.report.content import Answer, Report
from ilpsum.report.markup import Markup, join, tag, text
from ilpsum.report.page import asset, policy
from ilpsum.version import __version__

_PUBMED = "https://pubmed.ncbi.nlm.nih.gov/"


def names(report: Report) -> dict[tuple[str, str], str]:
    """The file names of the pages, by run and topic, of the answers that cite abstracts."""
    found: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for topic in report.topics:
        for run, answer in topic.answers.items():
            if "abstracts" in answer.details:
                name = f"{run}-{topic.id}.html"
                # A topic's id, or two that a file system takes for one, may not make a file's name.
                if unsafe_name(name) or name.casefold() in taken:
                    name = f"answer-{len(taken) + 1}.html"
                taken.add(name.casefold())
                found[run, topic.id] = name
    return found


def pages(report: Report, back: str) -> Iterator[tuple[str, str]]:
    """File name and page of each answer that cites abstracts.

    Args:
        report: of one or more runs.
        back: where the report stands, as seen from the pages.
    """
    named = names(report)
    for topic in report.topics:
        for run, answer in topic.answers.items():
            if (run, topic.id) in named:
                yield named[run, topic.id], page(run, topic.id, answer, back)


def page(run: str, topic: str, answer: Answer, back: str) -> str:
    """The page of one answer; equal answers give equal pages."""
    style = asset("style.css") + asset("answer.css")
    question = str(answer.details.get("question", ""))
    return Template(asset("answer.html")).substitute(
        policy=policy(style),
        title=text(question or topic),
        style=Markup(style),
        about=join(tag("a", "All answers", href=back), " · topic ", tag("bdi", topic), " · run ", tag("bdi", run)),
        notes=join(*(tag("p", warning, class_="note") for warning in answer.warnings)),
        answer=_answer(answer),
        abstracts=_abstracts(answer),
        made=text(f"Made by ilpsum {__version__}."),
    )


def _answer(answer: Answer) -> Markup:
    """The sentences in their order, each with links to what it cites."""
    if not answer.sentences:
        return tag("p", "The answer is empty.", class_="note")
    return tag("ol", *(_sentence(answer, i) for i in range(len(answer.sentences))), class_="answer")


def _sentence(answer: Answer, index: int) -> Markup:
    response, support = answer.details["responses"][index], answer.details["support"][index]
    own, *others = response["citations"]
    similar = {entry["pmid"]: entry["similarity"] for entry in support}
    links: list[object] = [tag("a", own, href=f"#s{index + 1}")]
    for pmid in others:
        told = f" (similarity {similar[pmid]:.2f})" if pmid in similar else ""
        links.append(join(tag("a", pmid, href=f"#s{index + 1}-{pmid}"), told))
    cited = join(*(join(", " if i else "", link) for i, link in enumerate(links)))
    chosen = answer.sentences[index].sentence
    why = tag("p", f"Relevance {chosen.relevance:.4f}; {chosen.why}", class_="facts")
    return tag("li", tag("p", tag("a", response["text"], href=f"#s{index + 1}"), " [", cited, "]"), why)


def _abstracts(answer: Answer) -> Markup:
    """The abstracts in the order of their first citation."""
    marks: dict[str, list[tuple[int, int, str, str]]] = {}
    for i, chosen in enumerate(answer.sentences):
        own = answer.details["responses"][i]["citations"][0]
        number = f"sentence {i + 1} of the answer"
        marks.setdefault(own, []).append((chosen.sentence.start, chosen.sentence.end, f"s{i + 1}", number))
        for entry in answer.details["support"][i]:
            told = f"says the same as sentence {i + 1}, similarity {entry['similarity']:.2f}"
            place = entry["start"], entry["end"], f"s{i + 1}-{entry['pmid']}", told
            marks.setdefault(entry["pmid"], []).append(place)
    articles = (_abstract(pmid, answer.details["abstracts"][pmid], found) for pmid, found in marks.items())
    return join(*articles)


def _abstract(pmid: str, abstract: Mapping[str, Any], marks: Sequence[tuple[int, int, str, str]]) -> Markup:
    source = tag("a", f"PMID {pmid}", href=f"{_PUBMED}{pmid}/", rel="noreferrer")
    title = abstract["title"] or "without title"
    # The text begins with the title, which the heading has already.
    begin = len(abstract["title"]) if abstract["title"] and abstract["text"].startswith(abstract["title"]) else 0
    return tag(
        "article",
        tag("h3", title),
        tag("p", source, class_="facts"),
        tag("blockquote", *_marked(abstract["text"], begin, sorted(marks))),
        id=f"a{pmid}",
    )


def _marked(whole: str, begin: int, marks: Sequence[tuple[int, int, str, str]]) -> Iterator[object]:
    """The text from a place on, with its sentences marked; those of one place share a mark."""
    done = begin
    at: dict[tuple[int, int], list[tuple[str, str]]] = {}
    for start, end, anchor, told in marks:
        at.setdefault((start, end), []).append((anchor, told))
    for (start, end), found in at.items():
        if start < done and start >= begin:
            continue
        yield whole[done:start].lstrip() if done == begin else whole[done:start]
        anchors = [tag("span", id=anchor) for anchor, _ in found]
        told = "; ".join(t for _, t in found)
        yield tag("mark", *anchors, whole[start:end] if start >= begin else "", title=told)
        yield tag("sup", ", ".join(anchor.partition("-")[0].removeprefix("s") for anchor, _ in found))
        done = max(done, end)
    yield whole[done:].lstrip() if done == begin else whole[done:]
