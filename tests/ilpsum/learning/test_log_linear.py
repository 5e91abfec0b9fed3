"""The length of human summaries, against the textbook regression."""

from pathlib import Path

import numpy as np
import pytest

from features.context import Context
from ilpsum.errors import ModelError
from ilpsum.learning import log_linear, relevance
from ilpsum.learning.boosted_trees import TreeParameters
from ilpsum.learning.log_linear import length_features
from ilpsum.learning.models import SystemModel

QUESTION = "Which newts sing?"
SENTENCES = [
    "Crested newts sing at night.",
    "Toads do not.",
    "Newts of the north hum and sing in the spring.",
]


def test_features_are_those_of_the_question_and_of_the_whole_topic() -> None:
    around = Context.of_texts(
        QUESTION, SENTENCES, documents=[" ".join(SENTENCES[:2]), SENTENCES[2]]
    )
    row = length_features(around, np.array([0.1, 0.4, 0.1]), np.array([0.5, 1.0, 0.5]))
    assert row[:4].tolist() == [0.0, 0.0, 0.0, 1.0]
    expected = [np.log1p(x) for x in (3, 3, 18, 2, 8, 6)] + [0.4, 0.2, np.log1p(2.0)]
    np.testing.assert_allclose(row[4:], expected)


def test_it_is_scikit_learns_ridge_regression_of_the_logarithm() -> None:
    from sklearn.linear_model import Ridge
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(4)
    x = rng.random((60, 13)) * np.arange(13)
    words = [[int(n), int(n) + 5] for n in 5 + 90 * rng.random(60)]
    ours = log_linear.fit_length(list(x), words)
    z = StandardScaler().fit_transform(x)
    theirs = Ridge(alpha=10.0).fit(z, [np.mean(np.log(pair)) for pair in words])
    np.testing.assert_allclose(
        [ours.predict(row) for row in x], np.exp(theirs.predict(z)), rtol=1e-9
    )


def test_a_model_keeps_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    matrices, columns = [rng.random((40, 2)) for _ in range(3)], ("a", "b")
    trees = relevance.fit(
        columns, matrices, [m[:, 1] for m in matrices], "both", TreeParameters(rounds=3, least=3)
    )
    rows = rng.random((9, 13))
    length = log_linear.fit_length(list(rows), [[int(20 + 9 * row[0])] for row in rows])
    SystemModel(trees, length=length).save(tmp_path / "m.npz")
    again = SystemModel.load(tmp_path / "m.npz", columns).length
    assert again is not None
    assert [again.predict(row) for row in rows] == [length.predict(row) for row in rows]
    SystemModel(trees).save(tmp_path / "m.npz")
    assert SystemModel.load(tmp_path / "m.npz", columns).length is None
    SystemModel(trees, length=log_linear.fit_length(list(rows[:, :4]), [[20]] * 9)).save(
        tmp_path / "m.npz"
    )
    with pytest.raises(ModelError, match="expected 13 features"):
        SystemModel.load(tmp_path / "m.npz", columns)
