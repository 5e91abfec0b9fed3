"""Okapi BM25 of a sentence for the query.

BM25(q, s) = sum over the distinct content stems w of q of
             IDF(w) f(w,s) (k1 + 1) / (f(w,s) + k1 (1 - b + b |s| / mean |s|)),
IDF(w)     = log(1 + (n - n(w) + 0.5) / (n(w) + 0.5)),

with f(w,s) the occurrences of w in s, |s| its content stems, n the candidates, n(w) those with w; k1 = 1.2 and
b = 0.75 (Robertson and Zaragoza 2009, The probabilistic relevance framework: BM25 and beyond, equation 3.15; the 1 in
the logarithm keeps IDF positive).
"""

from collections import Counter

import numpy as np

from features.arrays import Floats
from features.context import Context

K1, B = 1.2, 0.75


def bm25(context: Context) -> Floats:
    """Return (n,) BM25 of each sentence for the query, with the candidates as collection; 0 without a common stem."""
    wanted = sorted(set(context.query.content_stems))
    n = len(context)
    if not wanted or not n:
        return np.zeros(n)
    counts = [Counter(s.content_stems) for s in context.sentences]
    f = np.array([[count[stem] for stem in wanted] for count in counts], dtype=np.float64)
    lengths = np.array([count.total() for count in counts], dtype=np.float64)
    held = (f > 0).sum(axis=0)
    idf = np.log1p((n - held + 0.5) / (held + 0.5))
    share = lengths / max(float(lengths.mean()), 1.0)
    result: Floats = f * (K1 + 1.0) / (f + K1 * (1.0 - B + B * share[:, None])) @ idf
    return result
