"""Words that may be what a question asks for."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.answer_words import COLUMNS, answer_words
from features.context import Context
from features.mentions import type_of
from features.text import STOP_WORDS

SENTENCES = ["The Velin-7 gene makes newts sing.", "Toads dig with Velin (frostitis).", "Newts."]
WORDS = ("velin", "7", "toads", "dig", "velin", "frostitis")


def known(word: str) -> int:
    return 20 if word == "toads" else 0


@pytest.fixture
def columns() -> dict[str, list[float]]:
    base = Context.of_texts(
        "Which gene makes newts sing?", SENTENCES, [SENTENCES[0], " ".join(SENTENCES[1:])]
    )
    context = replace(base, document=np.array([0, 1, 1]), section=("", "title", ""))
    features, owners = answer_words(context, [0, 1], [0, 1], np.array([0.6, 0.2, 0.4]), known)
    assert owners.tolist() == [0, 0, 1, 1, 1, 1]
    return dict(zip(COLUMNS, features.T.tolist(), strict=True))


def test_votes_are_of_the_sentences_that_are_read(columns):
    assert columns["relevance"] == [0.6, 0.6, 0.2, 0.2, 0.2, 0.2]
    assert columns["share-of-best"] == pytest.approx([1, 1, 1 / 3, 1 / 3, 1 / 3, 1 / 3])
    assert columns["votes"] == pytest.approx([1, 0.75, 0.25, 0.25, 1, 0.25])
    assert columns["sentences"] == columns["documents"] == [2, 1, 1, 1, 2, 1]
    assert columns["share-of-documents"] == [1, 0.5, 0.5, 0.5, 1, 0.5]
    assert columns["background"] == pytest.approx([0, 0, np.log(21), 0, 0, 0])
    assert columns["rare-votes"] == pytest.approx([10, 7.5, (10 - np.log(21)) / 4, 2.5, 10, 2.5])


def test_where_a_word_stands(columns):
    # `gene` is the type and the first word of the question; the second sentence has neither.
    assert columns["from-type"] == columns["from-question"] == [2, 1, 30, 30, 30, 30]
    assert columns["before-asked"] == [0, 1, 0, 0, 0, 0]
    assert columns["after-question"] == columns["after-asked"] == [0] * 6
    assert columns["place"] == [1, 2, 0, 1, 3, 4]
    assert columns["share-of-sentence"] == pytest.approx([1 / 7, 2 / 7, 0, 0.2, 0.6, 0.8])
    assert columns["after-stop-word"] == [1, 0, 0, 0, 1, 0]
    assert columns["before-stop-word"] == [0, 0, 0, 1, 0, 0]
    assert columns["title"] == [0, 0, 1, 1, 1, 1]


def test_how_a_word_is_written(columns):
    assert columns["capitals"] == [1, 0, 1, 0, 1, 0]
    assert columns["capitalised"] == [1, 0, 0, 0, 1, 0]
    assert columns["digits"] == [0, 1, 0, 0, 0, 0]
    assert columns["letters"] == [len(word) for word in WORDS]
    assert columns["ends-as-disease"] == [0, 0, 0, 0, 0, 1]
    assert columns["ends-as-molecule"] == [word.endswith("in") for word in WORDS]
    assert columns["asks-for-molecule"] == [1] * 6
    assert columns["asks-for-disease"] == [0] * 6


def by_loops(context: Context, rows: list[int], relevance: np.ndarray) -> list[tuple[float, ...]]:
    """The columns before `capitals`, word by word."""
    asked, kind = set(context.query.stems), type_of(context.query)
    total, best = sum(relevance[rows]) or 1.0, max(relevance[rows]) or 1.0
    found = []
    for i in rows:
        sentence = context.sentences[i]
        pairs = [*zip(sentence.words, sentence.stems, strict=True)]
        of_question = [
            k for k, (word, stem) in enumerate(pairs) if stem in asked and word not in STOP_WORDS
        ]
        of_type = [k for k, (_, stem) in enumerate(pairs) if stem in kind]
        for k, (word, stem) in enumerate(pairs):
            if stem in asked or word in STOP_WORDS or (len(word) == 1 and not word.isdigit()):
                continue
            having = [j for j in rows if word in context.sentences[j].words]
            votes, common = sum(relevance[j] for j in having) / total, np.log1p(known(word))
            documents = sum(word in document.words for document in context.documents)
            found.append((
                relevance[i], relevance[i] / best, votes, len(having), len({context.document[j] for j in having}),
                documents / len(context.documents), common, votes * (10 - common),
                min((abs(k - n) for n in of_question), default=30), bool(of_question) and of_question[0] < k,
                min((abs(k - n) for n in of_type), default=30),
            ))  # fmt: skip
    return found


SENTENCE = st.lists(
    st.sampled_from("newts toads sing a which gene makes of dusk 7 q".split()), min_size=1
).map(" ".join)


@given(SENTENCE, st.lists(SENTENCE, min_size=1, max_size=5), st.data())
def test_columns_are_those_of_loops(question, texts, data):
    n = len(texts)
    places = st.lists(st.integers(0, n - 1), min_size=n, max_size=n).map(sorted)
    context = replace(
        Context.of_texts(question, texts, texts), document=np.array(data.draw(places))
    )
    voters = sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1)))
    relevance = np.array(data.draw(st.lists(st.floats(0, 1), min_size=n, max_size=n)))
    features, owners = answer_words(context, voters, voters, relevance, known)
    expected = np.array(by_loops(context, voters, relevance), dtype=float).reshape(
        -1, COLUMNS.index("capitals")
    )
    assert features[:, : COLUMNS.index("capitals")] == pytest.approx(expected)
    row = data.draw(st.sampled_from(voters))
    of_row, owner = answer_words(context, voters, [row], relevance, known)
    assert set(owner.tolist()) <= {row}
    assert of_row.tolist() == features[owners == row].tolist()


TEXTS = st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=4)


@given(st.text(max_size=20), TEXTS)
def test_any_text_has_finite_features_of_words_that_the_question_lacks(question, texts):
    context = Context.of_texts(question, texts)
    features, owners = answer_words(
        context, range(len(texts)), range(len(texts)), np.zeros(len(texts)), known
    )
    assert features.shape == (len(owners), len(COLUMNS))
    assert np.isfinite(features).all()
    words = [
        context.sentences[i].words[int(k)]
        for i, k in zip(owners, features[:, COLUMNS.index("place")], strict=True)
    ]
    assert not STOP_WORDS.union(context.query.words) & {*words}
