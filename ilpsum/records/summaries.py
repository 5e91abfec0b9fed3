"""Summaries: sentences, where they come from and why, proof, and the settings that they were made with."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from ilpsum.records.publications import ANY_BUT_RETRACTED, Publication, SourceFilter
from ilpsum.records.topics import SearchResult


class FeatureValue(msgspec.Struct, frozen=True):
    """A feature of a chosen sentence; a summary has hundreds, and a `Struct` is made in a sixth of the time.

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
    """What a trimming rule, by name, removed from a sentence: offsets into its `original`."""

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
        why: the reason for choosing it, or for leaving out one of the most relevant, for a reader.
        features: the features behind its relevance; chosen sentences only.
        original: the whole sentence if `text` is a compressed variant (document, start and end are the whole one's).
        cuts: what was removed from `original`.
        holds_answer: the probability that it holds the word that a question asks for, in [0,1]; None if not predicted.
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
    holds_answer: float | None = None

    @property
    def place(self) -> tuple[str, int, int]:
        """Document, start and end."""
        return self.document, self.start, self.end


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
    """A chosen sentence as an answer with citations prints it, without labels, citation lists and square brackets.

    `pmids` has its own abstract first; `support` has the sentences behind the others.
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
class Rules:
    """What rules of coherence demand of a selection; candidates are named by their index.

    Attributes:
        exclude: candidates that may not be chosen.
        requires: pairs: the first may be chosen only with the second, which it follows.
        connected: pairs: the first follows the second if that is chosen; otherwise it loses the connective that it
            opens with. The second is None if no candidate precedes the first.
        groups: sets of candidates of which at most one may be chosen.
    """

    exclude: tuple[int, ...] = ()
    requires: tuple[tuple[int, int], ...] = ()
    connected: tuple[tuple[int, int | None], ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()

    @property
    def antecedents(self) -> dict[int, int | None]:
        """The antecedent of each candidate that opens with a connective or an anaphoric expression."""
        return {**dict(self.connected), **dict(self.requires)}


@dataclass(frozen=True, slots=True)
class Program:
    """The stored form of a summary's ILP: a `Problem` without what candidates and settings tell.

    It keeps no concept's name, and adds up the weights of concepts with the same holders (`ilpsum.pipeline.programs`).

    Attributes:
        own: for each candidate the weight of the concepts that no other one holds.
        shared: the other concepts: their weight and the candidates that hold them; those of the same candidates
            are one.
        learned: whether the weights are learned ones, which are shares of the word limit.
        stages: the rules in force at first, then those after each rule that was relaxed.
        lengths, most: for each candidate its length as the format counts it, and the limit of their sum; none if it
            limits words only.
        sentences: most sentences, or None.
    """

    own: tuple[float, ...]
    shared: tuple[tuple[float, tuple[int, ...]], ...]
    learned: bool
    stages: tuple[Rules, ...]
    lengths: tuple[int, ...] = ()
    most: int | None = None
    sentences: int | None = None


@dataclass(frozen=True, slots=True)
class SystemSettings:
    """The system that made a summary.

    Attributes:
        kind: kind of the topic, if the system has a system for each kind.
        threshold, seed: of `greedy` and of `random`; None for other selectors.
        model: digest of the model's training data.
    """

    name: str = ""
    kind: str = ""
    method: str = ""
    threshold: float | None = None
    seed: int | None = None
    features: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class ObjectiveSettings:
    """The objective of the ILP; the defaults stand for a selector without one.

    Attributes:
        lambda_: weight of relevance against coverage.
        alpha, concepts, word_cost, lead, lists: as in the system's table [selection].
        maximise: `f1` if each topic has the price of a word that maximises its expected F1, else empty.
    """

    lambda_: float | None = None
    alpha: str = ""
    concepts: str = ""
    word_cost: float = 0.0
    maximise: str = ""
    lead: float = 0.0
    lists: float = 0.0


@dataclass(frozen=True, slots=True)
class TextSettings:
    """How the text of a summary reads.

    Attributes:
        coherence: the rules in force.
        strict: whether the rules exclude everything beside the point, as for documents that a search found.
        overlap: overlap above which a sentence is redundant; None for the default.
        order, labels: of the sentences.
        compression: the trimming rules; empty if sentences stay whole.
    """

    coherence: tuple[str, ...] = ()
    strict: bool = False
    overlap: float | None = None
    order: str = "document"
    labels: bool = False
    compression: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SolverSettings:
    """The solver of the ILP; the defaults stand for a selector without one.

    Attributes:
        name, formulation: of `ilpsum.selection.SOLVERS`.
        node_limit, time_limit: most nodes and most seconds of a proof; None for no limit.
        fallback: whether sentences are selected greedily if the solver fails.
    """

    name: str = ""
    formulation: str = ""
    node_limit: int | None = None
    time_limit: float | None = None
    fallback: bool = False


@dataclass(frozen=True, slots=True)
class InputSettings:
    """The input of a run beside its topics.

    Attributes:
        pool: what the documents of BioASQ questions are.
        documents, answers, pmids: digests of the files given.
        found: abstracts to search for each question.
        coverage: the least share of a question that must be covered for an answer; None if answerability decides.
        exact: whether typing errors of questions were left uncorrected; None without a search.
        sources: which documents could be found.
    """

    pool: str = ""
    documents: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    pmids: tuple[str, ...] = ()
    found: int | None = None
    coverage: float | None = None
    exact: bool | None = None
    sources: SourceFilter = ANY_BUT_RETRACTED


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What a summary was made with. All topics of a kind in a run have the same; see `ilpsum.runs.settings`.

    Attributes:
        support: similarity above which another abstract is cited too; None for answers without citations.
        configuration: digest of the system's whole configuration.
        bytes: most bytes of a text, line ends included; None for no limit beside the format's.
    """

    words: int = 0
    format: str = ""
    support: float | None = None
    configuration: str = ""
    bytes: int | None = None
    system: SystemSettings = SystemSettings()
    objective: ObjectiveSettings = ObjectiveSettings()
    text: TextSettings = TextSettings()
    solver: SolverSettings = SolverSettings()
    input: InputSettings = InputSettings()


@dataclass(frozen=True, slots=True)
class Summary:
    """A topic's summary, with everything needed to verify it.

    Attributes:
        topic, system: the topic's id, and the system's name.
        sentences: the chosen sentences, in the order of the text.
        text: as written to a file.
        candidates: every sentence that could have been chosen; variants follow their whole sentence.
        chosen: indices of the chosen candidates, ascending.
        objective, bound, gap: of the selection; nan where the selector has none.
        status: `optimal`, `limit`, `fallback`, or the name of a selector without proof.
        nodes: branch-and-bound nodes.
        settings: what it was made with.
        question: the topic's query.
        search: how the topic's documents were found; None if they were given.
        program: the ILP that chose the sentences; None for other selectors, and where the price of a word maximises F1.
        responses: one for each sentence of an answer with citations; empty for other summaries.
        abstracts: the abstracts that `responses` cite.
        publications: of the topic's documents, by id, as far as more is known of them than a PMID that is the id.
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
    settings: RunSettings = field(default_factory=RunSettings)
    question: str = ""
    search: SearchResult | None = None
    program: Program | None = None
    responses: tuple[Response, ...] = ()
    abstracts: tuple[CitedAbstract, ...] = ()
    publications: Mapping[str, Publication] = field(default_factory=dict)
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
