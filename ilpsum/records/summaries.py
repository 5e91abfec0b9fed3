"""Summaries: sentences with provenance and reasons, the proof of optimality, and the settings."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated

import msgspec

from ilpsum.records.publications import ANY_BUT_RETRACTED, Publication, SourceFilter
from ilpsum.records.tables import (
    CandidateTable,
    CoherenceTable,
    JudgeTable,
    OrderTable,
    RelevanceTable,
    SelectionTable,
)
from ilpsum.records.topics import SearchResult


class FeatureValue(msgspec.Struct, frozen=True):
    """A feature of a selected sentence. A `Struct`, six times faster to create: a summary has
    hundreds.

    Attributes:
        name: column name.
        value: value before scaling, to six significant digits.
        rank: rank among the candidates, 1 for the largest; equal values share a rank.
    """

    name: str
    value: float
    rank: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A candidate or selected sentence.

    Attributes:
        text: as printed in the summary, white space collapsed to single spaces.
        document: id of its document.
        start, end: its span in the document's text.
        words: length under the word limit (`str.split`).
        section: kind of its section (`ilpsum.papers.layout.SECTION_KINDS`).
        relevance: predicted relevance, in units of the training target.
        facet: its discourse facet, for a text in the order of facets; else empty.
        why: reason for readers why it was selected, or rejected despite high relevance.
        features: features of the relevance model; selected sentences only.
        holds_answer: probability in [0,1] that it contains the word asked for; None if not
            predicted.
    """

    text: str
    document: str
    start: Annotated[int, msgspec.Meta(ge=0, le=2**40)]
    end: Annotated[int, msgspec.Meta(ge=0, le=2**40)]
    words: Annotated[int, msgspec.Meta(ge=0, le=10**6)]  # searches allocate tables of this size
    section: str = ""
    relevance: float = 0.0
    why: str = ""
    features: tuple[FeatureValue, ...] = ()
    holds_answer: float | None = None
    facet: str = ""

    @property
    def place(self) -> tuple[str, int, int]:
        """Document, start and end."""
        return self.document, self.start, self.end

    def predicted(self, relevance: float, holds_answer: float | None = None) -> "Sentence":
        """Return a candidate with its predictions; `dataclasses.replace` takes five times as
        long.
        """
        return Sentence(
            self.text,
            *self.place,
            self.words,
            self.section,
            relevance,
            holds_answer=holds_answer,
        )


@dataclass(frozen=True, slots=True)
class Support:
    """A similar sentence in another abstract that supports a cited one; `similarity` as in
    `coherence.redundancy`.
    """

    pmid: str
    similarity: float
    text: str
    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Response:
    """A selected sentence with citations, without section labels, citation lists and square
    brackets.

    `pmids` starts with its own abstract; `support` holds the sentences for the others.
    """

    text: str
    pmids: tuple[str, ...]
    support: tuple[Support, ...] = ()


@dataclass(frozen=True, slots=True)
class CitedAbstract:
    """An abstract cited in an answer."""

    pmid: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules that exclude or link candidate sentences (by index) in a selection.

    Attributes:
        exclude: candidates that cannot be selected.
        requires: pairs whose first sentence requires the second and follows it.
        connected: pairs whose first sentence follows the second if that is selected, and otherwise
            drops its opening connective; the second is None if no candidate precedes the first.
        groups: sets of mutually exclusive candidates.
    """

    exclude: tuple[int, ...] = ()
    requires: tuple[tuple[int, int], ...] = ()
    connected: tuple[tuple[int, int | None], ...] = ()
    groups: tuple[tuple[int, ...], ...] = ()

    @property
    def antecedents(self) -> dict[int, int | None]:
        """The antecedent of each candidate that starts with a connective or anaphoric
        expression.
        """
        return dict((*self.connected, *self.requires))


@dataclass(frozen=True, slots=True)
class Program:
    """A summary's ILP as stored: the parts of `Problem` that candidates and settings do not
    provide.

    Concepts have no names; those in the same candidates are merged, adding weights
    (`ilpsum.pipeline.objective`).

    Attributes:
        own: for each candidate, the total weight of concepts that only it contains.
        shared: weight of the other concepts, with the candidates that contain them.
        learned: whether concept weights are learned; they are then relative to the word limit.
        stages: the initial rules, then the rules after each relaxation.
        lengths, most: length of each candidate as the format counts it, and the limit on their sum;
            empty and None if only words are limited.
        sentences: maximum number of sentences, or None.
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
    """The system that created a summary.

    Attributes:
        kind: kind of the topic, if the system has one system per kind.
        method: the selector, or the method of a query of Task 1.
        threshold, seed: parameters of `greedy` and `random`; None for other selectors.
        parameters: those that the selector declares (`Selector.parameters`), by name.
        fold: the fold whose topics the model was not trained on, such as `2/5`; empty without
            folds.
        model: digest of the model's training data.
        target: what the model's relevance predicts: `precision` or `recall` of ROUGE, or `snippet`;
            empty without a model.
        relevance: where relevance comes from instead of the model: a file and its digest, or the
            name of a function.
    """

    name: str = ""
    kind: str = ""
    method: str = ""
    threshold: float | None = None
    seed: int | None = None
    parameters: Mapping[str, bool | int | float | str] = field(default_factory=dict)
    fold: str = ""
    model: str = ""
    target: str = ""
    relevance: str = ""


@dataclass(frozen=True, slots=True)
class ObjectiveSettings:
    """The objective of the ILP.

    Attributes:
        lambda_: weight of relevance against coverage; None for selectors without an objective.
    """

    lambda_: float | None = None


@dataclass(frozen=True, slots=True)
class TextSettings:
    """The text of a summary.

    Attributes:
        order: sentence order.
        labels: whether each facet of the text begins with its name.
    """

    order: str = "document"
    labels: bool = False


@dataclass(frozen=True, slots=True)
class SolverSettings:
    """The solver of the ILP; default values for selectors without one.

    Attributes:
        name, formulation: see `ilpsum.selection.SOLVERS`.
        node_limit, time_limit: most nodes and seconds of a proof; None for no limit.
    """

    name: str = ""
    formulation: str = ""
    node_limit: int | None = None
    time_limit: float | None = None


@dataclass(frozen=True, slots=True)
class InputSettings:
    """Inputs of a run other than its topics.

    Attributes:
        pool: kind of documents used for BioASQ questions.
        documents, answers, pmids: digests of the input files.
        found: number of abstracts to retrieve per question.
        coverage: minimum coverage of a question for an answer; None if predicted answerability
            decides.
        exact: whether to search without spelling correction; None without a search.
        sources: filter for the documents.
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
    """Settings of a summary, equal for all topics of a kind in a run; see
    `ilpsum.runs.run_settings`.

    Attributes:
        support: similarity threshold for citing further abstracts; None for answers without
            citations.
        configuration: digest of the system's configuration.
        bytes: maximum bytes of a text, line ends between sentences included; None if only the
            format's limits apply.
        system, objective, text: the settings in the tables below that the selector uses.
        candidates, relevance, selection, coherence, order, judge: the tables of the system, with
            the values that count; `relevance` is None without a model.
        origins: who set a key that is not left to its default: a file, an option, training
            (`tuned in training`) or the defaults for readers (`default for readers`). Runs that
            differ only in origins are equal.
    """

    words: int = 0
    format: str = ""
    support: float | None = None
    configuration: str = ""
    bytes: int | None = None
    system: SystemSettings = SystemSettings()
    objective: ObjectiveSettings = ObjectiveSettings()
    text: TextSettings = TextSettings()
    candidates: CandidateTable = CandidateTable()  # noqa: RUF009  # frozen
    relevance: RelevanceTable | None = None
    selection: SelectionTable = SelectionTable()  # noqa: RUF009  # frozen
    coherence: CoherenceTable = CoherenceTable()  # noqa: RUF009  # frozen
    order: OrderTable = OrderTable()  # noqa: RUF009  # frozen
    judge: JudgeTable = JudgeTable()  # noqa: RUF009  # frozen
    solver: SolverSettings = SolverSettings()
    input: InputSettings = InputSettings()
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Summary:
    """A topic's summary, with all data needed to verify it.

    Attributes:
        topic, system: id of the topic, name of the system.
        sentences: selected sentences in text order.
        text: as written to a file.
        candidates: all candidate sentences.
        chosen: indices of the selected candidates, ascending.
        objective, bound, gap: of the selection; nan if the selector has none.
        status: `optimal`, `limit`, or the name of a selector without proof.
        nodes: branch-and-bound nodes.
        settings: the settings used.
        question: the topic's query.
        search: the search result; None if the documents were given.
        program: the ILP; None for other selectors.
        responses: one per sentence of an answer with citations; empty for other summaries.
        abstracts: the abstracts cited in `responses`.
        publications: publication data by document id, of documents of which more is known than a
            PMID.
        seconds: time by stage (reading, features, relevance, building, solving).
        warnings: limits reached, and repairs.
        topic_digest: digest of the topic.
        versions: versions of the software used.
        seen: for each model used, whether the topic was in its training; None if its file does not
            say.
        notes: what is known of relevance that no model of ours predicted.
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
    seen: Mapping[str, bool | None] = field(default_factory=dict)
    notes: Mapping[str, str | int | float] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self.sentences)

    def __len__(self) -> int:
        return len(self.sentences)

    def __str__(self) -> str:
        return self.text
