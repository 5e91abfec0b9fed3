"""Topics: query or citances, documents, search result and gold; also broken and pending topics."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

from ilpsum.errors import IlpsumError, SkippedTopicError, require_list
from ilpsum.records.publications import UNPUBLISHED, Publication

Facet = Literal["hypothesis", "method", "results", "implication", "discussion", "aim"]
FACETS: tuple[Facet, ...] = ("hypothesis", "method", "results", "implication", "discussion")
"""Discourse facets of TAC 2014, in the order of a structured summary."""
GENERAL = ("news", "texts")
"""Kinds of topics in general English: news articles, and texts of any other genre."""
ANSWERS = "answers"
"""Kind of topics whose documents are answers to a consumer's question."""

Role = Literal["source", "snippet", "merged", "reference", "citing"]


@dataclass(frozen=True, slots=True)
class Span:
    """A span of a document's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a document as marked in its source: an XML section, an abstract, the text under
    a heading.

    Attributes:
        title: the heading as printed, or empty.
        kind: a name in `ilpsum.papers.layout.SECTION_KINDS`.
        start, end: its span, including the heading.
        category: PubMed's `NlmCategory` of a section of an abstract (`METHODS`), or empty.
    """

    title: str
    kind: str
    start: int
    end: int
    category: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a topic.

    Attributes:
        id: unique within its topic (a file name, a PMID).
        text: the text to which all offsets refer.
        title: the title, if the source gives it separately.
        date: as written in the source; ISO dates sort chronologically.
        role: `reference` for the cited paper, `citing` for papers that cite it, `snippet` for a
            passage marked by an expert for the question (best first), `merged` for all such
            passages of one document, otherwise `source`.
        source: identifier to cite (a PMID) if it is not `id`.
        sentences: sentence spans from the source; if empty, `features.sentences` finds them.
        sections: sections from the source; if empty, `ilpsum.papers.layout` finds them.
        publication: publication data from the source.
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
    """The outcomes of a search: three degrees of an answer, and none."""

    ANSWER = "answer"
    WEAK = "weak"
    RELATED = "related"
    NOTHING = "nothing"

    @property
    def is_answer(self) -> bool:
        """Whether sentences are chosen as an answer, however weak."""
        return self in (Outcome.ANSWER, Outcome.WEAK)

    @property
    def degree(self) -> str:
        """The degree in words."""
        return _TITLES[self]

    def describe(self, why: str) -> str:
        """Describe the outcome in one line, without a full stop; `why` is the reason for no answer,
        or for doubt.
        """
        return f"{self.degree}: {why}" if why else self.degree


_TITLES = {
    Outcome.ANSWER: "Answer",
    Outcome.WEAK: "Weak evidence",
    Outcome.RELATED: "Related, not an answer",
    Outcome.NOTHING: "No answer",
}


@dataclass(frozen=True, slots=True)
class Alternative:
    """An alternative to words of a query, such as the expansion of an abbreviation or a synonym.

    Attributes:
        words: the query words that it may replace, as in `SearchResult.weights`.
        terms: terms that a text must all contain, as returned by `ilpsum.pipeline.terms.terms`.
        factor: weight of an occurrence relative to the words themselves, in (0,1].
    """

    words: tuple[str, ...]
    terms: tuple[str, ...]
    factor: float


@dataclass(frozen=True, slots=True)
class Correction:
    """A query word that no text contains, or a whole question, and what is searched for instead."""

    written: str
    searched: str

    def __str__(self) -> str:
        """Return the correction as a message to the author of the query."""
        return f"searched for '{self.searched}' (you wrote '{self.written}')"


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A retrieved document's id and score."""

    document: str
    bm25: float


@dataclass(frozen=True, slots=True)
class NearestSentence:
    """A sentence related to an unanswered question, with its span."""

    text: str
    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search for a topic's documents; `ilpsum.pipeline.terms.QueryWords` matches
    its words in texts.

    Attributes:
        searched: number of abstracts searched.
        query: the query with corrections.
        coverage: IDF-weighted share of the query words that the best abstract contains in any form,
            in [0,1].
        missing: query words that no abstract contains in any form.
        weights: IDF of the other query words, times their frequency in the query.
        found: the topic's documents, by descending BM25.
        alternatives: alternatives to query words that occur in abstracts.
        answerable: probability that the documents answer the query (`ilpsum.answers.answering`).
        corrections: query words corrected as typing errors.
        settled: whether predicted relevance cannot change the outcome, as with a minimum coverage.
        outcome: whether the documents answer the query (`ilpsum.answers.answering`).
        unanswered: the reason if they do not, in one line that names missing words; empty if they
            do.
        nearest: the sentences nearest to an unanswered query.
        missing_metadata: a notice for each source filter that lacks data in records that match the
            query.
        unnamed: names in the query that no retrieved document contains verbatim.
        doubt: a line on the subject of the query that the answer does not mention; empty if there
            is none.
        what: noun for the searched documents.
        fetched: whether a service chose the searched documents for the query, out of many more.
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
    missing_metadata: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    doubt: str = ""
    what: str = "abstract"
    fetched: bool = False


@dataclass(frozen=True, slots=True)
class Annotation:
    """One annotator's annotation of a citance: cited text spans and facet.

    Attributes:
        annotator: a letter, or empty.
        citation: this annotator's span of the citance in the citing paper.
        spans, text: cited text spans in the reference paper, in file order, and their text as
            quoted in the file.
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
        text: the citing document's text from start to end; the quoted text if the document is
            missing.
        marker, marker_text: span of the citation marker in the citing document, if known, and its
            text.
        annotations: one per annotator; without spans and facets in test topics.
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
        id: identifies the topic and its output.
        query: the question, with spelling corrected by a search; for a paper, its citances, one per
            line.
        documents: in source order.
        citances: citations of the reference paper, by number.
        summaries: gold summaries; used only by training, evaluation and the oracle.
        warnings: repairs by the reader, with file and place.
        kind: the source's question type (`yesno`, `factoid`, `list`, `summary`), one of `GENERAL`,
            or `ANSWERS`.
        subject: the topic's subject in a few words, if the source has it; part of the search query.
        search: the search result; None if the source provides documents.
        answers: exact answers: items, each with its synonyms; gold, like `summaries`.
        relevant: ids of documents known to answer the question; gold.
        snippets: passages marked by experts as answers, independent of the documents; gold.
        written: the original question, if a search corrected it.

    Raises:
        ArgumentError: `summaries`, `relevant` or `snippets` is one text.
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

    def __post_init__(self) -> None:
        for name in ("summaries", "relevant", "snippets"):
            require_list(name, getattr(self, name))

    @property
    def reference(self) -> Document | None:
        """The reference paper of a TAC or CL-SciSumm topic."""
        return next((d for d in self.documents if d.role == "reference"), None)


@dataclass(frozen=True, slots=True)
class BrokenTopic:
    """A failed topic: it could not be read or summarised. Other topics are unaffected.

    Attributes:
        id: its id, as far as known.
        error: the error, with place and remedy.
    """

    id: str
    error: IlpsumError

    @property
    def is_skipped(self) -> bool:
        """Whether no run can have the topic (`SkippedTopicError`)."""
        return isinstance(self.error, SkippedTopicError)


@dataclass(frozen=True, slots=True)
class PendingTopic:
    """A topic to be read later, possibly in another process; picklable.

    Attributes:
        id: its id, known before reading.
        load: reads the topic.
    """

    id: str
    load: Callable[[], Topic | BrokenTopic]


Incoming: TypeAlias = Topic | BrokenTopic | PendingTopic
"""A topic as yielded by readers."""
