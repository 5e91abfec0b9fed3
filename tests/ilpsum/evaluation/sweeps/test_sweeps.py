"""Sweeps: what is tried, the mean over lambda paths, resuming, and scores that are those of `summarize`."""

import shutil
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ilpsum import resources
from ilpsum.answers.steps import Summarizer
from ilpsum.errors import InputError, UsageError
from ilpsum.evaluation.steps import Step
from ilpsum.evaluation.sweeps import running
from ilpsum.evaluation.sweeps.nested import estimates, selector_pairs
from ilpsum.evaluation.sweeps.paths import (
    LambdaInterval,
    Passage,
    TopicPath,
    best_step,
    rank_score,
    score_steps,
)
from ilpsum.evaluation.sweeps.plan import Configuration, Data, Sweep, plan
from ilpsum.evaluation.sweeps.results import Result, best, system_toml
from ilpsum.evaluation.sweeps.running import Runner
from ilpsum.evaluation.sweeps.table import labels, printed, read_sweep, table_of
from ilpsum.files.atomic import locked
from ilpsum.files.idf import DocumentFrequencies
from ilpsum.learning import embeddings
from ilpsum.metrics.rouge import Score, rouge
from ilpsum.pipeline.settings import SHORT
from ilpsum.pipeline.system import System, names, plain
from ilpsum.pipeline.training import folds
from ilpsum.records import Topic
from ilpsum.tasks import read_topics
from tests.systems import placed

METRICS = ("ROUGE-2", "ROUGE-SU4")


@pytest.fixture(scope="module")
def data():
    return Data.of(read_topics([resources.demo()], "tac"))


@pytest.fixture
def sweep(tmp_path):
    """Writes a sweep's file and loads it."""

    def load(text):
        path = tmp_path / "sweep.toml"
        path.write_text(placed(text), encoding="utf-8")
        return Sweep.load(path)

    return load


def run(asked, data, out):
    results, _ = Runner(asked, data, out / "cache").run(plan(asked, "tac", data.kind), out)
    return results


def interval(start, end, score):
    return LambdaInterval(start, end, (), score, 0.0, 0.0, {"ROUGE-2": Score(score, 0.0, 0.0)})


@st.composite
def topic_paths(draw):
    """A path whose breakpoints are multiples of 1/16, which floats hold exactly."""
    breaks = sorted(draw(st.sets(st.integers(1, 15), max_size=6)))
    ends = [0.0, *(b / 16 for b in breaks), 1.0]
    scores = draw(st.lists(st.integers(0, 3), min_size=len(ends) - 1, max_size=len(ends) - 1))
    return TopicPath(
        "t", tuple(interval(a, b, s / 4) for a, b, s in zip(ends, ends[1:], scores, strict=False))
    )


@settings(deadline=None, max_examples=60)
@given(st.lists(topic_paths(), min_size=1, max_size=4))
def test_the_mean_curve_is_the_mean_at_every_lambda(paths):
    steps = score_steps(paths, "recall")
    assert steps[0].start == 0.0
    assert steps[-1].end == 1.0
    assert all(a.end == b.start and a.score != b.score for a, b in pairwise(steps))
    for k in range(32):
        at = (k + 0.5) / 32
        mean = sum(path.at(at).scores["ROUGE-2"].recall for path in paths) / len(paths)
        assert next(s.score for s in steps if at < s.end) == pytest.approx(mean)
    assert best_step(steps).score == max(step.score for step in steps)


def test_the_best_step_is_the_widest_of_equals_and_its_lambda_short():
    steps = [Step(0.0, 0.1, 0.5), Step(0.1, 0.4, 0.2), Step(0.4, 0.71, 0.5), Step(0.71, 1.0, 0.1)]
    assert best_step(steps) == steps[2]
    assert steps[2].inside == 0.6
    assert 0.123456 < Step(0.123456, 0.123458, 1.0).inside < 0.123458


def test_at_a_breakpoint_the_summary_that_ends_there_holds():
    path = TopicPath("t", (interval(0.0, 0.25, 0.5), interval(0.25, 1.0, 0.75)))
    assert path.at(0.25) is path.intervals[0]


def test_parameters_reach_the_systems_they_mean_something_to(sweep):
    text = """system = ["ilp-sum-1-tuned", "GREEDY", "LEAD"]\nfolds = 2
        [parameters]\nlambda = {from = 0, to = 0.3, step = 0.1}\nthreshold = [0.3, 0.5]\ntarget = ["recall"]"""
    groups = plan(sweep(text), "bioasq", "snippets")
    assert [(g[0].system.name, g[0].words, [c.lambda_ for c in g]) for g in groups] == [
        ("ilp-sum-1-tuned", 200, [0.0, 0.1, 0.2, 0.3]),
        ("greedy", 200, [None]),
        ("greedy", 200, [None]),
        ("lead", 200, [None]),
    ]
    assert [g[0].system.selection.threshold for g in groups[1:3]] == [0.3, 0.5]
    assert groups[0][0].system.recipe.target == "recall"


def test_ranges_of_words_may_have_decimal_points(sweep):
    text = 'system = "LEAD"\n[parameters]\nwords = {from = 100.0, to = 200, step = 50.0}'
    assert [g[0].words for g in plan(sweep(text), "tac", "papers")] == [100, 150, 200]


def test_a_sweep_without_training_starts_from_the_model_of_the_kind_of_topic(sweep):
    text = 'system = ["ilp-sum-2-tuned", "gr-sum-2-tuned"]'
    assert [g[0].system.model for g in plan(sweep(text), "tac", "papers")] == [
        "ilp-sum-2-tuned-on-papers"
    ] * 2
    assert [g[0].system.model for g in plan(sweep(text), "bioasq", "snippets")] == [
        "ilp-sum-2-tuned"
    ] * 2


def test_every_setting_of_a_system_can_be_swept(sweep):
    text = """system = "task2"\n[parameters]\nmethod = ["ilp", "lexrank"]\nwords = [60]
    candidates.citances = [false, true]\n"lexrank.damping" = {from = 0.1, to = 0.2, step = 0.1}
    selection.alpha = ["clip", "topic"]"""
    groups = plan(sweep(text), "tac", "papers")
    systems = [group[0].system for group in groups]
    assert [(s.selection.method, s.candidates.citances, s.selection.alpha) for s in systems] == [
        ("ilp", False, "clip"),
        ("ilp", True, "clip"),
        ("ilp", False, "topic"),
        ("ilp", True, "topic"),
        ("lexrank", False, "topic"),
        ("lexrank", False, "topic"),
        ("lexrank", True, "topic"),
        ("lexrank", True, "topic"),
    ]
    damping = [s.parameters_of("lexrank").damping for s in systems if s.relevance is None]
    assert damping == [0.1, 0.2, 0.1, 0.2]
    path = (TopicPath("t", (interval(0.0, 1.0, 0.5),)),)
    results = [Result("r", group[0], "recall", path) for group in groups]
    lines = printed(table_of(sweep(text), Data((), 0, (), "papers"), results, ()).rows)
    shown = [dict(zip(lines[0], line, strict=True)) for line in lines[1:]]
    assert [row["candidates.citances"] for row in shown] == ["false", "true"] * 2 + [
        *["false"] * 2,
        *["true"] * 2,
    ]
    assert [row["lexrank.damping"] for row in shown] == ["-"] * 4 + ["0.1", "0.2"] * 2


def test_what_a_sweep_varies_is_not_tuned(sweep):
    text = (
        'system = "task2"\nfolds = 2\n[parameters]\nselection.word_cost = [0.1, 0.2]\nwords = [9]'
    )
    for group in plan(sweep(text), "tac", "papers"):
        assert (group[0].system.recipe.tune_word_cost, len(group[0].system.recipe.tune)) == ((), 6)


def test_the_training_parameters(sweep):
    groups = plan(
        sweep(
            'system = "ilp-sum-1-tuned"\nfolds = 2\nseed = 5\n[parameters]\nC = [1, 2]\nwords = 9'
        ),
        "tac",
        "papers",
    )
    assert [(c.system.recipe.C, c.system.recipe.seed, c.words) for (c,) in groups] == [
        ((1.0,), 5, 9),
        ((2.0,), 5, 9),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('system = "ilp-sum-1-tuned"\nlamda = 1', "lamda"),
        (
            'system = "ilp-sum-1-tuned"\n[parameters]\nlambda = [1, 1.5]',
            "lambda[1]: expected a number of at most 1.0",
        ),
        (
            'system = "ilp-sum-1-tuned"\n[parameters]\nthreshold = {from = 0, to = 1.5, step = 0.5}',
            "threshold[3]: expected a number of at most 1.0",
        ),
        (
            'system = "ilp-sum-1-tuned"\n[parameters]\nC = [0]',
            "C[0]: expected a number of more than 0.0",
        ),
        ('system = "ilp-sum-1-tuned"\n[parameters]\nlambda = "grid"', "lambda"),
        (
            'system = "ilp-sum-1-tuned"\n[parameters]\nword = [9]',
            "'word' (did you mean words?); there are: ",
        ),
        (
            'system = "ilp-sum-1-tuned"\nfold = 2',
            "unknown key of a sweep 'fold' (did you mean folds?); ",
        ),
        (
            'system = "ilp-sum-1-tuned"\n[parameters]\ncandidates.citance = [true]',
            "there are: candidates.citances, candidates.clean",
        ),
        (
            'system = "ilp-sum-1-tuned"\n[parameters]\nwords = [0]',
            "words[0]: expected a whole number of at least 1",
        ),
        (
            f'system = "ilp-sum-1-tuned"\n[parameters]\nwords = [{10**400}]',
            "number of at most 1000000000",
        ),
        (
            'system = "ilp-sum-1-tuned"\n[parameters]\nlambda = {from = 0, to = 1, step = 0}',
            "step above 0",
        ),
        (
            'system = "ilp-sum-1-tuned"\n[parameters]\nlambda = {from = inf, to = inf, step = 1}',
            "lambda: a range has more than 100000 values",
        ),
        (
            f'system = "ilp-sum-1-tuned"\n[parameters]\nwords = {{from = 1, to = {10**400}, step = 1}}',
            "words: to: ",
        ),
        ('system = "ilp-sum-1-tuned"\n[parameters]\nfeatures = ["nine"]', "nine"),
        ('system = "ilp-sum-1-tuned"\nmetrics = ["ROUGE-X"]', "ROUGE-X"),
        ('system = "ilp-sum-1-tuned"\nfolds = 1', "folds"),
        ('system = "ilp-sum-1-tuned', "sweep.toml"),
    ],
)
def test_a_wrong_file_is_told_in_one_line(sweep, text, told):
    with pytest.raises(InputError) as error:
        sweep(text)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            'system = "ilp-sum-1-tuned"\n[parameters]\nthreshold = [0.4]',
            "ilp-sum-1-tuned: no such parameter as threshold",
        ),
        (
            'system = "LEAD"\n[parameters]\nlambda = "path"',
            "lead.toml: no such parameter as lambda",
        ),
        ('system = "ilp-sum-1-tuned"\n[parameters]\ntarget = ["recall"]', "set folds to 2 or more"),
        ('system = "ilp-sum-one"', "ilp-sum-one"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(sweep, text, told):
    with pytest.raises(UsageError, match=told):
        plan(sweep(text), "tac", "papers")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('system = "ilp-sum-1-tuned"\nfolds = 9', "folds is 9, for 3 topics in 3 groups"),
        ('system = "LEAD"\nnested = 9', "nested is 9, for 3 topics in 3 groups"),
    ],
)
def test_more_folds_than_topics(sweep, data, tmp_path, text, told):
    with pytest.raises(UsageError, match=told):
        run(sweep(text), data, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_exact_path_is_what_summarize_writes(sweep, data, tmp_path):
    exact = sweep('system = "ilp-sum-1-tuned"\n[parameters]\nlambda = "path"\nwords = [60]')
    (result,) = run(exact, data, tmp_path / "out")
    paths = result.paths
    for at in (0.0, 0.13, result.lambda_, 1.0):
        summarizer = Summarizer.load("ilp-sum-1-tuned", lambda_=at)
        for topic, path in zip(data.topics, paths, strict=True):
            summary = summarizer(topic, 60)
            assert path.at(at).objective(at) == pytest.approx(summary.objective, abs=1e-9)
            if (
                0.0 < at < 1.0
            ):  # at the ends, as at a breakpoint, there may be several optimal summaries
                passages = [Passage(*s.place, s.text) for s in summary]
                assert [path.passages[i] for i in path.at(at).chosen] == passages
                assert path.at(at).scores == rouge(summary.text, topic.summaries, METRICS, words=60)
    grid = sweep(
        f'system = "ilp-sum-1-tuned"\n[parameters]\nlambda = [0.5, {result.lambda_!r}]\nwords = [60]'
    )
    read = {r.lambda_: r.score for r in run(grid, data, tmp_path / "grid")}
    assert read[result.lambda_] == pytest.approx(result.score)
    assert read[0.5] <= result.score + 1e-12
    mean = sum(rank_score(path.at(0.5).scores, "recall") for path in paths) / len(paths)
    assert read[0.5] == pytest.approx(mean)


def test_the_best_is_a_system(sweep, data, tmp_path):
    several = sweep(
        'system = ["LEAD", "ilp-sum-1-tuned"]\n[parameters]\nlambda = [0.9]\nalpha = ["clip", "topic"]\nwords = [60]'
    )
    results = run(several, data, tmp_path / "out")
    assert len(results) == 3
    found = best(results)
    assert found.score == max(r.score for r in results)
    for result in results:
        file = tmp_path / "best.toml"
        file.write_text(system_toml(result, data.topics), encoding="utf-8")
        summarizer = Summarizer.load(System.load(file))
        texts = [summarizer(topic, 60).text for topic in data.topics]
        scores = [
            rouge(x, t.summaries, METRICS, words=60)
            for x, t in zip(texts, data.topics, strict=True)
        ]
        assert sum(rank_score(s, "recall") for s in scores) / len(scores) == pytest.approx(
            result.score
        )


@pytest.mark.parametrize("name", [*names(), "concepts:snippets"])
def test_every_system_survives_its_file(tmp_path, name):
    """Nested tables and tables that are left out, too."""
    name, _, kind = name.partition(":")
    system = System.load(name).for_kind(kind or "papers")
    path = TopicPath("t", (interval(0.0, 1.0, 0.5),))
    result = Result("r", Configuration(system, 60, None), "recall", (path,))
    file = tmp_path / f"{name}.toml"
    file.write_text(system_toml(result, [Topic("t")]), encoding="utf-8")
    read, written = plain(System.load(file)), plain(system)
    # The description says who chose the settings.
    assert read.pop("description") == f"{name} with settings that a sweep chose on 1 topic"
    written.pop("description")
    assert read == written


def test_models_are_trained_on_the_other_folds(sweep, data, tmp_path, monkeypatch):
    seen = []
    fit = folds.fit

    def watched(system, examples, **options):
        seen.append([e.topic for e in examples])
        return fit(system, examples, **options)

    monkeypatch.setattr(folds, "fit", watched)
    recipe = "C = [1.0]\ngamma = [0.3]\nepsilon = [0.05]"
    for name, method in (("exact", "ilp"), ("quick", "greedy")):
        text = f'description = "x"\n[relevance]\nfeatures = "ilp-sum-1"\n[recipe]\n{recipe}\n'
        text += f'[selection]\nmethod = "{method}"\n'
        (tmp_path / f"{name}.toml").write_text(text)
    text = 'system = ["exact.toml", "quick.toml"]\nfolds = 3\n[parameters]\nlambda = [0.5, 1.0]\nwords = [60]'
    trained = sweep(text)
    results = run(trained, data, tmp_path / "out")
    ids = [topic.id for topic in data.topics]
    assert [r.values()["system"] for r in results] == ["exact", "exact", "quick"]
    # All three come from one training: neither lambda nor the selector bears on it.
    assert seen == [[t for t in ids if t != left] for left in ids]


def test_systems_that_differ_in_what_they_tune_are_trained_apart(
    sweep, data, tmp_path, monkeypatch
):
    seen = []
    fit = folds.fit

    def watched(system, examples, **options):
        seen.append(system.recipe.tune_word_cost)
        return fit(system, examples, **options)

    monkeypatch.setattr(folds, "fit", watched)
    for name, costs in (("one", "[0.0, 0.1]"), ("other", "[0.0, 40.0]")):
        recipe = f"C = [1.0]\ngamma = [0.3]\nepsilon = [0.05]\ntune_word_cost = {costs}"
        (tmp_path / f"{name}.toml").write_text(
            f'description="x"\n[relevance]\nfeatures="ilp-sum-1"\n[recipe]\n{recipe}\n'
        )
    small = sweep('system = ["one.toml", "other.toml"]\nfolds = 3\n[parameters]\nwords = [60]')
    run(small, data, tmp_path / "out")
    assert seen == [(0.0, 0.1)] * 3 + [(0.0, 40.0)] * 3


@pytest.mark.parametrize("lambda_", ['"path"', "[0.2, 0.7, 0.9]"])
def test_an_interrupted_sweep_computes_only_what_is_missing(
    sweep, data, tmp_path, lambda_, monkeypatch
):
    small = sweep(
        f'system = ["LEAD", "ilp-sum-1-tuned"]\n[parameters]\nlambda = {lambda_}\nwords = [40]'
    )
    whole = run(small, data, tmp_path / "whole")
    seen, called = [], running.Worker.__call__

    def until(most):
        def counted(self, item):
            if len(seen) == most:
                raise KeyboardInterrupt
            seen.append(item[1].id)
            return called(self, item)

        return counted

    monkeypatch.setattr(running.Worker, "__call__", until(4))
    with pytest.raises(KeyboardInterrupt):
        run(small, data, tmp_path / "part")
    # The rows of the configurations that are done are there.
    (first,) = read_sweep(tmp_path / "part").rows
    assert first == read_sweep(tmp_path / "whole").rows[0]
    assert (tmp_path / "part" / f"{first.run}.jsonl").is_file()
    monkeypatch.setattr(running.Worker, "__call__", until(6))
    assert run(small, data, tmp_path / "part") == whole
    assert seen == [topic.id for topic in data.topics] * 2
    kept = [path.name for path in (tmp_path / "whole").iterdir() if path.is_file()]
    assert len(kept) == 2 * len(whole) + 1
    for name in kept:
        assert (tmp_path / "part" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    for name in ("Worker", "prepare"):
        monkeypatch.setattr(running, name, None)
    assert run(small, data, tmp_path / "part") == whole


def test_topics_of_the_same_content_keep_their_names_in_a_cache(sweep, tmp_path):
    (topic,) = read_topics([resources.demo() / "D9001_DEMO"], "tac")
    lead, named = sweep('system = "LEAD"\n[parameters]\nwords = [40]\n'), ("one", "two", "three")
    given = Data.of(replace(topic, id=name) for name in named)
    for _ in range(2):
        (result,) = run(lead, given, tmp_path / "out")
        assert tuple(result.intervals) == named


@pytest.mark.parametrize(
    "damaged",
    [
        lambda entry: entry[:100],
        lambda _: b"[]",
        lambda entry: entry.replace(b"ROUGE-2", b"ROUGE-3"),
        lambda entry: entry.replace(b'"passages":[[', b'"passages":[],"left":[['),
    ],
    ids=["cut off", "of no system", "of another metric", "without its sentences"],
)
def test_a_damaged_entry_of_the_cache_is_computed_again(damaged, sweep, data, tmp_path):
    small = sweep('system = "LEAD"\n[parameters]\nwords = [40]')
    whole = run(small, data, tmp_path)
    for path in (tmp_path / "cache").rglob("*.json"):
        path.write_bytes(damaged(path.read_bytes()))
    assert run(small, data, tmp_path) == whole


def test_other_data_or_settings_are_other_runs(sweep, data, tmp_path):
    settings_ = ["", "stem = true\n", 'measure = "f1"\n', "seed = 2\n"]
    sweeps = [sweep(f'{text}system = "LEAD"\n[parameters]\nwords = [40]') for text in settings_]
    runs = [run(s, data, tmp_path / str(i))[0].run for i, s in enumerate(sweeps)]
    fewer = Data.of(data.topics[1:])
    runs.append(run(sweeps[0], fewer, tmp_path / "fewer")[0].run)
    assert len(set(runs)) == len(runs)
    with pytest.raises(UsageError, match="holds runs of another sweep"):
        run(sweeps[1], data, tmp_path / "0")


def test_a_model_replaced_under_the_same_name_is_another_run(sweep, data, tmp_path):
    runs = []
    for name in ("task2", "concepts-papers", "task2"):
        shutil.copy(resources.models() / f"{name}.npz", tmp_path / "own.npz")
        asked = sweep('system = "task2"\nmodel = "own.npz"\n[parameters]\nlambda = [0.5]')
        runs.append(Runner(asked, data, tmp_path).key(plan(asked, "tac", "papers")[0][0]))
    assert runs[0] == runs[2] != runs[1]


def test_word_vectors_replaced_under_the_same_name_are_another_run(sweep, data, tmp_path):
    text = 'base = "ilp-sum-2-tuned"\n[relevance]\nembeddings = "own.npz"\n'
    (tmp_path / "mine.toml").write_text(text)
    asked = sweep('system = "mine.toml"\nfolds = 2\n[parameters]\nlambda = [0.5]')
    (configuration,) = plan(asked, "tac", "papers")[0]
    runs = []
    for value in (1.0, 2.0, 1.0):
        counts = DocumentFrequencies(2, {})
        embeddings.save(tmp_path / "own.npz", ["moss"], np.full((1, 2), value), counts, {})
        embeddings.digest.cache_clear()
        runs.append(Runner(asked, data, tmp_path).key(configuration))
    assert runs[0] == runs[2] != runs[1]


def test_two_processes_are_kept_apart(sweep, data, tmp_path):
    lead = sweep('system = "LEAD"')
    with (
        locked(tmp_path / ".sweep.lock", "is testing"),
        pytest.raises(UsageError, match="another process"),
    ):
        run(lead, data, tmp_path)


def test_topics_without_gold_are_no_data():
    topics = list(read_topics([resources.demo()], "tac"))
    with pytest.raises(InputError, match="gold"):
        Data.of([])
    assert Data.of(topics).digest != Data.of(topics[::-1]).digest


def outer_folds(asked, data):
    return Runner(asked, data, Path("unused")).outer_fold_of


def test_outer_folds_share_no_document(sweep, data):
    """Questions to one pile stay in one fold, so that no fold is chosen on its own documents."""
    first, second, third = data.topics
    same = replace(second, id="again", query="Newts?", documents=first.documents[:1])
    asked = sweep('system = "LEAD"\nnested = 2')
    folds = outer_folds(asked, Data.of([first, second, same, third]))
    assert folds[first.id] == folds["again"]
    assert set(folds.values()) == {0, 1}
    with pytest.raises(UsageError, match="nested is 3, for 3 topics in 2 groups that share no"):
        outer_folds(sweep('system = "LEAD"\nnested = 3'), Data.of([first, same, third]))


def test_nested_chooses_without_the_fold(sweep, data, tmp_path):
    small = sweep(
        'system = ["LEAD", "ilp-sum-1-tuned"]\nnested = 3\n[parameters]\nlambda = [0.1, 0.9]\nwords = [40]'
    )
    results = run(small, data, tmp_path)
    overall, *selectors = estimates(results, outer_folds(small, data))
    score, chosen = overall.score, overall.chosen
    ids = [topic.id for topic in data.topics]
    expected = []
    for left, result in zip(ids, chosen, strict=True):

        def mean_elsewhere(result, left=left):
            values = [rank_score(result.intervals[t].scores, "recall") for t in ids if t != left]
            return sum(values) / len(values)

        winner = max(results, key=mean_elsewhere)
        assert result.run == winner.run
        assert result.score == pytest.approx(mean_elsewhere(winner))
        expected.append(rank_score(winner.intervals[left].scores, "recall"))
    assert score == pytest.approx(sum(expected) / len(expected))
    assert score <= best(results).score
    assert [estimate.method for estimate in selectors] == ["lead", "ilp"]
    for estimate in selectors:
        own = [result for result in results if result.values()["method"] == estimate.method]
        assert {result.run for result in estimate.chosen} <= {result.run for result in own}
        assert estimate.score <= best(own).score
        assert set(estimate.intervals) == set(ids)


def test_selectors_are_tested_only_where_the_choice_is_nested(sweep, data, tmp_path):
    text = 'system = "task2"\nnested = 3\n[parameters]\nmethod = ["ilp", "greedy"]\nwords = [40]'
    asked = sweep(text)
    twelve = [replace(topic, id=f"{topic.id}-{i}") for i in range(4) for topic in data.topics]
    several = Data.of(twelve)
    results = run(asked, several, tmp_path)
    nested = estimates(results, outer_folds(asked, several))
    (tested,) = selector_pairs(results, nested)[40]
    (untested,) = selector_pairs(results, ())[40]
    assert tested.p_value is not None
    assert untested.p_value is None
    assert untested.difference == pytest.approx(tested.difference)


def test_nested_on_an_exact_path(sweep, data, tmp_path):
    small = sweep(
        'system = "ilp-sum-1-tuned"\nnested = 3\n[parameters]\nlambda = "path"\nwords = [60]'
    )
    results = run(small, data, tmp_path)
    (estimate,) = estimates(results, outer_folds(small, data))
    score, chosen = estimate.score, estimate.chosen
    paths = results[0].paths
    expected = []
    for i, result in enumerate(chosen):
        others = [path for k, path in enumerate(paths) if k != i]
        step = best_step(score_steps(others, "recall"))
        assert result.lambda_ == step.inside
        assert result.score == pytest.approx(step.score)
        expected.append(rank_score(paths[i].at(step.inside).scores, "recall"))
    assert score == pytest.approx(sum(expected) / 3)


def test_the_digest_of_a_configuration_changes_with_its_plug_in(tmp_path, monkeypatch):
    """A selector of another package, edited between two processes."""
    info = tmp_path / "newtsel-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: newtsel\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text("[ilpsum.selectors]\nnewt = newtsel:Newt\n")
    code = 'from ilpsum.selection import Lead\nclass Newt(Lead):\n    name = "newt"\n'
    show = "from ilpsum.evaluation.sweeps.code import code_digests; print(code_digests())"
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    printed = []
    for source in (code, code, code + "    # edited\n"):
        (tmp_path / "newtsel.py").write_text(source)
        done = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True)
        printed.append(done.stdout)
    assert "newtsel 0.1" in printed[0]
    assert printed[0] == printed[1] != printed[2]


def test_the_guide_lists_every_key_of_a_sweep_and_every_parameter():
    guide = (Path(__file__).parents[4] / "docs/guides/comparing.md").read_text(encoding="utf-8")
    section = guide.partition("## Sweep settings")[2].partition("\n## ")[0]
    names = [field.encode_name for field in msgspec.structs.fields(Sweep)]
    for name in (*names, "words", *(name for name in SHORT if name != "solver")):
        assert f"`{name}`" in section or f"`[{name}]`" in section
    assert "any key of `ilpsum systems --settings`" in section


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'system = ["ilp-sum-1-tuned", "ilp-sum-2-tuned"]\n[parameters]\nalpha = ["topic", "clip"]',
            [
                "ilp-sum-1-tuned, alpha topic",
                "ilp-sum-1-tuned, alpha clip",
                "ilp-sum-2-tuned, alpha topic",
                "ilp-sum-2-tuned, alpha clip",
            ],
        ),
        (
            'system = "ilp-sum-1-tuned"\nfolds = 3\n[parameters]\nfeatures = ["ilp-sum-1", "ilp-sum-1 + length"]',
            ["features ilp-sum-1", "features ilp-sum-1 + length"],
        ),
        ('system = "LEAD"', ["lead"]),
    ],
)
def test_labels_have_what_tells_configurations_apart(sweep, text, expected):
    groups = plan(sweep(text), "tac", "papers")
    path = (TopicPath("t", (interval(0.0, 1.0, 0.5),)),)
    results = [Result("r", group[0], "recall", path) for group in groups]
    rows = table_of(sweep(text), Data((), 0, (), "papers"), results, ()).rows
    assert labels(rows) == expected
