"""The settings that a summary was made with, in parts: of the system, its objective, text and solver, and the input."""

from dataclasses import dataclass

from ilpsum.records.publications import ANY_BUT_RETRACTED, SourceFilter


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
