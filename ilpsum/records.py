"""The records that pass between the layers: small, frozen, with no behaviour beyond their own data.

Offsets are Unicode code points into a document's text, end exclusive.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from ilpsum.errors import InputError

Facet = Literal["hypothesis", "method", "results", "implication", "discussion", "aim"]
Role = Literal["source", "snippet", "reference", "citing"]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a document's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document as its source marks it: an XML section, an abstract, a heading's text.

    Attributes:
        title: the heading as printed; empty if there is none.
        kind: one of the names of `ilpsum.papers.layout.SECTION_KINDS`.
        start, end: its text, heading included.
        category: PubMed's `NlmCategory` of a part of an abstract (`METHODS`); empty if there is none.
    """

    title: str
    kind: str
    start: int
    end: int
    category: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A text that a topic brings along.

    Attributes:
        id: unique within its topic (a file name, a PMID).
        text: the text that all offsets count in.
        title: the title where the source gives it apart from the text.
        date: as the source writes it; sorts by time where it is ISO.
        role: `reference` for the cited paper, `citing` for a paper that cites it, `snippet` for a passage that an
            expert marked for the question (best first), else `source`.
        source: what a citation of the document names (a PMID), where that is not `id`.
        sentences: sentence boundaries, where the source has them; else they are found by `features.text`.
        sections: sections, where the source has them; else they are found by `ilpsum.papers.layout`.
    """

    id: str
    text: str
    title: str = ""
    date: str = ""
    role: Role = "source"
    source: str = ""
    sentences: tuple[Span, ...] = ()
    sections: tuple[Section, ...] = ()


@dataclass(frozen=True, slots=True)
class Annotation:
    """What one annotator says of one citance: the spans of the reference paper it cites, and its facet.

    Attributes:
        annotator: the annotator's letter, empty where the file names none.
        citation: the citance as this annotator marked it in the citing paper.
        spans: the cited text spans in the reference paper, in the file's order.
        facets: one facet as a rule; CL-SciSumm lists several.
        text: the quoted reference text.
    """

    annotator: str
    citation: Span
    spans: tuple[Span, ...] = ()
    facets: tuple[Facet, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Citance:
    """A citation of the reference paper: the union of what its annotators marked in the citing paper.

    Attributes:
        number: its number within the topic.
        document: id of the citing document.
        start, end: where it stands there (union of the annotators' spans).
        text: the citing document's text from start to end; the quoted text where the document is not there.
        marker: where the citation marker stands in the citing document, if known.
        marker_text: the marker as printed.
        annotations: one for each annotator; those of a test topic have neither spans nor facets.
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
class FoundDocument:
    """A document that a search found.

    Attributes:
        document: its id.
        bm25: its score.
    """

    document: str
    bm25: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search for a topic's documents found.

    Attributes:
        searched: number of abstracts searched.
        query: the text searched for.
        coverage: the share of the query's words, weighted by IDF, that the best abstract holds, in [0,1].
        missing: words of the query that no abstract holds.
        weights: IDF of the query's other words, times their occurrences in the query.
        found: the topic's documents, by falling BM25.
    """

    searched: int = 0
    query: str = ""
    coverage: float = 0.0
    missing: tuple[str, ...] = ()
    weights: tuple[tuple[str, float], ...] = ()
    found: tuple[FoundDocument, ...] = ()


@dataclass(frozen=True, slots=True)
class Topic:
    """What is to be summarised: a question or a set of citances, and documents.

    Attributes:
        id: the name of the topic, which names its output.
        query: the question; for a paper, its citances, a line each.
        documents: in the order of the source.
        citances: citations of the reference paper, by number.
        summaries: gold summaries, which only training, evaluation and the oracle look at.
        warnings: what the reader repaired, each a line that names file and place.
        kind: what the source calls it (a question's type).
        subject: a few words that name what the topic is about, where the source has them; a search looks for them too.
        search: how its documents were found; None where the source came with documents.
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

    @property
    def reference(self) -> Document | None:
        """The reference paper of a TAC or CL-SciSumm topic."""
        return next((d for d in self.documents if d.role == "reference"), None)


@dataclass(frozen=True, slots=True)
class BrokenTopic:
    """A topic that could not be read; the others go on.

    Attributes:
        id: its name as far as it is known (its folder's where its lines don't tell).
        error: what is wrong, where, what was expected, and what to do.
    """

    id: str
    error: InputError


@dataclass(frozen=True, slots=True)
class FeatureValue:
    """A feature of a chosen sentence.

    Attributes:
        name: of the feature's column.
        value: as computed, before it is scaled for the model; six significant digits.
        rank: among the candidates, from 1 for the largest; equal values share a rank.
    """

    name: str
    value: float
    rank: int


@dataclass(frozen=True, slots=True)
class Cut:
    """What a rule took out of a sentence to shorten it.

    Attributes:
        rule: a name of `ilpsum.compression.compressor.RULES`.
        start, end: characters of the sentence's `original`.
    """

    rule: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a document: a candidate for a summary, or one that was chosen.

    Attributes:
        text: as it stands in the summary; white space within is folded to single spaces.
        document: id of its document.
        start, end: its place in the document's text.
        words: its length as the word limit counts it (`str.split`).
        section: kind of the section it stands in (`ilpsum.papers.layout.SECTION_KINDS`).
        relevance: predicted relevance, in the units of the training target.
        facet: predicted discourse facet, where one was predicted.
        why: what speaks for it, for a reader.
        features: what its relevance was predicted from; only chosen sentences have it.
        original: the whole sentence where `text` is a shortened one (document, start and end are the whole one's).
        cuts: what was cut out of `original`, rule by rule.
    """

    text: str
    document: str
    start: int
    end: int
    words: int
    section: str = ""
    relevance: float = 0.0
    facet: str = ""
    why: str = ""
    features: tuple[FeatureValue, ...] = ()
    original: str = ""
    cuts: tuple[Cut, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """A topic's summary, with all that is needed to check it.

    Attributes:
        topic: the topic's id.
        sentences: the chosen sentences, in the order of the text.
        candidates: every sentence that could have been chosen; each shortened form follows its whole sentence.
        chosen: indices of the chosen ones among the candidates, ascending.
        system: name of the system.
        objective, bound, gap: of the selection; nan where the selector has none.
        details: further facts for the provenance (lambda, formulation, solver, ...), JSON-ready.
        seconds: time spent reading, on features, relevance, building, solving.
        warnings: what fell back or was repaired.
        text: the summary as it is written to a file.
    """

    topic: str
    sentences: tuple[Sentence, ...]
    text: str
    candidates: tuple[Sentence, ...] = ()
    chosen: tuple[int, ...] = ()
    system: str = ""
    objective: float = float("nan")
    bound: float = float("nan")
    gap: float = float("nan")
    details: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self.sentences)

    def __len__(self) -> int:
        return len(self.sentences)

    def __str__(self) -> str:
        return self.text
