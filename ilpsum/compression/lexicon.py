"""Words to numbers: a word's row in the table of vectors, and the hashed features of how it is written."""

import re
import zlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

FEATURES = 14
_DIGITS = re.compile(r"\d")
_SHAPES = ((re.compile(r"[A-Z]"), "X"), (re.compile(r"[a-z]"), "x"), (re.compile(r"\d"), "0"))


def normalise(word: str) -> str:
    """The form under which a word is looked up: lower case, digits as 0.

    >>> normalise("IL-12")
    'il-00'
    """
    return _DIGITS.sub("0", word.lower())


class WordTable:
    """The words that have a vector of their own; row 0 stands for all others.

    Args:
        words: normalised words; the first one gets row 1.
        buckets: number of rows of the table of hashed features.
    """

    def __init__(self, words: tuple[str, ...], buckets: int) -> None:
        self.words = words
        self.buckets = buckets
        self._rows = {word: row for row, word in enumerate(words, start=1)}
        self._features = lru_cache(maxsize=100_000)(self._hashed)

    def row(self, word: str) -> int:
        """The row of a word as printed."""
        return self._rows.get(normalise(word), 0)

    def rows(self, words: list[str]) -> NDArray[np.int64]:
        """The rows of several words, shape (words,)."""
        return np.array([self.row(word) for word in words], dtype=np.int64)

    def features(self, words: list[str]) -> NDArray[np.int64]:
        """Hashed affixes and shapes, shape (words, FEATURES), values below `buckets`."""
        return np.array([self._features(word) for word in words], dtype=np.int64).reshape(-1, FEATURES)

    def _hashed(self, word: str) -> tuple[int, ...]:
        return tuple(zlib.crc32(feature.encode("utf-8", "surrogatepass")) % self.buckets for feature in spelling(word))


def spelling(word: str) -> tuple[str, ...]:
    """How a word is written, as named features: affixes, shape, and the parts of a hyphenated word."""
    lower = normalise(word)
    shape = word
    for pattern, sign in _SHAPES:
        shape = pattern.sub(sign, shape)
    short = re.sub(r"(.)\1+", r"\1", shape)
    first, _, _ = lower.partition("-")
    _, _, last = lower.rpartition("-")
    affixes = [f"p{n}={lower[:n]}" for n in (1, 2, 3, 4)] + [f"s{n}={lower[-n:]}" for n in (1, 2, 3, 4, 5)]
    return (*affixes, f"shape={short}", f"start={shape[:2]} {min(len(word), 12)}", f"first={first}", f"last={last}",
            f"end={last[-3:]} {'-' in lower}")  # fmt: skip
