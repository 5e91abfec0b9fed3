"""Baselines that choose sentences for what the summary as a whole says: SumBasic, KL-Sum, MMR, and
monotone submodular coverage with diversity.

A sentence is the bag of its content stems. At each step the candidate of the highest value is taken
from those that fit; ties go to the earlier one.
"""

from typing import Annotated

import numpy as np

from features.arrays import Floats, Ints
from features.text import Passage
from ilpsum.files.records import Help, Share
from ilpsum.records import Topic
from ilpsum.selection.centrality import cosines, places, stems_of
from ilpsum.selection.problem import Selection
from ilpsum.selection.selectors import Parameters, Pool, Selector, SelectorSettings, one_by_one

# Iterations of k-means; it converges in fewer on a topic's sentences.
_MOST_ITERATIONS = 100


class SumBasic(Selector):
    """SumBasic (Nenkova and Vanderwende 2005, The impact of frequency on summarization; Vanderwende
    et al. 2007, Beyond SumBasic, section 2).

        p(w)      = frequency of w / number of words of all candidates
        weight(i) = mean of p(w) over the words of sentence i

    At each step the best sentence with the most probable word is taken, and p(w) of its words is
    squared. If no candidate that fits has the most probable word, the next word decides.
    """

    name = "sumbasic"

    def select(self, pool: Pool, settings: SelectorSettings) -> Selection:  # noqa: ARG002
        """Return sentences of probable words, each step less of those already in the summary."""
        stems = stems_of(pool.passages)
        held = stems.distinct
        first = stems.counts / max(len(stems.ids), 1)
        lengths = np.maximum(stems.lengths, 1)

        def values(chosen: list[int]) -> Floats:
            times = np.bincount(held.ids[np.isin(held.text, chosen)], minlength=held.size)
            probability = first ** (2.0**times)
            weights = stems.sums(probability[stems.ids]) / lengths
            return places(held.largest(probability[held.ids]), weights)

        return one_by_one(self.name, pool.best_first(values))


class KlSumParameters(Parameters, frozen=True):
    """Parameters of `kl-sum`."""

    smoothing: Annotated[
        float, Help("added to the frequency of each word in the summary", gt=0, le=1)
    ] = 0.1


class KlSum(Selector):
    """KL-Sum (Haghighi and Vanderwende 2009, Exploring content models for multi-document
    summarization, section 3.2).

        KL(P || Q) = sum of P(w) log(P(w) / Q(w)) over the words w of all candidates
        P(w)       = frequency of w in all candidates / their words
        Q(w)       = (frequency of w in the summary + s) / (its words + s * distinct words)

    At each step the sentence that leaves the smallest divergence is taken, until the summary is
    full. The paper leaves the smoothing s of Q open, without which the divergence is infinite, and
    stops where the divergence no longer decreases, which with smoothing would depend on s.
    """

    name = "kl-sum"
    parameters = KlSumParameters

    def select(self, pool: Pool, settings: SelectorSettings) -> Selection:
        """Return sentences whose words are distributed as those of all candidates."""
        smoothing = settings.of(KlSumParameters).smoothing
        stems = stems_of(pool.passages)
        held = stems.distinct
        # Frequency of each distinct word of a sentence in it.
        counts = np.unique(stems.text * stems.size + stems.ids, return_counts=True)[1]
        shares = stems.counts[held.ids] / max(len(stems.ids), 1)

        def values(chosen: list[int]) -> Floats:
            """(n,) the decrease of KL(P || Q) by each candidate."""
            taken = np.isin(held.text, chosen)
            frequency = np.bincount(held.ids[taken], counts[taken], minlength=stems.size)
            before = frequency.sum() + smoothing * stems.size
            nearer = held.sums(shares * np.log1p(counts / (frequency[held.ids] + smoothing)))
            return nearer - np.log1p(stems.lengths / max(before, smoothing))

        return one_by_one(self.name, pool.best_first(values))


class MmrParameters(Parameters, frozen=True):
    """Parameters of `mmr`."""

    relevance: Annotated[Share, Help("weight of relevance against novelty")] = 0.7


class Mmr(Selector):
    """Maximal marginal relevance (Carbonell and Goldstein 1998, The use of MMR, diversity-based
    reranking, section 2).

        MMR = argmax of l * cosine(i, query) - (1 - l) * max of cosine(i, j) over the chosen j

    Cosines are those of LexRank. The query is the topic's question, or else its citances, or else
    all candidates together. The paper leaves l open.
    """

    name = "mmr"
    parameters = MmrParameters

    def select(self, pool: Pool, settings: SelectorSettings) -> Selection:
        """Return sentences similar to the query and unlike each other."""
        weight = settings.of(MmrParameters).relevance
        query = query_of(pool.topic) or Passage(" ".join(p.text for p in pool.passages))
        similarity = cosines([*pool.passages, query])
        relevance = weight * similarity[:-1, -1]

        def values(chosen: list[int]) -> Floats:
            if not chosen:
                return relevance
            nearest = similarity[:-1, chosen].max(axis=1)
            return relevance - (1.0 - weight) * nearest

        return one_by_one(self.name, pool.best_first(values))


def query_of(topic: Topic) -> Passage | None:
    """Return a topic's question, or its citances as one passage; None if it has neither."""
    text = topic.query or " ".join(citance.text for citance in topic.citances)
    return Passage(text) if text.strip() else None


class SubmodularParameters(Parameters, frozen=True):
    """Parameters of `submodular`, with the values of the paper where it gives them."""

    saturation: Annotated[
        float, Help("a: alpha is a / number of candidates, at most 1", gt=0, le=1e6)
    ] = 5.0
    diversity: Annotated[float, Help("lambda: weight of diversity", ge=0, le=1e6)] = 6.0
    clusters: Annotated[
        float, Help("number of clusters, as a share of the candidates", gt=0, le=1)
    ] = 0.2
    scale: Annotated[float, Help("r: a gain is divided by words to the power r", ge=0, le=10)] = 0.3
    generic: Annotated[
        Share, Help("beta: share of the reward that does not depend on the query")
    ] = 0.5


class Submodular(Selector):
    """Monotone submodular coverage with diversity (Lin and Bilmes 2011, A class of submodular
    functions for document summarization, equations 2, 5, 6 and section 5).

        F(S) = sum of min(C_i(S), alpha C_i(V)) over all candidates i
               + lambda * sum of sqrt(sum of r_j over the chosen j of cluster k) over the clusters k
        C_i(S) = sum of cosine(i, j) over the chosen j
        r_j    = mean of cosine(i, j) over all candidates i; with a query (see `mmr`),
                 beta * r_j / largest + (1 - beta) * q_j / largest, q_j its words in sentence j

    At each step the sentence of the largest gain of F per words^r is taken; the best single
    sentence is chosen instead if it alone is worth more (Lin and Bilmes 2010, algorithm 1).
    Clusters are those of k-means on the vectors of cosines, from centres far from each other, where
    the paper uses CLUTO.
    """

    name = "submodular"
    parameters = SubmodularParameters

    def select(self, pool: Pool, settings: SelectorSettings) -> Selection:
        """Return sentences that cover all others, from many clusters."""
        n = len(pool)
        parameters = settings.of(SubmodularParameters)
        similarity = cosines(pool.passages)
        enough = min(1.0, parameters.saturation / max(n, 1)) * similarity.sum(axis=1)
        rewards = _rewards(pool, similarity, parameters.generic)
        cluster = clusters(similarity, max(1, round(parameters.clusters * n)))
        costs = np.maximum(pool.problem.words, 1.0) ** parameters.scale

        def gains(chosen: list[int]) -> Floats:
            """(n,) the gain of F by each candidate."""
            covered = similarity[:, chosen].sum(axis=1, keepdims=True)
            more = np.minimum(covered + similarity, enough[:, None])
            coverage = more.sum(axis=0) - np.minimum(covered[:, 0], enough).sum()
            rewarded = np.bincount(cluster[chosen], rewards[chosen], minlength=n)
            held = rewarded[cluster]
            diversity = np.sqrt(held + rewards) - np.sqrt(held)
            return coverage + parameters.diversity * diversity

        chosen = pool.best_first(lambda chosen: gains(chosen) / costs)
        # F of the chosen, as the sum of their gains.
        value = sum(float(gains(chosen[:k])[i]) for k, i in enumerate(chosen))
        single = pool.best_first(gains)[:1]
        if single and gains([])[single[0]] > value:
            chosen = single
        return one_by_one(self.name, chosen)


def _rewards(pool: Pool, similarity: Floats, generic: float) -> Floats:
    """Return (n,) the reward r_j of each candidate."""
    rewards = similarity.mean(axis=0) if len(pool) else np.zeros(0)
    query = query_of(pool.topic)
    if query is None:
        return rewards
    asked = frozenset(query.content_stems)
    overlap = np.array([len(asked.intersection(p.content_stems)) for p in pool.passages])
    general = rewards / max(rewards.max(initial=0.0), 1e-12)
    return generic * general + (1.0 - generic) * overlap / max(overlap.max(initial=0), 1)


def clusters(vectors: Floats, k: int) -> Ints:
    """Return the (n,) cluster of each of n rows, from 0 to k - 1, by k-means; k is at least 1, and
    some clusters may be empty.

    The first centre is the row nearest to the mean, each further one the row farthest from all
    centres so far; ties go to the earlier row.
    """
    if not len(vectors):
        return np.zeros(0, dtype=np.int64)
    squares = np.square(vectors).sum(axis=1)

    def distances(centres: Floats) -> Floats:
        products = vectors @ centres.T
        squared = squares[:, None] - 2.0 * products + np.square(centres).sum(axis=1)
        # Rounded, so that equal distances tie whatever the order of their sums.
        return np.round(np.maximum(squared, 0.0), 9)

    first = int(distances(vectors.mean(axis=0, keepdims=True))[:, 0].argmin())
    seeds = [first]
    nearest = distances(vectors[[first]])[:, 0]
    while len(seeds) < k:
        seeds.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, distances(vectors[seeds[-1:]])[:, 0])
    centres = vectors[seeds]
    cluster = distances(centres).argmin(axis=1)
    for _ in range(_MOST_ITERATIONS):
        sizes = np.bincount(cluster, minlength=k)
        sums = (cluster == np.arange(k)[:, None]).astype(np.float64) @ vectors
        # A cluster that has lost its rows keeps its centre.
        centres = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centres)
        before, cluster = cluster, distances(centres).argmin(axis=1)
        if np.array_equal(before, cluster):
            break
    return cluster
