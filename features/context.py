"""The input of all features: a topic's candidate sentences with their context."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from features.answer_cues import AnswerCues, cues_of, stems_of
from features.arrays import Floats, Ints, unit
from features.embeddings import Embeddings
from features.text import Passage
from features.tokens import Tokens, Vocabulary

# Sentences whose cosines, and whose vectors, are computed at a time.
_ROWS, _BLOCK = 1000, 100


@dataclass(frozen=True)
class Evidence:
    """Matches of a query with q words in the d retrieved documents of a topic with n candidates.

    A match is in [0,1]: 1 for the word itself, less for an alternative form.

    Attributes:
        weights: (q,) IDF of each word in the searched collection, times its frequency in the
            question.
        sentences: (n, q) matches in each candidate.
        documents: (d, q) matches in each document.
        bm25: (d,) score of each document.
    """

    weights: Floats
    sentences: Floats
    documents: Floats
    bm25: Floats


@dataclass(frozen=True)
class Context:
    """The n candidate sentences of one topic and their context.

    Attributes:
        query: the question, or all citances as one passage.
        sentences: the n candidates.
        documents: every document of the topic, in full.
        document: (n,) index into `documents` of each sentence's document.
        position: (n,) position of each sentence in its document, from 0 (first) to 1 (last).
        section: the kind of each sentence's section (`abstract`, `methods`, ...; "" if unknown).
        is_citance: (n,) 1 if the sentence cites the paper to be summarised, else 0.
        citances: each citance; empty for a question.
        embeddings: word vectors, for the features that need them.
        evidence: matches with the query that retrieved the documents; None if the documents were
            given.
        roles: (n, 5) probabilities that each sentence states background, an aim, a method, a result
            or a conclusion; None where no feature needs them.
        stored_cues: what each sentence offers an answer, if an index stores it.
    """

    query: Passage
    sentences: tuple[Passage, ...]
    documents: tuple[Passage, ...]
    document: Ints
    position: Floats
    section: tuple[str, ...]
    is_citance: Floats
    citances: tuple[Passage, ...] = ()
    embeddings: Embeddings | None = None
    evidence: Evidence | None = None
    roles: Floats | None = None
    stored_cues: tuple[AnswerCues, ...] | None = None

    def __len__(self) -> int:
        return len(self.sentences)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The terms of all texts."""
        return Vocabulary(self.sentences, self.citances, self.documents, (self.query,))

    @cached_property
    def cues(self) -> tuple[AnswerCues, ...]:
        """What each of the n sentences offers an answer."""
        return self.stored_cues or tuple(cues_of(s.text) for s in self.sentences)

    @cached_property
    def new_names(self) -> tuple[tuple[str, ...], ...]:
        """The names in each of the n sentences that share no stem with the query, sorted."""
        asked = frozenset(self.query.stems)

        def new(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(name for name in names if asked.isdisjoint(stems_of(name)))

        return tuple(new(cues.names) for cues in self.cues)

    @cached_property
    def vectors(self) -> Floats:
        """The (n, stems) `unit_vectors` of the sentences, without stems that only one sentence has;
        they change no cosine.
        """
        tokens = self.vocabulary.content_stems.sentences
        shared = tokens.distinct.counts[tokens.first] > 1
        # By column: the last digits of a product depend on the order in memory.
        vectors = np.empty((len(self), np.count_nonzero(shared)), order="F")
        for rows, block in _unit_vectors(tokens):
            vectors[rows] = block[:, shared]
        return vectors

    def cosines(self) -> Iterator[tuple[slice, Floats]]:
        """Yield blocks of rows, each with the (rows, n) cosines of its sentences with all; a single
        block is cached.
        """
        n = len(self)
        # In blocks: the cosines of thousands of sentences would take hundreds of megabytes.
        for first in range(0, n, _ROWS):
            rows = slice(first, min(first + _ROWS, n))
            yield rows, self._cosines if n <= _ROWS else self.vectors[rows] @ self.vectors.T

    @cached_property
    def _cosines(self) -> Floats:
        return self.vectors @ self.vectors.T

    @classmethod
    def of_texts(
        cls,
        query: str,
        sentences: list[str],
        documents: list[str] | None = None,
    ) -> "Context":
        """Return the context of sentences from a single document, for examples and tests."""
        n = len(sentences)
        texts = [" ".join(sentences)] if documents is None else documents
        passages = tuple(map(Passage, sentences))
        full_texts = tuple(map(Passage, texts))
        position = np.linspace(0.0, 1.0, n)
        return cls(
            query=Passage(query),
            sentences=passages,
            documents=full_texts,
            document=np.zeros(n, dtype=np.int64),
            position=position,
            section=("",) * n,
            is_citance=np.zeros(n),
        )


def unit_vectors(tokens: Tokens) -> Floats:
    """Return (texts, distinct terms) unit-length tf-idf vectors; zero for a text without terms."""
    return np.concatenate([block for _, block in _unit_vectors(tokens)])


def _unit_vectors(tokens: Tokens) -> Iterator[tuple[slice, Floats]]:
    """Yield the rows of `unit_vectors` in blocks: thousands of texts with as many terms of their
    own would take gigabytes.
    """
    terms = tokens.first
    idf = np.log1p(tokens.texts / tokens.distinct.counts[terms])
    for first in range(0, tokens.texts, _BLOCK):
        rows = slice(first, min(first + _BLOCK, tokens.texts))
        matrix = tokens.among_texts(rows).frequencies(terms)
        held = matrix > 0
        matrix[held] = 1.0 + np.log(matrix[held])
        yield rows, unit(matrix * idf)
