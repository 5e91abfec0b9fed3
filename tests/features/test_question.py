"""The kind of the question and the size of the pile."""

import numpy as np

from features.answers import QUESTION_COLUMNS as COLUMNS
from features.answers import question
from features.context import Context


def row(query: str) -> dict[str, float]:
    matrix = question(Context.of_texts(query, ["Velin binds.", "It does so at night."]))
    assert matrix.shape == (2, len(COLUMNS))
    np.testing.assert_array_equal(matrix[0], matrix[1])
    return dict(zip(COLUMNS, matrix[0].tolist(), strict=True))


def test_the_first_word_tells_the_kind():
    kinds = [
        [name for name in COLUMNS[:4] if row(q)[name]]
        for q in ("Is velin safe?", "List wings", "Why?", "Who?", "X")
    ]
    assert kinds == [["asks-whether"], ["asks-for-a-list"], ["asks-what"], ["asks-which"], []]


def test_sizes_are_logarithms():
    found = row("Is velin safe?")
    np.testing.assert_allclose([found[name] for name in COLUMNS[4:]], np.log([1 + 3, 1 + 2, 1 + 7]))


def test_no_question_and_no_candidates():
    assert row("")["question-length"] == 0.0
    assert question(Context.of_texts("Why?", [], [])).shape == (0, len(COLUMNS))
