"""Comparison of runs: paired differences with their significance, and sentences that systems share."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from ilpsum.evaluation.scoring import Evaluation, Measure
from ilpsum.metrics.significance import Comparison, approximate_randomisation, cohens_d, holm, paired_bootstrap
from ilpsum.records import Summary
from ilpsum.runs.provenance import read_provenance

# Scores are fractions of counts; smaller differences come from the order of summation.
_TIE = 1e-12

Place = tuple[str, int, int]
"""Position of a sentence: document, start, end."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs compared by one metric; differences are first minus second.

    Attributes:
        first, second: names of the runs.
        bootstrap: result of the paired bootstrap test, with the interval of the difference.
        randomisation: result of the approximate randomisation test.
        bootstrap_holm, randomisation_holm: p-values after Holm's correction over all pairs.
        effect: Cohen's d of the paired differences.
        wins, ties, losses: topics (for links, citances) where the first run scores higher, equal, lower.
    """

    first: str
    second: str
    bootstrap: Comparison
    randomisation: Comparison
    bootstrap_holm: float
    randomisation_holm: float
    effect: float
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, slots=True)
class SharedSentences:
    """The sentences that two systems chose for a topic.

    Attributes:
        first, second: names of the runs.
        both: positions of the sentences that both chose, sorted.
        only_first, only_second: number of sentences that only one of them chose.
    """

    first: str
    second: str
    topic: str
    both: tuple[Place, ...]
    only_first: int
    only_second: int


def compare(evaluations: Sequence[Evaluation], measure: Measure, *, samples: int = 10_000, seed: int = 0) -> list[Pair]:
    """Compare every pair of runs, given their evaluations by one metric over the same gold; see `Comparison`."""
    names = list(combinations([evaluation.run for evaluation in evaluations], 2))
    scores = list(combinations([evaluation.values(measure) for evaluation in evaluations], 2))
    bootstraps = [paired_bootstrap(*both, samples=samples, seed=seed) for both in scores]
    randomised = [approximate_randomisation(*both, samples=samples, seed=seed) for both in scores]
    first, second = (holm([test.p_value for test in tests]) for tests in (bootstraps, randomised))
    return [
        Pair(*names[i], bootstraps[i], randomised[i], first[i], second[i], cohens_d(*both), *_wins_ties_losses(*both))
        for i, both in enumerate(scores)
    ]


def chosen_sentences(provenance: Path) -> dict[str, frozenset[Place]]:
    """Read the places of what a run chose for each topic from its provenance; failed topics are left out.

    Raises:
        InputError: the file cannot be read or is not a provenance file.
    """
    summaries = (s for s in read_provenance(provenance) if isinstance(s, Summary))
    return {s.topic: frozenset(s.candidates[i].place for i in s.chosen) for s in summaries}


def shared_sentences(chosen: Mapping[str, Mapping[str, frozenset[Place]]]) -> Iterator[SharedSentences]:
    """Yield the shared sentences of every pair of runs, for each topic of both, from those that each run chose."""
    for first, second in combinations(chosen, 2):
        for topic in sorted(chosen[first].keys() & chosen[second].keys()):
            ours, theirs = chosen[first][topic], chosen[second][topic]
            both = tuple(sorted(ours & theirs))
            yield SharedSentences(first, second, topic, both, len(ours) - len(both), len(theirs) - len(both))


def _wins_ties_losses(first: Sequence[float], second: Sequence[float]) -> tuple[int, int, int]:
    differences = [a - b for a, b in zip(first, second, strict=True)]
    wins, losses = sum(d > _TIE for d in differences), sum(d < -_TIE for d in differences)
    return wins, len(differences) - wins - losses, losses
