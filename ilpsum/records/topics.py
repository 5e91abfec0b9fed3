"""Topics: a query or citances, documents and how they were found, gold; topics that cannot be read, or not yet."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

from ilpsum.errors import IlpsumError
from ilpsum.records.publications import UNPUBLISHED, Publication

Facet = Literal["hypothesis", "method", "results", "implication", "discussion", "aim"]
GENERAL = ("news", "texts")
"""The kinds of a topic in general English: articles of news, and texts of any other genre."""
ANSWERS = "answers"
"""The kind of a topic whose documents answer a consumer's question."""

Role = Literal["source", "snippet", "merged", "reference", "citing"]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a document's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document as its source marks it: an XML section, an abstract, the text under a heading.

    Attributes:
        title: the heading as printed, or empty.
        kind: one of the names of `ilpsum.papers.layout.SECTION_KINDS`.
        start, end: its span, heading included.
        category: PubMed's `NlmCategory` of a part of an abstract (`METHODS`), or empty.
    """

    title: str
    kind: str
    start: int
    end: int
    category: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A text of a topic.

    Attributes:
        id: unique within its topic (a file name, a PMID).
        text: all offsets refer to it.
        title: where the source gives it apart from the text.
        date: as the source writes it; ISO dates sort by time.
        role: `reference` for the cited paper, `citing` for a paper that cites it, `snippet` for a passage an expert
            marked for the question (best first), `merged` for all such passages of one document, otherwise `source`.
        source: what a citation of the document names (a PMID) if not `id`.
        sentences: sentence boundaries if the source has them; otherwise `features.sentences` finds them.
        sections: sections if the source has them; otherwise `ilpsum.papers.layout` finds them.
        publication: authors, journal, identifiers, kind of study and notices, as far as the source tells.
    """

    id: str
    text: str
    title: str = ""
    date: str = ""
    role: Role = "source"
    source: str = ""
    sentences: tuple[Span, ...] = ()
    sections: tuple[Section, ...] = ()
    publication: Publication = UNPUBLISHED


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


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotator's judgment of one citance: the cited text spans and the facet.

    Attributes:
        annotator: a letter, or empty.
        citation: the citance as this annotator marked it in the citing paper.
        spans, text: the cited text spans in the reference paper, in the file's order, and the text quoted of them.
        facets: usually one; CL-SciSumm may list several.
    """

    annotator: str
    citation: Span
    spans: tuple[Span, ...] = ()
    facets: tuple[Facet, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Citance:
    """A citation of the reference paper: the union of the annotators' spans in the citing paper.

    Attributes:
        number: its number within the topic.
        document, start, end: its span in the citing document.
        text: the citing document's text from start to end; the quoted text if the document is missing.
        marker, marker_text: the citation marker's span in the citing document, if known, and as printed.
        annotations: one per annotator; in test topics without spans and facets.
    """

    number: int
    document: str
    start: int
    end: int
    text: str
    marker: Span | None = None
    marker_text: str = ""
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class Topic:
    """A question or a set of citances, with documents.

    Attributes:
        id: names the topic and its output.
        query: the question, corrected if a search corrected it; for a paper, its citances, one a line.
        documents: in the order of the source.
        citances: citations of the reference paper, by number.
        summaries: gold summaries; only training, evaluation and the oracle use them.
        warnings: repairs by the reader, each naming file and place.
        kind: the source's type of question (`yesno`, `factoid`, `list`, `summary`), one of `GENERAL`,
            or `ANSWERS`.
        subject: a few words that name what the topic is about, where the source has them; a search looks for them too.
        search: how its documents were found; None where the source came with documents.
        answers: exact answers of the question: items, each with its synonyms; gold, as `summaries`.
        relevant: ids of documents known to answer the question; gold.
        snippets: passages that experts marked as answers, whatever the documents are; gold.
        written: the question as it was written, if a search corrected it.
    """

    id: str
    query: str = ""
    documents: tuple[Document, ...] = ()
    citances: tuple[Citance, ...] = ()
    summaries: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    kind: str = ""
    subject: str = ""
    search: SearchResult | None = None
    answers: tuple[tuple[str, ...], ...] = ()
    relevant: tuple[str, ...] = ()
    snippets: tuple[str, ...] = ()
    written: str = ""

    @property
    def reference(self) -> Document | None:
        """The reference paper of a TAC or CL-SciSumm topic."""
        return next((d for d in self.documents if d.role == "reference"), None)


@dataclass(frozen=True, slots=True)
class BrokenTopic:
    """A topic that failed: it could not be read, or has no summary. The other topics are unaffected.

    Attributes:
        id: its id, as far as known.
        error: place, problem, what was expected, what to do.
    """

    id: str
    error: IlpsumError


@dataclass(frozen=True, slots=True)
class PendingTopic:
    """A topic still to be read, by whichever process needs it; it can be pickled.

    Attributes:
        id: its id, whatever reading it gives.
        load: returns it.
    """

    id: str
    load: Callable[[], Topic | BrokenTopic]


Incoming: TypeAlias = Topic | BrokenTopic | PendingTopic
"""What a reader yields."""
