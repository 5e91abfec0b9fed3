"""Attach documents to topics: the abstracts that a search finds for each question."""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ilpsum.errors import InputError
from ilpsum.records import BrokenTopic, FoundDocument, SearchResult, Topic
from ilpsum.retrieval.analysis import terms
from ilpsum.retrieval.answerability import judged, word_of, word_weights
from ilpsum.retrieval.searching import AbstractSearch

FOUND = 20
"""The default number of abstracts per topic."""

# Abstracts with a smaller share of the best BM25 are off topic.
_NEAR = 0.5


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
        most: the maximum number of abstracts; those with less than half the best one's BM25 are left out.
        least_coverage: in [0,1]; if not None, a question is answered if the best abstract covers at least this much.

    Raises:
        InputError: an index was damaged after it was opened.
    """
    query = " ".join(part for part in (topic.query, topic.subject) if part)
    found = search(query, most)
    term_of = {word: term for term, word in word_of(query).items()}
    result = SearchResult(
        searched=search.documents,
        query=query,
        coverage=found.coverage,
        missing=tuple(word for word, term in term_of.items() if term not in found.known),
        weights=tuple((word, found.weights[term]) for word, term in term_of.items() if term in found.known),
    )
    result = _decided(result, [hit.document.text for hit in found.hits], found.holding, least_coverage)
    hits = [] if result.unanswered else [hit for hit in found.hits if hit.score >= _NEAR * found.hits[0].score]
    result = replace(result, found=tuple(FoundDocument(hit.document.id, hit.score) for hit in hits))
    warnings = (*topic.warnings, _description(result))
    return replace(topic, documents=tuple(hit.document for hit in hits), search=result, warnings=warnings)


def with_own_documents(topic: Topic, least_coverage: float | None = None) -> Topic:
    """Return a topic as it is if its documents answer its question; otherwise without them, with the reason.

    Its subject is ignored; `least_coverage` is as for `with_documents`.
    """
    held = [frozenset(terms(document.text)) for document in topic.documents]
    holding = Counter(itertools.chain.from_iterable(held))
    weights = word_weights(topic.query, holding, len(held))
    coverage = max((math.fsum(weights[t] for t in weights if t in text) for text in held), default=0.0)
    result = SearchResult(
        searched=len(held),
        query=topic.query,
        coverage=coverage / (math.fsum(weights.values()) or 1.0),
        missing=tuple(word for term, word in word_of(topic.query).items() if not holding[term]),
    )
    result = _decided(result, [document.text for document in topic.documents], holding, least_coverage, "document")
    if not result.unanswered:
        return topic
    return replace(topic, documents=(), search=result, warnings=(*topic.warnings, _description(result)))


def _decided(
    result: SearchResult,
    texts: Sequence[str],
    holding: Mapping[str, int],
    least_coverage: float | None,
    what: str = "abstract",
) -> SearchResult:
    """Return a result with the score of its texts and, if the question is not to be answered, the reason."""
    result = judged(result, texts, holding, what)
    if least_coverage is None or not texts:
        return result
    low = result.coverage < least_coverage
    reason = f"the best {what} covers {result.coverage:.0%} of the question, below --coverage {least_coverage:g}"
    return replace(result, unanswered=reason if low else "")


def _description(result: SearchResult) -> str:
    """Say in one line how well the abstracts found cover their question, or why it has no answer."""
    lacking = f"; in no abstract: {', '.join(result.missing)}" if result.missing else ""
    covered = f"coverage {result.coverage:.0%} of the question"
    if result.unanswered:
        return f"no answer: {result.unanswered}; {covered}"
    abstracts = "1 abstract" if len(result.found) == 1 else f"{len(result.found)} abstracts"
    return f"{covered} by the best of {abstracts}, the best with BM25 {result.found[0].bm25:.1f}{lacking}"
