"""Compares runs: paired differences with their significance."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from ilpsum.errors import counted
from ilpsum.evaluation.run_scores import Evaluation, Measure, Run
from ilpsum.metrics.significance import (
    SAMPLES,
    Interval,
    approximate_randomisation,
    bootstrap_interval,
    cohens_d,
    holm,
    paired_bootstrap,
)
from ilpsum.runs.designs import differing

# Tolerance for ties: smaller differences are rounding errors, since scores are fractions of counts.
_TIE = 1e-12
# Minimum topics for a test: with fewer, no outcome is significant, and bootstrap p-values are far
# too small.
FEWEST_TESTED = 10
SIGNIFICANT = 0.05
"""The corrected p-value below which a difference is called significant."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs compared in one metric; differences are first minus second.

    Attributes:
        metric: name of the metric.
        first, second: names of the runs; a baseline is always the second.
        difference: mean difference.
        low, high: its 95% interval, by paired bootstrap.
        p_value: of the paired randomisation test; None below ten topics (citances for links).
        holm: `p_value` after Holm's correction over all pairs of the metric.
        effect: Cohen's d of the paired differences.
        wins, ties, losses: number of topics (citances for links) in which the first run scores
            higher, equal or lower.
        also_differ: differences between the runs besides the selection, from their provenance:
            `features`, `target`, `candidates`, `model`, other settings; `nothing`, or `unknown`.
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
    also_differ: str = "unknown"

    @property
    def is_significant(self) -> bool:
        """Whether the corrected p-value is below .05."""
        return self.holm is not None and self.holm < SIGNIFICANT


@dataclass(frozen=True, slots=True)
class Reference:
    """What runs are compared with.

    Attributes:
        baseline: the run that all others are tested against; empty to test every pair of runs.
        oracles: runs that saw the gold summaries; they are never tested.
    """

    baseline: str = ""
    oracles: Collection[str] = ()


ALL_PAIRS = Reference()


@dataclass(frozen=True)
class Comparison:
    """Comparison of runs in one metric.

    Attributes:
        evaluations: one per run, over the same gold.
        measure: the measure compared.
        reference: what the runs are compared with.
        samples, seed: of the tests and of all intervals.
    """

    evaluations: Sequence[Evaluation]
    measure: Measure
    reference: Reference = ALL_PAIRS
    samples: int = SAMPLES
    seed: int = 0

    @property
    def metric(self) -> str:
        """The metric's name."""
        return self.evaluations[0].metric

    @property
    def name(self) -> str:
        """The metric with the measure compared, as in heads of tables."""
        return f"{self.metric} {self.measure}"

    @property
    def kind(self) -> str:
        """What the means are taken over: `topics`, or `citances` for links."""
        first = self.evaluations[0]
        return "topics" if len(first.units) == len(first.topics) else "citances"

    @property
    def units(self) -> str:
        """The number of topics, or of citances and their topics, in words."""
        first = self.evaluations[0]
        topics = counted(len(first.topics), "topic")
        if self.kind == "topics":
            return topics
        return f"{counted(len(first.units), 'citance')} of {topics}"

    @cached_property
    def scores(self) -> dict[str, dict[str, float]]:
        """The scores in the measure compared, by run, then by topic in gold order."""
        scores: dict[str, dict[str, float]] = {}
        for evaluation in self.evaluations:
            by_topic = evaluation.topics.items()
            scores[evaluation.run] = {t: float(getattr(s, self.measure)) for t, s in by_topic}
        return scores

    def mean(self, evaluation: Evaluation) -> float:
        """Return a run's mean in the measure compared."""
        return float(getattr(evaluation.mean, self.measure))

    def interval(self, evaluation: Evaluation) -> Interval:
        """Return the 95% bootstrap interval of a run's mean."""
        values = evaluation.values(self.measure)
        return bootstrap_interval(values, samples=self.samples, seed=self.seed)

    @property
    def ranked(self) -> "Comparison":
        """The comparison with the runs sorted by mean, the highest first."""
        return replace(self, evaluations=sorted(self.evaluations, key=self.mean, reverse=True))

    @property
    def tested(self) -> list[tuple[Evaluation, Evaluation]]:
        """The pairs of runs to test, without oracles; a baseline is the second run of each pair."""
        tested = [e for e in self.evaluations if e.run not in self.reference.oracles]
        if not self.reference.baseline:
            return list(combinations(tested, 2))
        (baseline,) = (e for e in tested if e.run == self.reference.baseline)
        return [(e, baseline) for e in tested if e is not baseline]

    @cached_property
    def pairs(self) -> list[Pair]:
        """The tested pairs; Holm's correction counts only these."""
        pairs = [self._pair(first, second) for first, second in self.tested]
        p_values = [pair.p_value for pair in pairs if pair.p_value is not None]
        if not p_values:
            return pairs
        return [replace(pair, holm=p) for pair, p in zip(pairs, holm(p_values), strict=True)]

    def _pair(self, first: Evaluation, second: Evaluation) -> Pair:
        """Return a pair whose p-value is not corrected yet."""
        scores = first.values(self.measure), second.values(self.measure)
        interval = paired_bootstrap(*scores, samples=self.samples, seed=self.seed)
        p_value = None
        if len(scores[0]) >= FEWEST_TESTED:
            p_value = approximate_randomisation(*scores, samples=self.samples, seed=self.seed)
        wins, ties, losses = _wins_ties_losses(*scores)
        return Pair(
            metric=first.metric,
            first=first.run,
            second=second.run,
            difference=interval.difference,
            low=interval.low,
            high=interval.high,
            p_value=p_value,
            holm=None,
            effect=cohens_d(*scores),
            wins=wins,
            ties=ties,
            losses=losses,
            also_differ=_also_differ(first, second),
        )

    @property
    def design_notes(self) -> dict[tuple[str, str], str]:
        """How the runs of each tested pair differ, in words, if their provenance says so."""
        notes = {}
        for first, second in self.tested:
            parts = differing(first.designs, second.designs)
            if parts is None:
                continue
            named = [f"{name} ({values})" if values else name for name, values in parts.items()]
            alone = " alone" if list(parts) == ["selection"] else ""
            what = f"in {', '.join(named)}{alone}" if named else "in nothing that decides the text"
            notes[first.run, second.run] = f"{first.run} and {second.run} differ {what}."
        return notes

    @property
    def differences(self) -> list[tuple[str, str]]:
        """The pairs of runs shown side by side: each run and the baseline; without one, the first
        run and each other run. Oracles are included.
        """
        baseline = self.reference.baseline
        if baseline:
            return [(run, baseline) for run in self.scores if run != baseline]
        first, *others = self.scores
        return [(first, other) for other in others]

    def gaps(self, first: str, second: str) -> dict[str, float]:
        """Return the difference of two runs by topic, first minus second."""
        subtrahends = self.scores[second]
        return {topic: score - subtrahends[topic] for topic, score in self.scores[first].items()}


def _also_differ(first: Evaluation, second: Evaluation) -> str:
    parts = differing(first.designs, second.designs)
    if parts is None:
        return "unknown"
    return ", ".join(name for name in parts if name != "selection") or "nothing"


def other_candidates(runs: Sequence[Run]) -> list[str]:
    """Return a line if runs chose from different candidates of the same topics, by their
    provenance; such runs differ in more than the selection.
    """
    described = [run for run in runs if run.training.designs]
    if len(described) < 2:
        return []
    topics = set.intersection(*(set(run.training.designs) for run in described))
    groups: dict[tuple[int, ...], list[str]] = {}
    for run in described:
        candidates = tuple(run.training.designs[topic].candidates for topic in sorted(topics))
        groups.setdefault(candidates, []).append(run.name)
    if len(groups) == 1:
        return []
    named = " / ".join(", ".join(names) for names in groups.values())
    return [f"these runs chose from different candidate sentences: {named}"]


def usual_measure(metric: str) -> Measure:
    """Return the measure that papers report: recall for ROUGE, F1 for other metrics."""
    return "recall" if metric.startswith("ROUGE") else "f1"


def _wins_ties_losses(first: Sequence[float], second: Sequence[float]) -> tuple[int, int, int]:
    differences = [a - b for a, b in zip(first, second, strict=True)]
    wins = sum(difference > _TIE for difference in differences)
    losses = sum(difference < -_TIE for difference in differences)
    return wins, len(differences) - wins - losses, losses
