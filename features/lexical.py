"""Features 1.1 to 1.8 of Malakasiotis et al. (2015): words that query and sentence share, and frequent words.

1.1, 1.2   overlap(q, s) = |C(q) & C(s)|, with C(x) the set of content words of x
1.3, 1.4   Levenshtein distance: the smallest number of insertions, deletions and replacements that turns the words of q
           into those of s, including stop words
1.5, 1.6   CF(s) = mean of m(w) / M over the content words w of s, with m(w) the occurrences of w in the topic's
           documents and M the occurrences of all content words there
1.7, 1.8   DF(s) = mean of d(w) / D, with d(w) the number of documents that contain w and D the number of documents

Each is computed over words, then over stems. Each returns (n,) values; CF and DF are 0 for a sentence without content
words.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import chain

import numpy as np

from features.arrays import Floats
from features.context import Context
from features.text import Passage

Terms = Callable[[Passage], tuple[str, ...]]


def word_overlap(context: Context) -> Floats:
    """Return feature 1.1: common distinct content words."""
    return _overlap(context, lambda passage: passage.content_words)


def stem_overlap(context: Context) -> Floats:
    """Return feature 1.2: common distinct stems of content words."""
    return _overlap(context, lambda passage: passage.content_stems)


def word_distance(context: Context) -> Floats:
    """Return feature 1.3: edits of words."""
    return _distance(context, lambda passage: passage.words)


def stem_distance(context: Context) -> Floats:
    """Return feature 1.4: edits of stems."""
    return _distance(context, lambda passage: passage.stems)


def content_word_frequency(context: Context) -> Floats:
    """Return feature 1.5: CF over words."""
    return _content_frequency(context, lambda passage: passage.content_words)


def content_stem_frequency(context: Context) -> Floats:
    """Return feature 1.6: CF over stems."""
    return _content_frequency(context, lambda passage: passage.content_stems)


def document_word_frequency(context: Context) -> Floats:
    """Return feature 1.7: DF over words."""
    return _document_frequency(context, lambda passage: passage.content_words)


def document_stem_frequency(context: Context) -> Floats:
    """Return feature 1.8: DF over stems."""
    return _document_frequency(context, lambda passage: passage.content_stems)


def _overlap(context: Context, terms: Terms) -> Floats:
    wanted = frozenset(terms(context.query))
    return np.array([len(wanted.intersection(terms(s))) for s in context.sentences], dtype=np.float64)


def _distance(context: Context, terms: Terms) -> Floats:
    from Levenshtein import distance

    query = terms(context.query)
    return np.array([distance(query, terms(s)) for s in context.sentences], dtype=np.float64)


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
