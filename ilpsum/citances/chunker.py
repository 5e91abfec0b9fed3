"""Noun phrases of biomedical English, from the parts of speech of a tagger trained on GENIA."""

from collections.abc import Sequence
from functools import cache

from ilpsum.compression.storage import load_parser
from ilpsum.compression.tokens import tokenize

LONGEST_PHRASE = 3
"""The most words in a phrase; longer phrases keep their last words, which include the head."""
_LONGEST_TEXT = 250
_tagger = cache(load_parser)
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "FW"})
_BEFORE = _NOUNS | {"JJ", "JJR", "JJS", "VBN", "VBG", "CD"}


def noun_phrases(texts: Sequence[str], longest: int = LONGEST_PHRASE) -> list[tuple[str, ...]]:
    """Return the noun phrases of each text, in order, with at most `longest` words.

    A phrase is a sequence of adjectives, participles, numbers and nouns that ends in a noun, without determiners. Texts
    are tagged in pieces of 250 tokens.
    """
    pieces: list[tuple[int, list[str]]] = []
    for i, text in enumerate(texts):
        tokens = [token.text for token in tokenize(text)]
        pieces += [(i, tokens[at : at + _LONGEST_TEXT]) for at in range(0, len(tokens), _LONGEST_TEXT)]
    by_text: list[tuple[str, ...]] = [()] * len(texts)
    for (i, words), tags in zip(pieces, _tagger().tag([words for _, words in pieces]), strict=True):
        by_text[i] += tuple(phrases(words, tags, longest))
    return by_text


def phrases(words: Sequence[str], tags: Sequence[str], longest: int = LONGEST_PHRASE) -> list[str]:
    """Return the noun phrases of tagged words.

    >>> phrases("the severe acute lung injury was seen in mice".split(), "DT JJ JJ NN NN VBD VBN IN NNS".split())
    ['acute lung injury', 'mice']
    """
    chunks: list[str] = []
    chunk: list[int] = []
    for i in range(len(words) + 1):
        if i < len(words) and tags[i] in _BEFORE:
            chunk.append(i)
            continue
        while chunk and tags[chunk[-1]] not in _NOUNS:
            chunk.pop()
        if chunk:
            chunks.append(" ".join(words[j] for j in chunk[-longest:]))
        chunk = []
    return chunks
