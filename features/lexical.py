"""Features 1.1 to 1.8 of Malakasiotis et al. (2015): overlap with the query, and frequent words.

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
from functools import partial
from itertools import chain
from operator import attrgetter

import numpy as np

from features.arrays import Floats
from features.context import Context
from features.text import Passage

Terms = Callable[[Passage], tuple[str, ...]]


def _overlap(terms: Terms, context: Context) -> Floats:
    wanted = frozenset(terms(context.query))
    return np.array([len(wanted.intersection(terms(s))) for s in context.sentences], dtype=np.float64)


def _distance(terms: Terms, context: Context) -> Floats:
    from Levenshtein import distance

    query = terms(context.query)
    return np.array([distance(query, terms(s)) for s in context.sentences], dtype=np.float64)


def _content_frequency(terms: Terms, context: Context) -> Floats:
    counts = Counter(chain.from_iterable(map(terms, context.documents)))
    return _means(counts, counts.total(), (terms(s) for s in context.sentences))


def _document_frequency(terms: Terms, context: Context) -> Floats:
    counts = Counter(chain.from_iterable(set(terms(document)) for document in context.documents))
    return _means(counts, len(context.documents), (terms(s) for s in context.sentences))


def _means(counts: Mapping[str, int], total: int, sentences: Iterable[tuple[str, ...]]) -> Floats:
    """Return the mean share of each sentence's terms; 0 for a sentence without terms."""
    each = counts.__getitem__
    return np.array([sum(map(each, s)) / (len(s) * total) if s and total else 0.0 for s in sentences])


_words, _stems = attrgetter("words"), attrgetter("stems")
_content_words, _content_stems = attrgetter("content_words"), attrgetter("content_stems")

# Features 1.1 to 1.8, by name.
LEXICAL: dict[str, Callable[[Context], Floats]] = {
    "word-overlap": partial(_overlap, _content_words),
    "stem-overlap": partial(_overlap, _content_stems),
    "word-distance": partial(_distance, _words),
    "stem-distance": partial(_distance, _stems),
    "content-word-frequency": partial(_content_frequency, _content_words),
    "content-stem-frequency": partial(_content_frequency, _content_stems),
    "document-word-frequency": partial(_document_frequency, _content_words),
    "document-stem-frequency": partial(_document_frequency, _content_stems),
}
