"""The lambda path against the envelope over all subsets, and against single selections on real sentences."""

import gzip
import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from strategies_for_selection import brute_force, problems, subsets

from features.text import bigrams, words
from ilpsum.errors import SolverError
from ilpsum.selection import Limits, Problem, available_solvers, lambda_path, segment_at, select


def check_shape(path):
    assert path[0].start == 0.0
    assert path[-1].end == 1.0
    for one, following in itertools.pairwise(path):
        assert one.end == following.start
        assert one.start < one.end
        assert one.value(one.end) == pytest.approx(following.value(one.end), abs=1e-9)
        assert one.relevance - one.coverage < following.relevance - following.coverage


@settings(
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(problems(largest=7))
def test_the_path_is_the_envelope_of_all_sets(problem):
    allowed = [problem.terms(c) for c in subsets(len(problem)) if problem.allows(c)]
    if not allowed:
        with pytest.raises(SolverError):
            lambda_path(problem)
        return
    path = lambda_path(problem)
    check_shape(path)
    for segment in path:
        assert problem.allows(segment.chosen)
        for at in (segment.start, (segment.start + segment.end) / 2, segment.end):
            best = max(at * r + (1 - at) * c - k for r, c, k in allowed)
            assert segment.value(at) == pytest.approx(best, abs=1e-9)
        middle = problem.at((segment.start + segment.end) / 2)
        if segment.end - segment.start > 1e-6:
            assert segment.chosen == brute_force(middle)[1]


@settings(
    deadline=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(problems(largest=7))
def test_ties_go_the_same_way_at_every_lambda(problem):
    if brute_force(problem)[0] is None:
        return
    path = lambda_path(problem)
    for segment in path:
        middle = (segment.start + segment.end) / 2
        for lambda_ in (0.0, middle, 1.0):
            at_lambda = problem.at(lambda_)
            expected = brute_force(at_lambda)[1]
            assert select(at_lambda).chosen == expected
            if segment.end - segment.start > 1e-6:
                assert segment_at(path, lambda_).chosen == expected
        # At a corner two sets are equal but for rounding, which decides.
        corner = problem.at(segment.end)
        best = brute_force(corner)[0]
        assert select(corner).objective == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("solver", available_solvers())
def test_at_the_ends_the_term_without_weight_decides(solver):
    # 0 and 1 are equally relevant, 1 and 2 cover as much; 3 has nothing to add.
    problem = Problem.build(
        [["a"], ["a", "b", "c"], ["a", "b", "c"], []], [5, 5, 5, 5], [0.8, 0.8, 0.2, 0.0], 5
    )
    assert select(problem.at(1.0), solver=solver).chosen == (1,)
    assert select(problem.at(0.0), solver=solver).chosen == (1,)
    # At lambda 1, a sentence without relevance joins if it covers something, and only then.
    wider = replace(problem, limit=15, relevance=np.array([0.8, 0.8, 0.0, 0.0]))
    wider = wider.with_concepts([["a"], ["a", "b"], ["d"], []], lambda _: 0.25)
    assert select(wider.at(1.0), solver=solver).chosen == (0, 1, 2)


def test_two_sentences_that_change_places():
    # Value of the first 0.9 lambda + (1 - lambda)/2, of the second 0.4 lambda + 1 - lambda: they
    # cross at 1/2.
    problem = Problem.build([["a"], ["b", "c"]], [10, 10], [0.9, 0.4], 10)
    path = lambda_path(problem)
    assert [segment.chosen for segment in path] == [(1,), (0,)]
    assert path[0].end == pytest.approx(0.5, abs=1e-12)
    assert segment_at(path, 0.5) is path[0]
    assert segment_at(path, 0.51) is path[1]
    with pytest.raises(ValueError, match="from 0 to 1"):
        segment_at(path, 1.5)


def test_one_summary_for_all_lambdas():
    (segment,) = lambda_path(Problem.build([["a"]], [3], [0.5], 10))
    assert (segment.start, segment.end, segment.chosen) == (0.0, 1.0, (0,))
    (nothing,) = lambda_path(Problem.build([["a"]], [30], [0.5], 10))
    assert nothing.chosen == ()


def test_limits_end_a_path_with_an_error():
    concepts = [[(k * j) % 23 for j in range(1, 9)] for k in range(1, 30)]
    problem = Problem.build(
        concepts, [5 + k % 7 for k in range(29)], [(k * 7 % 29) / 29 for k in range(29)], 40
    )
    with pytest.raises(SolverError, match="lambda path"):
        lambda_path(problem, limits=Limits(nodes=3))


def real_problem(folder, question, lambda_=0.5):
    with gzip.open(folder / "bioasq" / "3B1_golden.json.gz", "rt", encoding="utf-8") as file:
        questions = json.load(file)["questions"]
    asked = set(words(questions[question]["body"]))
    texts = [s["text"] for k in range(question, question + 4) for s in questions[k]["snippets"]]
    tokens = [words(text) for text in texts]
    relevance = [len(asked & set(line)) / len(asked) for line in tokens]
    lengths = [len(text.split()) for text in texts]
    return Problem.build(map(bigrams, tokens), lengths, relevance, 200, lambda_=lambda_)


@pytest.mark.parametrize("question", [0, 10])
def test_real_sentences_at_every_tenth(real_data, question):
    problem = real_problem(real_data, question)
    path = lambda_path(problem)
    check_shape(path)
    for k in range(11):
        selection = select(problem.at(k / 10))
        segment = segment_at(path, k / 10)
        assert segment.value(k / 10) == pytest.approx(selection.objective, abs=1e-9)
        assert segment.chosen == selection.chosen
        assert sum(int(problem.words[i]) for i in selection.chosen) <= 200


@pytest.mark.parametrize("lambda_", [0.0, 0.4, 1.0])
def test_real_sentences_by_the_published_model(real_data, lambda_):
    problem = real_problem(real_data, 5, lambda_)
    ours, paper = select(problem), select(problem, solver="highs-paper")
    assert paper.objective == pytest.approx(ours.objective, abs=1e-9)
    assert paper.chosen == ours.chosen
