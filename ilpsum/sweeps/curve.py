"""Means over the lambda paths of topics: step functions, exact at every lambda."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from ilpsum.evaluation.comparison import Place
from ilpsum.metrics.rouge import Score
from ilpsum.sweeps.rows import Listed, Objective, PathRow, StretchRow

# Rounds away the differences that come from the order of summation.
_DIGITS = 12


@dataclass(frozen=True)
class Stretch:
    """An optimal summary of a topic, and the interval of lambda in which it is optimal.

    Attributes:
        start, end: the interval of lambda.
        chosen: its sentences, in the order of the text.
        relevance, coverage, costs: the terms of its objective.
        scores: its ROUGE by metric.
    """

    start: float
    end: float
    chosen: tuple[Place, ...]
    relevance: float
    coverage: float
    costs: float
    scores: Mapping[str, Score]

    def objective(self, lambda_: float) -> float:
        """Return the objective of the summary at any lambda."""
        return lambda_ * self.relevance + (1.0 - lambda_) * self.coverage - self.costs


@dataclass(frozen=True)
class Outcome:
    """A topic's summary by one configuration: its ROUGE by metric, its sentences in their order, and its seconds."""

    scores: dict[str, Score]
    chosen: tuple[Place, ...]
    seconds: float = 0.0


@dataclass(frozen=True)
class TopicPath:
    """All optimal summaries of a topic over lambda in [0,1]."""

    topic: str
    stretches: tuple[Stretch, ...]

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """The lambdas at which the optimal summary changes."""
        return tuple(stretch.start for stretch in self.stretches[1:])

    def at(self, lambda_: float) -> Stretch:
        """Return the summary at a lambda; at a breakpoint the one that ends there."""
        return next(stretch for stretch in self.stretches if lambda_ <= stretch.end)

    def row(self, run: str) -> PathRow:
        """Return the path as a row of path.jsonl."""
        stretches = (
            StretchRow(s.start, s.end, s.chosen, Objective(s.relevance, s.coverage, s.costs), listed(s.scores))
            for s in self.stretches
        )
        return PathRow(run, self.topic, tuple(stretches), self.breakpoints)

    @classmethod
    def from_row(cls, row: PathRow) -> "TopicPath":
        """Return the path of a row."""
        rows = ((s, s.objective) for s in row.segments)
        stretches = (
            Stretch(s.start, s.end, s.chosen, o.relevance, o.coverage, o.costs, unlisted(s.scores)) for s, o in rows
        )
        return cls(row.topic, tuple(stretches))


@dataclass(frozen=True)
class Step:
    """An interval of lambda over which a mean is constant."""

    start: float
    end: float
    score: float

    @property
    def inside(self) -> float:
        """A lambda inside: of the shortest decimals the one nearest to the middle."""
        middle = (self.start + self.end) / 2
        short = (round(middle, digits) for digits in range(1, 18))
        return next((value for value in short if self.start < value < self.end), middle)


def listed(scores: Mapping[str, Score]) -> Listed:
    """Return scores by metric as a row of a sweep has them."""
    return {metric: (x.recall, x.precision, x.f1) for metric, x in scores.items()}


def unlisted(row: Listed) -> dict[str, Score]:
    """Return the scores by metric in a row of a sweep."""
    return {metric: Score(*values) for metric, values in row.items()}


def rank_score(scores: Mapping[str, Score], measure: str) -> float:
    """Return the mean over metrics of one measure, which ranks configurations."""
    return sum(float(getattr(score, measure)) for score in scores.values()) / len(scores)


def mean_curve(paths: Sequence[TopicPath], value: Callable[[Stretch], float]) -> list[Step]:
    """Return the mean over one or more topics of a value of their summaries, such as ROUGE, as steps of lambda.

    Equal neighbours are one step. The value of a summary must not depend on lambda.
    """
    begins = sorted((s.start, i, value(s)) for i, path in enumerate(paths) for s in path.stretches)
    current = np.zeros(len(paths))
    means: dict[float, float] = {}
    for start, i, new in begins:
        current[i] = new
        means[start] = round(float(current.mean()), _DIGITS)
    # The first start of each run of equal means.
    starts = [next(run)[0] for _, run in groupby(means.items(), key=lambda step: step[1])]
    return [Step(a, b, means[a]) for a, b in pairwise([*starts, 1.0])]


def score_steps(paths: Sequence[TopicPath], measure: str) -> list[Step]:
    """Return the mean over topics of the score that ranks configurations."""
    return mean_curve(paths, lambda stretch: rank_score(stretch.scores, measure))


def best_step(steps: Sequence[Step]) -> Step:
    """Return the step with the best score; of equal ones the widest, where lambda may vary most."""
    return max(steps, key=lambda step: (step.score, step.end - step.start, -step.start))


def mean_objective(paths: Sequence[TopicPath], lambda_: float) -> float:
    """Return the mean over topics of the optimum at a lambda."""
    return sum(path.at(lambda_).objective(lambda_) for path in paths) / len(paths)
