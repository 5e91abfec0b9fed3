"""Citations: the PMIDs that support each sentence of an answer, and the text as printed.

A sentence cites its own document first, then others that contain a similar sentence
(`ilpsum.pipeline.coherence.redundancy.similarity`), most similar first.
"""

from collections.abc import Sequence
from dataclasses import replace

from features.sentences import is_whole
from ilpsum.formats.papers.printed import MOST_PMIDS, clean
from ilpsum.pipeline.coherence.redundancy import similarity
from ilpsum.pipeline.coherence.statements import is_statement
from ilpsum.records import CitedAbstract, Document, Publication, Response, Sentence, Summary, Support, Topic
from ilpsum.records.notices import Several, Supported

# Minimum similarity at which another document is cited too.
SUPPORT = 0.7


def with_citations(summary: Summary, topic: Topic, least: float = SUPPORT) -> Summary:
    """Return a summary with citations added: the responses, their text, and the cited abstracts.

    `topic` must have the documents of the summary's candidates. Other documents are cited from a similarity of `least`
    on; 0 accepts any positive similarity.
    """
    documents = {document.id: document for document in topic.documents}
    support = _support(summary.sentences, summary.candidates, documents, least)
    responses = tuple(
        Response(clean(s.text), (pmid_of(documents[s.document]), *(other.pmid for other in others)), others)
        for s, others in zip(summary.sentences, support, strict=True)
    )
    sentences = tuple(
        replace(s, why=Several.of(s.why, _supported(others))) if others else s
        for s, others in zip(summary.sentences, support, strict=True)
    )
    texts = {pmid_of(d): d for d in reversed(topic.documents)}
    cited = dict.fromkeys(pmid for response in responses for pmid in response.pmids)
    return replace(
        summary,
        text=" ".join(response.text for response in responses),
        sentences=sentences,
        responses=responses,
        abstracts=tuple(CitedAbstract(pmid, texts[pmid].title, texts[pmid].text) for pmid in cited),
    )


def pmid_of(document: Document) -> str:
    """Return the PMID by which a document is cited."""
    return document.source or document.id


def publications_of(topic: Topic) -> dict[str, Publication]:
    """Return the publications of a topic's documents by document id, omitting those without metadata beyond a PMID."""
    known = (d for d in topic.documents if d.publication not in (Publication(), Publication(pmid=d.id)))
    return {document.id: document.publication for document in known}


def _support(
    sentences: Sequence[Sentence], candidates: Sequence[Sentence], documents: dict[str, Document], least: float
) -> list[tuple[Support, ...]]:
    """Return for each sentence its most similar sentences, one per other document, by decreasing similarity."""
    others = [s for s in candidates if s.section != "title" and is_statement(s) and is_whole(s.text)]
    values = similarity([s.text for s in sentences], [s.text for s in others], least)
    support = []
    for sentence, row in zip(sentences, values.tolist(), strict=True):
        own = pmid_of(documents[sentence.document])
        best: dict[str, Support] = {}
        for value, other in sorted(zip(row, others, strict=True), key=lambda pair: -pair[0]):
            pmid = pmid_of(documents[other.document])
            if value > 0.0 and pmid != own and pmid not in best:
                best[pmid] = Support(pmid, round(value, 4), other.text, other.document, other.start, other.end)
        support.append(tuple(best.values())[: MOST_PMIDS - 1])
    return support


def _supported(others: Sequence[Support]) -> Supported:
    named = ", ".join(f"{other.pmid} (similarity {other.similarity:.2f})" for other in others)
    return Supported(f"{named} {'says' if len(others) == 1 else 'say'}")
