"""The content of a report: typed records without HTML."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from features.text import Passage
from ilpsum.evaluation.scoring import Evaluation, Measure
from ilpsum.records import CitedAbstract, Response, RunSettings, Sentence
from ilpsum.report.curves import Curve
from ilpsum.report.excerpts import Excerpt

Bigrams = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A sentence of a summary.

    Attributes:
        sentence: as the provenance has it.
        rank: rank of its relevance among the candidates, from 1; 0 if the system predicts none.
        excerpt: its surroundings; None without topics.
    """

    sentence: Sentence
    rank: int = 0
    excerpt: Excerpt | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A run's summary of a topic.

    Attributes:
        text: the summary as the run's file has it; empty if there is none.
        sentences: the chosen sentences, in the order of the text; empty without provenance.
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
        curve: its path over lambda; None if unknown.
    """

    text: str = ""
    sentences: tuple[Chosen, ...] = ()
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
    curve: Curve | None = None


@dataclass(frozen=True, slots=True)
class ShownTopic:
    """A topic with the answers of all runs.

    Attributes:
        id: its id.
        query: the question, empty for a paper.
        gold: the gold summaries.
        answers: by name of the run, in the order of the runs; runs without an answer are absent.
        covered: the bigrams of the gold summaries, of words or of stems.
    """

    id: str
    query: str = ""
    gold: tuple[str, ...] = ()
    answers: Mapping[str, Answer] = field(default_factory=dict)
    covered: Bigrams = frozenset()


@dataclass(frozen=True)
class Report:
    """Everything that the page shows.

    Attributes:
        runs: names of the runs.
        topics: in the order of the gold, then of the runs.
        scores: for each metric the evaluations of the runs, in their order; empty without gold.
        measure: the measure of the charts and significance tests.
        seed: random seed of the tests.
        stems: whether bigrams are compared by stems.
    """

    runs: tuple[str, ...]
    topics: tuple[ShownTopic, ...]
    scores: tuple[tuple[Evaluation, ...], ...] = ()
    measure: Measure = "recall"
    seed: int = 0
    stems: bool = False


def bigrams(text: str, *, stems: bool) -> tuple[tuple[str, str], ...]:
    """Return the bigrams of a text, in order, of words or of stems."""
    passage = Passage(text)
    return passage.stem_bigrams if stems else passage.bigrams
