"""Converts summaries to answers for readers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ilpsum.formats.papers.headings import without_label
from ilpsum.formats.papers.printed import clean
from ilpsum.pages.view import Answer, AnswerLine, Quote, Source
from ilpsum.pipeline.coherence.anaphora import connective
from ilpsum.pipeline.text import pmid_of
from ilpsum.records import UNPUBLISHED, Document, NearestSentence, Response, Sentence, Summary, Support, Topic


def answer_of(summary: Summary, topic: Topic, responses: Sequence[Response] = ()) -> Answer:
    """Convert a summary of a topic to an answer; the topic must contain the documents of its sentences.

    `responses`, one per sentence, add supporting passages from other documents. Section labels and citation lists are
    removed from sentences of abstracts; other sentences are verbatim.
    """
    return _answer(summary, {document.id: _source(document) for document in topic.documents}, responses)


def answer_of_run(summary: Summary) -> Answer:
    """Convert a provenance record to an answer, with sources only if the run has citations."""
    pmids = {s.document: response.pmids[0] for s, response in zip(summary, summary.responses, strict=False)}
    pmids |= {other.document: other.pmid for response in summary.responses for other in response.support}
    texts = {abstract.pmid: abstract for abstract in summary.abstracts}
    known = summary.publications
    cited = {
        id_: Source(pmid, pmid, texts[pmid].title, text=texts[pmid].text, publication=known.get(id_, UNPUBLISHED))
        for id_, pmid in pmids.items()
    }
    return _answer(summary, cited, summary.responses)


def _answer(summary: Summary, sources: Mapping[str, Source], responses: Sequence[Response]) -> Answer:
    """Convert a summary; `sources` are the quoted documents by id, empty for a run without citations."""
    numbered: dict[str, Source] = {}

    def quote(place: Sentence | NearestSentence | Support, similarity: float | None = None) -> Quote:
        # Provenance lacks the abstracts of unanswered questions.
        source = sources.get(place.document) or Source(place.document)
        source = numbered.setdefault(source.id, replace(source, number=len(numbered) + 1))
        return Quote(source, place.start, place.end, similarity)

    lines = [AnswerLine(s, s.text, (quote(s),) if sources else ()) for s in summary]
    lines = [replace(o, text=clean(o.text)) if o.quotes and o.quotes[0].source.abstract else o for o in lines]
    nearest = [
        AnswerLine(Sentence(s.text, s.document, s.start, s.end, len(s.text.split())), s.text, (quote(s),))
        for s in (summary.search.nearest if summary.search else ())
    ]
    for i, response in enumerate(responses):
        others = (quote(other, other.similarity) for other in response.support)
        lines[i] = replace(lines[i], text=response.text, quotes=(*lines[i].quotes, *others))
    quoted, near = (tuple(map(_as_quoted, each)) for each in (lines, nearest))
    return Answer(summary, quoted, tuple(numbered.values()), near)


def _as_quoted(line: AnswerLine) -> AnswerLine:
    """Narrow the first quotation of a line to the text printed, without section label and removed connective."""
    if not line.quotes:
        return line
    own, *others = line.quotes
    whole = own.source.text[own.start : own.end]
    opening = connective(whole)
    cut = "" if line.text.casefold().startswith(opening.split(maxsplit=1)[0].casefold() if opening else "") else opening
    start = own.end - len(without_label(whole)) + len(cut)
    return replace(line, quotes=(replace(own, start=start), *others), cut=cut)


def _source(document: Document) -> Source:
    # Only abstracts have sections, and a numeric id of an abstract is its PMID.
    pmid = pmid_of(document) if document.sections and pmid_of(document).isdecimal() else ""
    abstract, published = bool(document.sections), document.publication
    return Source(document.id, pmid, document.title, document.date, document.text, abstract, publication=published)
