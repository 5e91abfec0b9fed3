"""Bootstrap confidence interval of a mean over topics, with the samples of ROUGE-1.5.5 (`-c 95 -r 1000`)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

# The generator behind Perl's `rand` on every system since Perl 5.20: x <- (a x + c) mod 2^48, as in POSIX drand48.
_A, _C, _LOW = np.uint64(0x5DEECE66D), np.uint64(0xB), 0x330E
_MASK = np.uint64(2**48 - 1)


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its confidence interval; `resampled` is the mean over the samples, as printed by the script."""

    mean: float
    low: float
    high: float
    resampled: float


def bootstrap_interval(values: Sequence[float], *, level: float = 0.95, samples: int = 1000, seed: int = 0) -> Interval:
    """Return the percentile bootstrap interval of a mean (Efron and Tibshirani 1993, section 13.3).

    Seed 0 draws the same samples as the script, which seeds Perl's generator with i for sample i, provided that values
    are sorted by topic id as strings. `level` is the confidence level (`-c`), in (0,1); `samples` is the number of
    samples (`-r`), each as large as `values`.

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
    low, high = means[places] + (means[np.minimum(places + 1, samples - 1)] - means[places]) * weight
    return Interval(float(np.mean(values)), float(low), float(high), float(means.mean()))


def _sample_means(values: npt.NDArray[np.float64], samples: int, seed: int) -> npt.NDArray[np.float64]:
    seeds = (np.arange(samples, dtype=np.uint64) + np.uint64(seed * samples % 2**32)) % np.uint64(2**32)
    state = (seeds << np.uint64(16)) + np.uint64(_LOW)
    total = np.zeros(samples)
    for _ in values:
        state = (state * _A + _C) & _MASK
        total += values[(state.astype(float) / 2.0**48 * len(values)).astype(np.intp)]
    return total / len(values)
