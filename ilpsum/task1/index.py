"""The index of a reference paper: term counts of all spans of one to five consecutive sentences."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from features.arrays import Floats, Ints
from features.text import Passage
from ilpsum.formats.papers import layout
from ilpsum.formats.papers.layout import PROSE
from ilpsum.formats.papers.scraped import BlockRole
from ilpsum.records import Document, Sentence, Span
from ilpsum.task1.terms import WEIGHTINGS, Analysis, counted, unit

LONGEST_SPAN = 5
"""Maximum number of sentences in a span of Task 1."""
SPANS = 3
"""Maximum number of spans per citance."""


@dataclass(frozen=True)
class SpanIndex:
    """The sentences of a paper and its retrievable spans.

    A span is a half-open range of sentence indices, (first, last + 1).

    Attributes:
        sentences: the n sentences in text order.
        joins: (n,) whether a sentence directly follows its predecessor, so that a span may contain both; false for the
            first.
        analysis: maps texts to terms; by default content stems.
    """

    document: Document
    sentences: tuple[Sentence, ...]
    joins: tuple[bool, ...]
    analysis: Analysis

    @classmethod
    def of(
        cls, document: Document, parts: Collection[BlockRole] = PROSE, analysis: Analysis | None = None
    ) -> "SpanIndex":
        """Index `parts` of a paper; by default without figures, tables, references and acknowledgements."""
        sentences = layout.sentences(document, parts)
        # A heading or another line between two sentences would count as a sentence of the span.
        joins = (not document.text[a.end : b.start].strip() for a, b in pairwise(sentences))
        return cls(document, sentences, (False, *joins)[: len(sentences)], analysis or Analysis())

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def begins_paragraph(self) -> list[bool]:
        """Whether each sentence is the first, or has a line break before it."""
        text = self.document.text
        return [True, *("\n" in text[a.end : b.start] for a, b in pairwise(self.sentences))][: len(self)]

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Words and stems of each sentence."""
        return tuple(Passage(sentence.text) for sentence in self.sentences)

    @cached_property
    def vocabulary(self) -> dict[str, int]:
        """The column of each term, in order of first occurrence."""
        return {
            term: j for j, term in enumerate(dict.fromkeys(t for p in self.passages for t in self.analysis.terms(p)))
        }

    @cached_property
    def counts(self) -> Floats:
        """(n, V) occurrences of each term in each sentence."""
        return counted(list(map(self.analysis.terms, self.passages)), self.vocabulary)

    @cached_property
    def spans(self) -> Ints:
        """(s, 2) the spans, sorted by first sentence, then by length."""
        pairs = []
        for first in range(len(self)):
            for last in range(first + 1, min(first + LONGEST_SPAN, len(self)) + 1):
                if last > first + 1 and not self.joins[last - 1]:
                    break
                pairs.append((first, last))
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    @cached_property
    def span_counts(self) -> Floats:
        """(s, V) occurrences of each term in each span."""
        sums = np.vstack([np.zeros((1, len(self.vocabulary))), np.cumsum(self.counts, axis=0)])
        return np.asarray(sums[self.spans[:, 1]] - sums[self.spans[:, 0]], dtype=np.float64)

    @cached_property
    def span_idf(self) -> Floats:
        """(V,) log(1 + s / df), with df counted over spans."""
        return np.asarray(np.log1p(len(self.spans) / np.maximum((self.span_counts > 0).sum(axis=0), 1)))

    @cached_property
    def span_vectors(self) -> Floats:
        """(s, V) unit-length vectors of the spans."""
        return unit(WEIGHTINGS[self.analysis.weighting](self.span_counts, self.span_idf))

    def characters(self, first: int, last: int) -> Span:
        """Return the character offsets of sentences `first` to `last` (exclusive)."""
        return Span(self.sentences[first].start, self.sentences[last - 1].end)
