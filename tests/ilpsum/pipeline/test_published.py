"""The paper in one file gives the summaries of the systems that are named after it."""

import itertools
from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.arrays import Floats
from features.embeddings import Embeddings, all_similarities
from features.text import Passage
from ilpsum.answers.steps import Summarizer
from ilpsum.pipeline import published
from ilpsum.pipeline.published import (
    ILP_SUM_0,
    ILP_SUM_1,
    ILP_SUM_2,
    Feature,
    Selector,
    greedy,
    ilp,
    ilp_sum_2,
    normalised,
)
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training.fitting import train
from ilpsum.records import Document, Topic
from ilpsum.selection import Problem, select
from ilpsum.tasks import read_topics

# Each system with its features and selector, and the topics that it is trained and tried on.
SYSTEMS: dict[str, tuple[tuple[Feature, ...], Selector, str]] = {
    "ilp-sum-0": (ILP_SUM_0, ilp, "bioasq/2B1_golden.json.gz"),
    "ilp-sum-1": (ILP_SUM_1, ilp, "tac2014"),
    "ilp-sum-2": (ILP_SUM_2, ilp, "bioasq/2B1_golden.json.gz"),
    "gr-sum-2": (ILP_SUM_2, greedy, "bioasq/2B2_golden.json.gz"),
    "baseline-2": (ILP_SUM_0, greedy, "tac2014"),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_paper_in_one_file_gives_the_same_summaries(real_data, name):
    features, selector, source = SYSTEMS[name]
    most = 4 if source == "tac2014" else 12
    topics = [
        t for t in itertools.islice(read_topics([real_data / source]), most) if isinstance(t, Topic)
    ]
    training, tested = topics[: most // 2], topics[most // 2 :]
    system = System.load(name)
    ours, model = Summarizer(system, train(system, training)), published.train(training, features)
    for topic, words in itertools.product(tested, (50, 250)):
        sentences = published.features(topic, features)[0]
        chosen = [s.place for s in published.summarize(topic, model, features, words, selector)]
        places = {s.place for s in ours(topic, words=words)}
        assert chosen == [s.place for s in sentences if s.place in places], (topic.id, words)


def test_word_vectors_of_ones_own_replace_the_included_ones():
    vectors = Embeddings(np.eye(2), np.ones(2), {"newts": 0, "toads": 1})
    topic = Topic(
        "t", "Do newts hum?", (Document("1", "Newts hum at night. Toads dig in the mud."),)
    )
    sentences, about, matrix = published.features(topic, ilp_sum_2(vectors))
    own = all_similarities(vectors, about.query, about.sentences)
    assert np.array_equal(matrix[:, 8:], own)
    assert matrix.shape == (len(sentences), 26)
    # Only `newts` of the question is known: the same word, or one at a distance of sqrt(2).
    assert own[:, 0] == pytest.approx([1.0, 1.0 / (1.0 + 2**0.5)])


def value(
    rows: Iterable[int], relevance: Floats, sentences: Sequence[Passage], words: int, lambda_: float
) -> float:
    """Equation 1 of a set of sentences, as a loop."""
    total, covered = 0.0, set[tuple[str, str]]()
    low, high = min(relevance), max(relevance)
    for i in rows:
        a = (relevance[i] - low) / (high - low) if high > low else 1.0
        total += lambda_ * a * len(sentences[i].text.split()) / words
        covered.update(sentences[i].bigrams)
    return total + (1.0 - lambda_) * len(covered) / len(sentences)


TEXTS = st.lists(
    st.lists(st.sampled_from("newt toad frog eft".split()), min_size=1, max_size=5).map(" ".join),
    max_size=6,
)


@given(
    TEXTS,
    st.integers(1, 14),
    st.sampled_from((0.0, 0.3, 0.8, 1.0)),
    st.lists(st.sampled_from((-0.2, 0.1, 0.45, 0.45, 1.2)), min_size=6, max_size=6),
)
def test_the_ilp_is_the_best_of_all_subsets(texts, words, lambda_, values):
    sentences, relevance = [Passage(t) for t in texts], np.array(values[: len(texts)])
    chosen = ilp(relevance, sentences, words, lambda_)
    subsets = itertools.chain.from_iterable(
        itertools.combinations(range(len(texts)), k) for k in range(len(texts) + 1)
    )
    fitting = [rows for rows in subsets if sum(len(texts[i].split()) for i in rows) <= words]
    assert tuple(chosen) in fitting
    if texts:
        best = max(value(rows, relevance, sentences, words, lambda_) for rows in fitting)
        assert value(chosen, relevance, sentences, words, lambda_) == pytest.approx(best, abs=1e-9)
        # Of equal sets, the one that the system chooses.
        lengths = [len(text.split()) for text in texts]
        bigrams = [s.bigrams for s in sentences]
        problem = Problem.build(bigrams, lengths, normalised(relevance), words, lambda_=lambda_)
        assert tuple(chosen) == select(problem).chosen


def test_greedy_skips_what_repeats_and_stops_at_what_does_not_fit():
    texts = (
        "newts eat slugs",
        "newts eat slugs too",
        "toads hum",
        "frogs sleep under the ice",
        "efts climb",
    )
    relevance = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    # The second repeats the first; the fourth does not fit, so the fifth, which would, is not
    # reached.
    assert greedy(relevance, [Passage(t) for t in texts], 8) == [0, 2]


def test_a_function_takes_the_place_of_the_svr():
    text = "Newts sing at night in ponds. Toads croak in spring. Efts walk through the wet wood."
    topic = Topic("q", "Do efts walk?", (Document("1", text),))

    def relevance(question, sentences):
        assert question == "Do efts walk?"
        return np.array(["Efts" in s for s in sentences], dtype=float)

    for selector in (published.ilp, published.greedy):
        chosen = published.summarize(topic, relevance, words=8, selector=selector)
        assert [s.text for s in chosen] == ["Efts walk through the wet wood."]
