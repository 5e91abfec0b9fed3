"""The summaries of a topic over lambda, and means over topics: step functions, exact at every lambda."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from ilpsum.io.records import Count, Number, Share
from ilpsum.metrics.rouge import Score

# Rounds away the differences that come from the order of summation.
_DIGITS = 12


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


def mean_curve(paths: Sequence[Sequence[tuple[float, float]]]) -> list[Step]:
    """Return the mean over one or more topics, as steps over lambda from 0 to 1; equal neighbours are one step.

    A path is the stretches of a topic by rising lambda: where each begins, and its value, such as ROUGE.
    """
    begins = sorted((start, i, value) for i, path in enumerate(paths) for start, value in path)
    current = np.zeros(len(paths))
    means: dict[float, float] = {}
    for start, i, new in begins:
        current[i] = new
        means[start] = round(float(current.mean()), _DIGITS)
    # The first start of each run of equal means.
    starts = [next(run)[0] for _, run in groupby(means.items(), key=lambda step: step[1])]
    return [Step(a, b, means[a]) for a, b in pairwise([*starts, 1.0])]


def best_step(steps: Sequence[Step]) -> Step:
    """Return the step with the best score; of equal ones the widest, where lambda may vary most."""
    return max(steps, key=lambda step: (step.score, step.end - step.start, -step.start))
