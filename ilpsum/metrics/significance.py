"""Significance tests and effect sizes for two systems, from their scores on the same topics.

Scores are paired by index; sequences of different length and empty ones raise `ValueError`. Tests
are two-sided and deterministic for a seed.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from features.arrays import Floats

# Random numbers drawn at a time, to bound memory; fixed because it affects the samples.
_CHUNK = 2**20

# Differences up to this are rounding errors from the order of summation and count as zero.
_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of a test of the mean difference between two systems, first minus second.

    Attributes:
        p_value: probability of a difference at least this large, in either direction, under the
            null hypothesis.
        low, high: confidence interval of the difference; nan for tests without one.
        above: share of samples in which the first system's mean is greater; nan for tests without
            samples.
    """

    difference: float
    p_value: float
    low: float = math.nan
    high: float = math.nan
    above: float = math.nan


def paired_bootstrap(
    first: Sequence[float],
    second: Sequence[float],
    *,
    samples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Run the paired bootstrap test, which resamples topics with replacement.

    Under the null hypothesis the differences are shifted to mean 0 (Efron and Tibshirani 1993,
    section 16.4; Berg-Kirkpatrick et al. 2012, An empirical investigation of statistical
    significance in NLP): with d the observed mean difference and d* that of a sample, p = (1 +
    #{|d* - d| >= |d|}) / (1 + samples). `above` is the share that Koehn (2004) reports; low and
    high are percentiles of d*.
    """
    differences = _differences(first, second)
    rng, n = np.random.default_rng(seed), len(differences)
    drawn = (
        differences[rng.integers(0, n, size=(rows, n))].mean(axis=1) for rows in _chunks(samples, n)
    )
    means = np.concatenate(list(drawn))
    observed = float(differences.mean())
    extreme = int((np.abs(means - observed) >= abs(observed) - _TOLERANCE).sum())
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    above = float((means > _TOLERANCE).mean())
    return Comparison(observed, (1 + extreme) / (1 + samples), float(low), float(high), above)


def approximate_randomisation(
    first: Sequence[float], second: Sequence[float], *, samples: int = 10_000, seed: int = 0
) -> Comparison:
    """Run the randomisation test, which swaps the two scores of random topics.

    If the 2^n possible swaps of n topics number at most `samples`, all are enumerated, and p is the
    share with a difference at least as large as observed (Fisher 1935, section 21); otherwise
    `samples` of them are drawn, and p = (1 + #{|d*| >= |d|}) / (1 + samples) (Noreen 1989, chapter
    2; Riezler and Maxwell 2005).
    """
    differences = _differences(first, second)
    observed, n = float(differences.mean()), len(differences)

    def extreme(signs: NDArray[np.int8]) -> int:
        return int((np.abs(signs @ differences / n) >= abs(observed) - _TOLERANCE).sum())

    if 2**n <= samples:
        every = np.arange(2**n)[:, None] >> np.arange(n) & 1
        return Comparison(observed, extreme((2 * every - 1).astype(np.int8)) / 2**n)
    rng = np.random.default_rng(seed)
    drawn = (rng.integers(0, 2, size=(rows, n), dtype=np.int8) for rows in _chunks(samples, n))
    return Comparison(
        observed, (1 + sum(extreme(2 * swaps - np.int8(1)) for swaps in drawn)) / (1 + samples)
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values for multiple comparisons (Holm 1979), in the given order.

    Rejecting hypotheses with corrected p below 0.05 keeps the family-wise error rate below 0.05.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03, 0.5])]
    [0.04, 0.09, 0.09, 0.5]
    """
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, (len(p_values) - rank) * p_values[i])
        adjusted[i] = min(largest, 1.0)
    return adjusted


def cohens_d(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the effect size of paired scores: the mean difference over the standard deviation of
    the differences.

    This is d_z of Cohen (1988, section 2.3.5), with n - 1 in the deviation; 0 if no topic differs,
    infinite if all topics differ by the same amount.
    """
    differences = _differences(first, second)
    mean = float(differences.mean())
    deviation = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    if deviation > _TOLERANCE:
        return mean / deviation
    return math.copysign(math.inf, mean) if abs(mean) > _TOLERANCE else 0.0


def _differences(first: Sequence[float], second: Sequence[float]) -> Floats:
    if len(first) != len(second) or not len(first):
        raise ValueError(
            f"expected equally many scores, at least one; got {len(first)} and {len(second)}"
        )
    return np.asarray(np.asarray(first, dtype=float) - np.asarray(second, dtype=float))


def _chunks(samples: int, n: int) -> Iterator[int]:
    rows = max(_CHUNK // n, 1)
    for start in range(0, samples, rows):
        yield min(rows, samples - start)


# The generator behind Perl's `rand` on every system since Perl 5.20: x <- (a x + c) mod 2^48, as in
# POSIX drand48.
_A, _C, _LOW = np.uint64(0x5DEECE66D), np.uint64(0xB), 0x330E
_MASK = np.uint64(2**48 - 1)


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its confidence interval; `resampled` is the mean over the samples, as printed by
    the script.
    """

    mean: float
    low: float
    high: float
    resampled: float


def bootstrap_interval(
    values: Sequence[float], *, level: float = 0.95, samples: int = 1000, seed: int = 0
) -> Interval:
    """Return the percentile bootstrap interval of a mean (Efron and Tibshirani 1993, section 13.3).

    Seed 0 draws the same samples as the script, which seeds Perl's generator with i for sample i,
    provided that values are sorted by topic id as strings. `level` is the confidence level (`-c`),
    in (0,1); `samples` is the number of samples (`-r`), each as large as `values`.

    Raises:
        ValueError: there are no values, or the level or number of samples is out of range.
    """
    if not len(values) or not 0 < level < 1 or samples < 2:
        raise ValueError("expected values, a level between 0 and 1, and at least 2 samples")
    means = np.sort(_sample_means(np.asarray(values, dtype=float), samples, seed))
    cut = round(samples * (1 - level) / 2, 6)  # 1 - 0.95 is a little more than 0.05
    # As in the script, the weight of the upper end also interpolates the lower end.
    upper, weight = divmod(samples - cut - 1, 1)
    places = np.array([int(cut), int(upper)])
    low, high = (
        means[places] + (means[np.minimum(places + 1, samples - 1)] - means[places]) * weight
    )
    return Interval(float(np.mean(values)), float(low), float(high), float(means.mean()))


def _sample_means(
    values: npt.NDArray[np.float64], samples: int, seed: int
) -> npt.NDArray[np.float64]:
    seeds = (np.arange(samples, dtype=np.uint64) + np.uint64(seed * samples % 2**32)) % np.uint64(
        2**32
    )
    state = (seeds << np.uint64(16)) + np.uint64(_LOW)
    total = np.zeros(samples)
    for _ in values:
        state = (state * _A + _C) & _MASK
        total += values[(state.astype(float) / 2.0**48 * len(values)).astype(np.intp)]
    return total / len(values)
