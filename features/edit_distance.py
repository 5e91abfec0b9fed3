"""Features 1.3 and 1.4: the Levenshtein distance of query and sentence over whole words.

The least number of words to insert, delete or replace that turns the word sequence of q into that of s, on words (1.3)
or on stems (1.4); all words count, stop words too (Malakasiotis et al. 2015, features 1.3-1.4).
"""

from collections.abc import Iterable

import numpy as np

from features.arrays import Floats
from features.context import Context


def word_distance(context: Context) -> Floats:
    """Feature 1.3 of each sentence: (n,) numbers of edits."""
    return _distances(context.query.words, (s.words for s in context.sentences))


def stem_distance(context: Context) -> Floats:
    """Feature 1.4 of each sentence: (n,) numbers of edits."""
    return _distances(context.query.stems, (s.stems for s in context.sentences))


def _distances(query: tuple[str, ...], sentences: Iterable[tuple[str, ...]]) -> Floats:
    from Levenshtein import distance

    return np.array([distance(query, s) for s in sentences], dtype=np.float64)
