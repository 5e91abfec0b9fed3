"""How sentences of abstracts match the question and agree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.context import Context
from features.matching import COLUMNS, _agreement, _longest, _near_pairs, matching
from features.tokens import numbered

SENTENCES = [
    "Frost receptors of newts.",
    "This study aimed to count newts.",
    "We found that frost receptors make newts sing.",
    "Frost receptors make newts sing in cold ponds.",
    "Toads may dig (unlike olms).",
]


@pytest.fixture
def columns() -> dict[str, list[float]]:
    base = Context.of_texts(
        "Do frost receptors make newts sing?", SENTENCES, [" ".join(SENTENCES[:3]), SENTENCES[3]]
    )
    changed = {
        "document": np.array([0, 0, 0, 1, 1]),
        "section": ("title", "abstract", "abstract", "title", "abstract"),
    }
    roles = np.eye(5)
    rows = matching(Context(**{**vars(base), **changed, "roles": roles}))
    return dict(zip(COLUMNS, rows.T.tolist(), strict=True))


def test_words_of_the_question_together(columns):
    assert columns["longest-span"] == [2, 1, 5, 5, 0]
    assert columns["longest-span-weight"] == pytest.approx([2 / 5, 1 / 5, 1, 1, 0])
    # All pairs are within four words of each other: ten of them.
    assert columns["near-pairs"] == pytest.approx([3 / 10, 0, 1, 1, 0])


def test_neighbours_and_documents(columns):
    # The next sentence of another document does not count.
    assert columns["next-share"][2] == columns["next-share"][4] == 0
    assert columns["next-share"][1] > columns["next-share"][0]
    assert columns["neighbours-bm25"][4] > 0
    assert columns["bm25-in-document"][2] == columns["bm25-in-document"][3] == 1
    assert columns["bm25-place"][4] == 4 / 5
    assert columns["title-cosine"][0] == 0 < columns["title-cosine"][2]


def test_only_other_documents_agree(columns):
    agreement = columns["agreement"]
    assert agreement[2] > agreement[1]
    assert agreement[4] == 0
    assert columns["agreeing-documents"][2] == 1 / 2


def test_roles(columns):
    assert columns["role-background"] == [1, 0, 0, 0, 0]


STEMS = st.lists(st.sampled_from("abcd"), max_size=8)
TEXTS = st.lists(STEMS, max_size=4)
CONTENT = st.frozensets(st.sampled_from("abcd"))


@given(STEMS, TEXTS, CONTENT)
def test_longest_run_is_that_of_all_pairs_of_runs(asked, texts, content):
    tokens = numbered(["abcd", *texts])
    held = np.array(["abcd"[i] in content for i in tokens.ids.tolist()], dtype=bool)
    found = tokens.largest(
        _longest(np.array(list(map("abcd".index, asked)), dtype=np.int64), tokens, held)
    )
    of_question = {tuple(asked[i:k]) for i in range(len(asked)) for k in range(i, len(asked) + 1)}
    for stems, longest in zip(texts, found.tolist()[1:], strict=True):
        runs = of_question & {
            tuple(stems[i:k]) for i in range(len(stems)) for k in range(i, len(stems) + 1)
        }
        assert longest == max((sum(s in content for s in run) for run in runs), default=0)


@given(TEXTS, CONTENT)
def test_near_pairs_are_those_of_all_pairs_of_words(texts, content):
    tokens = numbered(["abcd", *texts])
    held = np.array(["abcd"[i] in content for i in tokens.ids.tolist()], dtype=bool)
    expected = []
    for stems in texts:
        places = [(i, stem) for i, stem in enumerate(stems) if stem in content]
        expected.append(
            len(
                {
                    frozenset((a, b))
                    for i, a in places
                    for k, b in places
                    if a != b and abs(i - k) <= 4
                }
            )
        )
    assert _near_pairs(tokens, held).tolist()[1:] == expected


def test_blocks_of_sentences_agree_as_all_at_once(monkeypatch):
    base = Context.of_texts("Do newts sing?", SENTENCES, SENTENCES)
    context = Context(**{**vars(base), "document": np.array([0, 1, 2, 0, 1])})
    bm25 = np.array([0.5, 2.0, 0.0, 1.0, 0.25])
    at_once = _agreement(context, bm25)
    monkeypatch.setattr("features.context._ROWS", 2)
    assert _agreement(context, bm25) == pytest.approx(at_once)
    # Sentence 2 is alone in its document: its best cosines with those of the other two.
    cosines = (context.vectors @ context.vectors.T)[2]
    two = max(cosines[0], cosines[3]), max(cosines[1], cosines[4])
    assert at_once[2, 0] == pytest.approx(np.mean([*two, 0]))
    assert at_once[2, 2] == pytest.approx(sum(value > 0.3 for value in two) / 3)
