"""Pairs of runs: tests, corrections and wins."""

import pytest

from ilpsum.evaluation.comparison import Comparison, Reference
from ilpsum.evaluation.run_scores import Evaluation
from ilpsum.metrics.rouge import Score
from ilpsum.metrics.signature import Signature
from ilpsum.metrics.significance import approximate_randomisation, cohens_d, holm, paired_bootstrap

RECALLS = {"A": [0.5, 0.4, 0.3, 0.6], "B": [0.4, 0.4, 0.35, 0.3], "C": [0.1, 0.2, 0.1, 0.0]}
TOPICS = ["T2", "T1", "T4", "T3"]


def evaluation(run, times=1):
    """Return the scores of a run on 4 topics, or on as many times 4."""
    topics = [f"{topic}{i}" for i in range(times) for topic in TOPICS]
    units = [
        (topic, Score(r, r / 2, 0.0)) for topic, r in zip(topics, RECALLS[run] * times, strict=True)
    ]
    return Evaluation(run, Signature("ROUGE-2", {}), units)


def test_every_pair_once_with_its_own_test_corrected_together():
    evaluations = [evaluation(run, 3) for run in "ABC"]
    pairs = Comparison(evaluations, "recall", samples=500, seed=3).pairs
    assert [(pair.first, pair.second) for pair in pairs] == [("A", "B"), ("A", "C"), ("B", "C")]
    values = {e.run: e.values("recall") for e in evaluations}
    for pair in pairs:
        both = values[pair.first], values[pair.second]
        interval = paired_bootstrap(*both, samples=500, seed=3)
        assert (pair.difference, pair.low, pair.high) == (
            interval.difference,
            interval.low,
            interval.high,
        )
        assert pair.p_value == approximate_randomisation(*both, samples=500, seed=3)
        assert pair.effect == cohens_d(*both)
    assert [pair.holm for pair in pairs] == holm([pair.p_value for pair in pairs])


def test_holm_counts_the_comparisons_with_the_baseline_alone():
    evaluations = [evaluation(run, 3) for run in "ABC"]
    pairs = Comparison(evaluations, "recall", Reference("B"), 500, 3).pairs
    assert [(pair.first, pair.second) for pair in pairs] == [("A", "B"), ("C", "B")]
    everyone = Comparison(evaluations, "recall", samples=500, seed=3).pairs
    p_values = [pair.p_value for pair in everyone if "B" in (pair.first, pair.second)]
    assert [pair.p_value for pair in pairs] == p_values
    assert [pair.holm for pair in pairs] == holm(p_values)
    (pair,) = Comparison(evaluations, "recall", Reference("B", ["C"]), 500, 3).pairs
    assert (pair.first, pair.holm) == ("A", pair.p_value)


def test_nine_topics_prove_nothing():
    def pair(n):
        runs = [[(f"T{i}", Score(value, 0.0, 0.0)) for i in range(n)] for value in (0.9, 0.1)]
        evaluations = [Evaluation(str(i), Signature("ROUGE-2", {}), u) for i, u in enumerate(runs)]
        (result,) = Comparison(evaluations, "recall").pairs
        return result

    assert (pair(9).p_value, pair(9).holm) == (None, None)
    assert pair(10).p_value == 2 / 2**10


def test_wins_ties_and_losses_are_the_first_runs():
    pair, *_ = Comparison([evaluation("A"), evaluation("B")], "recall", samples=10).pairs
    assert (pair.wins, pair.ties, pair.losses) == (2, 1, 1)
    pair, *_ = Comparison([evaluation("A"), evaluation("B")], "f1", samples=10).pairs
    assert (pair.wins, pair.ties, pair.losses) == (0, 4, 0)


def test_runs_are_compared_by_the_measure():
    recall, precision = (
        Comparison([evaluation("A"), evaluation("C")], m).pairs[0] for m in ("recall", "precision")
    )
    assert recall.difference == pytest.approx(2 * precision.difference)
