"""Baselines that rank sentences by centrality: LexRank, TextRank and the centroid of word vectors.

A sentence is the bag of its content stems. Candidates are taken by decreasing score; those that no
longer fit are skipped, and equal scores go to the candidate most similar to all others, then to
the earlier one.
"""

import math
from collections.abc import Sequence
from typing import Annotated

import numpy as np

from features.arrays import Floats, ratios, unit
from features.embeddings import Embeddings
from features.text import Passage
from features.tokens import Tokens, numbered
from ilpsum.errors import UsageError
from ilpsum.files.records import Help, Share
from ilpsum.selection.problem import Selection
from ilpsum.selection.selectors import Parameters, Pool, Selector, SelectorSettings, one_by_one

# A random walk ends when an iteration moves less probability than this.
_CONVERGED = 1e-12
_MOST_ITERATIONS = 1_000
# Of values from matrix products, whose last digits depend on the processor.
_DECIMALS = 12

_Redundancy = Annotated[Share, Help("maximum cosine with a chosen sentence; 1 for no check")]


def stems_of(passages: Sequence[Passage]) -> Tokens:
    """Return the content stems of n passages."""
    return numbered([passage.content_stems for passage in passages])


def cosines(passages: Sequence[Passage]) -> Floats:
    """Return the (n, n) idf-modified cosines of n sentences (Erkan and Radev 2004, equation 1).

        sum of tf(w, x) tf(w, y) idf(w)^2 over the words w of both / (|x| |y|)
        |x|    = sqrt(sum of (tf(w, x) idf(w))^2 over the words w of x)
        idf(w) = log(n / number of sentences with w)

    A sentence has cosine 1 with itself, or 0 if all its words are in every sentence.
    """
    stems = stems_of(passages)
    frequency = np.bincount(stems.distinct.ids, minlength=stems.size)
    idf = np.log(len(passages) / np.maximum(frequency, 1))
    shared = np.flatnonzero((frequency > 1) & (idf > 0))
    vectors = stems.frequencies(shared) * idf[shared]
    # The words of a single sentence add to its length only.
    single = stems.where(frequency[stems.ids] == 1)
    counts = np.bincount(single.ids, minlength=stems.size)[single.distinct.ids]
    squares = np.square(counts * math.log(max(len(passages), 1)))
    length = np.sqrt(
        np.square(vectors).sum(axis=1)
        + np.bincount(single.distinct.text, squares, minlength=len(passages))
    )
    vectors = ratios(vectors, length[:, None])
    result = np.round(vectors @ vectors.T, _DECIMALS)
    np.fill_diagonal(result, length > 0)
    return result


def random_walk(weights: Floats, jump: float) -> Floats:
    """Return the (n,) PageRank of the nodes of a graph with (n, n) edge weights.

        p(v) = jump / n + (1 - jump) * sum of weight(u, v) / sum of weight(u, .) * p(u) over u

    A node without edges passes nothing on.
    """
    n = max(len(weights), 1)
    steps = ratios(weights, weights.sum(axis=1, keepdims=True))
    scores = np.full(len(weights), 1.0 / n)
    for _ in range(_MOST_ITERATIONS):
        before = scores
        scores = jump / n + (1.0 - jump) * (before @ steps)
        if np.abs(scores - before).sum() < _CONVERGED:
            break
    return np.round(scores, _DECIMALS)


def places(scores: Floats, ties: Floats) -> Floats:
    """Return the (n,) places of candidates by decreasing score: 0 for the first, -1, -2, ...

    Of equal scores, the larger of `ties` comes first, then the earlier candidate.
    """
    order = np.lexsort((-ties, -scores))
    result = np.zeros(len(scores))
    result[order] = -np.arange(len(scores))
    return result


def in_order(pool: Pool, order: Floats, similarity: Floats, most: float) -> list[int]:
    """Return candidates by `places`, without those whose similarity with a chosen one exceeds
    `most`; `similarity` is (n, n).
    """

    def values(chosen: list[int]) -> Floats:
        redundant = (similarity[:, chosen] > most).any(axis=1)
        return np.where(redundant, -np.inf, order)

    return pool.best_first(values)


class LexRankParameters(Parameters, frozen=True):
    """Parameters of `lexrank`, with the values of the paper."""

    damping: Annotated[Share, Help("probability of a jump to a random sentence")] = 0.15
    threshold: Annotated[Share, Help("cosine above which two sentences are linked")] = 0.1
    continuous: Annotated[bool, Help("links weighted by their cosine, instead of equal")] = False
    redundancy: _Redundancy = 1.0


class LexRank(Selector):
    """LexRank (Erkan and Radev 2004, Graph-based lexical centrality as salience in text
    summarization, JAIR 22, equations 1 and 4).

        p(u) = d / n + (1 - d) * sum of p(v) / deg(v) over the v linked to u

    Two sentences are linked if their idf-modified cosine exceeds the threshold; every sentence is
    linked to itself. In continuous LexRank, the cosine of a link is its weight. The paper leaves
    redundancy to a re-ranker; `redundancy` is its cosine. If no link joins two sentences, all
    scores are equal: the sentences most similar to all others come first, with a warning.
    """

    name = "lexrank"
    parameters = LexRankParameters

    def select(self, pool: Pool, settings: SelectorSettings) -> Selection:
        """Return the sentences that a random walk visits most often."""
        parameters = settings.of(LexRankParameters)
        similarity = cosines(pool.passages)
        linked = similarity > parameters.threshold
        links = np.where(linked, similarity if parameters.continuous else 1.0, 0.0)
        order = places(random_walk(links, parameters.damping), similarity.sum(axis=1))
        chosen = in_order(pool, order, similarity, parameters.redundancy)
        if len(pool) < 2 or np.any(linked & ~np.eye(len(pool), dtype=bool)):
            return one_by_one(self.name, chosen)
        warning = (
            f"no two sentences have a cosine above {parameters.threshold:g}, so that LexRank "
            "takes those most similar to all others; set a lower lexrank.threshold"
        )
        return one_by_one(self.name, chosen, warnings=(warning,))


class TextRankParameters(Parameters, frozen=True):
    """Parameters of `textrank`, with the values of the paper."""

    damping: Annotated[Share, Help("probability of following a link")] = 0.85
    redundancy: _Redundancy = 1.0


class TextRank(Selector):
    """TextRank (Mihalcea and Tarau 2004, TextRank: Bringing order into texts, section 2.2 and 4.1).

        WS(i)    = (1 - d) + d * sum of w(j, i) / (sum of w(j, .)) * WS(j) over j
        w(i, j)  = number of words in both sentences / (log |i| + log |j|)

    |i| is the number of words of a sentence. Two sentences of one word each have no link. Scores
    are divided by n, which leaves their order as it is.
    """

    name = "textrank"
    parameters = TextRankParameters

    def select(self, pool: Pool, settings: SelectorSettings) -> Selection:
        """Return the sentences of the highest rank."""
        parameters = settings.of(TextRankParameters)
        links = overlaps(pool.passages)
        order = places(random_walk(links, 1.0 - parameters.damping), links.sum(axis=1))
        chosen = in_order(pool, order, cosines(pool.passages), parameters.redundancy)
        return one_by_one(self.name, chosen)


def overlaps(passages: Sequence[Passage]) -> Floats:
    """Return the (n, n) weights of TextRank's links; 0 between a sentence and itself."""
    stems = stems_of(passages)
    held = stems.distinct
    frequency = np.bincount(held.ids, minlength=held.size)
    words = held.frequencies(np.flatnonzero(frequency > 1))
    sizes = np.log(np.maximum(stems.lengths, 1))
    links = ratios(words @ words.T, sizes[:, None] + sizes)
    np.fill_diagonal(links, 0.0)
    return links


class CentroidParameters(Parameters, frozen=True):
    """Parameters of `centroid`, with the values of the paper."""

    threshold: Annotated[
        Share, Help("minimum tf-idf of a word of the centroid, as a share of the largest")
    ] = 0.3
    redundancy: _Redundancy = 0.95


class Centroid(Selector):
    """The centroid of word vectors (Rossiello, Basile and Semeraro 2017, Centroid-based text
    summarization through compositionality of word embeddings, section 3).

        centroid    = sum of v(w) over the words w with tf-idf(w) > t
        sentence(i) = sum of v(w) over the words w of sentence i
        score(i)    = cosine(sentence(i), centroid)

    tf-idf(w) is the frequency of w in all candidates times log(n / number of candidates with w),
    divided by the largest. A candidate whose cosine with a chosen one exceeds `redundancy` is
    skipped. Words are content words as written, lower-cased; those without a vector count for
    nothing.
    """

    name = "centroid"
    parameters = CentroidParameters
    needs_embeddings = True

    def select(self, pool: Pool, settings: SelectorSettings) -> Selection:
        """Return the sentences nearest to the centroid."""
        parameters = settings.of(CentroidParameters)
        if pool.embeddings is None:
            raise UsageError("the method centroid needs word vectors")
        words = numbered([passage.content_words for passage in pool.passages])
        # In the order of their numbers.
        names = list(dict.fromkeys(word for p in pool.passages for word in p.content_words))
        frequency = np.bincount(words.distinct.ids, minlength=words.size)
        weights = words.counts * np.log(len(pool) / np.maximum(frequency, 1))
        telling = weights > parameters.threshold * weights.max(initial=0.0)
        vectors = _vectors_of(names, pool.embeddings)
        sentences = np.zeros((len(pool), vectors.shape[1]))
        np.add.at(sentences, words.text, vectors[words.ids])
        sentences = unit(sentences)
        centroid = unit(vectors[telling].sum(axis=0, keepdims=True))[0]
        scores = np.round(sentences @ centroid, _DECIMALS)
        similarity = sentences @ sentences.T
        chosen = in_order(pool, places(scores, scores), similarity, parameters.redundancy)
        return one_by_one(self.name, chosen)


def _vectors_of(names: Sequence[str], embeddings: Embeddings) -> Floats:
    """Return the (words, d) vectors of words; zeros for those without a vector."""
    vectors = np.zeros((len(names), embeddings.vectors.shape[1]))
    has_vector = [name in embeddings.index for name in names]
    vectors[has_vector] = embeddings.vectors[embeddings.rows(names)]
    return vectors
