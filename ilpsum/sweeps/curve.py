"""The summaries of a topic over lambda, and means over topics: step functions, exact at every lambda."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ilpsum.evaluation.curves import Step, mean_curve
from ilpsum.io.records import Count, Number, Share
from ilpsum.metrics.rouge import Score


@dataclass(frozen=True)
class Stretch:
    """A summary of a topic, and the interval of lambda in which it is optimal; without an exact path, from 0 to 1.

    Attributes:
        chosen: the places of its sentences, in the order of the text.
        relevance, coverage, costs: the terms of its objective; 0 without an exact path.
    """

    start: Share
    end: Share
    chosen: tuple[tuple[str, Count, Count], ...]
    relevance: Number
    coverage: Number
    costs: Number
    scores: Mapping[str, Score]

    def objective(self, lambda_: float) -> float:
        """Return the objective of the summary at any lambda."""
        return lambda_ * self.relevance + (1.0 - lambda_) * self.coverage - self.costs


@dataclass(frozen=True)
class TopicPath:
    """The summaries of a topic by one configuration: all optimal ones over lambda in [0,1], or a single one."""

    topic: str
    stretches: tuple[Stretch, ...]

    def __post_init__(self) -> None:
        ends = [0.0, *(stretch.end for stretch in self.stretches)]
        if [s.start for s in self.stretches] != ends[:-1] or ends != sorted(set(ends)) or ends[-1] != 1.0:
            raise ValueError("expected stretches of lambda from 0 to 1, each beginning where another ends")
        if any(s.scores.keys() != self.stretches[0].scores.keys() for s in self.stretches):
            raise ValueError("expected the same metrics in all stretches")

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """The lambdas at which the optimal summary changes."""
        return tuple(stretch.start for stretch in self.stretches[1:])

    def at(self, lambda_: float) -> Stretch:
        """Return the summary at a lambda; at a breakpoint the one that ends there."""
        return next(stretch for stretch in self.stretches if lambda_ <= stretch.end)


def rank_score(scores: Mapping[str, Score], measure: str) -> float:
    """Return the mean over metrics of one measure, which ranks configurations."""
    return sum(float(getattr(score, measure)) for score in scores.values()) / len(scores)


def score_steps(paths: Sequence[TopicPath], measure: str) -> list[Step]:
    """Return the mean over topics of the score that ranks configurations."""
    return mean_curve([[(s.start, rank_score(s.scores, measure)) for s in path.stretches] for path in paths])


def mean_objective(paths: Sequence[TopicPath], lambda_: float) -> float:
    """Return the mean over topics of the optimum at a lambda."""
    return sum(path.at(lambda_).objective(lambda_) for path in paths) / len(paths)
