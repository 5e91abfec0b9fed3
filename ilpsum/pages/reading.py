"""Converts summaries to answers for readers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ilpsum.formats.papers.labels import without_label
from ilpsum.pages.excerpts import among
from ilpsum.pages.steering import steering_of
from ilpsum.pages.view import Answer, AnswerLine, Quote, Source
from ilpsum.pipeline.citing import clean, pmid_of
from ilpsum.pipeline.coherence.anaphora import connective
from ilpsum.records import UNPUBLISHED, Document, NearestSentence, Outcome, Response, Sentence, Summary, Support, Topic

_DIFFERS = "The run's file differs from its provenance: scores are from the file, sentences from the provenance."


def answer_of(summary: Summary, topic: Topic, responses: Sequence[Response] = ()) -> Answer:
    """Convert a summary of a topic to an answer; the topic must contain the documents of its sentences.

    `responses`, one per sentence, add supporting passages from other documents. Section labels and citation lists are
    removed from sentences of abstracts; other sentences are verbatim.
    """
    answer = _answer(summary, {document.id: _source(document) for document in topic.documents}, responses)
    if answer.lines or answer.unanswered:
        return answer
    why = "no sentence to the point fits the limits" if summary.candidates else "the texts have no sentence"
    return replace(answer, unanswered=why)


def answer_of_run(summary: Summary, text: str, *, steered: bool = False) -> Answer:
    """Convert a provenance record to an answer; `text` is the summary in the run's file.

    `steered` also computes the selections at other lambdas and word limits.
    """
    relevance = [s.relevance for s in summary.candidates if not s.original]
    predicted = all(map(math.isfinite, relevance)) and len(set(relevance)) > 1
    steering = steering_of(summary) if steered else None
    answer = _answer(summary, _cited(summary), summary.responses)

    def placed(line: AnswerLine) -> AnswerLine:
        rank = 1 + sum(r > line.sentence.relevance for r in relevance) if predicted else 0
        return replace(line, rank=rank, excerpt=among(line.sentence, summary.candidates))

    others = steering.sentences[len(summary) :] if steering else ()
    return replace(
        answer,
        text=text,
        lines=tuple(map(placed, answer.lines)),
        others=tuple(placed(AnswerLine(s, clean(s.text) if summary.responses else s.text)) for s in others),
        candidates=len(relevance),
        settings=summary.settings,
        cites=cites(summary),
        warnings=summary.warnings if text.split() == summary.text.split() else (*summary.warnings, _DIFFERS),
        steering=steering,
    )


def cites(summary: Summary) -> bool:
    """Return whether the summary is from a run with citations, even if it is empty."""
    return bool(summary.responses) or summary.settings.support is not None


def _answer(summary: Summary, sources: Mapping[str, Source], responses: Sequence[Response]) -> Answer:
    """Convert a summary; `sources` are the quoted documents by id, empty for a run without citations."""
    numbered: dict[str, Source] = {}

    def quote(place: Sentence | Support, similarity: float | None = None) -> Quote:
        # Provenance lacks the abstracts of unanswered questions.
        source = sources.get(place.document) or Source(place.document)
        source = numbered.setdefault(source.id, replace(source, number=len(numbered) + 1))
        return Quote(source, place.start, place.end, similarity)

    lines = [AnswerLine(s, s.text, (quote(s),) if sources else ()) for s in summary]
    lines = [replace(o, text=clean(o.text)) if o.quotes and o.quotes[0].source.abstract else o for o in lines]
    search = summary.search
    outcome = search.outcome if search else Outcome.ANSWER
    nearest = [AnswerLine(s, s.text, (quote(s),)) for s in map(_sentence, search.nearest if search else ())]
    for i, response in enumerate(responses):
        others = (quote(other, other.similarity) for other in response.support)
        lines[i] = replace(lines[i], text=response.text, quotes=(*lines[i].quotes, *others))
    return Answer(
        summary.question,
        summary.text,
        tuple(map(_as_quoted, lines)),
        tuple(numbered.values()),
        _left_out(summary),
        summary.objective,
        summary.bound,
        summary.gap,
        search.unanswered if search and not lines else "",
        search.corrections if search else (),
        outcome if lines or outcome is Outcome.RELATED else Outcome.NOTHING,
        search,
        tuple(map(_as_quoted, nearest)),
        summary.warnings,
        settings=summary.settings,
    )


def _as_quoted(line: AnswerLine) -> AnswerLine:
    """Narrow the first quotation of a line to the text printed, without section label and removed connective."""
    if not line.quotes or line.sentence.original:
        return line
    own, *others = line.quotes
    whole = own.source.text[own.start : own.end]
    opening = connective(whole)
    cut = "" if line.text.casefold().startswith(opening.split(maxsplit=1)[0].casefold() if opening else "") else opening
    start = own.end - len(without_label(whole)) + len(cut)
    return replace(line, quotes=(replace(own, start=start), *others), cut=cut)


def _sentence(nearest: NearestSentence) -> Sentence:
    return Sentence(nearest.text, nearest.document, nearest.start, nearest.end, len(nearest.text.split()))


def _source(document: Document) -> Source:
    # Only abstracts have sections, and a numeric id of an abstract is its PMID.
    pmid = pmid_of(document) if document.sections and pmid_of(document).isdecimal() else ""
    abstract, published = bool(document.sections), document.publication
    return Source(document.id, pmid, document.title, document.date, document.text, abstract, publication=published)


def _cited(summary: Summary) -> dict[str, Source]:
    """Return the abstracts cited by a run, by document id."""
    pmids = {s.document: response.pmids[0] for s, response in zip(summary, summary.responses, strict=False)}
    pmids |= {other.document: other.pmid for response in summary.responses for other in response.support}
    texts = {abstract.pmid: abstract for abstract in summary.abstracts}
    known = summary.publications
    return {
        id_: Source(pmid, pmid, texts[pmid].title, text=texts[pmid].text, publication=known.get(id_, UNPUBLISHED))
        for id_, pmid in pmids.items()
    }


def _left_out(summary: Summary) -> tuple[Sentence, ...]:
    """Return the rejected candidates that have a reason, by descending relevance."""
    chosen = set(summary.chosen)
    others = (s for i, s in enumerate(summary.candidates) if i not in chosen and s.why)
    return tuple(sorted(others, key=lambda s: -s.relevance))
