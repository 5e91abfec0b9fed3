"""Which PMIDs each sentence of an answer cites, and the texts that they stand for.

A sentence cites its own document first, then others of which a sentence says the same, the most similar first
(`ilpsum.pipeline.coherence.redundancy`), three PMIDs in all.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec

from ilpsum.pipeline.coherence.redundancy import similarity
from ilpsum.pipeline.coherence.statements import is_statement
from ilpsum.records import Document, Sentence, Summary, Topic

MOST_PMIDS = 3
"""PMIDs that one sentence cites."""

SUPPORT = 0.7
"""The sameness from which on another document is cited too."""


def with_citations(summary: Summary, topic: Topic, least: float = SUPPORT) -> Summary:
    """A summary whose details hold, beside what is known of the topic's search, what its sentences cite.

    `citations` is a list of PMIDs for each sentence; `support` says for each of those after the first how similar which
    sentence is; `abstracts` holds title and text of what is cited, so that a reader of the run needs no other file. A
    sentence's `why` names what else says the same.

    Args:
        summary: of the topic.
        topic: with the documents of the summary's candidates.
        least: the sameness from which on another document is cited too; 0 for any that has some.
    """
    documents = {document.id: document for document in topic.documents}
    support = _support(summary.sentences, summary.candidates, documents, least)
    sentences = tuple(
        replace(s, why=f"{s.why}; the same is said by {_told(more)}" if more else s.why)
        for s, more in zip(summary.sentences, support, strict=True)
    )
    cited = [
        [pmid_of(documents[s.document]), *(entry["pmid"] for entry in more)]
        for s, more in zip(sentences, support, strict=True)
    ]
    named = dict.fromkeys(pmid for pmids in cited for pmid in pmids)
    texts = {pmid_of(d): d for d in reversed(topic.documents)}
    abstracts = {pmid: {"title": texts[pmid].title, "text": texts[pmid].text} for pmid in named}
    details: dict[str, Any] = {"citations": cited, "support": support, "abstracts": abstracts}
    details |= {"question": topic.query, "least_similarity": least}
    return replace(summary, sentences=sentences, details={**summary.details, **_search(topic), **details})


def _search(topic: Topic) -> dict[str, Any]:
    if topic.search is None:
        return {}
    plain = msgspec.to_builtins(topic.search)
    return {"search": plain | {"weights": dict(topic.search.weights)}}


def pmid_of(document: Document) -> str:
    """What a citation of a document names."""
    return document.source or document.id


def _support(
    sentences: Sequence[Sentence], candidates: Sequence[Sentence], documents: dict[str, Document], least: float
) -> list[list[dict[str, Any]]]:
    """For each sentence the other documents that say the same: PMID, similarity, and the sentence that does."""
    others = [s for s in candidates if is_statement(s)]
    found = similarity([s.text for s in sentences], [s.text for s in others], least)
    result = []
    for sentence, row in zip(sentences, found.tolist(), strict=True):
        best: dict[str, dict[str, Any]] = {}
        for value, other in sorted(zip(row, others, strict=True), key=lambda pair: -pair[0]):
            pmid = pmid_of(documents[other.document])
            if value > 0.0 and pmid != pmid_of(documents[sentence.document]) and pmid not in best:
                place = {"document": other.document, "start": other.start, "end": other.end}
                best[pmid] = {"pmid": pmid, "similarity": round(value, 4), "sentence": other.text, **place}
        result.append(list(best.values())[: MOST_PMIDS - 1])
    return result


def _told(more: Sequence[dict[str, Any]]) -> str:
    return ", ".join(f"{entry['pmid']} (similarity {entry['similarity']:.2f})" for entry in more)
