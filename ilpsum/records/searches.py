"""What a search for a topic's documents found."""

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """The outcomes of a search, each with the words that a reader sees."""

    ANSWER = "answer"
    RELATED = "related"
    NOTHING = "nothing"

    def said(self, why: str) -> str:
        """Return the outcome in one line, without a stop; `why` there is no answer."""
        return f"{_SAID[self]}: {why}" if why else _SAID[self]


_SAID = {
    Outcome.ANSWER: "Sentences of the documents answer the question",
    Outcome.RELATED: "Related, not an answer",
    Outcome.NOTHING: "No answer",
}


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another form of words of a query, such as the long form of an abbreviation or a synonym.

    Attributes:
        words: the words of the query that it may replace, as in `SearchResult.weights`.
        terms: the terms that a text must hold, all of them, as `ilpsum.retrieval.analysis.terms` returns them.
        factor: how much an occurrence counts, compared with one of the words themselves, in (0,1].
    """

    words: tuple[str, ...]
    terms: tuple[str, ...]
    factor: float


@dataclass(frozen=True, slots=True)
class Correction:
    """A word of a query that no text holds, and the word of the texts that was searched for in its place."""

    written: str
    searched: str

    def __str__(self) -> str:
        """Say it to who wrote the query."""
        return f"searched for '{self.searched}' (you wrote '{self.written}')"


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """The id of a document that a search found, and its score."""

    document: str
    bm25: float


@dataclass(frozen=True, slots=True)
class NearestSentence:
    """A sentence that comes near a question without answering it, and its place."""

    text: str
    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search for a topic's documents found; `ilpsum.retrieval.QueryWords` finds its words in other texts.

    Attributes:
        searched: number of abstracts searched.
        query: the text searched for, with the corrections.
        coverage: the share of the query's words, weighted by IDF, that the best abstract holds in any form, in [0,1].
        missing: words of the query that no abstract holds in any form.
        weights: IDF of the query's other words, times their occurrences in the query.
        found: the topic's documents, by falling BM25.
        alternatives: other forms of the query's words that abstracts hold.
        answerable: the probability that the documents answer the query (`ilpsum.pipeline.answering`).
        corrections: words of the query that were taken for typing errors.
        settled: whether the outcome is final, whatever relevance is predicted, as with a least coverage.
        outcome: whether the documents answer the query (`ilpsum.pipeline.answering`).
        unanswered: why they don't, in one line that names what was not found; empty if they do.
        nearest: where they don't, the sentences that come nearest.
        untold: a line for each restriction on sources that records do not let judge, with how many of those with words
            of the query.
        unnamed: names in the query that no document found has as they are written.
        doubt: which subject of the query the answer does not mention, in one line; empty if none.
        what: a word for what was searched.
    """

    searched: int = 0
    query: str = ""
    coverage: float = 0.0
    missing: tuple[str, ...] = ()
    weights: tuple[tuple[str, float], ...] = ()
    found: tuple[FoundDocument, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    answerable: float = 0.0
    corrections: tuple[Correction, ...] = ()
    settled: bool = False
    outcome: Outcome = Outcome.ANSWER
    unanswered: str = ""
    nearest: tuple[NearestSentence, ...] = ()
    untold: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    doubt: str = ""
    what: str = "abstract"
