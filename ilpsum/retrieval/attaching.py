"""Attach documents to topics: the abstracts that a search finds for each question."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ilpsum.errors import InputError
from ilpsum.records import BrokenTopic, FoundDocument, SearchResult, Topic
from ilpsum.retrieval.searching import AbstractSearch, SearchHits

FOUND = 20
"""The default number of abstracts per topic."""

# Abstracts with a smaller share of the best BM25 are off topic.
_NEAR = 0.35


def attach(
    topics: Iterable[Topic | BrokenTopic], search: AbstractSearch, most: int = FOUND, least_coverage: float = 0.0
) -> Iterator[Topic | BrokenTopic]:
    """Yield the topics with the abstracts that the search finds for them; see `with_documents`.

    The first topic also gets the warnings about the searched files. A topic whose search fails becomes a `BrokenTopic`.
    """
    warnings = search.warnings
    for topic in topics:
        if isinstance(topic, BrokenTopic):
            yield topic
            continue
        try:
            found = with_documents(topic, search, most, least_coverage)
        except InputError as error:
            yield BrokenTopic(topic.id, error)
            continue
        yield replace(found, warnings=(*warnings, *found.warnings))
        warnings = ()


def with_documents(topic: Topic, search: AbstractSearch, most: int = FOUND, least_coverage: float = 0.0) -> Topic:
    """Return a topic with the abstracts found for its question and subject, by descending BM25, and the search result.

    Args:
        topic: its documents are replaced.
        search: the search over the abstracts.
        most: the maximum number of abstracts; those with less than half the best one's BM25 are left out.
        least_coverage: in [0,1]; if the best abstract covers less of the query, the topic gets no documents.

    Raises:
        InputError: an index was damaged after it was opened.
    """
    query = " ".join(part for part in (topic.query, topic.subject) if part)
    found = search(query, most)
    hits = [hit for hit in found.hits if found.coverage >= least_coverage and hit.score >= _NEAR * found.hits[0].score]
    result = SearchResult(
        searched=search.documents,
        query=query,
        coverage=found.coverage,
        missing=tuple(word for term, word in found.words.items() if term not in found.known),
        weights=tuple((word, found.weights[term]) for term, word in found.words.items() if term in found.known),
        found=tuple(FoundDocument(hit.document.id, hit.score) for hit in hits),
        alternatives=found.alternatives,
    )
    warnings = (*topic.warnings, _description(found, len(hits), result.missing))
    return replace(topic, documents=tuple(hit.document for hit in hits), search=result, warnings=warnings)


def _description(found: SearchHits, kept: int, missing: Sequence[str]) -> str:
    """Describe in one line how well the abstracts found cover their question."""
    if not found.hits:
        return "coverage 0%: no abstract contains a word of the question"
    abstracts = "1 abstract" if kept == 1 else f"{kept} abstracts"
    best = f"the best with BM25 {found.hits[0].score:.1f}"
    lacking = f"; in no abstract: {', '.join(missing)}" if missing else ""
    if not kept:
        return f"coverage {found.coverage:.0%} of the question, below --coverage{lacking}"
    return f"coverage {found.coverage:.0%} of the question by the best of {abstracts}, {best}{lacking}"
