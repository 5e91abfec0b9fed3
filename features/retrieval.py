"""Okapi BM25 relevance of a sentence, span or abstract to a query.

    BM25(q, d) = sum of  q(t) IDF(t) f(t,d) (k1 + 1) / (f(t,d) + k1 (1 - b + b |d| / mean |d|))
                 over the terms t of q
    IDF(t)     = log(1 + (n - n(t) + 0.5) / (n(t) + 0.5))

with q(t) the weight of t in the query, f(t,d) its frequency in d, |d| the length of d in terms, n
the size of the collection and n(t) the document frequency of t; k1 = 1.2 and b = 0.75 (Robertson
and Zaragoza 2009, The probabilistic relevance framework: BM25 and beyond, equation 3.15; the 1 in
the logarithm keeps IDF positive).
"""

import math
from typing import TypeVar

import numpy as np

from features.arrays import Floats
from features.context import Context

K1, B = 1.2, 0.75

Number = TypeVar("Number", float, Floats)


def idf(total: float, holding: Number) -> Number:
    """Return IDF(t) of terms in `holding` of the `total` members of the collection."""
    odds = (total - holding + 0.5) / (holding + 0.5)
    # math and numpy may differ in the last bit.
    return math.log1p(odds) if isinstance(odds, float) else np.log1p(odds)


def term_scores(counts: Number, length: Number, weight: float = 1.0) -> Number:
    """Return `weight` f(t,d) (k1 + 1) / (f(t,d) + k1 (1 - b + b |d| / mean |d|)).

    `counts` are f(t,d), `length` is b |d| / mean |d| in a broadcastable shape, and `weight` is q(t)
    IDF(t).
    """
    return weight * counts * (K1 + 1.0) / (counts + K1 * (1.0 - B + length))


def bm25(context: Context) -> Floats:
    """Return (n,) BM25 of sentences for the query's distinct content stems, with the candidates as
    the collection.
    """
    n = len(context)
    terms = context.vocabulary.content_stems
    # In the order of the alphabet, so that sums do not depend on the numbering.
    name = context.vocabulary.stem_name
    wanted = sorted(set(terms.query.ids.tolist()), key=name.__getitem__)
    if not wanted or not n:
        return np.zeros(n)
    counts = terms.sentences.frequencies(np.array(wanted, dtype=np.int64))
    lengths = terms.sentences.lengths
    relative_length: Floats = lengths / max(float(lengths.mean()), 1.0)
    weights = idf(n, np.count_nonzero(counts, axis=0).astype(np.float64))
    return term_scores(counts, B * relative_length[:, None]) @ weights
