"""Named sets, and how features come into [0,1]."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from features.context import Context
from features.embeddings import Embeddings
from features.registry import UnknownNameError
from features.sets import FEATURES, SETS, Feature, Scaling

MATRICES = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 8), st.just(3)),
    elements=st.floats(-1e3, 1e3, allow_subnormal=False),
)


@pytest.mark.parametrize("name", SETS)
def test_a_set_gives_a_column_for_each_name(name):
    vectors = Embeddings(
        np.eye(2, dtype=np.float16), np.ones(2), {"kinase": 0, "sentence": 1}, "two words"
    )
    context = replace(
        Context.of_texts("a kinase", ["One kinase sentence.", "Another sentence."]),
        embeddings=vectors,
    )
    matrix = SETS[name].matrix(context)
    assert matrix.shape == (2, len(SETS[name].columns))
    assert np.isfinite(matrix).all()
    assert SETS[name].matrix(Context.of_texts("", [])).shape == (0, len(SETS[name].columns))


def test_the_published_set_has_its_eight_features_in_order():
    assert SETS["ilp-sum-1"].columns == (
        "word-overlap",
        "stem-overlap",
        "word-distance",
        "stem-distance",
        "content-word-frequency",
        "content-stem-frequency",
        "document-word-frequency",
        "document-stem-frequency",
    )


@given(st.lists(MATRICES, min_size=1, max_size=4), st.sampled_from(["topic", "training"]))
def test_scaling_stays_within_bounds_and_keeps_the_order(matrices, name):
    scaling = Scaling.fit(name, matrices)
    for matrix in matrices:
        scaled = scaling(matrix)
        assert (scaled >= 0).all()
        assert (scaled <= 1).all()
        for column in range(3):
            order = np.argsort(matrix[:, column], kind="stable")
            assert (np.diff(scaled[order, column]) >= 0).all()


def test_topic_scaling_spans_the_topic_and_training_scaling_the_training_range():
    topics = [np.array([[0.0, 5.0], [10.0, 5.0]]), np.array([[20.0, 5.0]])]
    assert Scaling.fit("topic", topics)(topics[0]).tolist() == [[0, 0], [1, 0]]
    assert Scaling.fit("training", topics)(topics[0]).tolist() == [[0, 0], [0.5, 0]]
    assert Scaling.fit("training", topics)(np.array([[99.0, 5.0]])).tolist() == [[1, 0]]


def test_both_scalings_stand_side_by_side():
    topics = [np.array([[0.0, 5.0], [10.0, 5.0]]), np.array([[20.0, 5.0]])]
    scaling = Scaling.fit("both", topics)
    assert scaling(topics[0]).tolist() == [[0, 5, 0, 0], [10, 5, 1, 0]]
    assert scaling(np.zeros((0, 2))).shape == (0, scaling.width(2)) == (0, 4)
    assert Scaling.fit("topic", topics).width(2) == 2


def test_rows_are_scaled_as_if_they_stood_among_others():
    among, raw = np.array([[0.0, 5.0], [10.0, 5.0]]), np.array([[4.0, 7.0], [20.0, 5.0]])
    assert Scaling.fit("topic", [among])(raw, among).tolist() == [[0.4, 0], [1, 0]]
    assert Scaling.fit("both", [among])(raw, among).tolist() == [[4, 7, 0.4, 0], [20, 5, 1, 0]]
    assert Scaling.fit("training", [np.array([[0.0, 0.0], [20.0, 20.0]])])(raw, among).tolist() == [
        [0.2, 0.35],
        [1, 0.25],
    ]


def test_unknown_names_list_what_exists():
    said = r"unknown feature set 'ilp-sum-9' \(did you mean ilp-sum-2\?\); there are: news, ilp-"
    with pytest.raises(UnknownNameError, match=said):
        SETS["ilp-sum-9"]
    with pytest.raises(ValueError, match="already registered"):
        FEATURES.add("position", Feature(("position",), lambda c: c.position))
    with pytest.raises(ValueError, match="unknown scaling"):
        Scaling.fit("question", [np.zeros((1, 1))])
