"""Names and numbers that sentences add to a question."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.context import Context
from features.mentions import COLUMNS, _around, mentions
from features.tokens import numbered

SENTENCES = [
    "Newts sing because of the Velin gene on chromosome 7.",
    "In newts Velin is silent.",
    "Toads dig with Molin and with 7 or 12 friends.",
]


@pytest.fixture
def columns() -> dict[str, list[float]]:
    base = Context.of_texts(
        "Which gene do newts sing by?", SENTENCES, [SENTENCES[0], " ".join(SENTENCES[1:])]
    )
    rows = mentions(Context(**{**vars(base), "document": np.array([0, 1, 1])}))
    return dict(zip(COLUMNS, rows.T.tolist(), strict=True))


def test_names_beside_the_type_and_the_question(columns):
    assert columns["names-near-type"] == [1, 0, 0]
    assert columns["names-near-question"] == [1, 1, 0]
    # `gene` is three words before the number; nothing of the question is near those of the last
    # sentence.
    assert columns["numbers-near-question"] == [1, 0, 0]


def test_where_the_question_begins(columns):
    assert columns["question-begins-at"] == pytest.approx([0, 1 / 5, 1])
    assert columns["opens-with-question"] == [1, 1, 0]


def test_votes_are_of_sentences_that_match(columns):
    first, second, third = columns["name-votes"]
    # The best sentence counts 1, and both name Velin; no word of the question is in the last one.
    assert first == second > 1
    assert third == 0
    assert columns["top-three-name-votes"][0] == pytest.approx(first / 3)
    assert columns["name-documents"] == [2, 2, 1]
    assert columns["number-votes"] == pytest.approx([1, 0, 1])


PLACES = st.lists(st.integers(0, 20), max_size=6)


@given(st.lists(st.tuples(PLACES, PLACES), min_size=1, max_size=3), st.integers(0, 6))
def test_places_near_others(texts, most):
    tokens = numbered([["word"] * 21] * len(texts))
    mask = np.array([place in others for _, others in texts for place in range(21)])
    near = _around(mask, tokens, most).reshape(-1, 21)
    for row, (places, others) in zip(near, texts, strict=True):
        expected = [
            place for place in places if set(range(place - most, place + most + 1)) & set(others)
        ]
        assert [place for place in places if row[place]] == expected
