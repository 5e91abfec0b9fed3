"""Runs against each other: paired differences and what they are worth, and which sentences the systems share."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from ilpsum.evaluation.scoring import Evaluation, Measure
from ilpsum.metrics.significance import Comparison, approximate_randomisation, cohens_d, holm, paired_bootstrap
from ilpsum.records import Summary
from ilpsum.runs.provenance import read_provenance

# Scores are fractions of counts: what differs by less is the same score computed in another order.
_TIE = 1e-12

Place = tuple[str, int, int]
"""Where a sentence stands: document, start, end."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs compared by one metric; differences are first minus second.

    Attributes:
        first, second: the runs.
        bootstrap: of the paired bootstrap test, with the interval of the difference.
        randomisation: of the approximate randomisation test.
        bootstrap_holm, randomisation_holm: the p-values after Holm's correction over all pairs of the comparison.
        effect: Cohen's d of the paired differences.
        wins, ties, losses: of the first run, over what the mean counts once (topics; citances for links).
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
class Shared:
    """The sentences that two systems chose for a topic.

    Attributes:
        first, second: the runs.
        topic: the topic's id.
        both: where the sentences stand that both chose, in the order of their places.
        only_first, only_second: how many only one of them chose.
    """

    first: str
    second: str
    topic: str
    both: tuple[Place, ...]
    only_first: int
    only_second: int


def compare(evaluations: Sequence[Evaluation], measure: Measure, *, samples: int = 10_000, seed: int = 0) -> list[Pair]:
    """Every pair of runs, by one metric over the same topics.

    Args:
        evaluations: of each run, by the same metric and gold.
        measure: what is compared.
        samples: how many the tests draw.
        seed: of what they draw.
    """
    names = list(combinations([evaluation.run for evaluation in evaluations], 2))
    scores = list(combinations([evaluation.values(measure) for evaluation in evaluations], 2))
    drawn = [paired_bootstrap(*both, samples=samples, seed=seed) for both in scores]
    exchanged = [approximate_randomisation(*both, samples=samples, seed=seed) for both in scores]
    drawn_holm = holm([test.p_value for test in drawn])
    exchanged_holm = holm([test.p_value for test in exchanged])
    return [
        Pair(*names[i], drawn[i], exchanged[i], drawn_holm[i], exchanged_holm[i], cohens_d(*both), *_results(*both))
        for i, both in enumerate(scores)
    ]


def chosen_sentences(provenance: Path) -> dict[str, set[Place]]:
    """The chosen sentences of each topic, from a run's provenance; a topic that failed has none.

    Raises:
        InputError: the file cannot be read or is no provenance.
    """
    return {
        summary.topic: {(s.document, s.start, s.end) for s in (summary.candidates[i] for i in summary.chosen)}
        for summary in read_provenance(provenance)
        if isinstance(summary, Summary)
    }


def shared_sentences(chosen: Mapping[str, Mapping[str, set[Place]]]) -> Iterator[Shared]:
    """For every pair of runs and every topic of both, the sentences they share.

    Args:
        chosen: for each run the chosen sentences of each topic.
    """
    for first, second in combinations(chosen, 2):
        for topic in sorted(chosen[first].keys() & chosen[second].keys()):
            ours, theirs = chosen[first][topic], chosen[second][topic]
            both = ours & theirs
            yield Shared(first, second, topic, tuple(sorted(both)), len(ours) - len(both), len(theirs) - len(both))


def _results(first: Sequence[float], second: Sequence[float]) -> tuple[int, int, int]:
    differences = [a - b for a, b in zip(first, second, strict=True)]
    wins, losses = sum(d > _TIE for d in differences), sum(d < -_TIE for d in differences)
    return wins, len(differences) - wins - losses, losses
