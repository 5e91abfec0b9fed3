"""Words as numbers: their rows in the table of vectors, and hashed features of their spelling."""

import re
import zlib
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

FEATURES = 14
_DIGITS = re.compile(r"\d")
_SHAPES = ((re.compile(r"[A-Z]"), "X"), (re.compile(r"[a-z]"), "x"), (re.compile(r"\d"), "0"))


def normalise(word: str) -> str:
    """Lower-case a word and replace digits by 0, for lookup."""
    return _DIGITS.sub("0", word.lower())


class WordTable:
    """The normalised words with vectors, from row 1 (row 0: all other words), and `buckets` rows of hashed features."""

    def __init__(self, words: tuple[str, ...], buckets: int) -> None:
        self.words = words
        self.buckets = buckets
        self._rows = {word: row for row, word in enumerate(words, start=1)}
        self._features = lru_cache(maxsize=100_000)(self._hashed)

    def row(self, word: str) -> int:
        """Return the row of a word as printed."""
        return self._rows.get(normalise(word), 0)

    def rows(self, words: list[str]) -> NDArray[np.int64]:
        """Return the rows of words, shape (words,)."""
        return np.array([self.row(word) for word in words], dtype=np.int64)

    def features(self, words: list[str]) -> NDArray[np.int64]:
        """Return hashed affixes and shapes, shape (words, FEATURES), values below `buckets`."""
        return np.array([self._features(word) for word in words], dtype=np.int64).reshape(-1, FEATURES)

    def _hashed(self, word: str) -> tuple[int, ...]:
        return tuple(zlib.crc32(feature.encode("utf-8", "surrogatepass")) % self.buckets for feature in spelling(word))


def spelling(word: str) -> tuple[str, ...]:
    """Return features of a word's spelling: affixes, shape, and the parts of a hyphenated word."""
    lower = normalise(word)
    shape = word
    for pattern, sign in _SHAPES:
        shape = pattern.sub(sign, shape)
    short = re.sub(r"(.)\1+", r"\1", shape)
    first, last = lower.partition("-")[0], lower.rpartition("-")[2]
    affixes = [f"p{n}={lower[:n]}" for n in (1, 2, 3, 4)] + [f"s{n}={lower[-n:]}" for n in (1, 2, 3, 4, 5)]
    return (*affixes, f"shape={short}", f"start={shape[:2]} {min(len(word), 12)}", f"first={first}", f"last={last}",
            f"end={last[-3:]} {'-' in lower}")  # fmt: skip
