"""Attach documents to topics: the abstracts that a search finds for each question."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ilpsum.errors import InputError
from ilpsum.records import BrokenTopic, FoundDocument, SearchResult, Topic
from ilpsum.retrieval.answerability import judged, pooled_idf
from ilpsum.retrieval.searching import AbstractSearch

FOUND = 20
"""The default number of abstracts per topic."""

# Abstracts with a smaller share of the best BM25 are off topic.
_NEAR = 0.35


def attach(
    topics: Iterable[Topic | BrokenTopic],
    search: AbstractSearch,
    most: int = FOUND,
    least_coverage: float | None = None,
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


def with_documents(
    topic: Topic, search: AbstractSearch, most: int = FOUND, least_coverage: float | None = None
) -> Topic:
    """Return a topic with the abstracts found for its question and subject, by descending BM25, and the search result.

    If they do not answer the question (`ilpsum.retrieval.answerability`), the topic gets no documents, and its search
    result has the reason.

    Args:
        topic: its documents are replaced.
        search: the search over the abstracts.
        most: the maximum number of abstracts; those with less than `_NEAR` of the best one's BM25 are left out.
        least_coverage: in [0,1]; if not None, a question is answered if the best abstract covers at least this much.

    Raises:
        InputError: an index was damaged after it was opened.
    """
    query = " ".join(part for part in (topic.query, topic.subject) if part)
    found = search(query, most)
    result = SearchResult(
        searched=search.documents,
        query=query,
        coverage=found.coverage,
        missing=tuple(word for term, word in found.words.items() if not found.holding[term]),
        weights=tuple((word, found.weights[term]) for term, word in found.words.items() if found.holding[term]),
        alternatives=found.alternatives,
    )
    result = judged(result, [hit.document.text for hit in found.hits], found.holding, search.what)
    if least_coverage is not None and found.hits:
        low = found.coverage < least_coverage
        reason = (
            f"the best {search.what} covers {found.coverage:.0%} of the question, below --coverage {least_coverage:g}"
        )
        result = replace(result, unanswered=reason if low else "")
    hits = [] if result.unanswered else [hit for hit in found.hits if hit.score >= _NEAR * found.hits[0].score]
    result = replace(result, found=tuple(FoundDocument(hit.document.id, hit.score) for hit in hits))
    warnings = (*topic.warnings, _description(result))
    return replace(topic, documents=tuple(hit.document for hit in hits), search=result, warnings=warnings)


def as_found(topic: Topic) -> Topic:
    """Return a topic whose documents another search found, in its order, as if a search of ours had found them.

    A few documents do not show how rare a word is, so IDF counts a background of abstracts too. A topic without a query
    or documents stays as it is.
    """
    search = AbstractSearch.of_documents(topic.documents)
    found = search(topic.query, len(topic.documents))
    if not found.hits:
        return topic
    held = {word: found.holding[term] for term, word in found.words.items() if found.holding[term]}
    result = SearchResult(
        searched=search.documents,
        query=topic.query,
        coverage=found.coverage,
        weights=tuple((word, pooled_idf(word, number, search.documents)) for word, number in held.items()),
        found=tuple(FoundDocument(hit.document.id, hit.score) for hit in found.hits),
        alternatives=found.alternatives,
    )
    return replace(topic, search=result)


def _description(result: SearchResult) -> str:
    """Say in one line how well the abstracts found cover their question."""
    lacking = f"; in no abstract: {', '.join(result.missing)}" if result.missing else ""
    covered = f"coverage {result.coverage:.0%} of the question"
    if result.unanswered:
        return f"{covered}{lacking}"
    abstracts = "1 abstract" if len(result.found) == 1 else f"{len(result.found)} abstracts"
    return f"{covered} by the best of {abstracts}, the best with BM25 {result.found[0].bm25:.1f}{lacking}"
