"""How far two sentences say the same: similarity for citing, redundancy for selecting.

    similarity(s, t) = |s & t| / sqrt(|s| |t|)
    redundancy(s, t) = |s & t| / min(|s|, |t|)

where s and t are the sets of content stems, without labels and lists of citations: the cosine of binary vectors, and
the overlap coefficient, which is 1 if the longer sentence contains all stems of the shorter one. Both are 0 if only one
sentence has a negation, or if s or t has fewer than four stems, which any two sentences may share by chance.
Similarity asks whether t can be cited for s, so it is 0 if t lacks a number of s. Redundancy asks whether a reader
learns anything from the second sentence, so it is 0 only if each sentence has a number that the other lacks.
"""

import re
from collections.abc import Sequence

import numpy as np

from features.arrays import Floats
from features.text import Passage
from ilpsum.papers.labels import without_additions

FEWEST_STEMS = 4

_NEGATION = re.compile(r"\b(?:no|not|none|never|neither|nor|without|cannot|lack\w*|fail\w*|absence|unlike\w*)\b", re.I)
_NUMBER = re.compile(
    r"\d+(?:[.,·]\d+)*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|half|twice)\b", re.I
)


def similarity(first: Sequence[str], second: Sequence[str], least: float = 0.0) -> Floats:
    """Return the (n, m) similarities of n sentences with m others, in [0, 1]; values below `least` become 0.

    >>> newts = "Grey newts sing in cold ponds."
    >>> similarity([newts], ["In cold ponds, grey newts sing.", "Grey newts never sing in cold ponds."])
    array([[1., 0.]])
    """
    texts = [without_additions(text) for text in (*first, *second)]
    stems = _stems(texts)
    rows, columns = stems[: len(first)], stems[len(first) :]
    sizes, others = rows.sum(axis=1), columns.sum(axis=1)
    cosine: Floats = rows @ columns.T / np.sqrt(np.maximum(np.outer(sizes, others), 1.0))
    cosine[(np.minimum.outer(sizes, others) < FEWEST_STEMS) | (cosine < least)] = 0.0
    for i, k in zip(*np.nonzero(cosine), strict=True):
        if not _compatible(texts[i], texts[len(first) + k]):
            cosine[i, k] = 0.0
    return cosine


def redundant_pairs(sentences: Sequence[str], least: float) -> list[tuple[int, int]]:
    """Return the pairs of sentences whose redundancy is at least `least`, the earlier sentence first.

    >>> redundant_pairs(["Grey newts sing in cold ponds.", "Nine old grey newts sing in cold ponds at dusk."], 0.8)
    [(0, 1)]
    """
    texts = [without_additions(text) for text in sentences]
    stems = _stems(texts)
    shorter = np.minimum.outer(stems.sum(axis=1), stems.sum(axis=1))
    overlap = stems @ stems.T / np.maximum(shorter, 1.0)
    pairs = np.argwhere(np.triu((overlap >= least) & (shorter >= FEWEST_STEMS), 1)).tolist()
    return [(i, k) for i, k in pairs if _compatible(texts[i], texts[k]) or _compatible(texts[k], texts[i])]


def _stems(texts: Sequence[str]) -> Floats:
    """Return (n, stems): 1 where a text contains a stem."""
    ids: dict[str, int] = {}
    bags = [[ids.setdefault(stem, len(ids)) for stem in dict.fromkeys(Passage(text).content_stems)] for text in texts]
    matrix = np.zeros((len(bags), max(1, len(ids))))
    for row, bag in enumerate(bags):
        matrix[row, bag] = 1.0
    return matrix


def _compatible(text: str, other: str) -> bool:
    """Whether both texts or none have a negation, and the other text has all numbers of the first."""
    if (_NEGATION.search(text) is None) != (_NEGATION.search(other) is None):
        return False
    return set(_NUMBER.findall(text.lower())).issubset(_NUMBER.findall(other.lower()))
