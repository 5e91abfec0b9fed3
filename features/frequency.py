"""Features 1.5 to 1.8: frequency of a sentence's content words in the topic's documents.

CF(s) = mean of m(w) / M over the content words w of s, with m(w) the occurrences of w in the documents and M the
occurrences of all content words; DF(s) = mean of d(w) / D, with d(w) the number of documents that contain w and D the
number of documents. Over words (1.5, 1.7) or stems (1.6, 1.8); 0 for a sentence without content words (Malakasiotis et
al. 2015, features 1.5-1.8).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import chain

import numpy as np

from features.arrays import Floats
from features.context import Context
from features.text import Passage

Terms = Callable[[Passage], tuple[str, ...]]


def content_word_frequency(context: Context) -> Floats:
    """Return feature 1.5, CF over words: (n,) shares."""
    return _content_frequency(context, lambda passage: passage.content_words)


def content_stem_frequency(context: Context) -> Floats:
    """Return feature 1.6, CF over stems: (n,) shares."""
    return _content_frequency(context, lambda passage: passage.content_stems)


def document_word_frequency(context: Context) -> Floats:
    """Return feature 1.7, DF over words: (n,) shares."""
    return _document_frequency(context, lambda passage: passage.content_words)


def document_stem_frequency(context: Context) -> Floats:
    """Return feature 1.8, DF over stems: (n,) shares."""
    return _document_frequency(context, lambda passage: passage.content_stems)


def _content_frequency(context: Context, terms: Terms) -> Floats:
    counts = Counter(chain.from_iterable(map(terms, context.documents)))
    return _means(counts, counts.total(), (terms(s) for s in context.sentences))


def _document_frequency(context: Context, terms: Terms) -> Floats:
    counts = Counter(chain.from_iterable(set(terms(document)) for document in context.documents))
    return _means(counts, len(context.documents), (terms(s) for s in context.sentences))


def _means(counts: Mapping[str, int], total: int, sentences: Iterable[tuple[str, ...]]) -> Floats:
    """Return the mean share of each sentence's terms; 0 for a sentence without terms."""
    each = counts.__getitem__
    return np.array([sum(map(each, s)) / (len(s) * total) if s and total else 0.0 for s in sentences])
