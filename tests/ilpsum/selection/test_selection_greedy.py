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


def test_falling_relevance_with_ties_by_position():
    assert greedy([0.5, 0.9, 0.5], [4, 4, 4], [{"a"}, {"b"}, {"c"}], 8).chosen == (0, 1)


def test_too_similar_sentences_are_skipped():
    bags = [{"a", "b", "c"}, {"a", "b", "d"}, {"e"}]
    assert greedy([0.9, 0.8, 0.1], [2, 2, 2], bags, 100).chosen == (0, 2)
    assert greedy([0.9, 0.8, 0.1], [2, 2, 2], bags, 100, threshold=0.7).chosen == (0, 1, 2)


def test_a_cosine_at_the_threshold_is_not_above_it():
    assert cosine({"a", "b"}, {"b", "c"}) == 0.5
    assert greedy([0.9, 0.8], [2, 2], [{"a", "b"}, {"b", "c"}], 100, threshold=0.5).chosen == (0, 1)


def test_the_first_that_does_not_fit_ends_it():
    assert greedy([0.9, 0.8, 0.7], [5, 6, 1], [{"a"}, {"b"}, {"c"}], 10).chosen == (0,)


def test_a_redundant_sentence_that_does_not_fit_does_not_end_it():
    assert greedy([0.9, 0.8, 0.7], [5, 6, 1], [{"a"}, {"a"}, {"c"}], 10).chosen == (0, 2)


def test_one_of_a_group_at_most():
    bags = [{"a"}, {"b"}, {"c"}, {"d"}]
    assert greedy(
        [0.9, 0.8, 0.7, 0.6], [5, 4, 1, 1], bags, 100, groups=[(0, 1), (2, 3)]
    ).chosen == (0, 2)
    # What is skipped for its group does not end the selection by its length.
    assert greedy([0.9, 0.8, 0.7], [5, 9, 1], bags[:3], 10, groups=[(0, 1)]).chosen == (0, 2)


def test_excluded_sentences_and_those_that_require_others_are_never_taken():
    relevance, bags = [0.9, 0.8, 0.7, 0.6], [{"a"}, {"b"}, {"c"}, {"d"}]
    assert greedy(relevance, [3, 3, 3, 3], bags, 6, exclude=(0,), requires=((1, 2),)).chosen == (
        2,
        3,
    )


def test_nothing_fits():
    selection = greedy([0.9], [11], [{"a"}], 10)
    assert selection.chosen == ()
    assert selection.warnings == ("every sentence exceeds 10 words",)
    assert selection.status == "greedy"
    assert math.isnan(selection.objective)


def test_a_sentence_longer_than_the_limit_does_not_end_the_selection():
    assert greedy([0.9, 0.5, 0.4], [11, 6, 6], [{"a"}, {"b"}, {"c"}], 10).chosen == (1,)


def test_further_limits_end_it_as_words_do():
    bags, lengths = [{"a"}, {"b"}, {"c"}, {"d"}], [7, 3, 1, 2]

    # 0 fits no summary and is dropped beforehand; 1 and 2 fit; 3 does not, which ends the
    # selection.
    assert greedy(
        [0.9, 0.8, 0.7, 0.6], [1, 1, 1, 1], bags, 100, second_lengths=lengths, second_limit=5
    ).chosen == (
        1,
        2,
    )


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
