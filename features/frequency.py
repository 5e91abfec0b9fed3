"""Features 1.5 to 1.8: how frequent the content words of a sentence are in the topic's documents.

CF(s) = mean over the content words w of s of m(w) / M, with m(w) the occurrences of w in the documents and M the
occurrences of all content words there; DF(s) = mean of d(w) / D, with d(w) the number of documents that hold w and D
the number of documents. On words (1.5, 1.7) and on stems (1.6, 1.8); a sentence without content words has 0
(Malakasiotis et al. 2015, features 1.5-1.8).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from features.arrays import Floats
from features.context import Context
from features.text import Passage

Terms = Callable[[Passage], tuple[str, ...]]


def content_word_frequency(context: Context) -> Floats:
    """Feature 1.5, CF on words: (n,) shares."""
    return _content_frequency(context, lambda passage: passage.content_words)


def content_stem_frequency(context: Context) -> Floats:
    """Feature 1.6, CF on stems: (n,) shares."""
    return _content_frequency(context, lambda passage: passage.content_stems)


def document_word_frequency(context: Context) -> Floats:
    """Feature 1.7, DF on words: (n,) shares."""
    return _document_frequency(context, lambda passage: passage.content_words)


def document_stem_frequency(context: Context) -> Floats:
    """Feature 1.8, DF on stems: (n,) shares."""
    return _document_frequency(context, lambda passage: passage.content_stems)


def _content_frequency(context: Context, terms: Terms) -> Floats:
    counts = Counter(term for document in context.documents for term in terms(document))
    return _means(counts, counts.total(), (terms(s) for s in context.sentences))


def _document_frequency(context: Context, terms: Terms) -> Floats:
    counts = Counter(term for document in context.documents for term in set(terms(document)))
    return _means(counts, len(context.documents), (terms(s) for s in context.sentences))


def _means(counts: Mapping[str, int], total: int, sentences: Iterable[tuple[str, ...]]) -> Floats:
    """The mean share of the terms of each sentence; 0 for a sentence without terms."""
    return np.array([sum(counts[t] for t in s) / (len(s) * total) if s and total else 0.0 for s in sentences])
