"""Array functions shared by the models of Task 1."""

import numpy as np

from features.arrays import Floats

_K1, _B = 1.2, 0.75


def unit(rows: Floats) -> Floats:
    """Divide rows by their lengths; rows of zeros stay zero."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0))


def tf_idf(counts: Floats, idf: Floats) -> Floats:
    """Return tf-idf vectors of length one, (1 + log tf) idf, of counts (rows, V) (Salton and Buckley 1988).

    Args:
        counts: occurrences of each stem in each row.
        idf: (V,) inverse document frequencies.
    """
    return unit(np.where(counts > 0, 1.0 + np.log(np.maximum(counts, 1.0)), 0.0) * idf)


def bm25(counts: Floats, lengths: Floats) -> Floats:
    """Return BM25 weights, (n, V), with k1 1.2 and b 0.75 (Robertson and Zaragoza 2009).

    IDF is log(1 + (n - df + .5) / (df + .5)), with df counted over the n rows.

    Args:
        counts: (n, V) occurrences of each stem in each row.
        lengths: (n,) stems of each row, including those outside `counts`.
    """
    df = (counts > 0).sum(axis=0)
    idf = np.log1p((len(counts) - df + 0.5) / (df + 0.5))
    damped = counts + _K1 * (1.0 - _B + _B * lengths / max(float(lengths.mean()), 1.0))[:, None]
    return np.asarray(counts * (_K1 + 1.0) / np.maximum(damped, 1e-9) * idf)


def softmax(scores: Floats) -> Floats:
    """Return probabilities, (n, k), from scores (n, k)."""
    exponential = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(exponential / exponential.sum(axis=1, keepdims=True))
