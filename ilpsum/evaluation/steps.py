"""A mean score as a step function of lambda."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

# Decimals of means, to remove rounding errors from the order of summation.
_DIGITS = 12


@dataclass(frozen=True)
class Step:
    """An interval of lambda with a constant mean score."""

    start: float
    end: float
    score: float

    @property
    def inside(self) -> float:
        """The shortest decimal lambda inside the interval, near the middle."""
        middle = (self.start + self.end) / 2
        short = (round(middle, digits) for digits in range(1, 18))
        return next((value for value in short if self.start < value < self.end), middle)


def mean_steps(topics: Sequence[Sequence[tuple[float, float]]]) -> list[Step]:
    """Return the mean of scores that change at certain lambdas, given lambda and score of each
    topic, as steps.
    """
    begins = [(start, i, score) for i, path in enumerate(topics) for start, score in path]
    current = np.zeros(len(topics))
    means = dict[float, float]()
    for start, i, score in sorted(begins):
        current[i] = score
        means[start] = round(float(current.mean()), _DIGITS)
    steps = list[Step]()
    for start, mean in means.items():
        if steps and steps[-1].score == mean:
            continue
        if steps:
            steps[-1] = replace(steps[-1], end=start)
        steps.append(Step(start, 1.0, mean))
    return steps
