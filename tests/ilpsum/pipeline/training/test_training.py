"""Training: targets, sampling, folds, and that a trained system can be used."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest

from features.sets import feature_set
from features.stacking import COLUMNS
from ilpsum import resources
from ilpsum.errors import InputError, UsageError
from ilpsum.files.processes import Processes
from ilpsum.files.work import Work
from ilpsum.learning.boosted_trees import TreeParameters
from ilpsum.learning.models import SystemModel, looked_again
from ilpsum.learning.stored import flatten
from ilpsum.metrics.rouge import rouge
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.settings import with_settings
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training import fitting
from ilpsum.pipeline.training.examples import Example, example, prepare, sample, sentence_targets
from ilpsum.pipeline.training.fitting import FOLDS, fit, fit_relevance, train
from ilpsum.records import Document, FoundDocument, SearchResult, Sentence, Topic
from ilpsum.tasks import read_topics
from tests.systems import GREEDY, LEAD


def small(name: str, **recipe: object) -> System:
    """A system for papers whose search is a single point, so that a test takes a second."""
    system = System.load(name).for_kind("papers")
    if system.recipe.trees:
        recipe["trees"] = msgspec.structs.replace(
            system.recipe.trees, rounds=10, least=5, members=1
        )
    recipe = {"C": (1.0,), "gamma": (0.1,), "epsilon": (0.1,), **recipe}
    return msgspec.structs.replace(system, recipe=msgspec.structs.replace(system.recipe, **recipe))


@pytest.fixture(scope="module")
def topics() -> list[Topic]:
    return [t for t in read_topics([resources.demo()], "tac") if isinstance(t, Topic)]


@pytest.fixture(scope="module")
def examples(topics: list[Topic]) -> list[Example]:
    return prepare(small("concepts"), topics)[0]


def test_marked_sentences_have_half_of_their_trigrams_in_one_snippet():
    texts = (
        "Grey newts sing in cold ponds",  # 2 of 4 trigrams in the first snippet
        "Grey newts sing of cold ponds at night",  # 1 and 1 of 6
        "Newts sing",  # no trigram
    )
    sentences = [Sentence(text, "d", 0, len(text), len(text.split())) for text in texts]
    topic = Topic(
        "t",
        summaries=("Newts sing.",),
        snippets=("The grey newts sing in ponds.", "cold ponds at night"),
    )
    assert sentence_targets(sentences, topic, "snippet", stem=True).tolist() == [1, 0, 0]
    assert sentence_targets(sentences, Topic("t"), "snippet", stem=True).tolist() == [0, 0, 0]


def test_targets_are_the_mean_of_rouge_2_and_su4():
    gold = ["Velin 2 binds the wing.", "Frost lowers velin 2 at the wing."]
    texts = ["Velin 2 binds the wing at frost.", "Nothing of the kind.", "of"]
    sentences = [Sentence(t, "d", 0, 1, len(t.split())) for t in texts]
    for target in ("recall", "precision"):
        got = sentence_targets(sentences, Topic("t", summaries=tuple(gold)), target, stem=True)
        for text, value in zip(texts, got, strict=True):
            scores = rouge(text, gold, ("ROUGE-2", "ROUGE-SU4"), stem=True)
            assert value == pytest.approx(np.mean([getattr(s, target) for s in scores.values()]))


@pytest.mark.parametrize(
    "name", ["ilp-sum-1-tuned", "task2", "concepts", "concepts-snippets", "concepts-abstracts"]
)
def test_a_trained_system_summarises(topics, name):
    system = small(name)
    model = train(system, topics)
    assert model.metadata.topics == 3
    assert (model.weights is not None) == (system.selection.weights == "learned")
    assert (model.lambda_ in system.recipe.tune) == bool(system.recipe.tune)
    summary = Pipeline(system, model)(topics[0])
    assert 150 < len(summary.text.split()) <= 250
    assert train(system, topics).metadata == model.metadata, "training is deterministic"


def test_the_price_of_words_is_tuned_for_f1(topics):
    system = small("concepts", tune_word_cost=(0.05, 0.1, 0.15, 0.2, 0.25), criterion="f1")
    model = train(system, topics)
    costs = system.recipe.tune_word_cost
    assert [cost for _, cost, _ in model.metadata.tuned] == list(costs)
    best = max(model.metadata.tuned, key=lambda row: (row[2], row[1]))
    assert model.word_cost == best[1]
    assert Pipeline(system, model).system.selection.word_cost == best[1]


def test_the_threshold_is_tuned_on_scores_of_models_that_have_not_seen_the_topic(topics, examples):
    """Against the plain loop: each topic by the model of the others, greedily at each threshold."""
    values = (0.0, 0.1, 0.2, 0.4)
    system = with_settings(
        small("ilp-sum-1-tuned", tune_threshold=values), {"selection.method": "greedy"}
    )
    prepared = prepare(system, topics)[0]
    model = fit(system, prepared, words=60)
    means = dict.fromkeys(values, 0.0)
    for left, topic in zip(prepared, topics, strict=True):
        rest = replace(
            fit(small(GREEDY, tune_threshold=()), [e for e in prepared if e is not left]),
            threshold=None,
        )
        for value in values:
            at = with_settings(system, {"selection.threshold": value})
            text = Pipeline(at, rest)(topic, 60).text
            scores = rouge(text, topic.summaries, ("ROUGE-2", "ROUGE-SU4"), words=60)
            means[value] += sum(s.recall for s in scores.values()) / len(scores) / len(topics)
    assert dict(model.metadata.thresholds) == pytest.approx(means)
    assert len(set(means.values())) > 1
    assert model.threshold == max(
        values, key=lambda value: (dict(model.metadata.thresholds)[value], value)
    )
    assert Pipeline(system, model).system.selection.threshold == model.threshold
    written = with_settings(system, {"selection.threshold": 0.4})
    assert Pipeline(written, model).system.selection.threshold == 0.4, (
        "what is written counts before it"
    )
    assert (
        Pipeline(with_settings(system, {"selection.method": "ilp"}), model)(
            topics[0], 60
        ).settings.system.threshold
        is None
    )


def test_parameters_are_searched_on_a_sample(topics, monkeypatch):
    seen: list[int] = []
    monkeypatch.setattr(
        fitting.relevance,
        "search",
        lambda m, t, f, s, grid, *rest: seen.append(sum(map(len, t))) or grid[0],
    )
    for size in (40, 0):
        model = train(
            small(
                "ilp-sum-1-tuned", C=(0.1, 1.0), search_sample=size, sample=60, tune_threshold=()
            ),
            topics,
        )
        assert model.metadata.sentences == 60
    assert seen == [40, 60]


@pytest.mark.parametrize(("epsilon", "told"), [(0.9, 1), (0.1, 0)])
def test_an_svr_without_support_vectors_is_told(topics, epsilon, told):
    warnings: list[str] = []
    model = train(small("task2", epsilon=(epsilon,)), topics, work=Work(warn=warnings.append))
    assert len(warnings) == told
    assert all("no support vectors: all sentences have the same" in line for line in warnings)
    assert model.relevance.is_constant == bool(told)


def test_each_stage_of_a_training_reports_its_progress(topics):
    stages: dict[str, int] = {}

    def progress(items: Iterable[Any], what: str) -> Iterator[Any]:
        for item in items:
            stages[what] = stages.get(what, 0) + 1
            yield item

    train(small("concepts", C=(0.5, 1.0), tune=(0.5, 0.9)), topics, work=Work(progress=progress))
    folds = min(len(topics), FOLDS)
    assert stages["trainings of the search"] == 2 * folds
    assert stages["features and targets"] == len(topics)
    assert stages["relevance models"] == 1 + folds
    assert stages["concepts"] == len(topics)
    assert stages["lambda"] == folds


def test_both_selectors_are_tuned_in_one_training(topics):
    system = small("ilp-sum-1-tuned", tune=(0.5, 1.0), tune_threshold=(0.2, 0.6))
    model = train(system, topics, words=60)
    assert [value for value, _, _ in model.metadata.tuned] == [0.5, 1.0]
    assert [value for value, _ in model.metadata.thresholds] == [0.2, 0.6]
    alone = train(small("ilp-sum-1-tuned", tune=(0.5, 1.0), tune_threshold=()), topics, words=60)
    assert (alone.lambda_, alone.threshold) == (model.lambda_, None)


def test_lambda_is_tuned_by_the_selector_of_the_system(topics):
    system = small("task2", tune=(0.0, 0.3, 0.6, 0.9))
    gain = with_settings(system, {"selection.method": "gain"})
    exact = train(system, topics, words=60)
    by_gain = train(gain, topics, words=60)
    assert [score for *_, score in exact.metadata.tuned] != [
        score for *_, score in by_gain.metadata.tuned
    ]
    summary = Pipeline(gain, by_gain)(topics[0], 60)
    assert (summary.status, summary.settings.objective.lambda_) == ("gain", by_gain.lambda_)
    assert len(summary.text.split()) <= 60


def test_a_topic_that_comes_twice_is_on_one_side_of_a_fold(examples, monkeypatch):
    """In the search as well as in stacking: the grid has two points."""
    from ilpsum.learning import relevance

    owner = {id(e.matrix): e.topic for e in examples}
    sides: list[list[str]] = []
    fitted = relevance.fit

    def spy(columns: object, m: list[np.ndarray], *rest: object) -> object:
        sides.append([owner[id(x)] for x in m])
        return fitted(columns, m, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(relevance, "fit", spy)
    fit(small("concepts", C=(0.5, 1.0)), [*examples, *examples])
    search, (whole, *stacking) = sides[:6], sides[6:]
    assert len(whole) == 6
    for trained_on in (*search, *stacking):
        assert len(trained_on) == 4
        assert len(set(trained_on)) == 2, (
            "a topic is either in the fold or outside, with both its examples"
        )
    assert len({frozenset(t) for t in search}) == len(stacking) == 3


def test_a_second_look_learns_from_predictions_outside_the_folds(examples, tmp_path):
    trees = TreeParameters(rounds=5, least=2, members=1)
    plain = small("concepts", second=trees, tune=())
    recipe = msgspec.structs.replace(plain.recipe, trees=trees)
    selection = msgspec.structs.replace(plain.selection, weights="equal")
    system = msgspec.structs.replace(plain, selection=selection, recipe=recipe)
    model = fit(system, examples)
    assert model.second is not None
    columns = feature_set(system.relevance.features).columns if system.relevance else ()
    assert model.second.columns == (*columns, *COLUMNS)
    e = examples[0]
    first = model.relevance.predict(e.matrix)
    both = model.predict(e.matrix, e.around)
    again, most = looked_again(e.matrix, e.around, first), np.argsort(-first, kind="stable")
    np.testing.assert_array_equal(both[most[:64]], model.second.predict(again)[most[:64]])
    np.testing.assert_array_equal(both[most[64:]], first[most[64:]])
    assert (both != first).any()
    # The second model learned from the models of the other folds, which predict something else.
    folds = fitting.fit_relevance(system, examples, fitting.outside_folds(examples), trees)
    stacked = fitting.fit_second(trees, system.recipe.scaling, examples, folds)
    features = looked_again(e.matrix, e.around, first)
    np.testing.assert_array_equal(stacked.predict(features), model.second.predict(features))
    itself = fitting.fit_second(
        trees, system.recipe.scaling, examples, [model.relevance] * len(folds)
    )
    assert (itself.predict(features) != stacked.predict(features)).any()
    model.save(tmp_path / "m.npz")
    np.testing.assert_array_equal(
        SystemModel.load(tmp_path / "m.npz").predict(e.matrix, e.around), both
    )
    with pytest.raises(UsageError, match="excludes learned weights and tuning"):
        fit(small("concepts", second=trees), examples)


def test_the_kind_of_the_topics_chooses_the_recipe(topics, monkeypatch):
    trained: list[System] = []
    model = train(small("ilp-sum-1-tuned"), topics)

    def fit_nothing(system, *_, **__):
        trained.append(system)
        return model

    monkeypatch.setattr(fitting, "fit", fit_nothing)
    question = Topic("q", "What binds velin?", summaries=("Velin 2 binds the wing.",))
    text = "Velin 2 binds the wing at frost and in the thaw. Moss grows on the wall of the garden in spring."
    nothing = replace(question, id="nothing")
    snippets = replace(question, documents=(Document("d", text, role="snippet"),))
    abstracts = replace(question, documents=(Document("d", text),))
    for given in (topics, [nothing, snippets], [nothing, abstracts]):
        train(System.load("concepts"), given)
    assert [s.model for s in trained] == [
        "concepts-papers",
        "concepts-snippets",
        "concepts-abstracts",
    ]
    assert [s.name for s in trained] == ["concepts"] * 3
    assert [s.recipe for s in trained] == [System.load(s.model).recipe for s in trained]


def test_a_topic_without_gold_is_left_out_and_counted(topics):
    blind = replace(topics[0], id="blind", summaries=())
    model = train(small("ilp-sum-1-tuned"), [blind, *topics])
    assert model.metadata.topics == 3
    assert model.metadata.topics_without_gold == 1
    with pytest.raises(InputError, match="no topic with gold summaries"):
        train(small("ilp-sum-1-tuned"), [blind])
    with pytest.raises(UsageError, match="lead has no model to train"):
        train(System.load(LEAD), topics)


def test_one_topic_is_too_few_to_search_on(topics):
    with pytest.raises(InputError, match="cannot be split for cross-validation; name two or more"):
        train(System.load("task2"), topics[:1])
    assert train(small("task2"), topics[:1]).metadata.topics == 1


def test_processes_change_nothing(topics, examples):
    apart = prepare(small("concepts"), topics, engine=Processes(2))[0]
    for one, other in zip(examples, apart, strict=True):
        np.testing.assert_array_equal(one.matrix, other.matrix)
        assert one.digest == other.digest


def test_processes_train_the_same_models(topics):
    system = small("concepts-snippets")
    examples, _ = prepare(system, topics)
    trainings = [range(3), [0, 1]]
    here = fit_relevance(system, examples, trainings, system.recipe.grid[0])
    apart = fit_relevance(system, examples, trainings, system.recipe.grid[0], Work(Processes(2)))
    for one, other in zip(here, apart, strict=True):
        for (name, array), (same, same_array) in zip(
            flatten(one)[1].items(), flatten(other)[1].items(), strict=True
        ):
            assert name == same
            np.testing.assert_array_equal(array, same_array)


def test_sampling_keeps_the_order_and_the_count(examples):
    kept = sample(examples, 50, seed=3)
    assert sum(len(e.targets) for e in kept) == 50
    for whole, part in zip(examples, kept, strict=True):
        rows = {tuple(row) for row in whole.matrix.tolist()}
        assert all(tuple(row) in rows for row in part.matrix.tolist())
    assert sample(examples, 0, seed=3) == list(examples)
    np.testing.assert_array_equal(sample(examples, 50, seed=3)[0].matrix, kept[0].matrix)


def test_shares_count_the_golds_that_hold_a_concept(examples):
    e = replace(examples[0], summaries=("velin two binds", "velin two falls", "nothing"))
    assert e.shares([("velin", "two"), ("two", "bind"), ("no", "such")], "stems").tolist() == [
        2 / 3,
        1 / 3,
        0,
    ]


def test_a_topic_whose_search_missed_all_relevant_documents_teaches_nothing(topics):
    found = tuple(FoundDocument(d.id, 1.0) for d in topics[0].documents)
    searched = replace(
        topics[0], search=SearchResult(searched=9, query=topics[0].query, found=found)
    )
    ids = tuple(d.id for d in searched.documents)
    system = small("concepts-abstracts")
    assert example(system, replace(searched, relevant=("elsewhere",))) is None
    assert example(system, replace(searched, relevant=("elsewhere", ids[0]))) is not None
    assert example(system, searched) is not None


@pytest.mark.parametrize(
    "changes",
    [
        {"recipe": {"tune_word_cost": (0.0, 0.2)}},
        {"recipe": {"tune_word_cost": (0.0, 0.1), "criterion": "f1"}},
        {"recipe": {"tune_word_cost": (0.0, 0.1)}, "words": 100},
        {"recipe": {"tune_word_cost": (0.0, 0.1)}, "selection": {"lambda_": 0.3}},
        {"recipe": {"scaling": "training"}},
        {"recipe": {"seed": 2}},
        {"selection": {"concepts": "stems"}},
        {"selection": {"weights": "learned"}},
    ],
)
def test_whatever_training_depends_on_makes_another_model(changes):
    plain = small("ilp-sum-1-tuned", tune_threshold=())

    def settings(
        recipe: dict[str, Any] | None = None,
        selection: dict[str, Any] | None = None,
        words: int = 60,
    ) -> bytes:
        changed = {
            "recipe": msgspec.structs.replace(plain.recipe, **(recipe or {})),
            "selection": msgspec.structs.replace(plain.selection, **(selection or {})),
        }
        return fitting.training_settings(msgspec.structs.replace(plain, **changed), words)

    assert settings(**changes) not in (settings(), settings(recipe={"tune_word_cost": (0.0, 0.1)}))


def test_without_tuning_neither_lambda_nor_words_make_another_model():
    plain = small("ilp-sum-1-tuned", tune_threshold=())
    greedy = msgspec.structs.replace(plain.selection, method="greedy", lambda_=0.1)
    other = msgspec.structs.replace(plain, selection=greedy, name="other", description="other")
    assert fitting.training_settings(other, 100) == fitting.training_settings(plain, 60)
