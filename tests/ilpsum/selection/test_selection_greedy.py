"""GR-SUM's greedy selection, case by case."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ilpsum.selection import Problem, cosine
from ilpsum.selection import greedy as by_relevance


def greedy(relevance, words, bags, limit, threshold=0.4, **options):
    problem = Problem.build([()] * len(words), words, [0.0] * len(words), limit, **options)
    return by_relevance(relevance, bags, problem, threshold)


# What holds, the lengths and the bags of letters of sentences of falling relevance, the word limit
# and other options, and what is chosen.
CASES = [
    ("too similar sentences are skipped", (2, 2, 2), "abc abd e", 100, {}, (0, 2)),
    ("but not at a higher threshold", (2, 2, 2), "abc abd e", 100, {"threshold": 0.7}, (0, 1, 2)),
    ("a cosine at the threshold is not above it", (2, 2), "ab bc", 100, {"threshold": 0.5}, (0, 1)),
    ("the first that does not fit ends it", (5, 6, 1), "a b c", 10, {}, (0,)),
    ("unless it is redundant", (5, 6, 1), "a a c", 10, {}, (0, 2)),
    ("or fits no summary", (11, 6, 6), "a b c", 10, {}, (1,)),
    ("or is skipped for its group", (5, 9, 1), "a b c", 10, {"groups": [(0, 1)]}, (0, 2)),
    ("one of a group at most", (5, 4, 1, 1), "a b c d", 100, {"groups": [(0, 1), (2, 3)]}, (0, 2)),
    (
        "what is excluded or requires another is never taken",
        (3, 3, 3, 3),
        "a b c d",
        6,
        {"exclude": (0,), "requires": ((1, 2),)},
        (2, 3),
    ),
    (
        "further limits end it as words do",
        (1, 1, 1, 1),
        "a b c d",
        100,
        {"second_lengths": [7, 3, 1, 2], "second_limit": 5},
        (1, 2),
    ),
]


@pytest.mark.parametrize(
    ("words", "bags", "limit", "options", "chosen"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_cases(words, bags, limit, options, chosen):
    relevance = [0.9, 0.8, 0.7, 0.6][: len(words)]
    assert greedy(relevance, words, bags.split(), limit, **options).chosen == chosen


def test_falling_relevance_with_ties_by_position():
    assert greedy([0.5, 0.9, 0.5], [4, 4, 4], ["a", "b", "c"], 8).chosen == (0, 1)


def test_nothing_fits():
    selection = greedy([0.9], [11], [{"a"}], 10)
    assert selection.chosen == ()
    assert selection.warnings == ("every sentence exceeds 10 words",)
    assert selection.status == "greedy"
    assert math.isnan(selection.objective)


@pytest.mark.parametrize("bag", [set(), []])
def test_empty_bags_are_similar_to_nothing(bag):
    assert cosine(bag, {"a"}) == 0.0
    assert greedy([0.9, 0.8], [1, 1], [bag, bag], 10).chosen == (0, 1)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(1, 9), st.sets(st.integers(0, 6))), max_size=8),
    st.integers(0, 30),
)
def test_the_limit_holds(rows, limit):
    relevance, words, bags = ([row[k] for row in rows] for k in range(3))
    chosen = greedy(relevance, words, bags, limit).chosen
    assert sum(words[i] for i in chosen) <= limit
    assert all(cosine(bags[i], bags[k]) <= 0.4 for i in chosen for k in chosen if i < k)
