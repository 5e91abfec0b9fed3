"""Every selector keeps all limits and rules of its problem."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.text import Passage
from ilpsum.learning.embeddings import load
from ilpsum.records import Sentence, Topic
from ilpsum.selection import SELECTORS, Pool, Problem, SelectorSettings

WORDS = st.lists(st.sampled_from("newt toad frog eft pond".split()), min_size=1, max_size=4).map(
    " ".join
)


@pytest.mark.parametrize("name", [name for name in SELECTORS.own if not SELECTORS[name].copies])
@given(
    texts=st.lists(WORDS, min_size=1, max_size=6),
    limit=st.integers(1, 12),
    pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=3),
    barred=st.sets(st.integers(0, 5), max_size=2),
    seed=st.integers(0, 2**16),
)
def test_what_is_chosen_keeps_every_limit_and_rule(name, texts, limit, pairs, barred, seed):
    n = len(texts)
    groups = tuple((a, b) for a, b in pairs if a != b and max(a, b) < n)
    relevance = np.random.default_rng(seed).uniform(0, 1, n)
    lengths = [len(text.split()) for text in texts]
    exclude = tuple(i for i in barred if i < n)
    passages = tuple(map(Passage, texts))
    problem = Problem.build(
        [p.bigrams for p in passages],
        lengths,
        relevance,
        limit,
        groups=groups,
        exclude=exclude,
        sentence_limit=3,
    )
    sentences = tuple(
        Sentence(t, "d", 0, 1, k, relevance=r)
        for t, k, r in zip(texts, lengths, relevance, strict=True)
    )
    topic = Topic("t", summaries=("newt toad frog",))
    pool = Pool(topic, sentences, passages, problem, embeddings=load())
    assert problem.allows(
        SELECTORS[name].select(pool, SelectorSettings(threshold=1.0, seed=seed)).chosen
    )
