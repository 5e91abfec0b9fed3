from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.parser.genia import read_pmids, read_treebank
from ilpsum.compression.tokens import tokenize
from ilpsum.compression.trees import bracketed, unescape


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Toads (Bufo), newts.", "Toads|(|Bufo|)|,|newts|."),
        ("rise of [Ca2+]i and 1,25-(OH)2D3", "rise|of|[Ca2+]i|and|1,25-(OH)2D3"),
        ("The toad's 5% share", "The|toad|'s|5|%|share"),
        ("E. coli vs. yeast.", "E.|coli|vs.|yeast|."),
        ("A toad—a pilot -- and more", "A|toad|—|a|pilot|--|and|more"),
        ("Epstein–Barr at 5–10 mg", "Epstein–Barr|at|5–10|mg"),
        ("[Toads in ponds.]", "[|Toads|in|ponds|.|]"),
        ("poly(A)-binding ((nested))", "poly(A)-binding|(|(|nested|)|)"),
        ('He said "no".', 'He|said|"|no|"|.'),
        ("", ""),
        (" . ", "."),
    ],
)
def test_tokens(text, expected):
    assert "|".join(token.text for token in tokenize(text)) == expected


@given(st.text(max_size=60))
def test_tokens_are_the_text_without_its_white_space(text):
    tokens = tokenize(text)
    assert "".join(token.text for token in tokens) == "".join(text.split())
    assert all(text[token.start : token.end] == token.text for token in tokens)
    assert all(a.end <= b.start for a, b in pairwise(tokens))


@pytest.fixture(scope="module")
def treebank(real_data):
    return list(read_treebank(real_data / "genia/GENIA_treebank_v1.tar.gz"))


@pytest.mark.long  # reads the whole treebank
def test_tokens_match_those_of_the_treebank(treebank):
    right = total = found = 0
    for sentence in treebank:
        gold = _ends(map(unescape, sentence.tree.leaves()))
        ours = _ends(token.text for token in tokenize(sentence.text))
        right, total, found = right + len(gold & ours), total + len(gold), found + len(ours)
    assert 2 * right / (total + found) > 0.99


def _ends(words):
    place, ends = 0, set()
    for word in words:
        ends.add((place, place + len(word)))
        place += len(word)
    return ends


@pytest.mark.long
def test_the_development_split_of_the_treebank(real_data, treebank):
    development = read_pmids(real_data / "genia/dev.pmids")
    assert len(development) == 148
    assert 8916970 in development  # written 08916970 there
    assert len(treebank) == 17181
    assert len({sentence.pmid for sentence in treebank}) == 1849
    held = Counter(
        bracketed(sentence.tree) for sentence in treebank if sentence.pmid in development
    )
    gold = Counter((real_data / "genia/dev.trees").read_text(encoding="utf-8").splitlines())
    assert held.total() == gold.total() == 1361
    # The rest differs in white space within tokens.
    assert (held & gold).total() >= 1344
