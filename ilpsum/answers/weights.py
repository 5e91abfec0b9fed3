"""Word weights: IDF over the searched texts and the shipped background (`ilpsum.files.idf`).

A few texts do not show how rare a word is: among 50 abstracts on headache a verb may be rarer than
the drug asked for.
"""

import math
import re

from features.retrieval import idf
from features.text import words
from ilpsum.answers.question_words import is_generic
from ilpsum.files.idf import load_idf, singular
from ilpsum.pipeline.terms import UNSEARCHED

# Size of the background in a search, in texts; chosen on collections of 30 to 13,400 abstracts
# (experiments/results/evidence-silence.md).
_TEXTS = 1000
# The background has no numbers or single letters: their weight is limited to that of a word in
# every 20th text.
_PLAIN = 3.0
_FIELD = re.compile(r"\b(?:title|abstract|tiab|text|author|journal|mesh|keyword|all):(?=\w)", re.I)
_SENTENCE = re.compile(r"(?<=[.?!])\s+")
# A text with at least this many words besides its question is a case history.
_HISTORY = 25


def smoothed_idf(word: str, holding: int, searched: int) -> float:
    """Return the IDF of a word, given its document frequency in the search, with the background as
    `_TEXTS` texts.
    """
    if is_plain(word):
        return idf(searched, float(holding))
    return idf(searched + _TEXTS, holding + in_background(word) * _TEXTS / load_idf().documents)


def pooled_idf(word: str, holding: int, searched: int) -> float:
    """Return the IDF of a word, given its document frequency in the search, over these texts and
    the background.
    """
    weight = math.log((searched + load_idf().documents + 1) / (in_background(word) + holding + 0.5))
    return min(weight, _PLAIN) if is_plain(word) else weight


def in_background(word: str) -> int:
    """Return the document frequency of a word in the background."""
    return load_idf().counts.get(singular(word), 0)


def is_plain(word: str) -> bool:
    """Whether a word is a number or a single letter."""
    return word.isdigit() or len(word) == 1


def asked_in(text: str) -> str:
    """Return the question of a case history: the last sentence that asks, with those before it that
    ask if it has fewer than two telling words. Of other texts, and if none of them has two, return
    the text without names of fields, in which other search engines look (`title:newts`).

    >>> asked_in("He sings. Why? " * 15 + "Does velin help newts?")
    'Does velin help newts?'
    >>> asked_in("Newts sing. Does velin help?")
    'Newts sing. Does velin help?'
    """
    if is_history(text):
        asked = ""
        for sentence in reversed(_asking(text)):
            asked = f"{sentence} {asked}".strip()
            if len(set(filter(_is_telling, words(asked)))) > 1:
                return asked
    return _FIELD.sub("", text)


def is_history(text: str) -> bool:
    """Whether a text is a case history with a question: it has many words besides those of its last
    sentence that asks.
    """
    asking = _asking(text)
    return bool(asking) and len(text.split()) >= len(asking[-1].split()) + _HISTORY


def _asking(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCE.split(text) if sentence.rstrip().endswith("?")]


def _is_telling(word: str) -> bool:
    return word not in UNSEARCHED and not is_generic(word)
