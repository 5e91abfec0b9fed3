"""Pairs of runs: tests, corrections, wins, and the sentences they share."""

import pytest

from ilpsum.evaluation.comparison import chosen_sentences, compare, shared_sentences
from ilpsum.evaluation.scoring import Evaluation
from ilpsum.metrics.rouge import Score
from ilpsum.metrics.signature import Signature
from ilpsum.metrics.significance import approximate_randomisation, cohens_d, holm, paired_bootstrap
from ilpsum.records import Sentence, Summary
from ilpsum.runs.provenance import failure_line, summary_line

RECALLS = {"A": [0.5, 0.4, 0.3, 0.6], "B": [0.4, 0.4, 0.35, 0.3], "C": [0.1, 0.2, 0.1, 0.0]}
TOPICS = ["T2", "T1", "T4", "T3"]


def evaluation(run):
    units = [(topic, Score(recall, recall / 2, 0.0)) for topic, recall in zip(TOPICS, RECALLS[run], strict=True)]
    return Evaluation(run, Signature("ROUGE-2", {}), units)


def test_every_pair_once_with_its_own_tests_corrected_together():
    pairs = compare([evaluation(run) for run in "ABC"], "recall", samples=500, seed=3)
    assert [(pair.first, pair.second) for pair in pairs] == [("A", "B"), ("A", "C"), ("B", "C")]
    # Scores stand in the order of the topics' ids.
    values = {run: [recall for _, recall in sorted(zip(TOPICS, RECALLS[run], strict=True))] for run in RECALLS}
    for pair in pairs:
        both = values[pair.first], values[pair.second]
        assert pair.bootstrap == paired_bootstrap(*both, samples=500, seed=3)
        assert pair.randomisation.p_value == approximate_randomisation(*both, samples=500, seed=3).p_value
        assert pair.effect == cohens_d(*both)
    assert [pair.bootstrap_holm for pair in pairs] == holm([pair.bootstrap.p_value for pair in pairs])
    assert [pair.randomisation_holm for pair in pairs] == holm([pair.randomisation.p_value for pair in pairs])


def test_wins_ties_and_losses_are_the_first_runs():
    pair, *_ = compare([evaluation("A"), evaluation("B")], "recall", samples=10)
    assert (pair.wins, pair.ties, pair.losses) == (2, 1, 1)
    pair, *_ = compare([evaluation("A"), evaluation("B")], "f1", samples=10)
    assert (pair.wins, pair.ties, pair.losses) == (0, 4, 0)


def test_runs_are_compared_by_the_measure():
    recall, precision = (compare([evaluation("A"), evaluation("C")], m)[0] for m in ("recall", "precision"))
    assert recall.bootstrap.difference == pytest.approx(2 * precision.bootstrap.difference)


def test_shared_sentences():
    places = {
        "A": {"T1": {("d", 0, 5), ("d", 9, 12), ("e", 0, 5)}, "T2": set()},
        "B": {"T1": {("e", 0, 5), ("d", 0, 5), ("f", 0, 5)}, "T3": {("d", 0, 1)}},
    }

    (shared,) = shared_sentences(places)
    assert (shared.topic, shared.both) == ("T1", (("d", 0, 5), ("e", 0, 5)))
    assert (shared.only_first, shared.only_second) == (1, 1)


def test_chosen_sentences_of_a_provenance(tmp_path):
    candidates = tuple(Sentence(text, "d", start, start + 3, 1) for start, text in enumerate(["one", "two", "six"]))
    summary = Summary("T1", (candidates[2], candidates[0]), "six one", candidates, (0, 2), "greedy")
    path = tmp_path / "SYSX1.provenance.jsonl"
    path.write_bytes(summary_line(summary) + failure_line("T2", "broken"))
    (chosen,) = chosen_sentences(path).values()
    assert chosen == {("d", 0, 3), ("d", 2, 5)}
