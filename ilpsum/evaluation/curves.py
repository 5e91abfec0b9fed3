"""Means over the lambda paths of topics: step functions, exact at every lambda."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

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
