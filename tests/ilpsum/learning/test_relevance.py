"""The SVR: what it predicts, and how its parameters are searched."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pytest

from features.arrays import Floats
from ilpsum.files.processes import Processes
from ilpsum.files.work import Work
from ilpsum.learning import relevance
from ilpsum.learning.relevance import RelevanceModel, SvrParameters

COLUMNS = ("a", "b", "c")
PARAMETERS = SvrParameters(C=1.0, gamma=0.5, epsilon=0.05)


def training_data(topics: int = 6) -> tuple[list[Floats], list[Floats]]:
    rng = np.random.default_rng(7)
    matrices = [rng.random((12, 3)) * [1, 10, 100] for _ in range(topics)]
    return matrices, [np.square(m[:, 0]) * 0.3 + m[:, 1] * 0.01 for m in matrices]


@pytest.fixture(scope="module")
def model() -> RelevanceModel:
    matrices, targets = training_data()
    return relevance.fit(COLUMNS, matrices, targets, "training", PARAMETERS)


def test_predictions_are_those_of_libsvm(model):
    from sklearn.svm import SVR

    matrices, targets = training_data()
    y = np.concatenate(targets)
    x = np.vstack(matrices)
    x = (x - x.min(axis=0)) / (x.max(axis=0) - x.min(axis=0))
    reference = SVR(kernel="rbf", C=1.0, gamma=0.5, epsilon=0.05).fit(x, y / y.max())
    np.testing.assert_allclose(
        model.predict(matrices[2]), reference.predict(x[24:36]) * y.max(), atol=2e-4
    )
    assert np.corrcoef(model.predict(matrices[2]), targets[2])[0, 1] > 0.9


def test_search_prefers_what_predicts_unseen_topics():
    matrices, targets = training_data()
    good, useless = PARAMETERS, SvrParameters(C=1e-6, gamma=1e4, epsilon=0.9)
    folds = [0, 1, 2, 0, 1, 2]
    assert relevance.search(matrices, targets, folds, "training", [useless, good]) == good


def test_search_by_error_takes_the_least_squared_error_over_all_sentences():
    matrices, targets = training_data()
    grid = [SvrParameters(C=c, gamma=0.5, epsilon=e) for c in (0.01, 1.0) for e in (0.02, 0.3)]
    folds = [i % 3 for i in range(len(matrices))]
    errors = []
    for parameters in grid:
        squares: list[float] = []
        for fold in range(3):
            inside = [i for i, at in enumerate(folds) if at != fold]
            chosen = [[rows[i] for i in inside] for rows in (matrices, targets)]
            trained = relevance.fit(COLUMNS, chosen[0], chosen[1], "training", parameters)
            for i in (i for i, at in enumerate(folds) if at == fold):
                squares += np.square(trained.predict(matrices[i]) - targets[i]).tolist()
        errors.append(float(np.mean(squares)))
    assert (
        relevance.search(matrices, targets, folds, "training", grid, "error")
        == grid[int(np.argmin(errors))]
    )
    assert len(set(errors)) == len(grid)


def test_search_runs_on_the_engine_and_gives_the_same_in_processes():
    matrices, targets = training_data()
    grid = [SvrParameters(C=c, gamma=0.5, epsilon=0.05) for c in (0.01, 0.1, 1.0)]
    runs: list[object] = []

    class Watched:
        def map(
            self, work: Callable[[object], list[float]], items: Iterable[object]
        ) -> Iterator[list[float]]:
            for item in items:
                runs.append(item)
                yield work(item)

    folds = [i % 3 for i in range(len(matrices))]
    watched = Work(Watched())  # type: ignore[arg-type]
    found = relevance.search(matrices, targets, folds, "training", grid, work=watched)
    assert runs == [(p, fold) for p in grid for fold in range(3)]
    work = Work(Processes(2))
    assert relevance.search(matrices, targets, folds, "training", grid, work=work) == found


def test_nothing_to_train_on_and_nothing_to_predict(model):
    with pytest.raises(ValueError, match="no sentences"):
        relevance.fit(COLUMNS, [np.zeros((0, 3))], [np.zeros(0)], "topic", PARAMETERS)
    assert model.predict(np.zeros((0, 3))).shape == (0,)
