"""Ranks the spans of an index for a query, and selects three of them.

A query is a bag of weighted terms. As published (Cohan et al. 2014): rank spans by cosine, re-rank
the top ones by the number of overlapping spans among them, merge overlapping spans, and keep the
best three.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

import numpy as np

from features.arrays import Floats, Ints, ratios, unit
from features.registry import Registry
from features.text import Passage
from features.tokens import Numbers
from ilpsum.learning.embeddings import load as load_vectors
from ilpsum.papers import layout
from ilpsum.papers.layout import PROSE
from ilpsum.papers.scraped import BlockRole
from ilpsum.records import Document, Sentence, Span
from ilpsum.task1 import terms
from ilpsum.task1.terms import WEIGHTINGS, Analysis, counted
from ilpsum.tasks.task1 import MAX_SENTENCES, MAX_SPANS


@dataclass(frozen=True)
class SpanIndex:
    """The sentences of a paper and its retrievable spans.

    A span is a half-open range of sentence indices, (first, last + 1).

    Attributes:
        sentences: the n sentences in text order.
        joins: (n,) whether a sentence directly follows its predecessor, so that a span may contain
            both; false for the first.
        analysis: maps texts to terms; by default content stems.
    """

    document: Document
    sentences: tuple[Sentence, ...]
    joins: tuple[bool, ...]
    analysis: Analysis

    @classmethod
    def of(
        cls,
        document: Document,
        parts: Collection[BlockRole] = PROSE,
        analysis: Analysis | None = None,
    ) -> "SpanIndex":
        """Index `parts` of a paper; by default without figures, tables, references and
        acknowledgements.
        """
        sentences = layout.sentences(document, parts)
        joins = [False] * len(sentences)
        for i, (before, sentence) in enumerate(pairwise(sentences), start=1):
            # A heading or another line between them would count as a sentence of the span.
            joins[i] = not document.text[before.end : sentence.start].strip()
        return cls(document, sentences, tuple(joins), analysis or Analysis())

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def begins_paragraph(self) -> list[bool]:
        """Whether each sentence is the first, or has a line break before it."""
        begins = [True] * len(self)
        for i, (before, sentence) in enumerate(pairwise(self.sentences), start=1):
            begins[i] = "\n" in self.document.text[before.end : sentence.start]
        return begins

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Words and stems of each sentence."""
        return tuple(Passage(sentence.text) for sentence in self.sentences)

    @cached_property
    def vocabulary(self) -> dict[str, int]:
        """The column of each term, in order of first occurrence."""
        numbers = Numbers[str]()
        numbers.of(chain.from_iterable(map(self.analysis.terms, self.passages)))
        return dict(numbers)

    @cached_property
    def counts(self) -> Floats:
        """(n, V) occurrences of each term in each sentence."""
        return counted(list(map(self.analysis.terms, self.passages)), self.vocabulary)

    @cached_property
    def spans(self) -> Ints:
        """(s, 2) the spans, sorted by first sentence, then by length."""
        pairs = []
        for first in range(len(self)):
            for last in range(first + 1, min(first + MAX_SENTENCES, len(self)) + 1):
                if last > first + 1 and not self.joins[last - 1]:
                    break
                pairs.append((first, last))
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    @cached_property
    def span_counts(self) -> Floats:
        """(s, V) occurrences of each term in each span."""
        counts = np.zeros((len(self.spans), len(self.vocabulary)))
        for of_span, (first, last) in zip(counts, self.spans.tolist(), strict=True):
            self.counts[first:last].sum(axis=0, out=of_span)
        return counts

    @cached_property
    def span_idf(self) -> Floats:
        """(V,) log(1 + s / df), with df counted over spans."""
        frequency = (self.span_counts > 0).sum(axis=0)
        return np.log1p(len(self.spans) / np.maximum(frequency, 1))

    @cached_property
    def span_vectors(self) -> Floats:
        """(s, V) unit-length vectors of the spans."""
        return unit(WEIGHTINGS[self.analysis.weighting](self.span_counts, self.span_idf))

    def characters(self, first: int, last: int) -> Span:
        """Return the character offsets of sentences `first` to `last` (exclusive)."""
        return Span(self.sentences[first].start, self.sentences[last - 1].end)


Bag = Mapping[str, float]
Ranking = Callable[[SpanIndex, Bag], Floats]
RANKINGS: Registry[Ranking] = Registry("ranking")
"""Each returns the (s,) scores of an index's spans for a query; 0 or less for unrelated spans."""

_MU = 50.0


@RANKINGS.register("vector-space")
def vector_space(index: SpanIndex, query: Bag) -> Floats:
    """Cosine of span and query vectors, with the index's term weighting."""
    columns, weights = _columns(index, query)
    vector = WEIGHTINGS[index.analysis.weighting](weights, index.span_idf[columns])
    length = float(np.linalg.norm(vector)) or 1.0
    return index.span_vectors[:, columns] @ vector / length


@RANKINGS.register("bm25")
def bm25(index: SpanIndex, query: Bag) -> Floats:
    """BM25 with the spans as the collection."""
    columns, weights = _columns(index, query)
    lengths = index.span_counts.sum(axis=1)
    return terms.bm25(index.span_counts[:, columns], lengths) @ weights


@RANKINGS.register("language-model")
def language_model(index: SpanIndex, query: Bag) -> Floats:
    """Query likelihood with Dirichlet smoothing, mu 50, relative to an empty span (Zhai and
    Lafferty 2004).
    """
    columns, weights = _columns(index, query)
    total = max(float(index.counts.sum()), 1.0)
    background = index.counts.sum(axis=0)[columns] / total
    gains = np.log1p(index.span_counts[:, columns] / (_MU * background)) @ weights
    lengths = index.span_counts.sum(axis=1)
    return gains + weights.sum() * np.log(_MU / (_MU + lengths))


@RANKINGS.register("embeddings")
def embeddings(index: SpanIndex, query: Bag) -> Floats:
    """Cosine of IDF-weighted sums of the included word vectors (after Cohan and Goharian 2017).

    The vector of a term is the sum of the vectors of the paper's words with that term.
    """
    columns, weights = _columns(index, query)
    table = load_vectors()
    vectors = np.zeros((len(index.vocabulary), table.vectors.shape[1]))
    pairs: dict[tuple[str, str], None] = {}
    for passage in index.passages:
        words = index.analysis.words(passage)
        pairs |= dict.fromkeys(zip(words, index.analysis.terms(passage), strict=True))
    for word, term in pairs:
        row = table.index.get(word)
        if row is not None:
            vector = table.vectors[row].astype(np.float64)
            length = max(float(np.linalg.norm(vector)), 1e-9)
            vectors[index.vocabulary[term]] += table.idf[row] * vector / length
    spans = index.span_counts @ vectors
    of_query = weights @ vectors[columns]
    lengths = np.linalg.norm(spans, axis=1) * float(np.linalg.norm(of_query))
    return ratios(spans @ of_query, lengths)


def choose(
    index: SpanIndex,
    scores: Floats,
    *,
    top: int = 30,
    rerank: bool = True,
    longest: int | None = MAX_SENTENCES,
) -> Ints:
    """Return the (k, 2) best spans by their (s,) scores, best first, disjoint, with k at most
    `MAX_SPANS`.

    The `top` spans with the highest positive scores are ranked by the number of overlapping spans
    among them, then by score; without `rerank`, by score alone. In this order, a span that overlaps
    a chosen one is merged with it if the union has at most `longest` sentences, by default the
    task's limit, and skipped otherwise; None always merges, as published, and may exceed the limit.
    """
    order = np.argsort(-scores, kind="stable")[:top]
    order = order[scores[order] > 0]
    spans = index.spans[order]
    if rerank:
        firsts, ends = spans.T
        overlaps = (firsts[:, None] < ends) & (firsts < ends[:, None])
        spans = spans[np.argsort(-overlaps.sum(axis=1), kind="stable")]
    chosen: list[tuple[int, int]] = []
    for first, end in spans.tolist():
        overlapped = [other for other in chosen if other[0] < end and first < other[1]]
        if not overlapped:
            chosen.append((first, end))
            continue
        union = (
            min(first, *(other[0] for other in overlapped)),
            max(end, *(other[1] for other in overlapped)),
        )
        if longest is None or union[1] - union[0] <= longest:
            # The union stands where the best of its spans stood.
            chosen[chosen.index(overlapped[0])] = union
            chosen = [other for other in chosen if other not in overlapped[1:]]
    return np.array(chosen[:MAX_SPANS], dtype=np.int64).reshape(-1, 2)


def _columns(index: SpanIndex, query: Bag) -> tuple[Ints, Floats]:
    """Return columns and weights of the query terms that occur in the paper."""
    indexed = [term for term in query if term in index.vocabulary]
    columns = [index.vocabulary[term] for term in indexed]
    weights = [query[term] for term in indexed]
    return np.array(columns, dtype=np.int64), np.array(weights, dtype=np.float64)
