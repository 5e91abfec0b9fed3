"""Attach documents to topics: the abstracts that a search finds for each question."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ilpsum.answers.answering import by_coverage
from ilpsum.answers.asked import as_written, not_as_written
from ilpsum.answers.correcting import corrected
from ilpsum.answers.question_words import is_generic
from ilpsum.answers.searching import AbstractSearch
from ilpsum.answers.weights import is_history, pooled_idf
from ilpsum.answers.wording import searchable
from ilpsum.errors import InputError, quoted
from ilpsum.literature.filtering import retracted_notice
from ilpsum.records import BrokenTopic, Correction, Incoming, SearchResult, SourceFilter, Topic
from ilpsum.tasks import loaded

# The default number of abstracts per topic.
FOUND = 20

# Abstracts below this share of the best BM25 are off topic.
_NEAR = 0.35


class Attaching:
    """Attaches retrieved abstracts to topics, in any process; `options` are those of
    `with_documents`.

    A pickled copy reopens the indexes with its first topic.
    """

    def __init__(self, search: AbstractSearch, **options: Any) -> None:
        self._search: AbstractSearch | None = search
        self._reopen, self._warnings = search.reopening, search.warnings
        self._options = options

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_search": None}

    def __call__(self, topic: Incoming) -> Topic | BrokenTopic:
        """Return a topic with abstracts, or a `BrokenTopic` if the search fails; searched topics
        are unchanged.

        Raises:
            UsageError: the indexes are not available in this process.
        """
        topic = loaded(topic)
        if isinstance(topic, BrokenTopic) or topic.search is not None:
            return topic
        self._search = self._search or self._reopen()
        try:
            return with_documents(topic, self._search, **self._options)
        except InputError as error:
            return BrokenTopic(topic.id, error)

    def warned(self, topics: Iterable[Incoming]) -> Iterator[Incoming]:
        """Yield the topics; warnings about the searched files go to the first topic whose search
        succeeds.
        """
        topics = iter(topics)
        for topic in topics if self._warnings else ():
            result = self(topic)
            if isinstance(result, BrokenTopic):
                yield result
                continue
            yield replace(result, warnings=(*self._warnings, *result.warnings))
            break
        yield from topics


def with_documents(
    topic: Topic,
    search: AbstractSearch,
    most: int = FOUND,
    least_coverage: float | None = None,
    exact: bool = False,
) -> Topic:
    """Attach to a topic the search result and the abstracts for its question and subject, by
    descending BM25.

    Whether they answer it is decided once their sentences are known (`ilpsum.answers.answering`).

    Args:
        topic: its documents are replaced.
        search: the search over the abstracts.
        most: maximum number of abstracts; abstracts below `_NEAR` times the best BM25 are left out.
        least_coverage: in [0,1]; if not None, a question is answered if the best abstract covers at
            least this much.
        exact: whether to search for the words as written, without corrections.

    Raises:
        InputError: an index was damaged after it was opened.
    """
    corrections = tuple[Correction, ...]()
    if not exact:
        topic, corrections = _corrected(topic, search)
    query = f"{topic.query} {topic.subject}".strip()
    retrieved = search(query, most)
    hits = retrieved.result.found
    result = replace(
        retrieved.result,
        found=tuple(hit for hit in hits if hit.bm25 >= _NEAR * hits[0].bm25),
        what=search.what,
        corrections=corrections,
        unnamed=not_as_written(
            retrieved.result, [document.text for document in retrieved.documents]
        ),
    )
    if least_coverage is not None and hits:
        result = by_coverage(result, least_coverage)
    return replace(
        topic,
        documents=retrieved.documents[: len(result.found)],
        search=result,
        warnings=(*topic.warnings, *_warnings(retrieved.retracted, result, query)),
    )


def _corrected(topic: Topic, search: AbstractSearch) -> tuple[Topic, tuple[Correction, ...]]:
    """Return a topic with its question and subject in experts' words and without typing errors, and
    what was corrected.
    """
    query, subject = topic.query, topic.subject
    if not is_history(query):
        query = searchable(query)
    is_reworded = query != topic.query
    corrections = search.corrections(f"{query} {subject}".strip())
    if corrections:
        query, subject = corrected(query, corrections), corrected(subject, corrections)
    if is_reworded:
        corrections = (Correction(topic.query, query),)
    if corrections:
        written = topic.written or topic.query
        topic = replace(topic, query=query, subject=subject, written=written)
    return topic, corrections


def _warnings(retracted: Sequence[str], result: SearchResult, query: str) -> Iterator[str]:
    """Yield what a search corrected, left out and missed."""
    yield from map(str, result.corrections)
    if retracted:
        yield retracted_notice(retracted)
    yield from result.missing_metadata
    informative = (word for word in result.missing if not is_generic(word))
    missing = dict.fromkeys(as_written(word, query) for word in informative)
    if missing and result.searched:
        yield f"no {result.what} mentions {quoted(missing, 'or')}"


def as_found(topic: Topic) -> Topic:
    """Return a topic with another search's documents, in its order, as if our own search had found
    them.

    A few documents do not show how rare a word is, so IDF also counts background abstracts. A topic
    without a query or documents is returned unchanged.
    """
    search = AbstractSearch.of_documents(topic.documents, wanted=SourceFilter(retracted=True))
    retrieved = search(topic.query, len(topic.documents))
    if not retrieved.documents:
        return topic
    weights = tuple(
        (word, pooled_idf(word, number, search.documents))
        for word, number in retrieved.holding.items()
    )
    return replace(
        topic, search=replace(retrieved.result, missing=(), weights=weights, settled=True)
    )
