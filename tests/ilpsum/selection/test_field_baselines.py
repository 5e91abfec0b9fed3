"""The field's baselines against naive references written from the papers' equations, against sumy,
and at the corners where others go wrong.
"""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.embeddings import Embeddings
from features.text import Passage
from ilpsum.records import Citance, Sentence, Topic
from ilpsum.selection import SELECTORS, Pool, Problem, SelectorSettings
from ilpsum.selection.centrality import (
    CentroidParameters,
    LexRankParameters,
    TextRankParameters,
    cosines,
    overlaps,
    random_walk,
)
from ilpsum.selection.coverage import KlSumParameters, MmrParameters, SubmodularParameters, clusters

WORDS = ("newt", "toad", "frog", "eft", "pond", "sing", "hum", "marsh")
TEXTS = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=8
)
SENTENCES = [
    "Grey newts sing in the cold pond at dusk.",
    "Toads hum in the marsh and newts sing.",
    "The pond holds newts, toads and frogs.",
    "Herons hunt frogs near the pond.",
    "Snails graze on algae.",
    "At dusk the marsh is loud with frogs and toads.",
    "Algae cover the pond in summer.",
    "Herons leave in autumn.",
]


def pool_of(texts, limit=10_000, query="", citances=(), sentence_limit=None):
    lengths = [len(text.split()) for text in texts]
    problem = Problem.build(
        [()] * len(texts), lengths, [0.0] * len(texts), limit, sentence_limit=sentence_limit
    )
    sentences = tuple(
        Sentence(text, "d", 0, 1, length) for text, length in zip(texts, lengths, strict=True)
    )
    names = sorted({word for text in texts for word in Passage(text).words})
    vectors = np.random.default_rng(7).normal(size=(len(names), 5)).astype(np.float16)
    index = {name: row for row, name in enumerate(names)}
    embeddings = Embeddings(vectors, np.ones(len(names)), index)
    topic = Topic("t", query, citances=citances)
    return Pool(topic, sentences, tuple(map(Passage, texts)), problem, embeddings=embeddings)


def ranking(name, pool_arguments, parameters=None):
    """The order in which a selector takes sentences, from its choices of 1, 2, ... of them."""
    order = []
    for size in range(1, len(pool_arguments["texts"]) + 1):
        pool = pool_of(**pool_arguments, sentence_limit=size)
        settings = SelectorSettings(**({"parameters": parameters} if parameters else {}))
        chosen = SELECTORS[name].select(pool, settings).chosen
        order += [i for i in chosen if i not in order]
    return order


def stems(text):
    return Passage(text).content_stems


def naive_cosine(i, j, texts):
    """Equation 1 of Erkan and Radev, word by word."""
    bags = [Counter(stems(text)) for text in texts]

    def idf(word):
        return math.log(len(texts) / sum(word in bag for bag in bags))

    def length(bag):
        return math.sqrt(sum((count * idf(word)) ** 2 for word, count in bag.items()))

    product = sum(bags[i][w] * bags[j][w] * idf(w) ** 2 for w in bags[i].keys() & bags[j].keys())
    norm = length(bags[i]) * length(bags[j])
    return product / norm if norm else 0.0


@given(texts=TEXTS)
def test_cosines_are_those_of_the_equation(texts):
    n = len(texts)
    naive = [[naive_cosine(i, j, texts) for j in range(n)] for i in range(n)]
    assert cosines([Passage(text) for text in texts]) == pytest.approx(np.array(naive), abs=1e-9)


@given(texts=TEXTS)
def test_overlaps_are_those_of_the_equation(texts):
    bags = [stems(text) for text in texts]
    links = overlaps([Passage(text) for text in texts])
    for i, one in enumerate(bags):
        for j, other in enumerate(bags):
            norm = math.log(len(one)) + math.log(len(other))
            expected = len({*one} & {*other}) / norm if i != j and norm else 0.0
            assert links[i, j] == pytest.approx(expected)


@given(
    weights=st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=5, max_size=5),
    jump=st.floats(0.05, 1.0),
)
def test_a_random_walk_solves_its_equation(weights, jump):
    """p = jump/n + (1 - jump) p B has one solution, which numpy's solver finds directly."""
    edges = np.array(weights, dtype=float)
    total = edges.sum(axis=1, keepdims=True)
    steps = np.divide(edges, total, out=np.zeros_like(edges), where=total > 0)
    solved = np.linalg.solve(np.eye(5) - (1 - jump) * steps.T, np.full(5, jump / 5))
    assert random_walk(edges, jump) == pytest.approx(solved, abs=1e-9)


def test_lexrank_does_not_fall_back_to_the_first_sentences():
    """Three sentences on newts stand last; the first two share no word with any other."""
    texts = [
        "Herons leave early.",
        "Snails graze slowly.",
        "Grey newts sing loudly tonight.",
        "Old newts sing loudly.",
        "Grey newts sing tonight.",
    ]
    assert set(ranking("lexrank", {"texts": texts})[:3]) == {2, 3, 4}


def test_lexrank_says_that_its_threshold_leaves_no_link():
    """The ranking is then that of the cosines, not that of the text."""
    pool = pool_of(SENTENCES, sentence_limit=1)
    settings = SelectorSettings(parameters=LexRankParameters(threshold=0.99))
    selection = SELECTORS["lexrank"].select(pool, settings)
    assert "no two sentences have a cosine above 0.99" in selection.warnings[0]
    central = cosines(pool.passages).sum(axis=1).argmax()
    assert selection.chosen == (central,)
    assert central != 0


@pytest.mark.parametrize("name", ["lexrank", "textrank", "centroid"])
def test_a_redundant_sentence_is_skipped(name):
    kinds = {
        "lexrank": LexRankParameters,
        "textrank": TextRankParameters,
        "centroid": CentroidParameters,
    }
    texts = [*SENTENCES, SENTENCES[0].replace("Grey", "The")]
    for redundancy, expected in ((1.0, True), (0.6, False)):
        settings = SelectorSettings(parameters=kinds[name](redundancy=redundancy))
        chosen = SELECTORS[name].select(pool_of(texts), settings).chosen
        assert ({0, 8} <= set(chosen)) is expected


@pytest.mark.parametrize("name", ["lexrank", "textrank", "sumbasic", "kl-sum", "mmr", "centroid"])
def test_a_selection_tells_its_order(name):
    selection = SELECTORS[name].select(pool_of(SENTENCES), SelectorSettings())
    assert list(selection.order) == ranking(name, {"texts": SENTENCES})
    assert sorted(selection.order) == list(selection.chosen)


def naive_sumbasic(texts):
    bags = [stems(text) for text in texts]
    counts = Counter(word for bag in bags for word in bag)
    p = {word: count / sum(counts.values()) for word, count in counts.items()}
    order = []
    while left := [i for i in range(len(bags)) if i not in order]:
        top = max(p[word] for i in left for word in bags[i])
        held = [i for i in left if any(p[word] == top for word in bags[i])]
        best = max(held, key=lambda i: (sum(p[word] for word in bags[i]) / len(bags[i]), -i))
        order.append(best)
        for word in set(bags[best]):
            p[word] = p[word] ** 2
    return order


def naive_kl_sum(texts, smoothing):
    bags = [stems(text) for text in texts]
    everything = Counter(word for bag in bags for word in bag)
    total = sum(everything.values())

    def divergence(summary):
        q = Counter(word for i in summary for word in bags[i])
        norm = sum(q.values()) + smoothing * len(everything)
        return sum(
            count / total * math.log(count / total / ((q[word] + smoothing) / norm))
            for word, count in everything.items()
        )

    order = []
    while left := [i for i in range(len(bags)) if i not in order]:
        order.append(min(left, key=lambda i: (round(divergence([*order, i]), 12), i)))
    return order


def naive_mmr(texts, query, weight):
    everything = [*texts, query]
    order = []
    while left := [i for i in range(len(texts)) if i not in order]:

        def value(i):
            nearest = max((naive_cosine(i, j, everything) for j in order), default=0.0)
            return weight * naive_cosine(i, len(texts), everything) - (1 - weight) * nearest

        order.append(max(left, key=lambda i: (round(value(i), 9), -i)))
    return order


def naive_submodular(texts, query, parameters):
    """F computed from its definition for each candidate set."""
    n = len(texts)
    w = np.array([[naive_cosine(i, j, texts) for j in range(n)] for i in range(n)])
    cluster = clusters(
        cosines([Passage(text) for text in texts]), max(1, round(parameters.clusters * n))
    )
    rewards = w.mean(axis=0)
    if query:
        overlap = np.array([len({*stems(query)} & {*stems(text)}) for text in texts])
        rewards = parameters.generic * rewards / max(rewards.max(), 1e-12) + (
            1 - parameters.generic
        ) * overlap / max(overlap.max(), 1)
    alpha = min(1.0, parameters.saturation / n)

    def value(chosen):
        covered = sum(
            min(sum(w[i, j] for j in chosen), alpha * sum(w[i, j] for j in range(n)))
            for i in range(n)
        )
        diverse = sum(
            math.sqrt(sum(rewards[j] for j in chosen if cluster[j] == k)) for k in set(cluster)
        )
        return covered + parameters.diversity * diverse

    order = []
    while left := [i for i in range(n) if i not in order]:

        def gain(i):
            return (value([*order, i]) - value(order)) / len(texts[i].split()) ** parameters.scale

        order.append(max(left, key=lambda i: (round(gain(i), 9), -i)))
    return order


def test_sumbasic_follows_its_definition():
    assert ranking("sumbasic", {"texts": SENTENCES}) == naive_sumbasic(SENTENCES)


@pytest.mark.parametrize("smoothing", [0.01, 0.1, 1.0])
def test_kl_sum_follows_its_definition(smoothing):
    parameters = KlSumParameters(smoothing=smoothing)
    assert ranking("kl-sum", {"texts": SENTENCES}, parameters) == naive_kl_sum(SENTENCES, smoothing)


@pytest.mark.parametrize("weight", [0.0, 0.5, 0.7, 1.0])
def test_mmr_follows_its_definition(weight):
    query = "Do toads hum near herons?"
    order = naive_mmr(SENTENCES, query, weight)
    parameters = MmrParameters(relevance=weight)
    assert ranking("mmr", {"texts": SENTENCES, "query": query}, parameters) == order
    citance = Citance(1, "", 0, 1, query)
    assert ranking("mmr", {"texts": SENTENCES, "citances": (citance,)}, parameters) == order
    alone = naive_mmr(SENTENCES, " ".join(SENTENCES), weight)
    assert ranking("mmr", {"texts": SENTENCES}, parameters) == alone


@pytest.mark.parametrize("query", ["", "Do toads hum near herons?"])
@pytest.mark.parametrize("changes", [{}, {"saturation": 1.0}, {"diversity": 0.0}])
def test_submodular_follows_its_definition(query, changes):
    parameters = SubmodularParameters(clusters=0.4, **changes)
    order = ranking("submodular", {"texts": SENTENCES, "query": query}, parameters)
    assert order == naive_submodular(SENTENCES, query, parameters)


def test_submodular_takes_one_sentence_if_it_alone_is_worth_more():
    """Per word, a short sentence comes first; it leaves no room for the one that covers all."""
    texts = [
        "Newts.",
        "Newts sing and toads hum while herons hunt.",
        "Newts sing and snails graze while efts swim.",
        "Toads hum and herons hunt while frogs croak.",
    ]
    settings = SelectorSettings(parameters=SubmodularParameters(scale=3.0))
    select = SELECTORS["submodular"].select
    assert select(pool_of(texts, limit=16), settings).chosen[0] == 0
    assert select(pool_of(texts, limit=8), settings).chosen == (1,)


@given(seed=st.integers(0, 99), k=st.integers(1, 6))
def test_clusters_are_a_fixed_point_of_k_means(seed, k):
    rows = np.random.default_rng(seed).normal(size=(12, 3))
    cluster = clusters(rows, k)
    centres = {c: rows[cluster == c].mean(axis=0) for c in set(cluster.tolist())}
    for row, own in zip(rows, cluster.tolist(), strict=True):
        nearest = min(np.square(row - centre).sum() for centre in centres.values())
        assert np.square(row - centres[own]).sum() == pytest.approx(nearest, abs=1e-6)


def test_the_centroid_is_that_of_the_telling_words():
    """tf-idf of `newts` is the largest; with threshold 1 no other word is in the centroid."""
    texts = ["Newts newts sing.", "Old newts hum.", "Toads hum.", "Frogs rest.", "Efts swim."]
    pool = pool_of(texts, sentence_limit=1)
    names = list(pool.embeddings.index)
    vectors = np.eye(len(names))
    pool = Pool(
        pool.topic,
        pool.sentences,
        pool.passages,
        pool.problem,
        embeddings=Embeddings(vectors, np.ones(len(names)), pool.embeddings.index),
    )
    settings = SelectorSettings(parameters=CentroidParameters(threshold=0.99))
    # cos((2, 1), (1, 0)) = 2/sqrt(5) exceeds cos((1, 1, 1), (1, 0, 0)) = 1/sqrt(3).
    assert SELECTORS["centroid"].select(pool, settings).chosen == (0,)


@pytest.mark.parametrize("name", ["lexrank", "textrank", "sumbasic", "kl-sum", "mmr", "submodular"])
@pytest.mark.parametrize("texts", [(), ("...",), ("...", "The of."), ("Newts.", "Newts.")])
def test_texts_without_telling_words_break_nothing(name, texts):
    chosen = SELECTORS[name].select(pool_of(texts), SelectorSettings()).chosen
    assert chosen == tuple(range(len(texts)))


# --- sumy, on the same words


def document_of(texts):
    """Sentences as sumy's document; its words are ours, so that tokens do not differ."""
    pytest.importorskip("sumy")
    from sumy.models.dom import ObjectDocumentModel, Paragraph
    from sumy.models.dom import Sentence as SumySentence

    class Tokenizer:
        def to_words(self, text):
            return stems(text)

    sentences = [SumySentence(text, Tokenizer()) for text in texts]
    return ObjectDocumentModel([Paragraph(sentences)])


def test_lexrank_scores_as_sumy_with_the_papers_weights():
    """sumy divides tf by the largest, takes log(n / (1 + df)) for idf, never jumps and stops at a
    change of 0.1; with the paper's weights and a walk to the end its scores are ours.
    """
    pytest.importorskip("sumy")
    from sumy.summarizers.lex_rank import LexRankSummarizer

    bags = [stems(text) for text in SENTENCES]
    idf = {
        word: math.log(len(bags) / sum(word in bag for bag in bags)) for bag in bags for word in bag
    }
    frequencies = [dict(Counter(bag)) for bag in bags]
    summarizer = LexRankSummarizer()
    matrix = summarizer._create_matrix(bags, 0.1, frequencies, idf)
    similarity = cosines([Passage(text) for text in SENTENCES])
    links = np.where(similarity > 0.1, 1.0, 0.0)
    steps = links / links.sum(axis=1, keepdims=True)
    assert matrix == pytest.approx(steps)
    theirs = summarizer.power_method(matrix, 1e-13)
    ours = random_walk(links, 0.0)
    assert theirs / theirs.sum() == pytest.approx(ours / ours.sum(), abs=1e-9)


def test_sumbasic_asks_for_the_most_probable_word_where_sumy_does_not():
    """`newt` is the most probable word, but its sentences have rare words, too. Where a sentence of
    the best mean has the most probable word, both take it.
    """
    pytest.importorskip("sumy")
    from sumy.summarizers.sum_basic import SumBasicSummarizer

    def theirs(texts):
        sentences = document_of(texts).sentences
        ratings = SumBasicSummarizer()._compute_ratings(sentences)
        return sorted(range(len(texts)), key=lambda i: -ratings[sentences[i]])

    texts = ["Toads.", "Newts sing loudly.", "Grey newts rest.", "Newts eat algae.", "Toads hum."]
    assert theirs(texts)[0] == 0
    assert ranking("sumbasic", {"texts": texts})[0] == 1
    assert ranking("sumbasic", {"texts": SENTENCES}) == theirs(SENTENCES)


def test_sumys_kl_is_no_divergence_where_ours_is():
    """sumy adds up the words of the summary only, so that its value may be negative, as for a single
    word; ours adds up all words of the source and never is.
    """
    pytest.importorskip("sumy")
    from sumy.summarizers.kl import KLSummarizer

    document = document_of(SENTENCES)
    source = KLSummarizer().compute_tf(document.sentences)
    assert KLSummarizer._kl_divergence({"snail": 1.0}, source) < 0
    everything = Counter(word for text in SENTENCES for word in stems(text))
    total = sum(everything.values())
    assert source == pytest.approx({word: count / total for word, count in everything.items()})
