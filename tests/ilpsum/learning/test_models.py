"""Trained models: how they are kept, and what is refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from features.concepts import COLUMNS as COLUMNS_OF_CONCEPTS
from ilpsum.errors import ModelError
from ilpsum.io import persistence
from ilpsum.learning import bigram_weights as concepts
from ilpsum.learning import relevance
from ilpsum.learning.boosted_trees import TreeParameters
from ilpsum.learning.models import SystemModel
from ilpsum.learning.support_vectors import SvrParameters

COLUMNS = ("a", "b", "c")


@pytest.fixture(scope="module")
def model() -> SystemModel:
    rng = np.random.default_rng(7)
    matrices = [rng.random((12, 3)) for _ in range(4)]
    sentences = relevance.fit(COLUMNS, matrices, [m[:, 0] for m in matrices], "training", SvrParameters(1.0, 0.5, 0.05))
    return SystemModel(sentences, lambda_=0.9, metadata={"topics": 4})


@pytest.fixture
def path(model: SystemModel, tmp_path: Path) -> Path:
    model.save(tmp_path / "m.npz")
    return tmp_path / "m.npz"


def test_a_saved_model_predicts_the_same(model: SystemModel, path: Path) -> None:
    again = SystemModel.load(path, COLUMNS)
    matrix = np.random.default_rng(1).random((5, 3))
    np.testing.assert_allclose(again.relevance.predict(matrix), model.relevance.predict(matrix), atol=1e-6)
    assert (again.lambda_, again.metadata, again.concepts) == (0.9, {"topics": 4}, None)
    first = path.read_bytes()
    again.save(path)
    assert path.read_bytes() == first, "equal models give equal bytes"


def test_boosted_trees_are_kept_to_the_last_bit(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    matrices = [rng.random((40, 3)) for _ in range(3)]
    trained = relevance.fit(COLUMNS, matrices, [m[:, 1] for m in matrices], "both", TreeParameters(rounds=9, least=3))
    SystemModel(trained, lambda_=0.1, word_cost=0.2).save(tmp_path / "m.npz")
    again = SystemModel.load(tmp_path / "m.npz", COLUMNS)
    np.testing.assert_array_equal(again.relevance.predict(matrices[0]), trained.predict(matrices[0]))
    assert (again.lambda_, again.word_cost) == (0.1, 0.2)
    assert again.relevance.parameters == trained.parameters


def test_a_model_whose_parts_do_not_fit_together_is_refused(model: SystemModel, tmp_path: Path) -> None:
    broken = replace(model, relevance=replace(model.relevance, columns=("a", "b")))
    broken.save(tmp_path / "m.npz")
    with pytest.raises(ModelError, match="does not read 2 columns"):
        SystemModel.load(tmp_path / "m.npz", ("a", "b"))


def test_a_concept_model_is_kept_too(model: SystemModel, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    x = rng.random((50, len(COLUMNS_OF_CONCEPTS)))
    trained = concepts.fit([x[:20], x[20:]], [x[:20, 0], x[20:, 0]], 0.01)
    SystemModel(model.relevance, trained).save(tmp_path / "m.npz")
    again = SystemModel.load(tmp_path / "m.npz", COLUMNS, concepts=True).concepts
    assert again is not None
    np.testing.assert_array_equal(again.predict(x), trained.predict(x))
    few = concepts.fit([x[:, :4]], [x[:, 0]], 0.01)
    SystemModel(model.relevance, few).save(tmp_path / "m.npz")
    with pytest.raises(ModelError, match="concept features of another number"):
        SystemModel.load(tmp_path / "m.npz", COLUMNS, concepts=True)


def test_a_model_for_another_system_is_refused(path: Path) -> None:
    with pytest.raises(ModelError, match=r"m\.npz: made for other features \(3 columns: a, b, c\)"):
        SystemModel.load(path, ("a", "b"))
    with pytest.raises(ModelError, match=r"m\.npz: made for a system without learned concepts"):
        SystemModel.load(path, COLUMNS, concepts=True)


@pytest.mark.parametrize("keep", [0, 10, 400, -1])
def test_a_damaged_file_is_refused(path: Path, keep: int) -> None:
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ModelError, match="damaged"):
        SystemModel.load(path, COLUMNS)


def test_changed_numbers_are_noticed(path: Path) -> None:
    with np.load(path) as stored:
        arrays = dict(stored)
    arrays["relevance.dual"] = arrays["relevance.dual"] + 1e-9
    with path.open("wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(ModelError, match="do not match its digest"):
        SystemModel.load(path, COLUMNS)


def test_other_versions_kinds_and_parts_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    persistence.save(path, "system", 99, {}, {})
    with pytest.raises(ModelError, match=r"format version 99 .* reads version 1"):
        SystemModel.load(path, COLUMNS)
    persistence.save(path, "parser", 1, {}, {})
    with pytest.raises(ModelError, match="a parser model, but a system model is needed"):
        SystemModel.load(path, COLUMNS)
    persistence.save(path, "system", 1, {"relevance": {}}, {})
    with pytest.raises(ModelError, match="a part of the model is missing"):
        SystemModel.load(path, COLUMNS)
    with pytest.raises(ModelError, match="no such model file"):
        SystemModel.load(tmp_path / "none.npz", COLUMNS)


def test_a_pickle_is_not_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    with path.open("wb") as file:
        np.savez(file, description=np.array([{"format": "ilpsum-model"}], dtype=object), allow_pickle=True)
    with pytest.raises(ModelError, match="not an ilpsum model"):
        SystemModel.load(path, COLUMNS)
