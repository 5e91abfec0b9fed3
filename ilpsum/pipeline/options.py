"""User settings of a pipeline, which apply to any system."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ilpsum.files.work import Tell, silent
from ilpsum.pipeline.scores import RelevanceSource
from ilpsum.records import Facet, Sentence, Topic
from ilpsum.selection import SOLVERS, Limits
from ilpsum.tasks.registry import FormatLimits

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
    facets: Facets | None = None
    relevance: RelevanceSource | None = None
    tell: Tell = silent

    def __post_init__(self) -> None:
        # Fail before any work, not at the first topic.
        SOLVERS[self.solver].require()
