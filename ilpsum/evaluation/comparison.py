"""Compares runs: paired differences with their significance, and sentences selected by both of two systems."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from ilpsum.evaluation.scoring import Evaluation, Measure
from ilpsum.metrics.significance import approximate_randomisation, cohens_d, holm, paired_bootstrap
from ilpsum.records import Summary
from ilpsum.runs.provenance import read_provenance

# Tolerance for ties: smaller differences are rounding errors, since scores are fractions of counts.
_TIE = 1e-12
Place = tuple[str, int, int]
"""Position of a sentence: document, start, end."""
# Minimum topics for a test: with fewer, no outcome is significant, and bootstrap p-values are far too small.
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
        wins, ties, losses: topics (for links, citances) where the first run scores higher, equal, lower.
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


@dataclass(frozen=True, slots=True)
class Chosen:
    """Positions of the selected sentences and of all candidates of a run for a topic."""

    places: frozenset[Place]
    candidates: frozenset[Place]


@dataclass(frozen=True, slots=True)
class SharedSentences:
    """Positions of the sentences that both runs selected for a topic, and the numbers selected by one run only."""

    first: str
    second: str
    topic: str
    both: tuple[Place, ...]
    only_first: int
    only_second: int


def compare(evaluations: Sequence[Evaluation], measure: Measure, *, samples: int = 10_000, seed: int = 0) -> list[Pair]:
    """Compare every pair of runs, given their evaluations in one metric over the same gold."""
    pairs = list(combinations(evaluations, 2))
    scores = [(first.values(measure), second.values(measure)) for first, second in pairs]
    intervals = [paired_bootstrap(*both, samples=samples, seed=seed) for both in scores]
    tests: list[float] | list[None] = [None] * len(pairs)
    corrected = tests
    if pairs and len(scores[0][0]) >= FEWEST_TESTED:
        tests = [approximate_randomisation(*both, samples=samples, seed=seed).p_value for both in scores]
        corrected = holm(tests)
    return [
        Pair(
            first.metric, first.run, second.run, interval.difference, interval.low, interval.high,
            p, p_holm, cohens_d(*both), *_wins_ties_losses(*both),
        )
        for (first, second), both, interval, p, p_holm in zip(pairs, scores, intervals, tests, corrected, strict=True)
    ]  # fmt: skip


def chosen_sentences(provenance: Path) -> dict[str, Chosen]:
    """Read a run's selections from its provenance, without failed topics; `InputError` if it is not provenance."""
    summaries = (s for s in read_provenance(provenance) if isinstance(s, Summary))
    return {
        s.topic: Chosen(frozenset(s.candidates[i].place for i in s.chosen), frozenset(c.place for c in s.candidates))
        for s in summaries
    }


def shared_sentences(chosen: Mapping[str, Mapping[str, Chosen]]) -> Iterator[SharedSentences]:
    """Yield the shared sentences of every pair of runs for each common topic, given selections by run and topic.

    A passage of several sentences, such as the selection of `lead`, counts as the other run's candidates within it.
    """
    for first, second in combinations(chosen, 2):
        for topic in sorted(chosen[first].keys() & chosen[second].keys()):
            ours, theirs = chosen[first][topic], chosen[second][topic]
            a, b = _split(ours, theirs.candidates), _split(theirs, ours.candidates)
            both = tuple(sorted(a & b))
            yield SharedSentences(first, second, topic, both, len(a) - len(both), len(b) - len(both))


def _split(chosen: Chosen, sentences: frozenset[Place]) -> frozenset[Place]:
    """Replace each selected passage that contains two or more of `sentences` by those sentences."""
    places: set[Place] = set()
    for document, start, end in chosen.places:
        inside = {place for place in sentences if place[0] == document and start <= place[1] and place[2] <= end}
        places |= inside if len(inside) > 1 else {(document, start, end)}
    return frozenset(places)


def _wins_ties_losses(first: Sequence[float], second: Sequence[float]) -> tuple[int, int, int]:
    differences = [a - b for a, b in zip(first, second, strict=True)]
    wins, losses = sum(d > _TIE for d in differences), sum(d < -_TIE for d in differences)
    return wins, len(differences) - wins - losses, losses
