"""User settings of a pipeline, which apply to any system."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ilpsum.errors import SolverError, UsageError
from ilpsum.pipeline.limits import FormatLimits
from ilpsum.pipeline.question import QuestionSteps
from ilpsum.records import Sentence, Topic
from ilpsum.selection import SOLVERS, Limits

# Returns the facet of each candidate of a topic, empty if unknown.
Facets = Callable[[Topic, Sequence[Sentence]], Sequence[str]]


@dataclass(frozen=True)
class PipelineOptions:
    """User settings that apply to any system.

    Attributes:
        lambda_, threshold: override the system's configured or trained values.
        solver: a key of `ilpsum.selection.SOLVERS`.
        limits: limits of the search for a proved optimum.
        fallback: if the solver is missing or fails, select greedily and warn.
        seed: random seed of the baseline `random`.
        format_limits: length limits of the run format, added as constraints.
        facets: predicts facets for a system that orders sentences by facet.
        ends: whether an answer may end early, at the system's `stop`, instead of filling the word limit.
        explained: whether to explain chosen and omitted sentences and report feature values.
        question: the steps of questions, for topics with documents that a search found.

    Raises:
        UsageError: a lambda or threshold outside [0,1].
        UnknownNameError: an unknown solver.
        SolverError: the solver is not installed (unless `fallback`).
    """

    lambda_: float | None = None
    threshold: float | None = None
    solver: str = "highs"
    limits: Limits = Limits()  # noqa: RUF009  # frozen
    fallback: bool = False
    seed: int = 1
    format_limits: FormatLimits = FormatLimits()  # noqa: RUF009
    facets: Facets | None = None
    ends: bool = False
    explained: bool = True
    question: QuestionSteps | None = None

    def __post_init__(self) -> None:
        for name, value in (("lambda", self.lambda_), ("threshold", self.threshold)):
            if value is not None and not 0.0 <= value <= 1.0:
                raise UsageError(f"{name} is {value}; expected a number from 0 to 1")
        # Fail before any work, not at the first topic.
        try:
            SOLVERS[self.solver].require()
        except SolverError:
            if not self.fallback:
                raise
