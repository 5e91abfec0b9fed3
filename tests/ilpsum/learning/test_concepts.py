"""Concepts: their features against plain loops, and the model of their weights."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from features.concepts import COLUMNS, concepts
from features.context import Context
from features.order import bigram_order
from features.text import Passage
from ilpsum.learning import log_linear as model

WORDS = ["velin", "binds", "the", "wing", "of", "moths"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)
CONTEXTS = st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=6), st.lists(TEXTS, max_size=3))


def context_of(query: str, sentences: list[str], citances: list[str]) -> Context:
    n = len(sentences)
    return replace(
        Context.of_texts(query, sentences, [*sentences[:2], "wing of moths"]),
        section=tuple(("abstract", "results", "citance")[i % 3] for i in range(n)),
        is_citance=np.array([float(i % 3 == 2) for i in range(n)]),
        citances=tuple(map(Passage, citances)),
    )


@given(CONTEXTS)
@settings(deadline=None, max_examples=80)
def test_features_of_a_bigram_are_what_their_names_say(parts):
    context = context_of(*parts)
    n = len(context)
    scores = np.arange(n, dtype=float)[::-1] / max(n, 1)
    found = concepts(context, scores, "words")
    rows = [s.bigrams for s in context.sentences]
    assert list(found.names) == list(dict.fromkeys(b for row in rows for b in row))
    for bigram, values in zip(found.names, found.matrix, strict=True):
        got = dict(zip(COLUMNS, values, strict=True))
        holders = [i for i in range(n) if bigram in rows[i]]
        held = sorted((scores[i] for i in holders), reverse=True)
        assert got["best-score"] == held[0]
        assert got["mean-score"] == pytest.approx(np.mean(held))
        assert got["top-three-score"] == pytest.approx(np.mean(held[:3]))
        assert got["total-score"] == pytest.approx(np.log1p(sum(held)))
        assert got["holders"] == pytest.approx(np.log(len(holders)))
        assert got["share-of-holders"] == len(holders) / n
        assert got["citing-holders"] == pytest.approx(np.log1p(sum(i % 3 == 2 for i in holders)))
        assert got["holders-in-abstract"] == pytest.approx(
            np.log1p(sum(i % 3 == 0 for i in holders))
        )
        assert got["document-share"] == sum(bigram in d.bigrams for d in context.documents) / len(
            context.documents
        )
        cited = sum(bigram in c.bigrams for c in context.citances)
        assert got["citance-share"] == cited / max(len(context.citances), 1)
        assert got["in-query"] == (bigram in context.query.bigrams)
        assert got["earliest"] == min(context.position[i] for i in holders)
        frequencies = sorted(sum(w in s.words for s in context.sentences) / n for w in bigram)
        assert [got["lesser-frequency"], got["greater-frequency"]] == frequencies
        assert got["both-are-stop-words"] == all(w in {"the", "of"} for w in bigram)


def test_no_bigrams_have_no_features():
    assert concepts(Context.of_texts("", ["one", ""]), np.zeros(2), "stems").matrix.shape == (
        0,
        len(COLUMNS),
    )


def test_the_order_of_the_documents_counts_where_it_is_asked_for():
    texts = ["velin binds the wing", "the wing of moths", "moths of velin binds"]
    context = replace(
        Context.of_texts("", texts, [texts[0] + " x" * 596, texts[1], texts[2]]),
        document=np.array([0, 1, 2]),
    )
    found = concepts(context, np.ones(3), "words", order=True)
    plain = concepts(context, np.ones(3), "words")
    np.testing.assert_array_equal(found.matrix[:, : len(COLUMNS)], plain.matrix)
    bigrams = context.vocabulary.bigrams
    np.testing.assert_array_equal(
        found.matrix[:, len(COLUMNS) :], bigram_order(bigrams, bigrams.pairs.sentences.first)
    )
    fitted = model.fit_weights([found.matrix], [np.ones(len(found.names))], 0.1)
    assert fitted.order
    assert not model.fit_weights([plain.matrix], [np.ones(len(found.names))], 0.1).order


def test_the_model_is_scikit_learns_poisson_regression():
    from sklearn.linear_model import PoissonRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(5)
    x = rng.random((300, len(COLUMNS))) * np.tile([1, 5, 0.1], len(COLUMNS) // 3)
    y = rng.poisson(np.exp(x[:, 0] - 0.4 * x[:, 1])).astype(float)
    ours = model.fit_weights([x[:100], x[100:]], [y[:100], y[100:]], 0.03)
    theirs = make_pipeline(StandardScaler(), PoissonRegressor(alpha=0.03, max_iter=1000)).fit(x, y)
    np.testing.assert_allclose(ours.predict(x), np.minimum(theirs.predict(x), 1.0), rtol=1e-6)
    assert 0 < (ours.predict(x) < 1).mean() < 1


def test_without_concepts_there_is_nothing_to_train_on():
    with pytest.raises(ValueError, match="no concepts"):
        model.fit_weights([np.zeros((0, 2))], [np.zeros(0)], 0.1)
