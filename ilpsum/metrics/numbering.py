"""Words as numbers: the tokens of many texts at once, without an object per token.

A token is a sequence of ASCII letters and digits, lower-cased, as in ROUGE-1.5.5. Its number is a hash of 64 bits, so
equal tokens have equal numbers. Different tokens have different numbers: certainly up to eight characters, beyond that
but for one pair in 2^64.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from threading import Lock
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from features.stemming import porter

Numbers = npt.NDArray[np.uint64]
Places = npt.NDArray[np.intp]

# Odd numbers: multiplication modulo 2^64 loses nothing. The first is 2^64 over the golden ratio.
FACTOR, _SECOND, _THIRD = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xD1342543DE82EF95, 0xDB4F0B9175AE2165))
_HALF = np.uint64(32)
_SPACE = ord(" ")
_LOWER = bytes(ord(c.lower()) if c.isascii() and c.isalnum() else _SPACE for c in map(chr, range(256)))
# The first n bytes of eight in little-endian order.
_BYTES = np.array([2 ** (8 * n) - 1 for n in range(9)], dtype=np.uint64)
_SLOTS = 19


class NumberedWords(NamedTuple):
    """The words of texts: those of text i are `numbers[bounds[i] : bounds[i + 1]]`."""

    numbers: Numbers
    bounds: list[int]


class Stems:
    """Numbers of the stems of words, of base forms first; words seen before are in tables of bounded size (8 MB)."""

    def __init__(self, exceptions: Mapping[str, str] | None = None) -> None:
        self.exceptions = exceptions
        # A word's slot is in its first bits. Of words with the same slot, the tables hold the last one.
        self._words, self._stems = (np.zeros(1 << _SLOTS, np.uint64) for _ in range(2))
        self._lock = Lock()

    def replace(self, numbers: Numbers, data: bytes, starts: Places, lengths: Places) -> None:
        """Replace the numbers of words of more than three characters by those of their stems, in place."""
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
                bases = self.exceptions or {}
                stems[new] = _of_words([bases.get(word) or porter(word) for word in found])
                self._words[slots[new]], self._stems[slots[new]] = words[new], stems[new]
        numbers[long] = stems


# The last ones asked for: exceptions are large, and compared by identity.
_known: list[Stems] = []


def stems(exceptions: Mapping[str, str] | None = None) -> Stems:
    """Return the stems with these exceptions; the same ones if asked again."""
    found = next((known for known in _known if known.exceptions is exceptions), None) or Stems(exceptions)
    _known[:] = [found, *(known for known in _known if known is not found)][:2]
    return found


def numbered(texts: Sequence[str], stems: Stems | None = None) -> NumberedWords:
    """Return the words, or with `stems` their stems, of texts."""
    # `replace` writes one character for another, so offsets stay the same. The spaces at the end are for _numbers.
    data = f" {' '.join(texts)}         ".encode("ascii", "replace").translate(_LOWER)
    inside = np.frombuffer(data, np.uint8) != _SPACE
    edges = (inside[1:] != inside[:-1]).nonzero()[0]
    starts, lengths = edges[::2] + 1, edges[1::2] - edges[::2]
    numbers = _numbers(data, starts, lengths)
    if stems is not None:
        stems.replace(numbers, data, starts, lengths)
    # Text i begins after the characters of those before it and a space before each.
    begins = accumulate((len(text) + 1 for text in texts), initial=1)
    return NumberedWords(numbers, starts.searchsorted(list(begins)).tolist())


def _of_words(words: Sequence[str]) -> Numbers:
    """Return the number of each word as it is, whatever its characters."""
    encoded = [word.encode("utf-8", "surrogatepass") for word in words]
    lengths = np.fromiter(map(len, encoded), np.intp, len(encoded))
    return _numbers(b"".join([*encoded, b" " * 8]), lengths.cumsum() - lengths, lengths)


def _numbers(data: bytes, starts: Places, lengths: Places) -> Numbers:
    """Hash stretches of bytes, none of which ends less than eight bytes before the end of the data."""
    eight: Numbers = np.ndarray((len(data) - 7,), "<u8", data, 0, (1,))  # at each byte, with the seven that follow
    numbers = eight[starts] & _BYTES.take(lengths, mode="clip")
    for at in range(8, lengths.max(initial=0), 8):
        rest = (lengths > at).nonzero()[0]
        more = eight[starts[rest] + at] & _BYTES.take(lengths[rest] - at, mode="clip")
        numbers[rest] = numbers[rest] * _THIRD + more
    # Spread the bits; different numbers stay different.
    numbers *= FACTOR
    numbers ^= numbers >> _HALF
    numbers *= _SECOND
    return numbers
