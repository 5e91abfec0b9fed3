"""User settings of a pipeline, which apply to any system."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from features.arrays import Floats
from features.context import Context
from ilpsum.files.work import Tell, silent
from ilpsum.pipeline.scores import RelevanceSource
from ilpsum.records import Facet, SearchResult, Sentence, Topic
from ilpsum.selection import SOLVERS, Limits
from ilpsum.tasks.registry import FormatLimits


@dataclass(frozen=True)
class QuestionSteps:
    """Functions that the pipeline calls for a question.

    Attributes:
        weigh: returns the (n,) relevance to a query from (query, (n,) relevance, context, share in
            [0,1]).
        open: returns how probably some candidates contain the answer, None if unknown, from (query,
            (n,) relevance, context, their indices).
        decide: returns the topic with the outcome of its search from (topic, n candidates, context,
            (n,) relevance by the system's model, None without one).
        review: returns a doubt about the answer, empty for none, from (search, context, n
            candidates, chosen).
        seen: returns whether a topic was in the training of each model of these steps, by name.
    """

    weigh: Callable[[str, Floats, Context, float], Floats]
    open: Callable[[str, Floats, Context, Sequence[int]], Sequence[float | None]]
    decide: Callable[[Topic, Sequence[Sentence], Context, Floats | None], Topic]
    review: Callable[[SearchResult, Context, Sequence[Sentence], Sequence[int]], str]
    seen: Callable[[Topic], Mapping[str, bool | None]]


Facets = Callable[[Topic, Sequence[Sentence]], Sequence[Facet]]
"""Predicts the discourse facet of each candidate of a topic."""


@dataclass(frozen=True)
class PipelineOptions:
    """User settings that apply to any system.

    Attributes:
        solver: a key of `ilpsum.selection.SOLVERS`.
        limits: limits of the search for a proved optimum.
        seed: random seed of the baseline `random`.
        format_limits: length limits of the run format, added as constraints.
        may_stop_early: whether an answer may stop at the system's `stop` instead of filling the
            word limit.
        explained: whether to explain chosen and omitted sentences and report feature values.
        question: the steps of questions, for topics with documents that a search found.
        facets: predicts the facets of candidates, for a text in the order of facets.
        relevance: predicts the relevance of candidates instead of the system's model: a function
            `f(query, sentences)` that returns (n,) numbers, a `Judge`, a file of scores, or a
            `Scorer`.
        tell: takes a line about once a second while a judge is waited for.

    Raises:
        UnknownNameError: an unknown solver.
        SolverError: the solver is not installed.
    """

    solver: str = "highs"
    limits: Limits = Limits()  # noqa: RUF009  # frozen
    seed: int = 1
    format_limits: FormatLimits = FormatLimits()  # noqa: RUF009
    may_stop_early: bool = False
    explained: bool = True
    question: QuestionSteps | None = None
    facets: Facets | None = None
    relevance: RelevanceSource | None = None
    tell: Tell = silent

    def __post_init__(self) -> None:
        # Fail before any work, not at the first topic.
        SOLVERS[self.solver].require()
