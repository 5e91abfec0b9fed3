"""Trained models: how they are kept, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.concepts import COLUMNS as BIGRAM_COLUMNS
from ilpsum.errors import ModelError
from ilpsum.files import persistence
from ilpsum.learning import log_linear, relevance
from ilpsum.learning.boosted_trees import TreeParameters
from ilpsum.learning.models import ModelMetadata, SystemModel
from ilpsum.learning.relevance import SvrParameters
from ilpsum.learning.stored import flatten, rebuild
from ilpsum.pipeline.summarizer import load_model
from ilpsum.pipeline.system import KINDS, System, names

COLUMNS = ("a", "b", "c")


@pytest.fixture(scope="module")
def model() -> SystemModel:
    rng = np.random.default_rng(7)
    matrices = [rng.random((12, 3)) for _ in range(4)]
    sentences = relevance.fit(
        COLUMNS, matrices, [m[:, 0] for m in matrices], "training", SvrParameters(1.0, 0.5, 0.05)
    )
    return SystemModel(sentences, lambda_=0.9, metadata=ModelMetadata(topics=4))


@pytest.fixture
def path(model: SystemModel, tmp_path: Path) -> Path:
    model.save(tmp_path / "m.npz")
    return tmp_path / "m.npz"


def test_a_saved_model_predicts_the_same(model, path):
    again = SystemModel.load(path)
    matrix = np.random.default_rng(1).random((5, 3))
    np.testing.assert_allclose(
        again.relevance.predict(matrix), model.relevance.predict(matrix), atol=1e-6
    )
    assert (again.lambda_, again.metadata, again.weights) == (0.9, ModelMetadata(topics=4), None)
    first = path.read_bytes()
    again.save(path)
    assert path.read_bytes() == first, "equal models give equal bytes"


def test_boosted_trees_are_kept_to_the_last_bit(tmp_path):
    rng = np.random.default_rng(5)
    matrices = [rng.random((40, 3)) for _ in range(3)]
    trained = relevance.fit(
        COLUMNS, matrices, [m[:, 1] for m in matrices], "both", TreeParameters(rounds=9, least=3)
    )
    SystemModel(trained, lambda_=0.1, word_cost=0.2, threshold=0.3).save(tmp_path / "m.npz")
    again = SystemModel.load(tmp_path / "m.npz")
    np.testing.assert_array_equal(
        again.relevance.predict(matrices[0]), trained.predict(matrices[0])
    )
    assert (again.lambda_, again.word_cost, again.threshold) == (0.1, 0.2, 0.3)
    assert again.relevance.parameters == trained.parameters


def test_a_model_whose_parts_do_not_fit_together_is_refused(model, tmp_path):
    description, arrays = flatten(model)
    for part, wrong, said in (
        ("columns", ["a", "b"], "does not take 2 columns"),
        ("scaling", {"type": "Scaling", "name": "none"}, "unknown scaling 'none'"),
        ("regression", {"type": "RelevanceModel"}, "is missing"),
    ):
        relevance = description["relevance"] | {part: wrong}
        persistence.save(tmp_path / "m.npz", "system", 3, {"relevance": relevance}, arrays)
        with pytest.raises(ModelError, match=said):
            SystemModel.load(tmp_path / "m.npz")


def test_concept_weights_are_saved_too(model, tmp_path):
    rng = np.random.default_rng(3)
    x = rng.random((50, len(BIGRAM_COLUMNS)))
    trained = log_linear.fit_weights([x[:20], x[20:]], [x[:20, 0], x[20:, 0]], 0.01)
    SystemModel(model.relevance, trained).save(tmp_path / "m.npz")
    again = SystemModel.load(tmp_path / "m.npz").weights
    assert again is not None
    np.testing.assert_array_equal(again.predict(x), trained.predict(x))
    with pytest.raises(ValueError, match="concept weights: expected 30 or 41 features"):
        log_linear.fit_weights([x[:, :4]], [x[:, 0]], 0.01)


def test_a_model_for_another_system_is_refused(path):
    said = (
        r"m\.npz: trained on other features \(3 columns, c among them\) than .* has \(2 columns\)"
    )
    with pytest.raises(ModelError, match=said):
        SystemModel.load(path).require(("a", "b"), path=path)
    with pytest.raises(
        ModelError, match=r"m\.npz: trained for a system without learned concept weights"
    ):
        SystemModel.load(path).require(COLUMNS, weights=True, path=path)


@pytest.mark.parametrize("keep", [0, 10, 400, -1])
def test_a_damaged_file_is_refused(path, keep):
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ModelError, match="damaged"):
        SystemModel.load(path)


def test_changed_numbers_are_noticed(path):
    with np.load(path) as stored:
        arrays = dict(stored)
    arrays["relevance.regression.dual"] += 1e-9
    with path.open("wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(ModelError, match="do not match its digest"):
        SystemModel.load(path)


UNTRAINED = {
    *("baseline-1", "baseline-2", "baseline-1", "baseline-2"),
    *("ilp-sum-0", "ilp-sum-1"),
}
"""Systems that need a model of one's own."""


def test_all_models_that_ship_can_be_read():
    for name in names():
        system = System.load(name)
        for kind in KINDS:
            part = system.for_kind(kind)
            if part.learns and name not in UNTRAINED:
                model = load_model(part)
                assert model is not None
                assert model.metadata.target == part.recipe.target
                assert model.relevance.scaling.name == part.recipe.scaling
                assert model.relevance.parameters in part.recipe.grid, name


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), min_size=1))
)
def test_string_tables_survive_packing(strings):
    assert persistence.unpack(persistence.pack(strings)) == tuple(strings)


@pytest.mark.parametrize("strings", [["a\nb"], [""]])
def test_strings_that_a_table_cannot_hold_are_refused(strings):
    with pytest.raises(ValueError, match="cannot hold"):
        persistence.pack(strings)


def test_other_versions_kinds_and_parts_are_refused(tmp_path):
    path = tmp_path / "m.npz"
    persistence.save(path, "system", 99, {}, {})
    with pytest.raises(ModelError, match=r"format version 99 .* reads version 3; train it again"):
        SystemModel.load(path)
    persistence.save(path, "parser", 1, {}, {})
    with pytest.raises(ModelError, match="expected a model of the kind 'system', got 'parser'"):
        SystemModel.load(path)
    persistence.save(path, "system", 3, {"relevance": {}}, {})
    with pytest.raises(ModelError, match="a part of the model is missing"):
        SystemModel.load(path)
    with pytest.raises(ModelError, match="no such model file"):
        SystemModel.load(tmp_path / "none.npz")


def test_a_pickle_is_not_unpickled(tmp_path):
    path = tmp_path / "m.npz"
    with path.open("wb") as file:
        np.savez(
            file,
            description=np.array([{"format": "ilpsum-model"}], dtype=object),
            allow_pickle=True,
        )
    with pytest.raises(ModelError, match="not an ilpsum model"):
        SystemModel.load(path)


@pytest.mark.parametrize(
    ("parameters", "written"),
    [
        (SvrParameters(1.0, 0.01, 0.05), "SVR with C 1, gamma 0.01, epsilon 0.05"),
        (
            TreeParameters(rounds=9, least=3, seed=2_000_000),
            "trees with rounds 9, rate 0.05, leaves 12, least 3, share 0.5, members 3, seed 2000000",
        ),
    ],
)
def test_a_description_has_the_parameters_in_words(parameters, written):
    x = np.random.default_rng(1).random((20, 2))
    model = SystemModel(relevance.fit(("a", "b"), [x], [x[:, 0]], "both", parameters))
    assert model.describe().endswith(f": {written}")


def test_a_part_that_every_model_has_cannot_be_null(model: SystemModel) -> None:
    description, arrays = flatten(model)
    assert rebuild(SystemModel, description, arrays).second is None
    with pytest.raises(ValueError, match="the part 'relevance' is missing"):
        rebuild(SystemModel, description | {"relevance": None}, {})
