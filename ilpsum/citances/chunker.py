"""Noun phrases of biomedical English, from the parts of speech of a tagger trained on GENIA."""

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ilpsum.compression.parser import Parser

LONGEST_PHRASE = 3
"""The most words in a phrase; longer phrases keep their last words, which include the head."""
# Tokens that are tagged at once.
_LONGEST_TEXT = 250
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "FW"})
# Adjectives, participles, numbers and nouns, without determiners.
_INSIDE = _NOUNS | {"JJ", "JJR", "JJS", "VBN", "VBG", "CD"}


@cache
def _tagger() -> "Parser":
    from ilpsum.compression.storage import load_parser

    return load_parser()


def noun_phrases(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the noun phrases of each text, in order, with at most `LONGEST_PHRASE` words."""
    from ilpsum.compression.tokens import tokenize

    pieces: list[tuple[int, list[str]]] = []
    for i, text in enumerate(texts):
        tokens = [token.text for token in tokenize(text)]
        pieces += [(i, tokens[at : at + _LONGEST_TEXT]) for at in range(0, len(tokens), _LONGEST_TEXT)]
    by_text: list[tuple[str, ...]] = [()] * len(texts)
    for (i, words), tags in zip(pieces, _tagger().tag([words for _, words in pieces]), strict=True):
        by_text[i] += tuple(phrases(words, tags))
    return by_text


def phrases(words: Sequence[str], tags: Sequence[str]) -> list[str]:
    """Return the noun phrases of tagged words: runs of words that may be inside, up to their last noun."""
    found = []
    for inside, places in groupby(range(len(tags)), lambda i: tags[i] in _INSIDE):
        run = [*places] if inside else []
        last = max((k for k, i in enumerate(run, 1) if tags[i] in _NOUNS), default=0)
        if last:
            found.append(" ".join(words[i] for i in run[:last][-LONGEST_PHRASE:]))
    return found
