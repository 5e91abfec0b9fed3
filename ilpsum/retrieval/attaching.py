"""Attach documents to topics: the abstracts that a search finds for each question."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ilpsum.corpora import loaded
from ilpsum.corpora.filtering import left_out_retracted
from ilpsum.errors import InputError
from ilpsum.records import BrokenTopic, Incoming, Outcome, SearchResult, SourceFilter, Topic
from ilpsum.retrieval.answerability import unnamed
from ilpsum.retrieval.correcting import corrected
from ilpsum.retrieval.searching import AbstractSearch
from ilpsum.retrieval.weights import pooled_idf

FOUND = 20
"""The default number of abstracts per topic."""

# Abstracts with a smaller share of the best BM25 are off topic.
_NEAR = 0.35


class Attaching:
    """Gives topics the abstracts that a search finds for them, in any process; see `with_documents` for the arguments.

    Where it is sent, it opens the indexes again, with the first topic.
    """

    def __init__(
        self, search: AbstractSearch, most: int = FOUND, least_coverage: float | None = None, exact: bool = False
    ) -> None:
        self._search: AbstractSearch | None = search
        self._reopen, self._warnings = search.reopening, search.warnings
        self._most, self._least_coverage, self._exact = most, least_coverage, exact

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_search": None}

    def __call__(self, topic: Incoming) -> Topic | BrokenTopic:
        """Return a topic with abstracts, a `BrokenTopic` if its search fails; one that was searched for is unchanged.

        Raises:
            UsageError: the indexes are not where this was sent.
        """
        topic = loaded(topic)
        if isinstance(topic, BrokenTopic) or topic.search is not None:
            return topic
        self._search = self._search or self._reopen()
        try:
            return with_documents(topic, self._search, self._most, self._least_coverage, self._exact)
        except InputError as error:
            return BrokenTopic(topic.id, error)

    def warned(self, topics: Iterable[Incoming]) -> Iterator[Incoming]:
        """Yield the topics; if the searched files have warnings, the first topic whose search succeeds gets them."""
        topics = iter(topics)
        for topic in topics if self._warnings else ():
            found = self(topic)
            if isinstance(found, BrokenTopic):
                yield found
                continue
            yield replace(found, warnings=(*self._warnings, *found.warnings))
            break
        yield from topics


def with_documents(
    topic: Topic, search: AbstractSearch, most: int = FOUND, least_coverage: float | None = None, exact: bool = False
) -> Topic:
    """Return a topic with the abstracts found for its question and subject, by descending BM25, and the search result.

    Whether they answer it is decided once their sentences are known (`ilpsum.pipeline.answering`).

    Args:
        topic: its documents are replaced.
        search: the search over the abstracts.
        most: the maximum number of abstracts; those with less than `_NEAR` of the best one's BM25 are left out.
        least_coverage: in [0,1]; if not None, a question is answered if the best abstract covers at least this much.
        exact: whether to search for the words as written, without correcting typing errors.

    Raises:
        InputError: an index was damaged after it was opened.
    """
    query = " ".join(part for part in (topic.query, topic.subject) if part)
    corrections = () if exact else search.corrections(query)
    if corrections:
        query = corrected(query, corrections)
        topic = replace(topic, query=corrected(topic.query, corrections), written=topic.query)
    found = search(query, most)
    names = unnamed(found.result, [document.text for document in found.documents])
    result = replace(found.result, what=search.what, corrections=corrections, unnamed=names)
    if least_coverage is not None and found.documents:
        result = replace(result, settled=True)
        if result.coverage < least_coverage:
            low = f"covers {result.coverage:.0%} of the question, below --coverage {least_coverage:g}"
            result = replace(result, outcome=Outcome.NOTHING, unanswered=f"the best {search.what} {low}")
    result = replace(result, found=tuple(hit for hit in result.found if hit.bm25 >= _NEAR * result.found[0].bm25))
    retracted = (left_out_retracted(found.retracted),) if found.retracted else ()
    warnings = (*topic.warnings, *map(str, corrections), *retracted, *result.untold, _description(result))
    return replace(topic, documents=found.documents[: len(result.found)], search=result, warnings=warnings)


def as_found(topic: Topic) -> Topic:
    """Return a topic whose documents another search found, in its order, as if a search of ours had found them.

    A few documents do not show how rare a word is, so IDF counts a background of abstracts too. A topic without a query
    or documents stays as it is.
    """
    search = AbstractSearch.of_documents(topic.documents, wanted=SourceFilter(retracted=True))
    found = search(topic.query, len(topic.documents))
    if not found.documents:
        return topic
    weights = tuple((word, pooled_idf(word, number, search.documents)) for word, number in found.holding.items())
    return replace(topic, search=replace(found.result, missing=(), weights=weights, settled=True))


def _description(result: SearchResult) -> str:
    """Say in one line how well the abstracts found cover their question."""
    lacking = f"; in no abstract: {', '.join(result.missing)}" if result.missing else ""
    if not result.found and result.weights:
        return f"no abstract with words of the question passes the source filters{lacking}"
    if not result.found:
        return f"no abstract has words of the question{lacking}"
    abstracts = "the abstract found has" if len(result.found) == 1 else f"the best of {len(result.found)} abstracts has"
    return f"{abstracts} {result.coverage:.0%} of the question's words, weighted by IDF{lacking}"
