"""Noun phrases of biomedical English, by the parts of speech of the tagger that was trained on GENIA."""

from collections.abc import Sequence
from functools import cache

from ilpsum.compression.parser import Parser
from ilpsum.compression.storage import load_parser
from ilpsum.compression.tokens import tokenize

LONGEST_PHRASE = 3
"""Words of a phrase at most; of a longer one the last words, with its head, are taken."""
_LONGEST_TEXT = 250
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "FW"})
_BEFORE = _NOUNS | {"JJ", "JJR", "JJS", "VBN", "VBG", "CD"}


def noun_phrases(texts: Sequence[str], longest: int = LONGEST_PHRASE) -> list[tuple[str, ...]]:
    """The noun phrases of each text, in order.

    A phrase is a run of adjectives, participles, numbers and nouns that ends in a noun; determiners are no part of it.

    Args:
        texts: any texts; beyond 250 tokens the rest of a text is tagged as a text of its own.
        longest: words of a phrase at most.
    """
    parser = _tagger()
    pieces: list[list[str]] = []
    owner: list[int] = []
    for i, text in enumerate(texts):
        tokens = [token.text for token in tokenize(text)]
        for start in range(0, len(tokens), _LONGEST_TEXT):
            pieces.append(tokens[start : start + _LONGEST_TEXT])
            owner.append(i)
    found: list[tuple[str, ...]] = [()] * len(texts)
    for i, words, tags in zip(owner, pieces, parser.tag(pieces), strict=True):
        found[i] += tuple(phrases(words, tags, longest))
    return found


def phrases(words: Sequence[str], tags: Sequence[str], longest: int = LONGEST_PHRASE) -> list[str]:
    """The noun phrases of tagged words.

    >>> phrases("the severe acute lung injury was seen in mice".split(), "DT JJ JJ NN NN VBD VBN IN NNS".split())
    ['acute lung injury', 'mice']
    """
    found: list[str] = []
    run: list[int] = []
    for i in range(len(words) + 1):
        if i < len(words) and tags[i] in _BEFORE:
            run.append(i)
            continue
        while run and tags[run[-1]] not in _NOUNS:
            run.pop()
        if run:
            found.append(" ".join(words[j] for j in run[-longest:]))
        run = []
    return found


@cache
def _tagger() -> Parser:
    return load_parser()
