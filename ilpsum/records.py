"""The records that pass between rooms: small, frozen, typed, without behaviour.

Offsets are Unicode code points into a document's text, end exclusive.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

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
            marked for the question (best first), otherwise `source`.
        source: what a citation of the document names (a PMID) if not `id`.
        sentences: sentence boundaries if the source has them; otherwise `features.sentences` finds them.
        sections: sections if the source has them; otherwise `ilpsum.papers.layout` finds them.
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
    """One annotator's judgment of one citance: the cited text spans and the facet.

    Attributes:
        annotator: the annotator's letter, or empty.
        citation: the citance as this annotator marked it in the citing paper.
        spans: the cited text spans in the reference paper, in the file's order.
        facets: usually one; CL-SciSumm may list several.
        text: the quoted reference text.
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
        document: id of the citing document.
        start, end: its span there.
        text: the citing document's text from start to end; the quoted text if the document is missing.
        marker: the citation marker's span in the citing document, if known.
        marker_text: the marker as printed.
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
class FoundDocument:
    """The id of a document that a search found, and its score."""

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
    """A question or a set of citances, with documents.

    Attributes:
        id: names the topic and its output.
        query: the question; for a paper, its citances, one a line.
        documents: in the order of the source.
        citances: citations of the reference paper, by number.
        summaries: gold summaries; only training, evaluation and the oracle use them.
        warnings: repairs by the reader, each naming file and place.
        kind: the source's type of question (`yesno`, `factoid`, `list`, `summary`).
        subject: a few words that name what the topic is about, where the source has them; a search looks for them too.
        search: how its documents were found; None where the source came with documents.
        answers: exact answers of the question: items, each with its synonyms; gold, as `summaries`.
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

    @property
    def reference(self) -> Document | None:
        """The reference paper of a TAC or CL-SciSumm topic."""
        return next((d for d in self.documents if d.role == "reference"), None)


@dataclass(frozen=True, slots=True)
class BrokenTopic:
    """A topic that could not be read; the others are unaffected.

    Attributes:
        id: its name as far as known.
        error: place, problem, what was expected, what to do.
    """

    id: str
    error: InputError


@dataclass(frozen=True, slots=True)
class FeatureValue:
    """A feature of a chosen sentence.

    Attributes:
        name: the column's name.
        value: before scaling; six significant digits.
        rank: among the candidates, from 1 for the largest; equal values share a rank.
    """

    name: str
    value: float
    rank: int


@dataclass(frozen=True, slots=True)
class Cut:
    """What a trimming rule removed from a sentence.

    Attributes:
        rule: a name of `ilpsum.compression.compressor.RULES`.
        start, end: offsets into the sentence's `original`.
    """

    rule: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A candidate for a summary, or a chosen sentence.

    Attributes:
        text: as it appears in the summary; white space is folded to single spaces.
        document: id of its document.
        start, end: its span in the document's text.
        words: its length as the word limit counts it (`str.split`).
        section: kind of its section (`ilpsum.papers.layout.SECTION_KINDS`).
        relevance: predicted relevance, in the units of the training target.
        facet: predicted discourse facet, where one was predicted.
        why: the reason for choosing it, for a reader.
        features: the features behind its relevance; chosen sentences only.
        original: the whole sentence if `text` is a compressed variant (document, start and end are the whole one's).
        cuts: what was removed from `original`.
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
class Support:
    """A sentence of another abstract that says the same as a cited one; for `similarity` see `coherence.redundancy`."""

    pmid: str
    similarity: float
    text: str
    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Response:
    """A chosen sentence as an answer with citations prints it.

    Attributes:
        text: the sentence without labels, citation lists and square brackets.
        pmids: what it cites, its own abstract first.
        support: the sentences behind the PMIDs after the first.
    """

    text: str
    pmids: tuple[str, ...]
    support: tuple[Support, ...] = ()


@dataclass(frozen=True, slots=True)
class CitedAbstract:
    """An abstract that an answer cites."""

    pmid: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What a summary was made with. A resumed run must have the same settings; see `ilpsum.runs.settings`.

    Attributes:
        system: name of the system.
        method: name of the selector or baseline.
        words: word limit.
        lambda_, alpha, concepts, word_cost, solver, formulation: of the ILP.
        threshold: largest cosine of the greedy selector.
        seed: of the baseline `random`.
        coherence: the rules in force.
        strict: whether the rules exclude everything beside the point, as for documents that a search found.
        overlap: overlap above which a sentence is redundant; None for the default.
        order, labels: of the sentences in the text.
        compression: trimming rules.
        features: name of the feature set.
        model: digest of the model's training data.
        kind: kind of topic, if the system has a system for each kind.
        format: format of the run.
        node_limit, time_limit, fallback: of the solver.
        found, coverage: of the search.
        pool: of BioASQ questions.
        support: similarity above which another abstract is cited too.
        documents, answers: digests of the files given.
        configuration: digest of the system's whole configuration.
    """

    system: str = ""
    method: str = ""
    words: int = 0
    lambda_: float | None = None
    alpha: str = ""
    concepts: str = ""
    word_cost: float = 0.0
    solver: str = ""
    formulation: str = ""
    threshold: float | None = None
    seed: int | None = None
    coherence: tuple[str, ...] = ()
    strict: bool = False
    overlap: float | None = None
    order: str = "document"
    labels: bool = False
    compression: tuple[str, ...] = ()
    features: str = ""
    model: str = ""
    kind: str = ""
    format: str = ""
    node_limit: int | None = None
    time_limit: float | None = None
    fallback: bool = False
    found: int | None = None
    coverage: float | None = None
    pool: str = ""
    support: float | None = None
    documents: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    configuration: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """A topic's summary, with everything needed to verify it.

    Attributes:
        topic: the topic's id.
        sentences: the chosen sentences, in the order of the text.
        text: as written to a file.
        candidates: every sentence that could have been chosen; variants follow their whole sentence.
        chosen: indices of the chosen candidates, ascending.
        system: name of the system.
        objective, bound, gap: of the selection; nan where the selector has none.
        status: `optimal`, `limit`, `fallback`, or the name of a selector without proof.
        nodes: branch-and-bound nodes.
        settings: what it was made with.
        question: the topic's query.
        search: how the topic's documents were found; None if they were given.
        responses: one for each sentence of an answer with citations; empty for other summaries.
        abstracts: the abstracts that `responses` cite.
        seconds: time spent by stage (reading, features, relevance, building, solving).
        warnings: fallbacks and repairs.
        topic_digest: digest of the topic it was made of.
        versions: of the software that made it.
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
    status: str = ""
    nodes: int = 0
    settings: RunSettings = RunSettings()
    question: str = ""
    search: SearchResult | None = None
    responses: tuple[Response, ...] = ()
    abstracts: tuple[CitedAbstract, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    topic_digest: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self.sentences)

    def __len__(self) -> int:
        return len(self.sentences)

    def __str__(self) -> str:
        return self.text
