"""How far two sentences say the same.

    similarity(s, t) = |s & t| / sqrt(|s| |t|)
    redundancy(s, t) = |s & t| / min(|s|, |t|)

s and t the stems of their content words, each once, labels and lists of citations left out (the cosine of binary
vectors; and the overlap coefficient, which is 1 where the longer sentence holds all that the shorter one says). Both
are 0 where one denies and the other does not, and where s or t has fewer than four stems, which any two may share by
chance.
Sameness asks whether t can be cited for s: it is 0 where t lacks a number of s. Repetition asks whether a reader learns
something new by both: it is 0 only where each has a number that the other lacks.
"""

import re
from collections.abc import Sequence

import numpy as np

from features.arrays import Floats
from features.text import Passage
from ilpsum.papers.labels import bare

FEWEST_STEMS = 4

_DENIAL = re.compile(r"\b(?:no|not|none|never|neither|nor|without|cannot|lack\w*|fail\w*|absence|unlike\w*)\b", re.I)
_NUMBER = re.compile(
    r"\d+(?:[.,·]\d+)*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|half|twice)\b", re.I
)


def similarity(first: Sequence[str], second: Sequence[str], least: float = 0.0) -> Floats:
    """(n, m) of n sentences with m others; 1 for equal ones, 0 for what is below `least`.

    >>> newts = "Grey newts sing in cold ponds."
    >>> similarity([newts], ["In cold ponds, grey newts sing.", "Grey newts never sing in cold ponds."])
    array([[1., 0.]])
    """
    texts = [bare(text) for text in (*first, *second)]
    held = _stems(texts)
    one, other = held[: len(first)], held[len(first) :]
    sizes, others = one.sum(axis=1), other.sum(axis=1)
    cosine: Floats = one @ other.T / np.sqrt(np.maximum(np.outer(sizes, others), 1.0))
    cosine[(np.minimum.outer(sizes, others) < FEWEST_STEMS) | (cosine < least)] = 0.0
    for i, k in zip(*np.nonzero(cosine), strict=True):
        if not _compatible(texts[i], texts[len(first) + k]):
            cosine[i, k] = 0.0
    return cosine


def redundant_pairs(sentences: Sequence[str], least: float) -> list[tuple[int, int]]:
    """The pairs of sentences whose repetition is at least `least`, the earlier first.

    >>> redundant_pairs(["Grey newts sing in cold ponds.", "Nine old grey newts sing in cold ponds at dusk."], 0.8)
    [(0, 1)]
    """
    texts = [bare(text) for text in sentences]
    held = _stems(texts)
    shorter = np.minimum.outer(held.sum(axis=1), held.sum(axis=1))
    overlap = held @ held.T / np.maximum(shorter, 1.0)
    near = np.argwhere(np.triu((overlap >= least) & (shorter >= FEWEST_STEMS), 1)).tolist()
    return [(i, k) for i, k in near if _compatible(texts[i], texts[k]) or _compatible(texts[k], texts[i])]


def _stems(texts: Sequence[str]) -> Floats:
    """(n, stems) 1 where a text holds a stem."""
    ids: dict[str, int] = {}
    bags = [[ids.setdefault(stem, len(ids)) for stem in dict.fromkeys(Passage(text).content_stems)] for text in texts]
    held = np.zeros((len(bags), max(1, len(ids))))
    for row, bag in enumerate(bags):
        held[row, bag] = 1.0
    return held


def _compatible(text: str, other: str) -> bool:
    if (_DENIAL.search(text) is None) != (_DENIAL.search(other) is None):
        return False
    return set(_NUMBER.findall(text.lower())).issubset(_NUMBER.findall(other.lower()))
