"""The exact selection against brute force over all subsets, for every option of a problem."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from strategies_for_selection import (
    brute_force,
    equal_at_every_lambda,
    equal_sets,
    problems,
    subsets,
)

from ilpsum.errors import InputError, SolverError
from ilpsum.selection import SOLVERS, Limits, Problem, available_solvers, select
from ilpsum.selection.exact import enumeration, relaxation, search
from ilpsum.selection.exact.core import Compact
from ilpsum.selection.exact.search import Meter, SearchTree

PUBLISHED = [name for name in available_solvers() if name != "highs"]
SLOW_TO_DRAW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def check(problem):
    best, chosen = brute_force(problem)
    if best is None:
        with pytest.raises(SolverError):
            select(problem)
        return
    selection = select(problem)
    assert problem.allows(selection.chosen)
    assert selection.objective == pytest.approx(best, abs=1e-9)
    equal = equal_sets(problem)
    if problem.word_cost and not equal_at_every_lambda(problem, equal):
        # Where a sentence is worth exactly its price in words, rounding decides between sets that
        # are equal at this lambda alone.
        assert selection.chosen in equal
    else:
        assert selection.chosen == chosen
    assert (selection.status, selection.gap) == ("optimal", 0.0)


@example(Problem.build([], [], [], 100))
# A duplicate is taken twice at lambda 1, but of more copies than fit the earlier ones.
@example(Problem.build([["a"], ["a"], ["b"]], [5, 5, 5], [1.0, 1.0, 0.2], 10, lambda_=1.0))
@example(
    Problem.build([["x"], ["a", "b"], ["a", "b"], ["a", "b"]], [9, 4, 4, 4], [0, 0.5, 0.5, 0.5], 7)
)
@example(
    Problem.build([[], ["a"], []], [1, 3, 1], [0.0, 0.0, 0.0], 100, lambda_=0.5)
)  # what adds nothing stays out
@example(Problem.build([[]], [1], [0.0], 1, requires=((0, 0),)))  # so does what is required
@example(Problem.build([[], []], [1, 1], [0.0, 0.0], 1, requires=((0, 1),)))
# Equal at lambda .4 alone, so not copies of each other.
@example(Problem.build([[], ["a"]], [1, 1], [1.0, 0.25], 1, lambda_=0.4, price=lambda _: 0.5))
@settings(deadline=None, max_examples=150, suppress_health_check=SLOW_TO_DRAW)
@given(problems())
def test_every_option_against_brute_force(problem):
    check(problem)


@settings(deadline=None, max_examples=25, suppress_health_check=SLOW_TO_DRAW)
@given(problems(largest=12, plain=True))
def test_twelve_sentences_against_brute_force(problem):
    check(problem)


@example(Problem.build([["a"], ["a", "b"], ["c"]], [3, 2, 1], [0.0, 0.0, 0.0], 6))
@settings(deadline=None, max_examples=60, suppress_health_check=SLOW_TO_DRAW)
@given(problems(largest=7, plain=True))
def test_where_all_sentences_fit_those_that_add_nothing_are_left_out(problem):
    check(replace(problem, limit=int(problem.words.sum())))


@settings(deadline=None, max_examples=100, suppress_health_check=SLOW_TO_DRAW)
@given(problems())
def test_branching_alone_finds_the_same(problem):
    # With so few nodes every enumeration is cut short, and the search branches to the end.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_NODES_AT_ONCE", 3)
        patch.setattr(relaxation, "_FEW", 0)
        check(problem)


@settings(deadline=None, max_examples=60, suppress_health_check=SLOW_TO_DRAW)
@given(problems())
def test_in_rough_units_of_the_knapsack_table_nothing_changes(problem):
    for entries in (1, 30, 10**6):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(enumeration, "_LARGEST_TABLE", 0)
            patch.setattr(enumeration, "_LARGEST_ROUGH", entries)
            check(problem)


@settings(deadline=None, max_examples=60, suppress_health_check=SLOW_TO_DRAW)
@given(problems(), st.integers(10**3, 10**4), st.data())
def test_lengths_of_thousands_against_brute_force(problem, factor, data):
    n = len(problem)
    more = np.array(
        data.draw(st.lists(st.sampled_from([0, 0, 1, 7, 999]), min_size=n, max_size=n)),
        dtype=np.int64,
    )
    words, limit = problem.words * factor + more, problem.limit * factor + 999
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(enumeration, "_LARGEST_ROUGH", 2_000)
        check(replace(problem, words=words, limit=limit, word_cost=problem.word_cost / factor))


@example(Problem.build([["a"], ["a", "b"]], [3, 2], [0.0, 0.0], 35, lambda_=1.0))
@settings(deadline=None, max_examples=40, suppress_health_check=SLOW_TO_DRAW)
@given(problems(largest=7))
@pytest.mark.parametrize("solver", PUBLISHED)
def test_the_published_model_writes_the_same_summary(solver, problem):
    if brute_force(problem)[0] is None:
        with pytest.raises(SolverError):
            select(problem, solver=solver)
        return
    ours, paper = select(problem), select(problem, solver=solver)
    assert paper.objective == pytest.approx(ours.objective, abs=1e-9)
    assert paper.chosen == ours.chosen
    assert paper.status == "optimal"


@settings(deadline=None, max_examples=60, suppress_health_check=SLOW_TO_DRAW)
@given(problems(largest=8))
def test_the_core_says_what_the_problem_says(problem):
    try:
        compact = Compact(problem)
    except SolverError:
        return
    core = compact.core(problem.lambda_)
    for chosen in subsets(min(len(core), 6)):
        items = np.array(chosen, dtype=np.int64)
        sentences = core.sentences(chosen)
        assert core.value(items) == pytest.approx(problem.value(sentences), abs=1e-12)
        assert core.allows(items) == problem.allows(sentences)


@settings(deadline=None, max_examples=60, suppress_health_check=SLOW_TO_DRAW)
@given(problems(largest=8))
def test_the_relaxation_bounds_every_set_and_losses_add_up(problem):
    try:
        core = Compact(problem).core(problem.lambda_)
    except SolverError:
        return
    if not len(core):
        return
    root = SearchTree(core, Meter(Limits())).root
    everything = enumeration.Enumeration(core, root, float("inf"))
    seen = []

    def at_leaf(items):
        seen.append(tuple(sorted(items.tolist())))
        return float("inf")

    assert everything.walk(float("inf"), 10**6, at_leaf)[1]
    allowed = {c for c in subsets(len(core)) if core.allows(np.array(c, dtype=np.int64))}
    copies = core.earlier_copies.tolist()
    in_order = {c for c in allowed if all(copies[i] < 0 or copies[i] in c for i in c)}
    assert in_order == set(seen)
    assert len(seen) == len(in_order)
    for chosen in allowed:
        assert core.value(np.array(chosen, dtype=np.int64)) <= root.bound + 1e-9


def test_copies_are_recognised_by_all_that_counts():
    concepts = [["a", "b"], ["a", "b"], ["a", "c"], ["a", "b"], ["a", "b"], ["c"]]
    words, relevance = [3, 3, 3, 3, 4, 3], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    core = Compact(Problem.build(concepts, words, relevance, 20)).core(0.5)
    assert core.earlier_copies.tolist() == [-1, 0, -1, 1, -1, -1]
    tied = Problem.build(concepts, words, relevance, 20, requires=((1, 5),))
    assert Compact(tied).core(0.5).earlier_copies.tolist() == [-1, -1, -1, 0, -1, -1]


@pytest.mark.parametrize("solver", ["highs", "highs-paper"])
def test_no_sentence_fits(solver):
    selection = select(Problem.build([["a"], ["b"]], [30, 40], [1, 1], 20), solver=solver)
    assert selection.chosen == ()
    assert selection.warnings == ("no allowed sentence fits the limits",)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"exclude": (1,)}, "no allowed sentence fits the limits"),
        ({"sentence_limit": 0}, "no allowed sentence fits the limits"),
        ({"word_cost": 9.0}, "no sentence is worth taking"),
        ({"exclude": (0, 1)}, "no sentence is worth taking"),
    ],
)
def test_why_nothing_is_chosen(changes, why):
    problem = replace(Problem.build([["a"], ["b"]], [30, 10], [1, 1], 20), **changes)
    assert select(problem).warnings == (why,)


@pytest.mark.parametrize("solver", ["highs", "highs-paper"])
def test_limits_bind_together(solver):
    concepts, words, relevance = [["a"], ["b"], ["c"], ["d"]], [5, 5, 5, 5], [0.9, 0.8, 0.7, 0.1]

    def chosen(**options):
        return select(
            Problem.build(concepts, words, relevance, 15, lambda_=0.9, **options), solver=solver
        ).chosen

    assert chosen() == (0, 1, 2)
    assert chosen(sentence_limit=2) == (0, 1)
    assert chosen(sentence_limit=2, include=(3,)) == (0, 3)
    assert chosen(sentence_limit=0) == ()
    assert chosen(second_lengths=[9, 1, 1, 1], second_limit=3) == (1, 2, 3)
    # A sentence leaves with the one it requires: 1 would need 0, which is too long.
    assert chosen(second_lengths=[9, 1, 1, 1], second_limit=3, requires=((1, 0),)) == (2, 3)
    assert chosen(documents="AAAB", document_limit=1) == (0, 3)
    assert chosen(documents="AAAB", document_limit=1, exclude=(0,)) == (1, 3)


@pytest.mark.parametrize("lambda_", [0.0, 0.5, 1.0])
def test_equal_relevance_fills_the_limit_exactly(lambda_):
    # 400 sentences of equal value per word, or of none: astronomically many optima, of which the
    # first of those with the most relevance must be returned.
    words = [7 + k % 9 for k in range(400)]
    problem = Problem.build([[] for _ in words], words, [1.0] * 400, 200, lambda_=lambda_)
    selection = select(problem)
    assert selection.status == "optimal"
    assert sum(words[i] for i in selection.chosen) == 200
    assert selection.chosen[:15] == tuple(range(15))
    assert selection.nodes < 100_000


def test_limits_are_marked_and_bounded():
    draw = np.random.default_rng(0)
    concepts = [draw.integers(0, 60, 12).tolist() for _ in range(60)]
    problem = Problem.build(concepts, draw.integers(5, 20, 60), draw.random(60), 90, lambda_=0.3)
    full, cut = select(problem), select(problem, limits=Limits(nodes=1))
    assert (full.status, cut.status) == ("optimal", "limit")
    assert cut.objective <= full.objective <= cut.bound
    assert cut.gap > 0
    assert "limit of 1 node was" in cut.warnings[0]
    assert f"{1 - cut.objective / cut.bound:.2%} below the optimum" in cut.warnings[-1]
    late = select(problem, limits=Limits(seconds=0.0))
    assert late.status == "limit"
    assert "another machine" in late.warnings[0]

    # One that nobody waits for ends at the next node.
    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        select(problem, limits=Limits(stop=stop))


@pytest.mark.parametrize(
    ("solver", "command"),
    [("glpk", "apt-get install glpk-utils"), ("highs", "pip install highspy")],
)
def test_the_command_that_installs_a_missing_solver_is_named(monkeypatch, solver, command):
    monkeypatch.setattr("pulp.GLPK_CMD.available", lambda _: False)
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(SolverError, match=command):
        select(Problem.build([["a", "b"], ["b"]], [5, 4], [0.5, 0.4], 5), solver=solver)


@pytest.mark.parametrize("solver", PUBLISHED)
def test_solvers_leave_nothing_behind(solver, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    select(Problem.build([["a"], ["b"]], [5, 4], [0.5, 0.4], 5), solver=solver)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("solver", PUBLISHED)
@pytest.mark.parametrize("name", ["two words", "50%", "%s $HOME -x"])
def test_the_temporary_folder_may_have_any_name(solver, name, tmp_path, monkeypatch):
    folder = tmp_path / name
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    problem = Problem.build([["a"], ["b"]], [5, 4], [0.5, 0.4], 5)
    assert select(problem, solver=solver).chosen == select(problem).chosen
    assert list(folder.iterdir()) == []


def test_names_that_do_not_exist():
    problem = Problem.build([["a"]], [5], [0.5], 5)
    for call in (lambda: select(problem, solver="gurobi"), lambda: SOLVERS["gurobi"]):
        with pytest.raises(LookupError, match="there are: highs, highs-paper, glpk, cbc"):
            call()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"words": [0]}, "no words"),
        ({"words": [1_000_001], "limit": 2_000_000}, "at most 1,000,000"),
        ({"words": [3, 4]}, "expected one for each"),
        ({"relevance": [1.5]}, "outside"),
        ({"relevance": [float("nan")]}, "outside"),
        ({"price": lambda _: -1.0}, "negative"),
        ({"include": (1,)}, "no sentence 1"),
        ({"requires": ((0, 4),)}, "no sentence 4"),
        ({"second_limit": 9}, "0 values of second_lengths"),
        ({"second_lengths": [1, 2]}, "2 values of second_lengths"),
        ({"document_limit": 1}, "0 values of documents"),
    ],
)
def test_wrong_numbers_are_refused(changes, message):
    given_ = {"concepts": [["a"]], "words": [3], "relevance": [0.5], "limit": 10} | changes
    with pytest.raises(InputError, match=message):
        Problem.build(**given_)


def test_included_sentences_must_fit():
    problem = Problem.build([["a"], ["b"]], [6, 6], [0.5, 0.5], 10, include=(0, 1))
    with pytest.raises(SolverError, match="12 words of 10"):
        select(problem)
    with pytest.raises(SolverError):
        select(problem, solver="highs-paper")


@example(Problem.build([["a"], ["b"]], [1, 1], [0.0, 0.25], 1, lambda_=1.0))
@settings(deadline=None, max_examples=30, suppress_health_check=SLOW_TO_DRAW)
@given(problems(largest=6))
def test_the_same_call_gives_the_same_selection(problem):
    try:
        one, other = select(problem), select(problem)
    except SolverError:
        return
    assert (one.chosen, one.objective, one.nodes) == (other.chosen, other.objective, other.nodes)


@pytest.mark.parametrize("solver", ["highs", "highs-paper"])
def test_a_limit_beyond_all_words_costs_nothing(solver):
    concepts = [["a", "b"], ["b", "c"], ["c"], ["a", "c", "d"], []]
    options = {"lambda_": 0.4, "price": lambda _: 0.1}
    huge, all_ = (
        select(
            Problem.build(concepts, [5, 7, 3, 4, 2], [0.3, 0.5, 0.2, 0.9, 0.0], limit, **options),
            solver=solver,
        )
        for limit in (10**20, 21)
    )
    assert huge.status == all_.status == "optimal"
    # Relevance divided by a huge limit is next to nothing; sentences are still taken for their
    # concepts.
    assert set(huge.chosen) <= set(all_.chosen)
    assert {"a", "b", "c", "d"} == {c for i in huge.chosen for c in concepts[i]}
