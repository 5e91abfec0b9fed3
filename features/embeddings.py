"""Features 2.1 to 2.4: similarity of a sentence and the query in a space of word vectors.

ES(w,w') = 1/(1 + |v(w) - v(w')|), the similarity of two words by Euclidean distance
c(x)     = mean of v(w) over the tokens w of x
t(x)     = sum of TF(w,x) IDF(w) v(w) / sum of TF(w,x) IDF(w), over the words w of x
IDF(w)   = log(|D| / |D(w)|), D the documents the vectors were trained on, D(w) those that contain w
(Malakasiotis et al. 2015, features 2.1-2.4.)

Tokens are those of `features.text.words`, with repetitions; tokens without a vector are ignored.
The paper leaves two cases open. If either side has no known token, or only tokens of IDF 0 where
IDF is the weight, every value is 0. With fewer than two or three pairs, the mean of two or three is
the mean of all pairs.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats, Ints
from features.text import Passage

# Statistics over pairs of words in features 2.3 and 2.4, in the order of their columns.
PAIR_COLUMNS = ("average", "median", "maximum", "top-2", "top-3", "minimum", "lowest-2", "lowest-3")

# Pairs sorted at once, including padding: 8 MB.
_BLOCK = 2**20


@dataclass(frozen=True, eq=False)
class Embeddings:
    """Word vectors and the IDF of their words.

    Attributes:
        vectors: (V, d) one row per word, of any float type; may be memory-mapped.
        idf: (V,) IDF of each word, not negative.
        index: the row of each word.
        name: identifier in the provenance.
    """

    vectors: NDArray[np.floating]
    idf: Floats
    index: Mapping[str, int]
    name: str = ""

    def __post_init__(self) -> None:
        if (
            self.vectors.ndim != 2
            or self.idf.shape != self.vectors.shape[:1]
            or len(self.index) != len(self.idf)
        ):
            shapes = f"vectors of shape {self.vectors.shape} and IDF of shape {self.idf.shape}"
            raise ValueError(f"{len(self.index)} words, {shapes}")

    def __len__(self) -> int:
        return len(self.index)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    @cached_property
    def max_idf(self) -> float:
        """The largest IDF of a word with a vector; 0 if there is none."""
        return float(self.idf.max(initial=0.0))

    def rows(self, words: Iterable[str]) -> Ints:
        """Return the rows of words with a vector, in order, with repetitions."""
        index = self.index
        return np.array([index[word] for word in words if word in index], dtype=np.int64)


def all_similarities(
    embeddings: Embeddings, query: Passage, sentences: Sequence[Passage]
) -> Floats:
    """Return features 2.1 to 2.4 side by side: (n, 18) values in [0,1].

    2.1, 2.2   1/(1 + |c(q) - c(s)|) and 1/(1 + |t(q) - t(s)|) 2.3, 2.4   `PAIR_COLUMNS` of
    ES(w,w'), and of ES(w,w') IDF(w) IDF(w') / maxidf^2, over all pairs of a query token
               and a sentence token
    """
    pairs = _Pairs(embeddings, query, sentences)
    families = (pairs.centroids, pairs.statistics)
    return np.hstack(
        [family(weighted=weighted) for family in families for weighted in (False, True)]
    )


class _Pairs:
    """A query and n sentences in the vector space, with each distinct word looked up once."""

    def __init__(
        self, embeddings: Embeddings, query: Passage, sentences: Sequence[Passage]
    ) -> None:
        rows = [
            embeddings.rows(query.words),
            *(embeddings.rows(sentence.words) for sentence in sentences),
        ]
        distinct, places = np.unique(np.concatenate(rows), return_inverse=True)
        self._lengths = np.array([len(row) for row in rows[1:]], dtype=np.int64)
        # Indices into the distinct words: of the query's tokens, and of all sentences' tokens in
        # order.
        self._query, self._tokens = places[: len(rows[0])], places[len(rows[0]) :]
        self._vectors = embeddings.vectors[distinct].astype(np.float64)
        self._idf = embeddings.idf[distinct].astype(np.float64)
        self._max_idf = embeddings.max_idf

    def centroids(self, *, weighted: bool) -> Floats:
        """Return (sentences, 1) similarities of the sentences' centroids to the query's."""
        weight = self._idf if weighted else np.ones(len(self._idf))
        n = len(self._lengths)
        owner = np.repeat(np.arange(n), self._lengths)
        total = np.bincount(owner, weight[self._tokens], minlength=n)
        sums = _sums((weight[:, None] * self._vectors)[self._tokens], self._lengths)
        own = weight[self._query]
        known = (total > 0) & (own.sum() > 0)
        centroids = np.divide(sums, total[:, None], out=np.zeros_like(sums), where=known[:, None])
        centre = (
            (own[:, None] * self._vectors[self._query]).sum(axis=0) / own.sum()
            if known.any()
            else 0.0
        )
        similarity = 1.0 / (1.0 + np.linalg.norm(centroids - centre, axis=1))
        return np.where(known, similarity, 0.0)[:, None]

    def statistics(self, *, weighted: bool) -> Floats:
        """Return (sentences, len(PAIR_COLUMNS)) statistics of the pairs of a sentence's and the
        query's tokens.
        """
        table = self._similarities
        if weighted:
            share = self._idf / self._max_idf if self._max_idf > 0 else np.zeros_like(self._idf)
            table = table * share[self._query][:, None] * share
        result = np.zeros((len(self._lengths), len(PAIR_COLUMNS)))
        starts = np.cumsum(self._lengths) - self._lengths
        for block in self._blocks():
            width = int(self._lengths[block].max())
            inside = np.arange(width) < self._lengths[block][:, None]
            places = np.where(inside, starts[block][:, None] + np.arange(width), 0)
            # (sentences, tokens, query tokens); padding of shorter sentences sorts last.
            values = np.where(inside[:, :, None], table.T[self._tokens[places]], np.inf)
            result[block] = _statistics(
                values.reshape(len(block), -1), self._lengths[block] * len(self._query)
            )
        return result

    @cached_property
    def _similarities(self) -> Floats:
        """ES of each pair: (query tokens, distinct words)."""
        own = self._vectors[self._query]
        squares = np.einsum("id,id->i", self._vectors, self._vectors)
        # BLAS threads cost more than they gain on matrices this small; their rounding depends on
        # the number of cores.
        products = np.einsum("id,jd->ij", own, self._vectors)
        squared = squares[self._query][:, None] + squares - 2.0 * products
        # A word has distance 0 from itself, despite rounding.
        squared[np.arange(len(own)), self._query] = 0.0
        return np.asarray(1.0 / (1.0 + np.sqrt(np.maximum(squared, 0.0))))

    def _blocks(self) -> Iterable[Ints]:
        """Yield blocks of sentences of similar length that are sorted at once; skip sentences
        without pairs.
        """
        order = np.argsort(self._lengths, kind="stable")
        order = order[self._lengths[order] > 0] if len(self._query) else order[:0]
        while len(order):
            # The last sentence of a block is its widest and decides how many fit.
            sizes = self._lengths[order] * len(self._query) * np.arange(1, len(order) + 1)
            count = max(1, int(np.searchsorted(sizes, _BLOCK, side="right")))
            yield order[:count]
            order = order[count:]


def _sums(values: Floats, lengths: Ints) -> Floats:
    """Return the sums of consecutive groups of rows: (n, d); an empty group sums to 0."""
    sums = np.zeros((len(lengths), values.shape[1]))
    filled = lengths > 0
    if filled.any():
        sums[filled] = np.add.reduceat(values, (np.cumsum(lengths) - lengths)[filled], axis=0)
    return sums


def _statistics(values: Floats, counts: Ints) -> Floats:
    """Return (n, 8) `PAIR_COLUMNS` of each row's values, padded with inf; `counts` are finite, at
    least one.
    """
    values.sort(axis=1)
    rows = np.arange(len(values))
    average = np.where(np.isinf(values), 0.0, values).sum(axis=1) / counts
    median = (values[rows, (counts - 1) // 2] + values[rows, counts // 2]) / 2.0
    # Sums of the lowest and highest 1, 2 and 3 values, or of all if there are fewer.
    last = counts - 1
    lowest = highest = np.zeros((len(values), 1))
    for k in range(3):
        exists = k < counts
        low = np.where(exists, values[rows, np.minimum(k, last)], 0.0)
        high = np.where(exists, values[rows, np.maximum(last - k, 0)], 0.0)
        lowest = np.column_stack([lowest, lowest[:, -1] + low])
        highest = np.column_stack([highest, highest[:, -1] + high])
    taken = np.minimum(counts[:, None], (1, 2, 3))
    return np.column_stack([average, median, highest[:, 1:] / taken, lowest[:, 1:] / taken])
