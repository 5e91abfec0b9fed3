"""Greedy selection by gain per word, against a plain loop over the objective."""

import math

import pytest
from hypothesis import given, settings
from strategies_for_selection import brute_force, problems

from ilpsum.errors import SolverError
from ilpsum.selection import Problem, gain, select


def reached(problem, start=frozenset()):
    """Yield the sets at which the textbook loop can end, whichever of equal gains per word it takes."""
    value = problem.value(start)
    fitting = [i for i in range(len(problem)) if i not in start and problem.allows(start | {i})]
    gains = {i: (problem.value(start | {i}) - value) / int(problem.words[i]) for i in fitting}
    best = max(gains.values(), default=0.0)
    if best <= 1e-12:
        yield start
    else:
        for i in (i for i, gained in gains.items() if gained >= best - 1e-12):
            yield from reached(problem, start | {i})


def test_the_densest_comes_first_and_repetitions_add_nothing():
    problem = Problem.build([{"a", "b"}, {"a", "b"}, {"c"}], [2, 2, 4], [0, 0, 0], 8, lambda_=0.0)
    selection = gain(problem)
    assert selection.chosen == (0, 2)
    assert selection.objective == problem.value((0, 2)) == 1.0
    assert selection.status == "gain"
    assert math.isnan(selection.bound)


def test_one_long_sentence_replaces_a_short_dense_one():
    concepts = [{"a"}, {"b", "c", "d", "e", "f"}]
    problem = Problem.build(concepts, [1, 10], [0, 0], 10, lambda_=0.0)
    assert gain(problem).chosen == (1,)
    # What each word gains alone misleads: the exact search does not need the exception.
    assert select(problem).chosen == (1,)


def test_it_can_miss_the_optimum():
    problem = Problem.build(
        [{"a", "b", "c"}, {"a", "b"}, {"c", "d"}], [4, 3, 3], [0, 0, 0], 6, lambda_=0.0
    )
    assert gain(problem).chosen == (0,)
    assert select(problem).chosen == (1, 2)


def test_included_sentences_stay_and_must_fit():
    concepts = [{"a"}, {"b"}, {"c"}]
    problem = Problem.build(concepts, [3, 3, 3], [0, 0, 0], 6, lambda_=0.0, include=(2,))
    assert gain(problem).chosen == (0, 2)
    with pytest.raises(SolverError, match="included sentences cannot all be chosen"):
        gain(Problem.build(concepts, [3, 3, 3], [0, 0, 0], 5, include=(1, 2)))


@settings(deadline=None)
@given(problems(largest=6, plain=True))
def test_it_ends_where_the_textbook_loop_does(problem):
    selection = gain(problem)
    assert problem.allows(selection.chosen)
    assert selection.objective == pytest.approx(problem.value(selection.chosen))
    alone = max(
        [problem.value({i}) for i in range(len(problem)) if problem.allows({i})], default=0.0
    )
    ends = {round(max(problem.value(end), alone), 9) for end in reached(problem)}
    assert round(selection.objective, 9) in ends
    assert selection.objective >= (1 - 1 / math.sqrt(math.e)) * brute_force(problem)[0] - 1e-9


@settings(deadline=None)
@given(problems())
def test_every_limit_holds(problem):
    best, _ = brute_force(problem)
    if best is None:
        with pytest.raises(SolverError):
            gain(problem)
    else:
        selection = gain(problem)
        assert problem.allows(selection.chosen)
        assert selection.objective <= best + 1e-9
