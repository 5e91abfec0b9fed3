"""Features 2.1 to 2.4: similarity of a sentence and the query in a space of word vectors.

    ES(w,w') = 1/(1 + |v(w) - v(w')|), the similarity of two words by Euclidean distance
    c(x)     = mean of v(w) over the tokens w of x
    t(x)     = sum of TF(w,x) IDF(w) v(w) / sum of TF(w,x) IDF(w), over the words w of x
    IDF(w)   = log(|D| / |D(w)|)

with D the documents that the vectors were trained on, and D(w) those that contain w (Malakasiotis
et al. 2015, features 2.1-2.4).

Tokens are those of `features.text.words`, with repetitions; tokens without a vector are ignored.
The paper leaves two cases open. If either side has no known token, or only tokens of IDF 0 where
IDF is the weight, every value is 0. With fewer than two or three pairs, the mean of two or three is
the mean of all pairs.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats, Ints
from features.text import Passage

PAIR_STATISTICS = tuple("average median maximum top-2 top-3 minimum lowest-2 lowest-3".split())
COLUMNS = (
    "centroid-similarity",
    "idf-centroid-similarity",
    *(f"pair-{name}" for name in PAIR_STATISTICS),
    *(f"idf-pair-{name}" for name in PAIR_STATISTICS),
)


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

    def rows(self, words: Iterable[str]) -> Ints:
        """Return the rows of words with a vector, in order, with repetitions."""
        index = self.index
        return np.array([index[word] for word in words if word in index], dtype=np.int64)


def all_similarities(
    embeddings: Embeddings,
    query: Passage,
    sentences: Sequence[Passage],
) -> Floats:
    """Return features 2.1 to 2.4 of n sentences: (n, 18) values in [0,1], with columns `COLUMNS`.

    2.1 = 1/(1 + |c(q) - c(s)|)
    2.2 = 1/(1 + |t(q) - t(s)|)
    2.3 = `PAIR_STATISTICS` of ES(w,w') over all pairs of a query token w, a sentence token w'
    2.4 = `PAIR_STATISTICS` of ES(w,w') IDF(w) IDF(w') / maxidf^2 over these pairs
    """
    rows = [embeddings.rows(text.words) for text in (query, *sentences)]
    # Without an option, `np.unique` would import `numpy.ma` (15 ms).
    distinct, _ = np.unique(np.concatenate(rows), return_index=True)
    vectors = embeddings.vectors[distinct].astype(np.float64)
    idf = embeddings.idf[distinct].astype(np.float64)
    # From here on, a word is its row in `vectors`.
    asked, *texts = (np.searchsorted(distinct, row) for row in rows)
    similarity = _similarity(vectors, asked)
    # Over the largest IDF of a word that has a vector.
    relative_idf = idf / (float(embeddings.idf.max(initial=0.0)) or 1.0)
    weighted = similarity * relative_idf[asked][:, None] * relative_idf
    values = np.zeros((len(sentences), len(COLUMNS)))
    if not len(asked):
        return values
    for column, weights in enumerate((np.ones(len(idf)), idf)):
        centre = _centroid(vectors, weights, asked)
        for i, words in enumerate(texts):
            centroid = _centroid(vectors, weights, words)
            if centre is not None and centroid is not None:
                values[i, column] = 1.0 / (1.0 + np.linalg.norm(centroid - centre))
    for i, words in enumerate(texts):
        if len(words):
            values[i, 2:10] = _pair_statistics(similarity[:, words])
            values[i, 10:] = _pair_statistics(weighted[:, words])
    return values


def _similarity(vectors: Floats, asked: Ints) -> Floats:
    """Return ES of each pair of a query token and a distinct word: (query tokens, words)."""
    squares = np.einsum("id,id->i", vectors, vectors)
    # BLAS threads cost more than they gain on matrices this small; their rounding depends on
    # the number of cores.
    products = np.einsum("id,jd->ij", vectors[asked], vectors)
    squared = squares[asked][:, None] + squares - 2.0 * products
    # A word has distance 0 from itself, despite rounding.
    squared[np.arange(len(asked)), asked] = 0.0
    return 1.0 / (1.0 + np.sqrt(np.maximum(squared, 0.0)))


def _centroid(vectors: Floats, weights: Floats, words: Ints) -> Floats | None:
    """Return the (d,) weighted mean of the vectors of a text's words; None without weight."""
    of_words = weights[words]
    total = of_words.sum()
    if not total > 0:
        return None
    return (of_words[:, None] * vectors[words]).sum(axis=0) / total


def _pair_statistics(values: Floats) -> tuple[float, ...]:
    """Return `PAIR_STATISTICS` of the values of all pairs, at least one."""
    rising = np.sort(values, axis=None)
    n = len(rising)
    middle = rising[(n - 1) // 2] + rising[n // 2]
    highest = rising[:-4:-1].tolist()
    lowest = rising[:3].tolist()
    extremes = list[float]()
    for best in (highest, lowest):
        extremes += [best[0], _mean(best[:2]), _mean(best)]
    return (float(rising.mean()), float(middle) / 2.0, *extremes)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
