"""The SVR: what it predicts, how it is searched, kept and refused."""

from pathlib import Path

import numpy as np
import pytest

from features.context import Floats
from ilpsum import persistence, relevance
from ilpsum.errors import ModelError
from ilpsum.relevance import Parameters, RelevanceModel

COLUMNS = ("a", "b", "c")
PARAMETERS = Parameters(C=1.0, gamma=0.5, epsilon=0.05)


def training_data(topics: int = 6) -> tuple[list[Floats], list[Floats]]:
    rng = np.random.default_rng(7)
    matrices = [rng.random((12, 3)) * [1, 10, 100] for _ in range(topics)]
    return matrices, [np.square(m[:, 0]) * 0.3 + m[:, 1] * 0.01 for m in matrices]


@pytest.fixture(scope="module")
def model() -> RelevanceModel:
    matrices, targets = training_data()
    return relevance.fit(COLUMNS, matrices, targets, "training", PARAMETERS)


def test_predictions_are_those_of_libsvm(model: RelevanceModel) -> None:
    from sklearn.svm import SVR

    matrices, targets = training_data()
    y = np.concatenate(targets)
    x = np.vstack(matrices)
    x = (x - x.min(axis=0)) / (x.max(axis=0) - x.min(axis=0))
    reference = SVR(kernel="rbf", C=1.0, gamma=0.5, epsilon=0.05).fit(x, y / y.max())
    np.testing.assert_allclose(model.predict(matrices[2]), reference.predict(x[24:36]) * y.max(), atol=2e-4)
    assert np.corrcoef(model.predict(matrices[2]), targets[2])[0, 1] > 0.9


def test_a_saved_model_predicts_the_same(model: RelevanceModel, tmp_path: Path) -> None:
    path = tmp_path / "relevance.model"
    model.save(path)
    again = RelevanceModel.load(path, COLUMNS)
    matrix = training_data()[0][0]
    np.testing.assert_allclose(again.predict(matrix), model.predict(matrix), atol=1e-6)
    first = path.read_bytes()
    again.save(path)
    assert path.read_bytes() == first, "equal models give equal bytes"


def test_a_model_for_other_features_is_refused(model: RelevanceModel, tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    model.save(path)
    with pytest.raises(ModelError, match=r"m\.npz: made for other features \(3 columns: a, b, c\)"):
        RelevanceModel.load(path, ("a", "b"))


@pytest.mark.parametrize("keep", [0, 10, 400, -1])
def test_a_damaged_file_is_refused(model: RelevanceModel, tmp_path: Path, keep: int) -> None:
    path = tmp_path / "m.npz"
    model.save(path)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ModelError, match="damaged"):
        RelevanceModel.load(path)


def test_changed_numbers_are_noticed(model: RelevanceModel, tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    model.save(path)
    with np.load(path) as stored:
        arrays = dict(stored)
    arrays["dual"] = arrays["dual"] + 1e-9
    with path.open("wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(ModelError, match="do not match its digest"):
        RelevanceModel.load(path)


def test_other_versions_and_kinds_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    persistence.save(path, "relevance", 99, {}, {})
    with pytest.raises(ModelError, match=r"format version 99 .* reads version 1"):
        RelevanceModel.load(path)
    persistence.save(path, "parser", 1, {}, {})
    with pytest.raises(ModelError, match="a parser model, but a relevance model is needed"):
        RelevanceModel.load(path)
    with pytest.raises(ModelError, match="no such model file"):
        RelevanceModel.load(tmp_path / "none.npz")


def test_a_pickle_is_not_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    with path.open("wb") as file:
        np.savez(file, description=np.array([{"format": "ilpsum-model"}], dtype=object), allow_pickle=True)
    with pytest.raises(ModelError, match="not an ilpsum model"):
        RelevanceModel.load(path)


def test_search_prefers_what_predicts_unseen_topics() -> None:
    matrices, targets = training_data()
    good, useless = PARAMETERS, Parameters(C=1e-6, gamma=1e4, epsilon=0.9)
    assert relevance.search(matrices, targets, "training", [useless, good]) == good


def test_nothing_to_train_on_and_nothing_to_predict(model: RelevanceModel) -> None:
    with pytest.raises(ValueError, match="no sentences"):
        relevance.fit(COLUMNS, [np.zeros((0, 3))], [np.zeros(0)], "topic", PARAMETERS)
    assert model.predict(np.zeros((0, 3))).shape == (0,)
