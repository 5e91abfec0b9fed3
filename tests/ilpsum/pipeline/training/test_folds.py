"""Folds share no document, and do not depend on anything but the topics."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ilpsum import Document, Topic
from ilpsum.api.inputs import topics_of
from ilpsum.errors import UsageError
from ilpsum.learning.seen import document_key
from ilpsum.pipeline.training.copies import near_copies
from ilpsum.pipeline.training.folds import folds_of
from ilpsum.records import SearchResult

# Each topic has some of eight documents; few of them, so that many topics share one.
TOPICS = st.lists(st.sets(st.integers(0, 7), max_size=3), min_size=2, max_size=9)


def topics_with(documents_of):
    return [
        Topic(f"t{i}", f"Question {i}?", tuple(Document(f"{d}", f"Text {d}.") for d in sorted(of)))
        for i, of in enumerate(documents_of)
    ]


def connected(documents_of):
    """Merge sets of topics until no two share a document."""
    groups = [{i} for i in range(len(documents_of))]
    while True:
        pair = next(
            (
                (a, b)
                for a in groups
                for b in groups
                if a is not b and any(documents_of[i] & documents_of[j] for i in a for j in b)
            ),
            None,
        )
        if pair is None:
            return groups
        groups.remove(pair[1])
        pair[0].update(pair[1])


@given(TOPICS, st.integers(2, 5))
def test_no_document_is_in_two_folds(documents_of, folds):
    topics, groups = topics_with(documents_of), connected(documents_of)
    if folds > len(groups):
        with pytest.raises(UsageError, match=f"folds is {folds}, for {len(topics)} topics in"):
            folds_of(topics, folds)
        return
    fold_of = folds_of(topics, folds)
    assert set(fold_of) == set(range(folds)), "no fold is empty"
    for group in groups:
        assert len({fold_of[i] for i in group}) == 1
    largest = max(map(len, groups))
    sizes = [fold_of.count(fold) for fold in range(folds)]
    assert max(sizes) - min(sizes) <= largest


def test_different_topics_are_dealt_out_in_turn():
    topics = topics_with([{i} for i in range(7)])
    assert folds_of(topics, 3) == [0, 1, 2, 0, 1, 2, 0]


def test_the_same_question_in_two_pools_is_in_one_fold():
    topics = [
        Topic("a", "Do newts sing?", (Document("1", "Newts sing."),)),
        Topic("b", "Do toads hum?", (Document("2", "Toads hum."),)),
        Topic("c", "do newts sing", (Document("3", "They do."),)),
    ]
    assert folds_of(topics, 2) == [0, 1, 0]


def test_of_searched_topics_the_relevant_documents_count():
    pile = (Document("1", "Newts sing."), Document("2", "Toads hum."))
    topics = [
        Topic(f"t{i}", f"Question {i}?", pile, search=SearchResult(), relevant=relevant)
        for i, relevant in enumerate([("1",), ("2",), ("1", "9")])
    ]
    assert folds_of(topics, 2) == [0, 1, 0]


def test_one_fold_is_refused():
    with pytest.raises(UsageError, match="folds is 1; expected 2 or more"):
        folds_of(topics_with([{1}, {2}]), 1)


def test_papers_of_tac_that_several_topics_cite_link_their_folds(real_data):
    """Nine of the 14 topics share a paper, some in copies that differ: one in nine words."""
    topics = topics_of(real_data / "tac2014")
    fold_of = folds_of(topics, 5)
    papers = [{document_key(d) for d in topic.documents} for topic in topics]
    for i, of_one in enumerate(papers):
        for j, of_other in enumerate(papers):
            assert fold_of[i] == fold_of[j] or not of_one & of_other
    assert sorted(map(fold_of.count, range(5))) == [1, 1, 1, 2, 9]
    fold_by_id = dict(zip([topic.id[:5] for topic in topics], fold_of, strict=True))
    assert fold_by_id["D1403"] == fold_by_id["D1409"]
    with pytest.raises(UsageError, match="14 topics in 6 groups"):
        folds_of(topics, 7)


def test_near_copies_of_a_document_are_in_one_fold():
    draw = random.Random(3)
    article, other = ([f"w{draw.randrange(10**6)}" for _ in range(3_000)] for _ in range(2))
    # One word in thirty differs: most runs of nine words are the same.
    copy = [word if draw.random() > 1 / 30 else "changed" for word in article]
    quoting = [*other[:1_500], *article[:250], *other[1_500:]]
    texts = [" ".join(["Title", str(i), *text]) for i, text in enumerate((article, quoting, copy))]
    topics = [Topic(f"t{i}", f"Question {i}?", (Document(f"{i}", t),)) for i, t in enumerate(texts)]
    assert folds_of(topics, 2) == [0, 1, 0]


TEXTS = st.lists(
    st.lists(st.integers(0, 2), min_size=1, max_size=8).map(
        lambda blocks: " ".join(f"{block} {k}" for block in blocks for k in range(30))
    ),
    max_size=5,
)


@given(TEXTS)
def test_near_copies_share_a_fifth_of_their_runs_of_nine_words(texts):
    def runs(text):
        tokens = text.split()
        return {tuple(tokens[i : i + 9]) for i in range(len(tokens) - 8)}

    expected = {
        (i, k)
        for (i, one), (k, other) in itertools.combinations(enumerate(texts), 2)
        if len(runs(one) & runs(other)) >= 0.2 * min(len(runs(one)), len(runs(other)))
        and min(len(one.split()), len(other.split())) >= 50
    }
    assert expected == set(near_copies(texts))
