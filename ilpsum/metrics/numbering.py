"""Vectorised tokenisation of many texts into 64-bit word numbers, without an object per token.

A token is a lower-cased sequence of ASCII letters and digits, as in ROUGE-1.5.5. Its number is a
64-bit hash, which is injective for tokens of up to eight characters; two longer tokens collide with
probability 2^-64.
"""

from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from threading import Lock
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from features.text import porter

Numbers = npt.NDArray[np.uint64]
Places = npt.NDArray[np.intp]

# Odd, so that multiplication modulo 2^64 is invertible. The first is 2^64 over the golden ratio.
FACTOR, _SECOND, _THIRD = (
    np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xD1342543DE82EF95, 0xDB4F0B9175AE2165)
)
_HALF = np.uint64(32)
_SPACE = ord(" ")
_LOWER = bytes(
    ord(c.lower()) if c.isascii() and c.isalnum() else _SPACE for c in map(chr, range(256))
)
# Masks of the first n of eight bytes, in little-endian order.
_BYTES = np.array([2 ** (8 * n) - 1 for n in range(9)], dtype=np.uint64)
_SLOTS = 19


class NumberedWords(NamedTuple):
    """Word numbers of texts; text i has `numbers[bounds[i] : bounds[i + 1]]`."""

    numbers: Numbers
    bounds: list[int]


class Stems:
    """Stems words by number; caches stems in tables of 8 MB."""

    def __init__(self) -> None:
        # A word's leading bits are its slot; words in the same slot replace each other.
        self._words, self._stems = (np.zeros(1 << _SLOTS, np.uint64) for _ in range(2))
        self._lock = Lock()

    def replace(self, numbers: Numbers, data: bytes, starts: Places, lengths: Places) -> None:
        """Stem words of more than three characters, replacing their numbers in place."""
        long = (lengths > 3).nonzero()[0]
        words = numbers[long]
        slots = words >> np.uint64(64 - _SLOTS)
        with self._lock:
            stems = self._stems[slots]
            new = (self._words[slots] != words).nonzero()[0]
            if new.size:
                places = long[new]
                spans = zip(starts[places].tolist(), lengths[places].tolist(), strict=True)
                found = [data[start : start + n].decode() for start, n in spans]
                stems[new] = _of_words([porter(word) for word in found])
                self._words[slots[new]], self._stems[slots[new]] = words[new], stems[new]
        numbers[long] = stems


@cache
def stems() -> Stems:
    """Return the stemmer of this process."""
    return Stems()


def numbered(texts: Sequence[str], stems: Stems | None = None) -> NumberedWords:
    """Return the numbered words of texts, stemmed if `stems` is given."""
    # "replace" maps each character to one byte, which keeps offsets. `_numbers` needs the final
    # spaces.
    data = f" {' '.join(texts)}         ".encode("ascii", "replace").translate(_LOWER)
    inside = np.frombuffer(data, np.uint8) != _SPACE
    edges = (inside[1:] != inside[:-1]).nonzero()[0]
    starts, lengths = edges[::2] + 1, edges[1::2] - edges[::2]
    numbers = _numbers(data, starts, lengths)
    if stems is not None:
        stems.replace(numbers, data, starts, lengths)
    # Text i starts after all previous texts, each preceded by a space.
    begins = accumulate((len(text) + 1 for text in texts), initial=1)
    return NumberedWords(numbers, starts.searchsorted(list(begins)).tolist())


def _of_words(words: Sequence[str]) -> Numbers:
    """Return the number of each word, without tokenising it."""
    encoded = [word.encode("utf-8", "surrogatepass") for word in words]
    lengths = np.fromiter(map(len, encoded), np.intp, len(encoded))
    return _numbers(b"".join([*encoded, b" " * 8]), lengths.cumsum() - lengths, lengths)


def _numbers(data: bytes, starts: Places, lengths: Places) -> Numbers:
    """Hash spans of bytes; at least eight bytes must follow each span."""
    eight: Numbers = np.ndarray(
        (len(data) - 7,), "<u8", data, 0, (1,)
    )  # each byte with the next seven
    numbers = eight[starts] & _BYTES.take(lengths, mode="clip")
    for at in range(8, lengths.max(initial=0), 8):
        rest = (lengths > at).nonzero()[0]
        more = eight[starts[rest] + at] & _BYTES.take(lengths[rest] - at, mode="clip")
        numbers[rest] = numbers[rest] * _THIRD + more
    # Mix the bits; this is injective.
    numbers *= FACTOR
    numbers ^= numbers >> _HALF
    numbers *= _SECOND
    return numbers
