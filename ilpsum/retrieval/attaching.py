"""The stage that gives topics their documents: the abstracts that a search finds for each question."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from features.text import words
from ilpsum.errors import InputError
from ilpsum.records import BrokenTopic, FoundDocument, SearchResult, Topic
from ilpsum.retrieval.analysis import terms
from ilpsum.retrieval.searching import AbstractSearch, SearchHits

FOUND = 20
"""Abstracts of a topic, unless another number is asked for."""

# The share of the best BM25 below which an abstract is beside the point.
_NEAR = 0.5


def attach(
    topics: Iterable[Topic | BrokenTopic], search: AbstractSearch, most: int = FOUND, least_coverage: float = 0.0
) -> Iterator[Topic | BrokenTopic]:
    """The topics with the abstracts that their question and subject find; see `with_documents`.

    The first topic also carries what could not be read of the searched files. A topic whose search fails becomes a
    `BrokenTopic`, and the next one follows.
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
    """A topic with the abstracts that its question and subject find, by falling BM25, and the search's result.

    Args:
        topic: its documents are replaced.
        search: over the abstracts.
        most: abstracts at most; those with less than half the best one's BM25 are left out.
        least_coverage: the topic gets no documents where the best abstract covers less of the query; in [0,1].

    Raises:
        InputError: an index was damaged after it was opened.
    """
    query = " ".join(part for part in (topic.query, topic.subject) if part)
    found = search(query, most)
    hits = [hit for hit in found.hits if found.coverage >= least_coverage and hit.score >= _NEAR * found.hits[0].score]
    term_of = _words(query)
    result = SearchResult(
        searched=search.documents,
        query=query,
        coverage=found.coverage,
        missing=tuple(word for word, term in term_of.items() if term not in found.known),
        weights=tuple((word, found.weights[term]) for word, term in term_of.items() if term in found.known),
        found=tuple(FoundDocument(hit.document.id, hit.score) for hit in hits),
    )
    documents = tuple(hit.document for hit in hits)
    return replace(
        topic, documents=documents, search=result, warnings=(*topic.warnings, _told(found, len(hits), result.missing))
    )


def _words(query: str) -> dict[str, str]:
    """The words of a query with their terms, the first word of each term, stop words left out."""
    first: dict[str, str] = {}
    for word in words(query):
        for term in terms(word):
            first.setdefault(term, word)
    return {word: term for term, word in first.items()}


def _told(found: SearchHits, kept: int, missing: Sequence[str]) -> str:
    """How well what was found covers its question, in a line."""
    if not found.hits:
        return "coverage 0%: no abstract holds a word of the question"
    abstracts = "1 abstract" if kept == 1 else f"{kept} abstracts"
    best = f"the best with BM25 {found.hits[0].score:.1f}"
    lacking = f"; in no abstract: {', '.join(missing)}" if missing else ""
    if not kept:
        return f"coverage {found.coverage:.0%} of the question, less than was asked for{lacking}"
    return f"coverage {found.coverage:.0%} of the question by the best of {abstracts}, {best}{lacking}"
