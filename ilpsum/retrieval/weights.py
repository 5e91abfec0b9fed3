"""What a word of a question weighs: its IDF over the texts searched and the background that ships (`ilpsum.io.idf`).

Few texts do not show how rare a word is. Among 50 abstracts on headache a verb may be rarer than the drug asked about.
"""

import math

from features.retrieval import idf
from ilpsum.io.idf import load_idf, singular

# The background counts as much in a search as so many texts; chosen on piles of 30 to 13,400 abstracts
# (experiments/results/evidence-silence.md).
_TEXTS = 1000
# The background has no numbers and single letters: they weigh at most as much as a word of every 20th text.
_PLAIN = 3.0


def smoothed_idf(word: str, holding: int, searched: int) -> float:
    """Return the IDF of a word that some of the texts searched hold, with a background as large as `_TEXTS` texts."""
    if is_plain(word):
        return idf(searched, float(holding))
    return idf(searched + _TEXTS, holding + in_background(word) * _TEXTS / load_idf().documents)


def pooled_idf(word: str, holding: int, searched: int) -> float:
    """Return the IDF of a word that some of the texts searched hold, counted over them and all of the background."""
    weight = math.log((searched + load_idf().documents + 1) / (in_background(word) + holding + 0.5))
    return min(weight, _PLAIN) if is_plain(word) else weight


def in_background(word: str) -> int:
    """Return how many texts of the background hold a word."""
    return load_idf().counts.get(singular(word), 0)


def is_plain(word: str) -> bool:
    """Whether a word is a number or a single letter."""
    return word.isdigit() or len(word) == 1
