"""Features 1.1-1.8 against the textbook loops of their definitions."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from features.context import Context
from features.lexical import LEXICAL
from features.text import STOP_WORDS, porter, words

VOCABULARY = "the of cell cells gene genes expression expressed p53 tumour and is".split()
TEXTS = st.lists(st.sampled_from(VOCABULARY), max_size=9).map(" ".join)
CONTEXTS = st.builds(
    Context.of_texts,
    TEXTS,
    st.lists(TEXTS, min_size=1, max_size=6),
    st.lists(TEXTS, min_size=1, max_size=3),
)


def content(text: str, *, stems: bool) -> list[str]:
    kept = [w for w in words(text) if w not in STOP_WORDS]
    return [porter(w) for w in kept] if stems else kept


def textbook_distance(a: list[str], b: list[str]) -> int:
    table = [[i + j if i * j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            replaced = table[i - 1][j - 1] + (a[i - 1] != b[j - 1])
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, replaced)
    return table[-1][-1]


@given(CONTEXTS)
def test_overlap_counts_common_distinct_content_words(context):
    for function, stems in ((LEXICAL["word-overlap"], False), (LEXICAL["stem-overlap"], True)):
        wanted = set(content(context.query.text, stems=stems))
        expected = [len(wanted & set(content(s.text, stems=stems))) for s in context.sentences]
        assert function(context).tolist() == expected


@given(CONTEXTS)
def test_levenshtein_distance_is_over_whole_words(context):
    query = list(words(context.query.text))
    for s, distance in zip(context.sentences, LEXICAL["word-distance"](context), strict=True):
        assert distance == textbook_distance(query, list(words(s.text)))
    stems = [porter(w) for w in query]
    for s, distance in zip(context.sentences, LEXICAL["stem-distance"](context), strict=True):
        assert distance == textbook_distance(stems, [porter(w) for w in words(s.text)])


@given(CONTEXTS)
def test_frequencies_are_mean_shares(context):
    for cf, df, stems in (
        (LEXICAL["content-word-frequency"], LEXICAL["document-word-frequency"], False),
        (LEXICAL["content-stem-frequency"], LEXICAL["document-stem-frequency"], True),
    ):
        documents = [content(d.text, stems=stems) for d in context.documents]
        everything = [w for d in documents for w in d]
        for s, got_cf, got_df in zip(context.sentences, cf(context), df(context), strict=True):
            own = content(s.text, stems=stems)
            shares = [everything.count(w) / len(everything) for w in own if everything]
            supports = [sum(w in d for d in documents) / len(documents) for w in own]
            np.testing.assert_allclose(
                got_cf, sum(shares) / len(own) if own and everything else 0.0
            )
            np.testing.assert_allclose(
                got_df, sum(supports) / len(own) if own and everything else 0.0
            )


def test_a_worked_example():
    context = Context.of_texts(
        "Do kinases phosphorylate the receptor?",
        ["The kinase phosphorylates a receptor.", "Nothing to see."],
        ["The kinase phosphorylates a receptor. Nothing to see.", "A receptor is a receptor."],
    )
    assert LEXICAL["word-overlap"](context).tolist() == [1, 0]
    assert LEXICAL["stem-overlap"](context).tolist() == [3, 0]
    assert LEXICAL["word-distance"](context).tolist() == [4, 5]
    # Content words of the documents: kinase phosphorylates receptor nothing see | receptor
    # receptor.
    np.testing.assert_allclose(
        LEXICAL["content-word-frequency"](context), [(1 / 7 + 1 / 7 + 3 / 7) / 3, 1 / 7]
    )
    np.testing.assert_allclose(
        LEXICAL["document-word-frequency"](context), [(1 / 2 + 1 / 2 + 1) / 3, 1 / 2]
    )
