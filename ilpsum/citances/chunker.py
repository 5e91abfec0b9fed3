"""Noun phrases of biomedical English: NLTK's chunker over the parts of speech of a tagger trained on GENIA."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ilpsum.compression.parser import Parser

LONGEST_PHRASE = 3
"""The most words in a phrase; longer phrases keep their last words, which include the head."""
# Tokens that are tagged at once.
_LONGEST_TEXT = 250
# Adjectives, participles, numbers and nouns that end in a noun, without determiners.
_GRAMMAR = "NP: {<JJ|JJR|JJS|VBN|VBG|CD|NN|NNS|NNP|NNPS|FW>*<NN|NNS|NNP|NNPS|FW>}"


@cache
def _tagger() -> "Parser":
    from ilpsum.compression.storage import load_parser

    return load_parser()


@cache
def _chunker() -> Any:
    from nltk.chunk import RegexpParser

    return RegexpParser(_GRAMMAR)


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
    """Return the noun phrases of tagged words, at least one.

    >>> phrases("the severe acute lung injury was seen in mice".split(), "DT JJ JJ NN NN VBD VBN IN NNS".split())
    ['acute lung injury', 'mice']
    """
    tree = _chunker().parse(list(zip(words, tags, strict=True)))
    chunks = tree.subtrees(lambda node: node.label() == "NP")
    return [" ".join(word for word, _ in chunk[-LONGEST_PHRASE:]) for chunk in chunks]
