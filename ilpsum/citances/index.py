"""The index of a reference paper: every run of one to five consecutive sentences, as counts of content stems."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from features.arrays import Floats, Ints
from features.text import Passage
from ilpsum.papers import layout
from ilpsum.papers.scraped import BlockRole
from ilpsum.records import Document, Sentence, Span

LONGEST_RUN = 5
"""Task 1 allows spans of one to five consecutive sentences."""
PROSE: frozenset[BlockRole] = frozenset({"prose"})
EVERYTHING: frozenset[BlockRole] = frozenset({"prose", "caption", "table", "reference", "meta", "front", "title"})


@dataclass(frozen=True)
class SpanIndex:
    """The sentences of a paper and the runs that can be retrieved.

    Attributes:
        document: the reference paper.
        sentences: n sentences in the order of the text.
        joins: (n,) whether a sentence follows the one before it with nothing between, so that a run may hold both;
            false for the first.
    """

    document: Document
    sentences: tuple[Sentence, ...]
    joins: tuple[bool, ...]

    @classmethod
    def of(cls, document: Document, include: Collection[BlockRole] = PROSE) -> "SpanIndex":
        """The index of a paper.

        Args:
            document: the reference paper.
            include: which parts of it; by default no figures, tables, references, acknowledgements.
        """
        sentences = layout.sentences(document, include)
        joins = [False] * len(sentences)
        for i in range(1, len(sentences)):
            # A heading, or a line that is no sentence, would be counted as one more.
            joins[i] = not document.text[sentences[i - 1].end : sentences[i].start].strip()
        return cls(document, sentences, tuple(joins))

    def __len__(self) -> int:
        return len(self.sentences)

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """The words and stems of each sentence."""
        return tuple(Passage(sentence.text) for sentence in self.sentences)

    @cached_property
    def vocabulary(self) -> dict[str, int]:
        """The column of each content stem, in the order of their first places."""
        return {stem: j for j, stem in enumerate(dict.fromkeys(s for p in self.passages for s in p.content_stems))}

    @cached_property
    def counts(self) -> Floats:
        """(n, V) how often each stem stands in each sentence."""
        counts = np.zeros((len(self), len(self.vocabulary)))
        for row, passage in zip(counts, self.passages, strict=True):
            for stem in passage.content_stems:
                row[self.vocabulary[stem]] += 1.0
        return counts

    @cached_property
    def runs(self) -> Ints:
        """(r, 2) the runs: first sentence, and the one after the last; by first sentence, then by length."""
        found = []
        for first in range(len(self)):
            last = first + 1
            found.append((first, last))
            while last < len(self) and last - first < LONGEST_RUN and self.joins[last]:
                last += 1
                found.append((first, last))
        return np.array(found, dtype=np.int64).reshape(-1, 2)

    @cached_property
    def run_counts(self) -> Floats:
        """(r, V) how often each stem stands in each run."""
        sums = np.vstack([np.zeros((1, len(self.vocabulary))), np.cumsum(self.counts, axis=0)])
        return np.asarray(sums[self.runs[:, 1]] - sums[self.runs[:, 0]], dtype=np.float64)

    @cached_property
    def run_idf(self) -> Floats:
        """(V,) log(1 + r / df), df counted over runs."""
        return np.asarray(np.log1p(len(self.runs) / np.maximum((self.run_counts > 0).sum(axis=0), 1)))

    @cached_property
    def run_vectors(self) -> Floats:
        """(r, V) tf-idf vectors of length one: (1 + log tf) idf (Salton and Buckley 1988)."""
        counts = self.run_counts
        vectors = np.where(counts > 0, 1.0 + np.log(np.maximum(counts, 1.0)), 0.0) * self.run_idf
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(np.divide(vectors, lengths, out=vectors, where=lengths > 0))

    def span(self, first: int, last: int) -> Span:
        """The characters from sentence `first` to the one before `last`."""
        return Span(self.sentences[first].start, self.sentences[last - 1].end)
