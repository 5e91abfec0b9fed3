"""Ranking the runs of an index for a query, and choosing three spans from the ranking.

A query is a bag of stems with weights. The published way (Cohan et al. 2014): rank by tf-idf cosine, re-rank the top by
how many others of the top overlap a run, merge what overlaps, keep the best three.
"""

from collections.abc import Callable, Mapping

import numpy as np

from features.arrays import Floats, Ints
from features.registry import Registry
from features.retrieval import B, idf, term_scores
from features.stemming import porter
from ilpsum.citances.index import LONGEST_RUN, SpanIndex

Bag = Mapping[str, float]
Ranking = Callable[[SpanIndex, Bag], Floats]
RANKINGS: Registry[Ranking] = Registry("ranking")
"""Each gives (r,) scores of the runs of an index for a query, 0 or less for runs that have nothing to do with it."""

_MU = 50.0


@RANKINGS.register("vector-space")
def vector_space(index: SpanIndex, query: Bag) -> Floats:
    """Cosine of tf-idf vectors, as of `SpanIndex.run_vectors`; a weight below 1 makes a stem count so much less."""
    columns, weights = _columns(index, query)
    own = (1.0 + np.log(np.maximum(weights, 1.0))) * np.minimum(weights, 1.0) * index.run_idf[columns]
    return np.asarray(index.run_vectors[:, columns] @ own / (float(np.linalg.norm(own)) or 1.0))


@RANKINGS.register("bm25")
def bm25(index: SpanIndex, query: Bag) -> Floats:
    """BM25 (`features.retrieval`) over the runs of the index."""
    columns, weights = _columns(index, query)
    counts = index.run_counts
    lengths = counts.sum(axis=1)
    present = (counts[:, columns] > 0).sum(axis=0)
    length = (B * lengths / max(float(lengths.mean()), 1.0))[:, None]
    return np.asarray(term_scores(counts[:, columns], length) @ (idf(len(counts), present) * weights))


@RANKINGS.register("language-model")
def language_model(index: SpanIndex, query: Bag) -> Floats:
    """Query likelihood with Dirichlet smoothing, mu 50, above that of an empty run (Zhai and Lafferty 2004)."""
    columns, weights = _columns(index, query)
    counts = index.run_counts
    background = index.counts.sum(axis=0)[columns] / max(float(index.counts.sum()), 1.0)
    lengths = counts.sum(axis=1)
    gains = np.log1p(counts[:, columns] / (_MU * background)) @ weights
    return np.asarray(gains + weights.sum() * np.log(_MU / (_MU + lengths)))


@RANKINGS.register("embeddings")
def embeddings(index: SpanIndex, query: Bag) -> Floats:
    """Cosine of the IDF-weighted sums of word vectors of stems (after Cohan and Goharian 2017), with those that ship.

    The vector of a stem is the mean of those of the words in the paper that have it.
    """
    from ilpsum.learning.embeddings import default

    columns, weights = _columns(index, query)
    table = default()
    vectors = np.zeros((len(index.vocabulary), table.vectors.shape[1]))
    for word in dict.fromkeys(w for p in index.passages for w in p.content_words):
        row = table.index.get(word)
        if row is not None:
            vector = table.vectors[row].astype(np.float64)
            vectors[index.vocabulary[porter(word)]] += (
                table.idf[row] * vector / max(float(np.linalg.norm(vector)), 1e-9)
            )
    runs, own = index.run_counts @ vectors, weights @ vectors[columns]
    norm = np.linalg.norm(runs, axis=1) * float(np.linalg.norm(own))
    return np.asarray(np.divide(runs @ own, norm, out=np.zeros(len(runs)), where=norm > 0))


def choose(index: SpanIndex, scores: Floats, *, top: int = 30, rerank: bool = True, spans: int = 3) -> Ints:
    """The best spans: (k, 2) sentences from, to; best first, disjoint, k at most `spans`.

    Of the `top` best runs with a score above 0 each is ranked by how many of the others overlap it, then by score.
    From the best on, a run that overlaps a chosen one is merged with it as long as the union has at most five
    sentences, which is the task's limit; else it is passed over. The best three unions are kept.

    Args:
        index: the paper.
        scores: (r,) scores of its runs.
        top: how many runs are looked at.
        rerank: False ranks by score alone.
        spans: how many unions are kept.
    """
    order = np.argsort(-scores, kind="stable")[:top]
    order = order[scores[order] > 0]
    runs = index.runs[order]
    overlapping = (runs[:, None, 0] < runs[None, :, 1]) & (runs[None, :, 0] < runs[:, None, 1])
    if rerank:
        runs = runs[np.argsort(-overlapping.sum(axis=1), kind="stable")]
    chosen: list[tuple[int, int]] = []
    for first, last in runs.tolist():
        touched = [c for c in chosen if c[0] < last and first < c[1]]
        if not touched:
            chosen.append((first, last))
            continue
        union = min(first, *(c[0] for c in touched)), max(last, *(c[1] for c in touched))
        if union[1] - union[0] <= LONGEST_RUN:
            chosen[chosen.index(touched[0])] = union
            chosen = [c for c in chosen if c not in touched[1:]]
    return np.array(chosen[:spans], dtype=np.int64).reshape(-1, 2)


def _columns(index: SpanIndex, query: Bag) -> tuple[Ints, Floats]:
    """The columns and weights of the query's stems that the paper has."""
    known = [(index.vocabulary[stem], weight) for stem, weight in query.items() if stem in index.vocabulary]
    return np.array([c for c, _ in known], dtype=np.int64), np.array([w for _, w in known], dtype=np.float64)
