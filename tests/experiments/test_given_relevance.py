"""Relevance from three sources under three selectors, on invented papers."""

from dataclasses import replace

import numpy as np
import pytest

from experiments.given_relevance import (
    MODEL,
    SOURCES,
    VALUES,
    Collection,
    chosen,
    results,
    selector_rows,
    source_rows,
)
from experiments.ilp_against_greedy import system_of
from ilpsum.pipeline.candidates import candidates
from ilpsum.tasks import read_topics


@pytest.fixture(scope="module")
def topics(demo):
    return list(read_topics(sorted((demo / "topics").iterdir()), "tac"))


@pytest.fixture(scope="module")
def best(topics):
    return results(Collection("demo", topics, system_of(MODEL, "papers"), 40, 3, is_tac=True))


def test_every_source_is_scored_under_every_selector(best):
    assert set(best) == {(source, selector) for source in SOURCES for selector in VALUES}
    assert all(len(scores) == 3 for scores in best.values())
    assert all(0 <= score <= 1 for scores in best.values() for score in scores)


def test_the_gold_is_the_limit(topics):
    """Where the reference is a sentence of the paper, only the gold is sure to find it."""
    system, sure = system_of(MODEL, "papers"), []
    for topic in topics:
        longest = max(candidates(topic, system.candidates), key=lambda sentence: sentence.words)
        sure.append(replace(topic, summaries=(longest.text,)))
    words = max(len(topic.summaries[0].split()) for topic in sure)
    best = results(Collection("sure", sure, system, words, 3, is_tac=True))
    for selector in VALUES:
        assert best["gold", selector] == pytest.approx([1.0] * 3)
        assert np.mean(best["bm25", selector]) < 1


def test_the_tables_show_means_and_differences(best):
    rows = list(selector_rows("demo (3)", best))
    assert [row[1] for row in rows] == list(SOURCES.values())
    for row, source in zip(rows, SOURCES, strict=True):
        ilp, greedy = np.mean(best[source, "ilp"]), np.mean(best[source, "greedy"])
        assert row[2].startswith(f"{ilp:.4f} [")
        assert row[5].startswith(f"{ilp - greedy:+.4f} [")
    over = np.mean(best["gold", "ilp"]) - np.mean(best["svr", "ilp"])
    assert list(source_rows("demo (3)", best))[1][2].startswith(f"{over:+.4f} [")


def test_a_topic_has_no_say_in_the_value_that_it_is_scored_at():
    random = np.random.default_rng(1)
    folds = np.arange(12) % 4
    tried = random.random((12, 5))
    picked = chosen(tried, folds)
    for fold in range(4):
        others = tried[folds != fold].mean(axis=0)
        best = max(range(5), key=lambda value: others[value])
        expected = tried[folds == fold][:, best].tolist()
        assert [picked[i] for i in np.flatnonzero(folds == fold)] == expected
