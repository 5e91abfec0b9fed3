"""Boosted trees: they predict what scikit-learn's do, also after being kept."""

from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from threadpoolctl import threadpool_info, threadpool_limits

from features.arrays import Floats
from ilpsum.errors import IlpsumError
from ilpsum.learning import boosted_trees
from ilpsum.learning.boosted_trees import BoostedTrees, TreeParameters, assemble
from ilpsum.learning.stored import flatten, rebuild


def rows(n: int, seed: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4)).round(1)
    return x, np.where(x[:, 0] > 0.3, x[:, 1], 2.0) + rng.normal(scale=0.1, size=n)


def test_trees_equal_those_of_a_random_forest():
    x, y = rows(120, 2)
    x = x.astype(np.float32).astype(np.float64)
    forest = RandomForestRegressor(7, max_leaf_nodes=60, random_state=1).fit(x, y)
    grown = [one.tree_ for one in forest.estimators_]
    most = max(tree.node_count for tree in grown)

    def table(columns: Iterable[Floats]) -> Floats:
        return np.array(
            [np.pad(column, (0, most - len(column)), constant_values=-1) for column in columns]
        )

    # scikit-learn's leaves have no children.
    left, right = table(t.children_left for t in grown), table(t.children_right for t in grown)
    leaf = left < 0
    trees = BoostedTrees(
        feature=np.where(leaf, 0, table(t.feature for t in grown)),
        threshold=table(t.threshold for t in grown),
        left=np.where(leaf, np.arange(most), left),
        right=np.where(leaf, np.arange(most), right),
        value=table(t.value[:, 0, 0] for t in grown),
        intercept=0.0,
        parameters=TreeParameters(),
    )
    assert trees.predict(x) / len(grown) == pytest.approx(forest.predict(x))


@settings(deadline=None, max_examples=15)
@given(st.integers(1, 120), st.integers(2, 9), st.integers(1, 4), st.integers(1, 20))
def test_predictions_are_the_mean_of_scikit_learns(n, leaves, members, least):
    x, y = rows(n, leaves)
    parameters = TreeParameters(
        rounds=4, rate=0.3, leaves=leaves, least=least, share=0.5, members=members
    )
    reference = [
        HistGradientBoostingRegressor(
            max_iter=4,
            learning_rate=0.3,
            max_leaf_nodes=leaves,
            min_samples_leaf=least,
            max_features=0.5,
            l2_regularization=1.0,
            early_stopping=False,
            random_state=seed,
        ).fit(x, y)
        for seed in range(members)
    ]
    unseen, _ = rows(50, 99)
    expected = np.mean([m.predict(unseen) for m in reference], axis=0)
    np.testing.assert_allclose(parameters.fit(x, y).predict(unseen), expected, atol=1e-5)


def test_what_was_kept_predicts_the_same_to_the_last_bit():
    x, y = rows(400, 1)
    trees = TreeParameters(rounds=30, least=5).fit(x, y)
    assert np.corrcoef(trees.predict(x), y)[0, 1] > 0.7
    again = rebuild(BoostedTrees, *flatten(trees))
    assert again.parameters == trees.parameters
    np.testing.assert_array_equal(again.predict(x), trees.predict(x))


@pytest.mark.parametrize("leaves", [2, 8, 64])
def test_rows_are_led_through_each_tree_by_hand(leaves):
    x, y = rows(385, 5)
    model = TreeParameters(rounds=6, least=1, members=2, leaves=leaves).fit(x, y)
    for row, predicted in zip(x, model.predict(np.asfortranarray(x)), strict=True):
        value = model.intercept
        for t, left in enumerate(model.left):
            node = 0
            while left[node] != node:
                goes_left = row[model.feature[t, node]] <= model.threshold[t, node]
                node = left[node] if goes_left else model.right[t, node]
            value += float(model.value[t, node])
        assert predicted == pytest.approx(value, abs=1e-12)


def test_training_takes_one_thread(monkeypatch):
    """With two, training took 19 times the processor time on a busy machine, and sums differ in their last digits."""
    threads: list[int] = []
    trained = HistGradientBoostingRegressor.fit

    def spy(self: HistGradientBoostingRegressor, *data: Floats) -> HistGradientBoostingRegressor:
        threads.extend(
            library["num_threads"]
            for library in threadpool_info()
            if library["user_api"] == "openmp"
        )
        return trained(self, *data)

    monkeypatch.setattr(HistGradientBoostingRegressor, "fit", spy)
    with threadpool_limits(limits=2, user_api="openmp"):
        TreeParameters(rounds=2, members=2).fit(*rows(60, 2))
    assert set(threads) == {1}


def test_one_row_to_train_on_and_none_to_predict():
    trees = TreeParameters(rounds=2).fit(np.zeros((1, 3)), np.array([0.25]))
    np.testing.assert_allclose(trees.predict(np.ones((2, 3))), 0.25)
    assert trees.predict(np.zeros((0, 3))).shape == (0,)


@pytest.mark.parametrize(
    "wrong", [{"rounds": 0}, {"leaves": 1}, {"rate": 0.0}, {"share": 1.5}, {"members": 0}]
)
def test_parameters_out_of_their_range_are_refused(wrong):
    with pytest.raises(msgspec.ValidationError, match=next(iter(wrong))):
        msgspec.convert(wrong, TreeParameters)


@pytest.mark.parametrize(
    ("name", "wrong", "said"),
    [
        ("left", lambda a: a + 100, "'left' has numbers from"),
        ("right", lambda a: a - 100, "'right' has numbers from"),
        ("feature", lambda a: a[:0], "no trees|differ in their shapes"),
        ("value", lambda a: a[:, 1:], "differ in their shapes"),
    ],
)
def test_arrays_that_are_no_trees_are_refused(name, wrong, said):
    description, arrays = flatten(TreeParameters(rounds=3, least=2).fit(*rows(60, 2)))
    with pytest.raises(ValueError, match=said):
        rebuild(BoostedTrees, description, arrays | {name: wrong(arrays[name])})


@pytest.mark.parametrize(
    ("name", "wrong", "said"),
    [
        ("intercept", 1e31, "1e\\+?30|<="),
        ("intercept", None, "null"),
    ],
)
def test_values_that_describe_no_trees_are_refused(name, wrong, said):
    description, arrays = flatten(TreeParameters(rounds=3, least=2).fit(*rows(60, 2)))
    with pytest.raises(ValueError, match=said):
        rebuild(BoostedTrees, description | {name: wrong}, arrays)


def forged(nodes: int, left: Callable[[int], int], right: Callable[[int], int]):
    """The arrays of one tree whose children are as given."""
    description, _ = flatten(TreeParameters(rounds=1, least=2).fit(*rows(60, 2)))
    table = np.zeros((1, nodes))
    return description, {
        "feature": table.astype(np.int16),
        "threshold": table,
        "left": np.array([[left(i) for i in range(nodes)]], dtype=np.int16),
        "right": np.array([[right(i) for i in range(nodes)]], dtype=np.int16),
        "value": table.astype(np.float32),
    }


@pytest.mark.parametrize(
    ("nodes", "left", "right", "said"),
    [
        # Both children are the next node: 2^26 paths.
        (27, lambda i: min(i + 1, 26), lambda i: min(i + 1, 26), "two parents"),
        (
            131,
            lambda i: i + (i % 2 == 0 and i < 130),
            lambda i: i + 2 * (i % 2 == 0 and i < 130),
            "more than 64 leaves",
        ),
        (7, lambda i: min(i + 1, 6), lambda _: 0, "its own ancestor"),
        (7, lambda i: (i + 1) % 3, lambda i: i + 3 if i < 3 else i, "its own ancestor"),
    ],
)
def test_nodes_that_form_no_tree_are_refused_at_once(nodes, left, right, said):
    with pytest.raises(ValueError, match=said):
        rebuild(BoostedTrees, *forged(nodes, left, right))


def test_rows_that_are_too_narrow_are_known():
    trees = TreeParameters(rounds=3, least=2, share=1.0).fit(*rows(60, 2))
    assert trees.reads(4)
    assert not trees.reads(1)


@pytest.mark.parametrize("version", ["1.5.2", "1.7.2", "1.9.1"])
def test_the_trees_of_supported_versions_of_scikit_learn_are_read(version):
    """Each file holds the nodes of an ensemble as that version trained it, and what it predicts."""
    with np.load(
        Path(__file__).parents[2] / "data" / "models" / f"scikit-learn-{version}.npz"
    ) as stored:
        exported = [stored[f"tree{i}"] for i in range(3)], float(stored["baseline"][0])
        trees = assemble([exported], TreeParameters(rounds=3, members=1))
        np.testing.assert_allclose(trees.predict(stored["x"]), stored["expected"], atol=1e-6)


@pytest.mark.parametrize(
    "member",
    [
        SimpleNamespace(),
        SimpleNamespace(_predictors=[[SimpleNamespace(nodes=1)]]),
        SimpleNamespace(_predictors=1),
    ],
)
def test_another_layout_of_scikit_learn_is_refused_in_one_line(member):
    with pytest.raises(IlpsumError, match=r"train with version 1\.5 to 1\.9, or train an SVR"):
        boosted_trees._export(member)
