"""The content of a report: typed records without HTML."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from ilpsum.evaluation.scoring import Evaluation, Measure
from ilpsum.pipeline.programs import Programs
from ilpsum.records import CitedAbstract, Response, RunSettings, Sentence
from ilpsum.report.excerpts import NOWHERE, Excerpt
from ilpsum.report.steering import Steering


@dataclass(frozen=True, slots=True)
class Chosen:
    """A sentence of a summary.

    Attributes:
        sentence: as the provenance has it.
        text: as the run's file has it: an answer with citations loses labels.
        rank: rank of its relevance among the candidates, from 1; 0 if the system predicts none.
        excerpt: its surroundings.
    """

    sentence: Sentence
    text: str
    rank: int = 0
    excerpt: Excerpt = NOWHERE

    @property
    def words(self) -> int:
        """Its words as printed, as a card counts them; an ILP may count others."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Answer:
    """A run's summary of a topic.

    Attributes:
        text: the summary as the run's file has it; empty if there is none.
        sentences: the chosen sentences, in the order of the text; empty without provenance.
        others: the sentences that the summary has at other lambdas or word limits only.
        candidates: number of candidates; the variants of a sentence count once.
        settings: the settings of the summary; None without provenance.
        question: the question, if the provenance has it.
        responses: one for each sentence of an answer with citations.
        abstracts: the abstracts that the responses cite.
        left_out: the most relevant sentences that were not chosen, each with its reason.
        cites: whether it is an answer with citations; an empty one has no responses.
        objective, gap: of the selection; nan if it has none.
        warnings: of the summary, and of its file if that differs.
        error: why there is no summary.
        unanswered: why the documents do not answer the question; empty if they do.
        steering: the summary at other lambdas and word limits; None if unknown.
        programs: its ILP, until it is compared with the other runs; None if unknown.
    """

    text: str = ""
    sentences: tuple[Chosen, ...] = ()
    others: tuple[Chosen, ...] = ()
    candidates: int = 0
    settings: RunSettings | None = None
    question: str = ""
    responses: tuple[Response, ...] = ()
    abstracts: tuple[CitedAbstract, ...] = ()
    left_out: tuple[Sentence, ...] = ()
    cites: bool = False
    objective: float = math.nan
    gap: float = math.nan
    warnings: tuple[str, ...] = ()
    error: str = ""
    unanswered: str = ""
    steering: Steering | None = None
    programs: Programs | None = None


@dataclass(frozen=True, slots=True)
class Worth:
    """What a set of sentences is worth to an ILP: its words as printed, the two terms, and the objective."""

    words: int
    relevance: float
    coverage: float
    objective: float


@dataclass(frozen=True, slots=True)
class Alone:
    """A sentence that only one of two runs took.

    Attributes:
        chosen: the sentence.
        loss: what the run's set loses of the objective without it, as a share of the optimum; nan if the sentence is no
            candidate of the ILP.
    """

    chosen: Chosen
    loss: float


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two runs on a topic, measured by the objective of the first, an ILP.

    Attributes:
        runs: their names.
        both: the number of sentences that both took.
        alone: the sentences that only the first took, and those that only the second took.
        worth: of each run's set; None for one with sentences that are no candidates of the ILP.
    """

    runs: tuple[str, str]
    both: int
    alone: tuple[tuple[Alone, ...], tuple[Alone, ...]]
    worth: tuple[Worth | None, Worth | None]


@dataclass(frozen=True, slots=True)
class ShownTopic:
    """A topic with the answers of all runs.

    Attributes:
        id: its id.
        query: the question, empty for a paper.
        gold: the gold summaries.
        answers: by name of the run, in the order of the runs; runs without an answer are absent.
        contrasts: what the first run with an ILP and each other run took that the other did not.
    """

    id: str
    query: str = ""
    gold: tuple[str, ...] = ()
    answers: Mapping[str, Answer] = field(default_factory=dict)
    contrasts: tuple[Contrast, ...] = ()


@dataclass(frozen=True)
class Report:
    """Everything that the page shows.

    Attributes:
        runs: names of the runs.
        topics: in the order of the gold, then of the runs.
        scores: for each metric the evaluations of the runs, in their order; empty without gold.
        measure: the measure of the charts and significance tests.
        seed: random seed of the tests.
    """

    runs: tuple[str, ...]
    topics: tuple[ShownTopic, ...]
    scores: tuple[tuple[Evaluation, ...], ...] = ()
    measure: Measure = "recall"
    seed: int = 0
