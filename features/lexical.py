"""Features 1.1 to 1.8 of Malakasiotis et al. (2015): words of a sentence s, the question q, and the
documents of q.

          words                                      | stems
    1.1  |W(q) & W(s)|                               | 1.2
    1.3  Levenshtein distance of q and s             | 1.4
    1.5  CF(s) = mean of m(w) / M over w in C(s)     | 1.6
    1.7  DF(s) = mean of d(w) / D over w in C(s)     | 1.8

W(x) is the set and C(x) the sequence of the content words of x: its words but stop words. m(w)
counts w in the documents, M all their content words, d(w) the documents with w, D all documents.
Word i of a stemmed text is the Porter stem of word i. Values are raw;
`features.sets.Scaling` brings them into [0,1].

>>> q, s = "Do newts sing?", ["Newts sing at night.", "Toads hum."]
>>> example = Context.of_texts(q, s, ["Newts sing at night. Toads hum.", "Newts sleep."])
>>> word_overlap(example).tolist()  # newts, sing; none
[2.0, 0.0]
>>> word_distance(example).tolist()  # delete do, insert at and night; replace two, delete one
[3.0, 3.0]
>>> content_word_frequency(example).round(3).tolist()  # (2/7 + 1/7 + 1/7) / 3; (1/7 + 1/7) / 2
[0.19, 0.143]
>>> document_word_frequency(example).round(3).tolist()  # (2/2 + 1/2 + 1/2) / 3; (1/2 + 1/2) / 2
[0.667, 0.5]
"""

from collections.abc import Callable

import numpy as np

from features.arrays import Floats, Ints, ratios
from features.context import Context
from features.tokens import Terms, Tokens


def word_overlap(context: Context) -> Floats:
    """1.1 |W(q) & W(s)|: the distinct content words that question and sentence share."""
    return _overlap(context.vocabulary.content_words)


def stem_overlap(context: Context) -> Floats:
    """1.2 As 1.1, over stems."""
    return _overlap(context.vocabulary.content_stems)


def word_distance(context: Context) -> Floats:
    """1.3 Levenshtein distance: the fewest insertions, deletions and replacements of words that
    turn the question into the sentence.
    """
    return _distance(context.vocabulary.words)


def stem_distance(context: Context) -> Floats:
    """1.4 As 1.3, over stems."""
    return _distance(context.vocabulary.stems)


def content_word_frequency(context: Context) -> Floats:
    """1.5 CF(s): the mean of m(w) / M over the content words of the sentence."""
    return _content_frequency(context.vocabulary.content_words)


def content_stem_frequency(context: Context) -> Floats:
    """1.6 As 1.5, over stems."""
    return _content_frequency(context.vocabulary.content_stems)


def document_word_frequency(context: Context) -> Floats:
    """1.7 DF(s): the mean of d(w) / D over the content words of the sentence."""
    return _document_frequency(context.vocabulary.content_words)


def document_stem_frequency(context: Context) -> Floats:
    """1.8 As 1.7, over stems."""
    return _document_frequency(context.vocabulary.content_stems)


LEXICAL: dict[str, Callable[[Context], Floats]] = {
    "word-overlap": word_overlap,
    "stem-overlap": stem_overlap,
    "word-distance": word_distance,
    "stem-distance": stem_distance,
    "content-word-frequency": content_word_frequency,
    "content-stem-frequency": content_stem_frequency,
    "document-word-frequency": document_word_frequency,
    "document-stem-frequency": document_stem_frequency,
}
"""Features 1.1 to 1.8 by name, in this order; each returns (n,) values."""


def _overlap(terms: Terms) -> Floats:
    sentences = terms.sentences.distinct
    return sentences.sums(sentences.among(terms.query.ids))


def _distance(terms: Terms) -> Floats:
    from Levenshtein import distance

    query = terms.query.ids.tolist()
    return np.array([distance(query, row) for row in terms.sentences.rows()], dtype=np.float64)


def _content_frequency(terms: Terms) -> Floats:
    return _means(terms.sentences, terms.documents.counts, len(terms.documents.ids))


def _document_frequency(terms: Terms) -> Floats:
    return _means(terms.sentences, terms.documents.distinct.counts, terms.documents.texts)


def _means(sentences: Tokens, counts: Ints, total: int) -> Floats:
    """Return the mean of counts / total over each sentence's terms; 0 for one without terms."""
    return ratios(sentences.sums(counts[sentences.ids]), sentences.lengths * total)
