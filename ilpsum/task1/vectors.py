"""Vectors of a reference paper's sentences: tf-idf, over sentence windows, latent (LSA), and word vectors."""

from collections.abc import Sequence

import numpy as np

from features.arrays import Floats
from features.embeddings import Embeddings
from features.text import STOP_WORDS, Passage
from ilpsum.formats.papers.layout import outline
from ilpsum.task1.index import SpanIndex
from ilpsum.task1.terms import bm25, counted, tf_idf, unit

MU = 30.0
LATENT = 60


class PaperVectors:
    """Vectors of a paper's n sentences over its V stems.

    Attributes:
        index: the paper.
        counts, lengths: (n, V) and (n,) occurrences of stems.
        idf: (V,) log(1 + n / df).
        vectors: (n, V) tf-idf vectors.
        near, wide: (n, V) tf-idf vectors of each sentence with one or two neighbours on either side.
        bm25: (n, V) BM25 weights.
        likelihood: (n, V) log-likelihood gains of stems with Dirichlet smoothing.
    """

    def __init__(self, index: SpanIndex) -> None:
        self.index, self.counts = index, index.counts
        self.idf = np.log1p(max(len(index), 1) / np.maximum((self.counts > 0).sum(axis=0), 1))
        self.lengths = self.counts.sum(axis=1)
        self.vectors = self.weighted(self.counts)
        self.near = self.weighted(windows(self.counts, 1))
        self.wide = self.weighted(windows(self.counts, 2))
        self.bm25 = bm25(self.counts, self.lengths)
        share = self.counts.sum(axis=0) / max(float(self.counts.sum()), 1.0)
        self.likelihood = np.log1p(self.counts / np.maximum(MU * share, 1e-9))

    def weighted(self, counts: Floats) -> Floats:
        """Return (rows, V) tf-idf vectors from (rows, V) counts."""
        return tf_idf(counts, self.idf)

    def bag(self, passages: Sequence[Passage]) -> Floats:
        """Return (c, V) counts of the paper's stems in passages."""
        return counted([passage.content_stems for passage in passages], self.index.vocabulary)

    def latent(self) -> Floats:
        """Return the (V, k) leading latent directions of sentence windows (Deerwester et al. 1990)."""
        # The (n, n) Gram matrix is the smaller one. Cosines do not depend on the signs of eigenvectors.
        values, left = np.linalg.eigh(self.near @ self.near.T)
        keep = np.argsort(-values)[:LATENT]
        keep = keep[values[keep] > 1e-9]
        return np.asarray(self.near.T @ (left[:, keep] / np.sqrt(values[keep])))

    def paragraphs(self) -> Floats:
        """Return (n, V) tf-idf vectors of each sentence's paragraph."""
        owner = np.cumsum(self.index.begins_paragraph, dtype=np.int64) - 1
        sums = np.zeros((int(owner.max(initial=0)) + 1, self.counts.shape[1]))
        np.add.at(sums, owner, self.counts)
        return np.asarray(self.weighted(sums)[owner])

    def headings(self) -> Floats:
        """Return (n, V) tf-idf vectors of the heading above each sentence."""
        blocks = outline(self.index.document)
        starts = [block.start for block in blocks]
        places = np.searchsorted(starts, [s.start for s in self.index.sentences], side="right") - 1
        above = [blocks[place].heading if place >= 0 else "" for place in places.tolist()]
        distinct = {heading: k for k, heading in enumerate(dict.fromkeys(above))}
        vectors = self.weighted(self.bag([Passage(heading) for heading in distinct]))
        return np.asarray(vectors[[distinct[heading] for heading in above]])


class WordSpace:
    """The words of a paper's n sentences as word vectors."""

    def __init__(self, passages: Sequence[Passage], embeddings: Embeddings) -> None:
        self._embeddings = embeddings
        rows = [self._rows(passage) for passage in passages]
        self._lengths = np.array([len(row) for row in rows], dtype=np.int64)
        self._distinct, self._tokens = np.unique(np.concatenate([*rows, np.zeros(0, np.int64)]), return_inverse=True)
        self._vectors = unit(embeddings.vectors[self._distinct].astype(np.float64))
        weighted = self._vectors * embeddings.idf[self._distinct][:, None]
        owner = np.repeat(np.arange(len(rows)), self._lengths)
        self.centroids = np.zeros((len(rows), self._vectors.shape[1]))
        np.add.at(self.centroids, owner, weighted[self._tokens])

    def _rows(self, passage: Passage) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return self._embeddings.rows(word for word in passage.words if word not in STOP_WORDS)

    def alignment(self, query: Passage) -> Floats:
        """Return (n,) the IDF-weighted mean over query words of the largest cosine with a word of each sentence.

        After the word-by-word alignment of Mihalcea, Corley and Strapparava (2006), in one direction; 0 if sentence or
        query has no known words.
        """
        rows = np.unique(self._rows(query))
        result = np.zeros(len(self._lengths))
        filled = self._lengths > 0
        idf = self._embeddings.idf[rows]
        if not len(rows) or not filled.any() or idf.sum() <= 0:
            return result
        cosines = unit(self._embeddings.vectors[rows].astype(np.float64)) @ self._vectors.T
        starts = (np.cumsum(self._lengths) - self._lengths)[filled]
        nearest = np.maximum.reduceat(cosines[:, self._tokens], starts, axis=1)
        result[filled] = idf @ np.maximum(nearest, 0.0) / idf.sum()
        return result

    def centroid(self, query: Passage) -> Floats:
        """Return the IDF-weighted sum of the query's word vectors: (d,)."""
        rows = self._rows(query)
        vectors = unit(self._embeddings.vectors[rows].astype(np.float64)) * self._embeddings.idf[rows][:, None]
        return np.asarray(vectors.sum(axis=0))


def windows(counts: Floats, reach: int) -> Floats:
    """Return (n, V) sums over each sentence and up to `reach` neighbours on either side."""
    sums = np.vstack([np.zeros((1, counts.shape[1])), np.cumsum(counts, axis=0)])
    places = np.arange(len(counts))
    return np.asarray(sums[np.minimum(places + reach + 1, len(counts))] - sums[np.maximum(places - reach, 0)])
