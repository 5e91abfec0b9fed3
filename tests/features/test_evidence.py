"""Evidence of a search against textbook loops."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.context import Context, Evidence
from features.evidence import COLUMNS, _proximity, evidence_of, search_evidence, sentence_bm25
from features.text import Passage
from features.tokens import numbered

SENTENCES = [
    "Velin binds frost receptors of the newt.",
    "Newts sing in ponds.",
    "Frost receptors make newts sing, and velin blocks frost receptors.",
    "Nothing is known of toads.",
]
DOCUMENTS = [" ".join(SENTENCES[:2]), " ".join(SENTENCES[2:])]


@pytest.fixture
def context() -> Context:
    base = Context.of_texts("Do frost receptors make newts sing?", SENTENCES, DOCUMENTS)
    return Context(**{**vars(base), "document": np.array([0, 0, 1, 1])})


def test_documents_that_no_search_found_are_the_collection(context):
    evidence = evidence_of(context)
    words = ["frost", "receptor", "make", "newt", "sing"]
    stems = [Counter(Passage(d).content_stems) for d in DOCUMENTS]
    mean = np.mean([c.total() for c in stems])
    weights = []
    for word in words:
        holding = sum(word in c for c in stems)
        weights.append(math.log(1 + (2 - holding + 0.5) / (holding + 0.5)))
    assert evidence.weights.tolist() == pytest.approx(weights)
    assert evidence.sentences.tolist() == [
        [float(w in Passage(s).content_stems) for w in words] for s in SENTENCES
    ]  # fmt: skip
    for c, score in zip(stems, evidence.bm25, strict=True):
        norm = 1.2 * (0.25 + 0.75 * c.total() / mean)
        assert score == pytest.approx(
            sum(w * c[t] * 2.2 / (c[t] + norm) for t, w in zip(words, weights, strict=True))
        )


def test_each_column_is_what_its_name_says(context):
    evidence = Evidence(
        weights=np.array([1.0, 3.0]),
        sentences=np.array([[1, 0], [0, 0.5], [1, 1], [0, 0]]),
        documents=np.array([[1, 0.5], [1, 1]]),
        bm25=np.array([2.0, 8.0]),
    )
    found = Context(**{**vars(context), "evidence": evidence})
    columns = dict(zip(COLUMNS, search_evidence(found).T.tolist(), strict=True))
    assert columns["question-bm25"] == pytest.approx(sentence_bm25(found).tolist())
    assert columns["question-share"] == pytest.approx([1 / 4, 1.5 / 4, 1, 0])
    assert columns["squared-question-share"] == pytest.approx([1 / 10, 4.5 / 10, 1, 0])
    assert columns["holds-rarest-word"] == [0, 0.5, 1, 0]
    # The second sentence follows one of its document, the third opens another.
    assert columns["share-with-previous"] == pytest.approx([1 / 4, 2.5 / 4, 1, 1])
    assert columns["document-question-share"] == pytest.approx([2.5 / 4, 2.5 / 4, 1, 1])
    assert columns["document-bm25"] == pytest.approx([2 / 8, 2 / 8, 1, 1])
    assert columns["document-bm25-per-weight"] == pytest.approx([0.5, 0.5, 2, 2])


def test_votes_are_the_scores_of_the_sentences_that_hold_a_stem(context):
    columns = dict(zip(COLUMNS, search_evidence(context).T.tolist(), strict=True))
    bm25 = sentence_bm25(context)
    relative = (bm25 / bm25.max()).tolist()
    # The only stems that the question lacks are velin, bind, block, pond, nothing, known and toad.
    velin = relative[0] + relative[2]
    assert columns["new-stems"] == [2, 1, 2, 3]
    assert columns["most-votes"] == pytest.approx([velin, relative[1], velin, 0])
    assert columns["top-three-votes"][0] == pytest.approx((velin + relative[0]) / 2)
    assert columns["mean-votes"][0] == pytest.approx((velin / 2 + relative[0]) / 2)


def test_no_question_and_no_document_have_no_evidence():
    values = search_evidence(Context.of_texts("", ["Newts sing."], []))
    assert np.isfinite(values).all()
    assert values[0, 0] == 0


@given(
    st.lists(st.lists(st.sampled_from("abcd"), max_size=12), max_size=4),
    st.frozensets(st.sampled_from("abc")),
)
def test_proximity_is_that_of_the_shortest_of_all_windows(texts, wanted):
    expected = []
    for stems in texts:
        present = wanted & set(stems)
        lengths = [
            j - i for i in range(len(stems)) for j in range(i + 1, len(stems) + 1) if present <= set(stems[i:j])
        ]  # fmt: skip
        expected.append(len(present) / min(lengths) if len(present) > 1 else 0.0)
    tokens, number = numbered(["abcd", *texts]), "abcd".index
    found = _proximity(tokens, np.array(sorted(map(number, wanted)), dtype=np.int64))
    assert found.tolist()[1:] == expected
