"""Features, targets and models on disk: found again by their content, never wrong, never needed."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

import ilpsum
from ilpsum import resources
from ilpsum.formats import read_topics
from ilpsum.learning import relevance
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training import cache, examples, fitting
from ilpsum.pipeline.training.cache import Cache
from ilpsum.pipeline.training.examples import prepare
from ilpsum.pipeline.training.fitting import fit

TEXT = """description = "small"
[relevance]
features = "{features}"
[recipe]
target = "{target}"
C = [1.0]
gamma = [0.1]
epsilon = [0.1]
"""


@pytest.fixture
def system(tmp_path):
    def load(features="ilp-sum-1", target="recall"):
        path = tmp_path / "small.toml"
        path.write_text(TEXT.format(features=features, target=target))
        return System.load(path)

    return load


@pytest.fixture(scope="module")
def topics():
    return list(read_topics([resources.demo()], "tac"))


def same(some, others):
    assert [e.topic for e in some] == [e.topic for e in others]
    for a, b in zip(some, others, strict=True):
        assert a.sentences == b.sentences
        assert a.digest == b.digest
        np.testing.assert_array_equal(a.matrix, b.matrix)
        np.testing.assert_array_equal(a.targets, b.targets)
        assert a.around.section == b.around.section


def never(*_, **__):
    raise AssertionError("computed again")


def test_what_is_known_is_not_computed_again(system, topics, tmp_path, monkeypatch):
    plain, without = prepare(system(), [*topics, replace(topics[0], id="blind", summaries=())])
    store = Cache(tmp_path / "cache")
    same(prepare(system(), topics, cache=store)[0], plain)
    for name in ("candidates", "sentence_targets"):
        monkeypatch.setattr(examples, name, never)
    found, missing = prepare(system(), [*topics, replace(topics[0], id="blind", summaries=())], cache=store)
    same(found, plain)
    assert missing == without == 1
    assert store.size() == sum(p.stat().st_size for p in (tmp_path / "cache").rglob("*.npz")) > 0


def test_known_and_unknown_topics_keep_their_order(system, topics, tmp_path):
    store = Cache(tmp_path / "cache")
    prepare(system(), topics[1:2], cache=store)
    same(prepare(system(), topics, cache=store)[0], prepare(system(), topics)[0])


def test_another_text_setting_gold_or_code_is_another_entry(system, topics, tmp_path, monkeypatch):
    (topic,) = topics[:1]
    document = topic.documents[0]
    other = replace(topic, documents=(replace(document, text=document.text + " "), *topic.documents[1:]))

    def key(topic=topic, **settings):
        known = system(**settings)
        return examples._key(known, known.relevance, topic)

    keys = [key(), key(other), key(replace(topic, summaries=("Other words.",)))]
    keys += [key(features="task2"), key(target="precision")]
    assert len(set(keys)) == len(keys)
    assert key(replace(topic, warnings=("repaired",))) == keys[0]
    monkeypatch.setattr(cache, "_code", lambda: "changed")
    assert key() not in keys


def test_other_vectors_are_another_entry(tmp_path, topics):
    file, path = tmp_path / "v.npz", tmp_path / "vectors.toml"
    path.write_text(f'description = "x"\n[relevance]\nfeatures = "ilp-sum-2"\nembeddings = "{file}"\n')
    keys = []
    for content in (b"1", b"2"):
        file.write_bytes(content)
        examples.vectors_digest.cache_clear()
        known = System.load(path)
        keys.append(examples._key(known, known.relevance, topics[0]))
    assert keys[0] != keys[1]


def test_a_damaged_entry_is_made_again(system, topics, tmp_path, monkeypatch):
    store = Cache(tmp_path / "cache")
    plain = prepare(system(), topics, cache=store)[0]
    for path in (tmp_path / "cache").rglob("*.npz"):
        path.write_bytes(path.read_bytes()[:100])
    same(prepare(system(), topics, cache=store)[0], plain)
    monkeypatch.setattr(examples, "sentence_targets", never)
    same(prepare(system(), topics, cache=store)[0], plain)


def test_all_of_ilpsum_is_part_of_every_key(tmp_path, monkeypatch):
    """A change of the pipeline or the selection, say, makes other entries."""
    assert (Path(ilpsum.__file__).parent / "pipeline").is_dir()
    (tmp_path / "pipeline").mkdir()
    file = tmp_path / "pipeline" / "candidates.py"
    monkeypatch.setattr(cache, "resources", SimpleNamespace(__file__=str(tmp_path / "__init__.py")))
    digests = set()
    for content in ("1", "2"):
        file.write_text(content)
        digests.add(cache._code.__wrapped__())
    assert len(digests) == 2


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
def test_whatever_training_depends_on_makes_another_model(system, changes):
    def settings(recipe=None, selection=None, words=60):
        plain = system()
        changed = {
            "recipe": msgspec.structs.replace(plain.recipe, **(recipe or {})),
            "selection": msgspec.structs.replace(plain.selection, **(selection or {})),
        }
        return fitting.training_settings(msgspec.structs.replace(plain, **changed), words)

    assert settings(**changes) not in (settings(), settings(recipe={"tune_word_cost": (0.0, 0.1)}))


def test_without_tuning_neither_lambda_nor_words_make_another_model(system):
    greedy = msgspec.structs.replace(system().selection, method="greedy", lambda_=0.1)
    other = msgspec.structs.replace(system(), selection=greedy, name="other", description="other")
    assert fitting.training_settings(other, 100) == fitting.training_settings(system(), 60)


def with_trees(rounds=6):
    """Trees with a lexicon, small: a relevance model for all topics and one for each of three folds."""
    chosen = System.load("concepts-snippets")
    trees = msgspec.structs.replace(chosen.recipe.trees, rounds=rounds, least=5, members=1)
    return msgspec.structs.replace(chosen, recipe=msgspec.structs.replace(chosen.recipe, trees=trees))


def arrays_of(model, folder):
    model.save(folder / "model.npz")
    with np.load(folder / "model.npz") as stored:
        return {name: stored[name] for name in stored.files}


def test_an_interrupted_training_continues_and_gives_the_same_model(topics, tmp_path, monkeypatch):
    system = with_trees()
    prepared, _ = prepare(system, topics)
    whole = arrays_of(fit(system, prepared), tmp_path)
    store, trained, fitted = Cache(tmp_path / "cache"), [], relevance.fit

    def until(most):
        def counting(*given):
            if len(trained) == most:
                raise KeyboardInterrupt
            trained.append(given)
            return fitted(*given)

        return counting

    monkeypatch.setattr(relevance, "fit", until(3))
    with pytest.raises(KeyboardInterrupt):
        fit(system, prepared, cache=store)
    assert len(trained) == 3
    monkeypatch.setattr(relevance, "fit", until(4))
    again = arrays_of(fit(system, prepared, cache=store), tmp_path)
    assert len(trained) == 4, "three of the four models were there"
    monkeypatch.setattr(relevance, "fit", never)
    for found in (again, arrays_of(fit(system, prepared, cache=store), tmp_path)):
        assert whole.keys() == found.keys()
        for name, array in whole.items():
            np.testing.assert_array_equal(found[name], array)


def test_a_relevance_model_of_other_settings_or_examples_is_trained(topics, tmp_path):
    prepared, _ = prepare(with_trees(), topics)
    store = Cache(tmp_path / "cache")

    def kept():
        return len(list((tmp_path / "cache" / "relevance").rglob("*.npz")))

    fit(with_trees(), prepared, cache=store)
    assert kept() == 4
    fit(with_trees(rounds=7), prepared, cache=store)
    assert kept() == 8
    fit(with_trees(), [replace(prepared[0], targets=prepared[0].targets + 0.1), *prepared[1:]], cache=store)
    assert kept() == 11, "that of the fold of the changed example is known"
