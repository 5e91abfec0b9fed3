"""News, place and support features."""

import math
from dataclasses import replace

import numpy as np
import pytest

from features import evidence, news, place
from features.context import Context
from features.text import Passage


def test_entities_are_acronyms_symbols_and_capitalised_runs():
    sentences = [
        "The protein binds DNA.",  # DNA
        "Silencing of miR-372 and LATS2 slows growth.",  # miR-372, LATS2
        "Patients in New South Wales improved.",  # one run; the first word is no name
        "We saw nothing.",
        "",
    ]
    density = news.entity_density(Context.of_texts("", sentences))
    np.testing.assert_allclose(density, [1 / 4, 2 / 8, 1 / 6, 0, 0])


def test_section_indicators_count_a_conclusion_as_discussion():
    context = replace(
        Context.of_texts("", ["a", "b", "c"]), section=("abstract", "conclusion", "figure")
    )
    assert place.section(context).tolist() == [[1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]


def test_position_in_section_counts_each_document_apart():
    context = replace(
        Context.of_texts("", list("abcde")),
        section=("results", "results", "abstract", "results", "results"),
        document=np.array([0, 0, 0, 0, 1]),
    )
    assert place.position_in_section(context).tolist() == [0.0, 0.5, 0.0, 1.0, 0.0]


def test_words_before_a_sentence_are_those_of_its_document():
    context = replace(
        Context.of_texts("", ["a b", "c", "d e f", "g"]), document=np.array([0, 1, 0, 0])
    )
    np.testing.assert_allclose(place.words_before(context), np.log1p([0, 0, 2, 5]))


def test_features_of_no_sentences_have_their_columns():
    context = Context.of_texts("a question", [])
    assert place.section(context).shape == (0, 5)
    assert evidence.citance_support(context).shape == (0, 3)
    assert evidence.centrality(context).shape == (0,)


def naive_cosines(texts: list[str]) -> list[list[float]]:
    """The docstring of features.evidence, word by word."""
    bags = [Passage(t).content_stems for t in texts]
    df = {w: sum(w in b for b in bags) for b in bags for w in b}
    vectors = [
        {w: (1 + math.log(b.count(w))) * math.log(1 + len(texts) / df[w]) for w in b} for b in bags
    ]
    norms = [math.sqrt(sum(x * x for x in v.values())) for v in vectors]
    return [
        [
            sum(v.get(w, 0) * x for w, x in u.items()) / (nu * nv) if nu and nv else 0.0
            for v, nv in zip(vectors, norms, strict=True)
        ]
        for u, nu in zip(vectors, norms, strict=True)
    ]


SENTENCES = [
    "kinase binds receptor",
    "receptor kinase kinase inhibited",
    "mice were fed",
    "the of and",
]
CITANCES = ["kinase inhibited in mice", "receptor signalling", "mice were fed"]


def test_support_is_the_cosine_with_the_citances():
    context = replace(Context.of_texts("", SENTENCES), citances=tuple(map(Passage, CITANCES)))
    cosines = naive_cosines([*SENTENCES, *CITANCES])
    got = evidence.citance_support(context)
    for i, row in enumerate(got):
        others = [c for c in cosines[i][len(SENTENCES) :] if c < 1 - 1e-9]
        expected = [
            sum(others) / len(others),
            max(others),
            sum(c > 0.1 for c in others) / len(others),
        ]
        np.testing.assert_allclose(row, expected, atol=1e-12)


def test_a_citance_does_not_support_itself():
    context = replace(Context.of_texts("", SENTENCES), citances=(Passage("mice were fed"),))
    assert evidence.citance_support(context)[2].tolist() == [0, 0, 0]


def test_centrality_is_the_mean_cosine_with_the_others():
    cosines = naive_cosines(SENTENCES)
    expected = [sum(row[:i] + row[i + 1 :]) / 3 for i, row in enumerate(cosines)]
    np.testing.assert_allclose(
        evidence.centrality(Context.of_texts("", SENTENCES)), expected, atol=1e-12
    )
    assert evidence.centrality(Context.of_texts("", ["alone"])) == pytest.approx([0.0])
