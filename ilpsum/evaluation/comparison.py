"""Compares runs: paired differences with their significance."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from ilpsum.evaluation.scoring import Evaluation, Measure
from ilpsum.metrics.significance import approximate_randomisation, cohens_d, holm, paired_bootstrap

# Tolerance for ties: smaller differences are rounding errors, since scores are fractions of counts.
_TIE = 1e-12
# Minimum topics for a test: with fewer, no outcome is significant, and bootstrap p-values are far
# too small.
FEWEST_TESTED = 10


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs compared in one metric; differences are first minus second.

    Attributes:
        metric: name of the metric.
        first, second: names of the runs.
        difference: mean difference.
        low, high: its 95% interval, by paired bootstrap.
        p_value: of the paired randomisation test; none below ten topics (for links, citances).
        holm: `p_value` after Holm's correction over all pairs.
        effect: Cohen's d of the paired differences.
        wins, ties, losses: topics (for links, citances) where the first run scores higher, equal,
            lower.
    """

    metric: str
    first: str
    second: str
    difference: float
    low: float
    high: float
    p_value: float | None
    holm: float | None
    effect: float
    wins: int
    ties: int
    losses: int


def compare(
    evaluations: Sequence[Evaluation], measure: Measure, *, samples: int = 10_000, seed: int = 0
) -> list[Pair]:
    """Compare every pair of runs, given their evaluations in one metric over the same gold."""
    pairs = list(combinations(evaluations, 2))
    scores = [(first.values(measure), second.values(measure)) for first, second in pairs]
    intervals = [paired_bootstrap(*both, samples=samples, seed=seed) for both in scores]
    tests: list[float] | list[None] = [None] * len(pairs)
    corrected = tests
    if pairs and len(scores[0][0]) >= FEWEST_TESTED:
        tests = [
            approximate_randomisation(*both, samples=samples, seed=seed).p_value for both in scores
        ]
        corrected = holm(tests)
    return [
        Pair(
            first.metric, first.run, second.run, interval.difference, interval.low, interval.high,
            p, p_holm, cohens_d(*both), *_wins_ties_losses(*both),
        )
        for (first, second), both, interval, p, p_holm in zip(pairs, scores, intervals, tests,
        corrected, strict=True)
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of runs in one metric.

    Attributes:
        evaluations: one per run.
        measure: the measure compared.
        pairs: every pair of runs.
    """

    evaluations: Sequence[Evaluation]
    measure: Measure
    pairs: Sequence[Pair]


def comparisons(
    evaluations: Sequence[Evaluation], measure: Measure | None, *, samples: int, seed: int
) -> list[Comparison]:
    """Compare runs in each metric, by default recall for ROUGE and F1 for others; see `compare`."""
    by_metric: dict[str, list[Evaluation]] = {}
    for evaluation in evaluations:
        by_metric.setdefault(evaluation.metric, []).append(evaluation)
    found = []
    for metric, own in by_metric.items():
        chosen: Measure = measure or ("recall" if metric.startswith("ROUGE") else "f1")
        found.append(Comparison(own, chosen, compare(own, chosen, samples=samples, seed=seed)))
    return found


def _wins_ties_losses(first: Sequence[float], second: Sequence[float]) -> tuple[int, int, int]:
    differences = [a - b for a, b in zip(first, second, strict=True)]
    wins, losses = sum(d > _TIE for d in differences), sum(d < -_TIE for d in differences)
    return wins, len(differences) - wins - losses, losses
