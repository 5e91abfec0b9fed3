"""Features 2.1-2.4 against the textbook loops, and their values where nothing is known."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features import embeddings as module
from features.embeddings import Embeddings
from features.text import Passage

WORDS = [f"w{i}" for i in range(9)]


def make(dtype=np.float32, idf=None, seed=3, d=4):
    vectors = np.random.default_rng(seed).normal(size=(len(WORDS), d)).astype(dtype)
    # w1 is w0's twin, w2 stands in every document.
    vectors[1] = vectors[0]
    values = np.array([1.5, 0.25, 0.0, 2.0, 3.0, 0.5, 0.75, 1.0, 2.5]) if idf is None else idf
    return Embeddings(vectors, values, {word: i for i, word in enumerate(WORDS)})


def similarity(a, b):
    return 1.0 / (1.0 + math.dist(a, b))


def mean(values):
    return sum(values) / len(values)


def naive(e, query, sentence):
    """The 18 values of one sentence, by loops over words as the paper writes them."""
    vector = {w: [float(x) for x in e.vectors[i]] for w, i in e.index.items()}
    idf = {w: float(e.idf[i]) for w, i in e.index.items()}
    q, s = ([w for w in text.split() if w in vector] for text in (query, sentence))

    def centroid(tokens, weight):
        total = sum(weight[w] for w in tokens)
        return [
            sum(weight[w] * vector[w][k] for w in tokens) / total for k in range(e.vectors.shape[1])
        ]

    row = []
    for weight in (dict.fromkeys(vector, 1.0), idf):
        both = sum(weight[w] for w in q) > 0 and sum(weight[w] for w in s) > 0
        row.append(similarity(centroid(q, weight), centroid(s, weight)) if both else 0.0)
    largest = max(idf.values(), default=0.0)
    plain = sorted(similarity(vector[a], vector[b]) for a in q for b in s)
    weighted = sorted(
        similarity(vector[a], vector[b]) * idf[a] * idf[b] / largest**2 if largest else 0.0
        for a in q
        for b in s
    )
    for pairs in (plain, weighted):
        if not pairs:
            row += [0.0] * 8
            continue
        row += [
            mean(pairs),
            statistics.median(pairs),
            pairs[-1],
            mean(pairs[-2:]),
            mean(pairs[-3:]),
        ]
        row += [pairs[0], mean(pairs[:2]), mean(pairs[:3])]
    return row


texts = st.lists(st.sampled_from([*WORDS, "unknown"]), max_size=7).map(" ".join)


@given(
    query=texts,
    sentences=st.lists(texts, max_size=6),
    half=st.booleans(),
)
def test_equal_to_the_textbook_loops(query, sentences, half):
    e = make(np.float16 if half else np.float32)
    values = module.all_similarities(e, Passage(query), [Passage(s) for s in sentences])
    expected = np.array([naive(e, query, s) for s in sentences]).reshape(len(sentences), 18)
    np.testing.assert_allclose(values, expected, atol=1e-6)
    assert ((values >= 0) & (values <= 1)).all()


def test_nothing_known_is_zero():
    e = make()
    known, unknown, everywhere = Passage("w0"), Passage("qqq zzz"), Passage("w2")
    sentences = [known, unknown, Passage("")]
    for query in (unknown, Passage("")):
        assert not module.all_similarities(e, query, sentences).any()
    assert not module.all_similarities(e, known, sentences)[1:].any()
    # A word of IDF 0 has a place, but no weight.
    row = module.all_similarities(e, known, [everywhere])[0]
    assert row[0] > 0
    assert row[1] == 0
    assert row[2:10].all()
    assert not row[10:].any()


def test_a_single_pair_is_all_of_its_statistics():
    e = make()
    row = module.all_similarities(e, Passage("w0"), [Passage("w3"), Passage("w0")])[:, 2:10]
    assert np.ptp(row[0]) == pytest.approx(0.0, abs=1e-12)
    assert (row[1] == 1.0).all()


def test_no_sentences_and_no_words():
    assert module.all_similarities(make(), Passage("w0"), []).shape == (0, 18)
    nothing = Embeddings(np.zeros((0, 3), np.float32), np.zeros(0), {})
    assert not module.all_similarities(nothing, Passage("a"), [Passage("a")]).any()
    with pytest.raises(ValueError, match="shape"):
        Embeddings(np.zeros((2, 3)), np.zeros(1), {"a": 0})


def test_many_words_and_sentences_equal_the_loops():
    rng = np.random.default_rng(1)
    words = [f"x{i}" for i in range(3000)]
    e = Embeddings(
        rng.normal(size=(3000, 50)).astype(np.float16),
        rng.random(3000),
        {w: i for i, w in enumerate(words)},
    )
    query = " ".join(rng.choice(words, 10))
    sentences = [" ".join(rng.choice(words, 25)) for _ in range(100)]
    naive_rows = [naive_pairs(e, query, s) for s in sentences[:10]]
    values = module.all_similarities(e, Passage(query), [Passage(s) for s in sentences])
    np.testing.assert_allclose(values[:10, 2], naive_rows, atol=1e-6)


def naive_pairs(e, query, sentence):
    rows = (
        [e.vectors[e.index[w]].astype(float) for w in query.split()],
        [e.vectors[e.index[w]].astype(float) for w in sentence.split()],
    )
    return mean([similarity(a, b) for a in rows[0] for b in rows[1]])
