"""Summaries of a topic as a function of lambda, and means over topics: exact step functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from ilpsum.files.records import Count, Number, Share
from ilpsum.metrics.rouge import Score

# Decimals of means, to remove rounding errors from the order of summation.
_DIGITS = 12


@dataclass(frozen=True)
class Step:
    """An interval of lambda with a constant mean."""

    start: float
    end: float
    score: float

    @property
    def inside(self) -> float:
        """The shortest decimal lambda inside the interval, near the middle."""
        middle = (self.start + self.end) / 2
        short = (round(middle, digits) for digits in range(1, 18))
        return next((value for value in short if self.start < value < self.end), middle)


@dataclass(frozen=True)
class Stretch:
    """A summary of a topic with the interval of lambda in which it is optimal; [0,1] without an exact path.

    Attributes:
        chosen: the places of its sentences, in text order.
        relevance, coverage, costs: terms of its objective; 0 without an exact path.
    """

    start: Share
    end: Share
    chosen: tuple[tuple[str, Count, Count], ...]
    relevance: Number
    coverage: Number
    costs: Number
    scores: Mapping[str, Score]

    def objective(self, lambda_: float) -> float:
        """Return the summary's objective at any lambda."""
        return lambda_ * self.relevance + (1.0 - lambda_) * self.coverage - self.costs


@dataclass(frozen=True)
class TopicPath:
    """A topic's summaries by one configuration: all optima over lambda in [0,1], or a single summary."""

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
        """Return the summary at a lambda; at a breakpoint, the one whose interval ends there."""
        return next(stretch for stretch in self.stretches if lambda_ <= stretch.end)


def rank_score(scores: Mapping[str, Score], measure: str) -> float:
    """Return the ranking score of configurations: one measure, averaged over metrics."""
    return sum(float(getattr(score, measure)) for score in scores.values()) / len(scores)


def score_steps(paths: Sequence[TopicPath], measure: str) -> list[Step]:
    """Return the ranking score, averaged over topics, as a step function of lambda."""
    return mean_curve([[(s.start, rank_score(s.scores, measure)) for s in path.stretches] for path in paths])


def mean_objective(paths: Sequence[TopicPath], lambda_: float) -> float:
    """Return the optimal objective at a lambda, averaged over topics."""
    return sum(path.at(lambda_).objective(lambda_) for path in paths) / len(paths)


def mean_curve(paths: Sequence[Sequence[tuple[float, float]]]) -> list[Step]:
    """Return the mean over one or more topics, as steps over lambda from 0 to 1; equal neighbours are merged.

    Each path lists the intervals of a topic by ascending lambda, as (start, value), where the value is a score.
    """
    begins = sorted((start, i, value) for i, path in enumerate(paths) for start, value in path)
    current = np.zeros(len(paths))
    means: dict[float, float] = {}
    for start, i, new in begins:
        current[i] = new
        means[start] = round(float(current.mean()), _DIGITS)
    # Merge equal neighbours.
    starts = [next(run)[0] for _, run in groupby(means.items(), key=lambda step: step[1])]
    return [Step(a, b, means[a]) for a, b in pairwise([*starts, 1.0])]


def best_step(steps: Sequence[Step]) -> Step:
    """Return the step with the best score; ties go to the widest step, where lambda may vary most."""
    return max(steps, key=lambda step: (step.score, step.end - step.start, -step.start))
