"""Texts that are near copies of each other: versions, updates and scans of one article.

Texts are compared by their runs of nine words (shingles; Broder 1997, On the resemblance and
containment of documents). Two are near copies if they share at least a fifth of the shorter one's
runs. Among the papers of TAC 2014, versions of one paper share .90 or more, two papers of one
laboratory .22, and all others less than .09. Of 8,739 abstracts of PubMed, 15 pairs share a fifth;
all 15 are updates of each other, or by the same authors on the same work.
"""

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from features.text import words

_RUN = 9
_SHARE = 0.2
# One run in so many is compared, for texts from and up to so many words. The bounds overlap, so
# that two copies of about a thousand words meet in both rows. Shorter texts may share a quotation.
_SAMPLES = ((1, 50, 2_000), (16, 500, 10**9))
# A run that more texts have is a stock phrase, such as the licence of a publisher.
_MOST_TEXTS = 100

Runs = NDArray[np.uint64]


def near_copies(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of indices of texts that are near copies, the smaller index first.

    Time and memory grow with the number of words; a million words take about a second.
    """
    hashes = dict[str, int]()
    rows: list[dict[int, Runs]] = [{} for _ in _SAMPLES]
    for index, text in enumerate(texts):
        tokens = words(text)
        runs = _runs(tokens, hashes)
        for row, (modulus, least, most) in zip(rows, _SAMPLES, strict=True):
            if least <= len(tokens) <= most:
                row[index] = runs[runs % np.uint64(modulus) == 0]
    for row in rows:
        yield from _sharing(row)


def _runs(tokens: Sequence[str], hashes: dict[str, int]) -> Runs:
    """Return the distinct runs of a text as numbers; `hashes` keeps those of words."""
    for word in set(tokens).difference(hashes):
        hashes[word] = zlib.crc32(word.encode())
    numbers = np.array([hashes[word] for word in tokens], dtype=np.uint64)
    if len(numbers) < _RUN:
        return numbers[:0]
    total = np.zeros(len(numbers) - _RUN + 1, dtype=np.uint64)
    for k in range(_RUN):
        # A polynomial modulo 2**64, mixed, so that its remainders are even.
        total = total * np.uint64(0x9E3779B97F4A7C15) + numbers[k : k + len(total)]
    total ^= total >> np.uint64(29)
    return np.unique(total * np.uint64(0xBF58476D1CE4E5B9) >> np.uint64(16))


def _sharing(runs_of: dict[int, Runs]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of texts that share a fifth of the runs of the smaller one."""
    if len(runs_of) < 2:
        return
    runs = np.concatenate(list(runs_of.values()))
    texts = np.repeat(list(runs_of), [len(of_text) for of_text in runs_of.values()])
    order = np.argsort(runs, kind="stable")
    starts = np.flatnonzero(np.diff(runs[order], prepend=runs[order[:1]] + np.uint64(1)))
    shared = Counter[tuple[int, int]]()
    for holders in np.split(texts[order], starts[1:]) if len(starts) else ():
        if 1 < len(holders) <= _MOST_TEXTS:
            shared.update(combinations(holders.tolist(), 2))
    for (one, other), count in shared.items():
        if count >= _SHARE * min(len(runs_of[one]), len(runs_of[other])):
            yield one, other
