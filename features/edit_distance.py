"""Features 1.3 and 1.4: Levenshtein distance between query and sentence over whole words.

The smallest number of insertions, deletions and replacements that turns the word sequence of q into that of s, over
words (1.3) or stems (1.4), including stop words (Malakasiotis et al. 2015, features 1.3-1.4).
"""

from collections.abc import Iterable

import numpy as np

from features.arrays import Floats
from features.context import Context


def word_distance(context: Context) -> Floats:
    """Return feature 1.3 of each sentence: (n,) numbers of edits."""
    return _distances(context.query.words, (s.words for s in context.sentences))


def stem_distance(context: Context) -> Floats:
    """Return feature 1.4 of each sentence: (n,) numbers of edits."""
    return _distances(context.query.stems, (s.stems for s in context.sentences))


def _distances(query: tuple[str, ...], sentences: Iterable[tuple[str, ...]]) -> Floats:
    from Levenshtein import distance

    return np.array([distance(query, s) for s in sentences], dtype=np.float64)
