"""Typing errors: a word of a question that no text holds is replaced by the word of the texts that is nearest to it.

The distance is that of Damerau and Levenshtein, at most 1 for words of fewer than seven letters and 2 for others: one
letter inserted, left out, replaced, or exchanged with the next. The first letter is kept. Among the nearest words the
one whose term is in most texts is taken. What may be a name is kept: a word of fewer than five letters, with a capital
inside, joined to a digit, or in quotes. So is a word of the biomedical vocabulary that ships (the background of
`ilpsum.io.idf`, and MeSH): the texts lack it, and that is what the reader must know.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from ilpsum.io.idf import load_idf, singular
from ilpsum.records import Correction
from ilpsum.retrieval.analysis import terms
from ilpsum.retrieval.entries import IDENTITY, term_query
from ilpsum.retrieval.queries import terms_of_words
from ilpsum.retrieval.synonyms import known_terms

if TYPE_CHECKING:
    from ilpsum.retrieval.opened import OpenIndex

_SHORTEST, _LONG = 5, 7
# The index has terms, not words: the words are read from a few texts with each of the nearest terms.
_TERMS, _TEXTS = 20, 5
# The part of a word that a stemmer cuts off has at most this many letters, and leaves at least as many as the other.
_ENDING, _BEGINNING = 7, 3

_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»')
# Words with what hyphens join to them.
_JOINED = re.compile(r"[^\W_]+(?:[-‐‑–][^\W_]+)*")
_LETTERS = re.compile(r"[^\W\d_]+")


def may_be_mistyped(text: str) -> frozenset[str]:
    """Return the words of a text, in lower case, that are no name by their form.

    >>> sorted(may_be_mistyped('Does fomoterol help in "ashtma", COPDs or IL-interleukin-6?'))
    ['fomoterol']
    """
    quoted = frozenset(word.lower() for part in _QUOTED.findall(text) for word in _LETTERS.findall(part))
    joined = (each for each in _JOINED.findall(text) if not any(c.isdigit() for c in each))
    words = (word for each in joined for word in _LETTERS.findall(each) if word[1:].islower())
    return frozenset(word.lower() for word in words if len(word) >= _SHORTEST) - quoted


def nearest(word: str, index: "OpenIndex") -> str:
    """Return the word of an index that a mistyped word, in lower case, most likely stands for; empty if none is near.

    Raises:
        InputError: the index is damaged.
    """
    if _is_known(word):
        return ""
    most = 2 if len(word) >= _LONG else 1
    found = (
        (far, -count, other)
        for term, count in _near_terms(word, most, index)
        for other in _words(term, index)
        if (far := distance(word, other, most)) <= most
    )
    return min(found, default=(0, 0, ""))[2]


def distance(one: str, other: str, most: int | None = None) -> int:
    """Return the Damerau-Levenshtein distance of two words; `most` + 1 if it is larger than `most`.

    >>> distance("tetrology", "tetralogy"), distance("treatmnet", "treatment")
    (1, 1)
    """
    from rapidfuzz.distance import DamerauLevenshtein

    return int(DamerauLevenshtein.distance(one, other, score_cutoff=most))


def corrected(text: str, corrections: Sequence[Correction]) -> str:
    """Return a text with its mistyped words replaced, a capital at their beginning kept.

    >>> corrected("Proceedure?", [Correction("proceedure", "procedure")])
    'Procedure?'
    """
    for each in corrections:
        place = re.compile(rf"(?<![^\W\d_]){re.escape(each.written)}(?![^\W\d_])", re.IGNORECASE)
        if match := place.search(text):
            capital = match[0][0].isupper()
            text = place.sub(each.searched[0].upper() + each.searched[1:] if capital else each.searched, text)
    return text


def _near_terms(word: str, most: int, index: "OpenIndex") -> Iterable[tuple[str, int]]:
    """Return the terms that words near a word may have, each with the number of texts, the likeliest first.

    They are near the word's own term, or begin the word, where the error is in an ending that stemming cuts off.
    """
    own = terms(word)[0]

    def ranked() -> Iterator[tuple[int, int, str]]:
        for term, count in index.vocabulary(own[0]):
            if (far := distance(own, term, most)) <= most:
                yield far, -count, term
            elif _BEGINNING < len(term) >= len(word) - _ENDING and word.startswith(term[:-1]):
                yield most, -count, term

    return [(term, -count) for _, count, term in sorted(ranked())[:_TERMS]]


def _words(term: str, index: "OpenIndex") -> frozenset[str]:
    """Return the words of a term in a few texts."""
    from tantivy import Order

    entries = index.found(term_query(term), _TEXTS, order_by_field=IDENTITY, order=Order.Asc)
    words = chain.from_iterable(terms_of_words(entry.document.text) for entry in entries)
    return frozenset(word for word, found in words if found == term and word.isalpha())


def _is_known(word: str) -> bool:
    """Whether the vocabulary that ships has a word, in any spelling that keeps its first letters."""
    counts, own = load_idf().counts, terms(word)
    if singular(word) in counts or not known_terms().isdisjoint(own):
        return True
    return any(other.startswith(word[:_BEGINNING]) and terms(other) == own for other in counts)
