"""Features 1.1 and 1.2: number of distinct content words that sentence and query share.

overlap(q, s) = |C(q) & C(s)|, with C(x) the set of content words (1.1) or of their stems (1.2) of x
(Malakasiotis et al. 2015, features 1.1-1.2).
"""

from collections.abc import Iterable

import numpy as np

from features.arrays import Floats
from features.context import Context


def word_overlap(context: Context) -> Floats:
    """Return feature 1.1 of each sentence: (n,) counts."""
    return _overlap(context.query.content_words, (s.content_words for s in context.sentences))


def stem_overlap(context: Context) -> Floats:
    """Return feature 1.2 of each sentence: (n,) counts."""
    return _overlap(context.query.content_stems, (s.content_stems for s in context.sentences))


def _overlap(query: tuple[str, ...], sentences: Iterable[tuple[str, ...]]) -> Floats:
    wanted = frozenset(query)
    return np.array([len(wanted.intersection(s)) for s in sentences], dtype=np.float64)
