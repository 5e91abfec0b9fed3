"""Features of document order: how many words of a topic's documents precede the first occurrence of
a text.

The first occurrence may be in any document. Overlapping snippets repeat a sentence, whole and in
parts, and only the longest is a candidate; its own document may come much later than the first one
that quotes it.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from features.arrays import Floats, Ints
from features.context import Context
from features.tokens import Bigrams

# Features of a sentence: from its stem bigrams, then from its position in its own document.
COLUMNS = (
    *"words-before share-before-in-200-words share-in-first-200-words "
    "share-in-first-80-words".split(),
    *"documents-before occurrences".split(),
    *"own-words-before own-words-before-in-200-words own-documents-before "
    "own-share-in-first-200-words".split(),
)

# Features of a bigram.
BIGRAM_COLUMNS = (
    *"words-before-in-100-words words-before-in-200-words words-before-in-400-words "
    "words-before".split(),
    *"in-first-200-words occurrences-in-first-200-words occurrences documents-before "
    "in-first-document".split(),
    *"in-first-200-words-of-many words-before-in-200-words-of-many".split(),
)

_TOP, _BEGINNING = 200, 80


@dataclass(frozen=True)
class Places:
    """Occurrences of each of m bigrams in the documents.

    Attributes:
        first: (m,) number of words before its first occurrence, of all words if there is none.
        document: (m,) index of the document of that occurrence, 0 if there is none.
        top: (m,) number of occurrences in the first 200 words.
        occurrences: (m,) number of all occurrences.
        words: number of all words.
    """

    first: Ints
    document: Ints
    top: Ints
    occurrences: Ints
    words: int

    @classmethod
    def of(cls, bigrams: Bigrams) -> "Places":
        """Return the occurrences of bigrams."""
        pairs, words = bigrams.pairs.documents, bigrams.terms.documents
        place = np.arange(len(pairs.ids)) - pairs.starts[pairs.text] + words.starts[pairs.text]
        first, document = np.full(pairs.size, len(words.ids)), np.zeros(pairs.size, dtype=np.int64)
        # Backwards, so that the first occurrence is the last to be written.
        first[pairs.ids[::-1]], document[pairs.ids[::-1]] = place[::-1], pairs.text[::-1]
        return cls(first, document, pairs.where(place < _TOP).counts, pairs.counts, len(words.ids))


def order(context: Context) -> Floats:
    """Return `COLUMNS`, (n, 10): six statistics of each sentence's stem bigrams, then four of its
    own position.

    The median number of words before them, as log(1 + words); the mean of min(words / 200, 2); the
    shares within the first 200 and 80 words; and the medians of the documents before them and of
    their occurrences, as log(1 + count). A sentence without bigrams counts as last. Then, for the
    sentence itself: the words before it (within its document, words of candidates) in both forms;
    the documents before it; and its share within the first 200 words.
    """
    bigrams = context.vocabulary.stem_bigrams
    places, own = Places.of(bigrams), bigrams.pairs.sentences
    # A bigram across a line end may be missing from its document, which is split differently.
    first, some = places.first[own.ids], own.lengths > 0
    lengths = np.maximum(own.lengths, 1)
    return np.column_stack([
        np.log1p(np.where(some, own.medians(first), places.words)),
        np.where(some, own.sums(np.minimum(first / _TOP, 2.0)) / lengths, 2.0),
        *(own.sums(first < limit) / lengths for limit in (_TOP, _BEGINNING)),
        *(np.log1p(own.medians(values[own.ids])) for values in (places.document,
        places.occurrences)),
        _own_place(context),
    ])  # fmt: skip


def _own_place(context: Context) -> Floats:
    """Return the last four of `COLUMNS`."""
    words, document = context.vocabulary.words, np.maximum(context.document, 0)
    starts, lengths = (
        np.append(words.documents.starts, len(words.documents.ids)),
        words.sentences.lengths,
    )
    inside, read = np.zeros(len(context)), Counter[int]()
    for i, (number, length) in enumerate(zip(document.tolist(), lengths.tolist(), strict=True)):
        inside[i] = read[number]
        read[number] += length
    before = starts[document] + inside
    share = np.clip((_TOP - before) / np.maximum(lengths, 1), 0.0, 1.0)
    return np.column_stack(
        [np.log1p(before), np.minimum(before / _TOP, 2.0), np.log1p(document), share]
    )


def bigram_order(bigrams: Bigrams, wanted: Ints) -> Floats:
    """Return `BIGRAM_COLUMNS`, (m, 11), of m wanted bigrams.

    The number of words before the first occurrence, over 100, 200 and 400 capped at 1, and as log(1
    + words); whether it is within the first 200 words; log(1 + count) of the occurrences there, of
    all occurrences, and of the documents before the first; whether that is the first document; and
    two of these times log(1 + words of all documents), since order matters more if much is left
    out.
    """
    places = Places.of(bigrams)
    first, document = places.first[wanted].astype(np.float64), places.document[wanted]
    top = (first < _TOP).astype(np.float64)
    size = np.log1p(places.words)
    return np.column_stack([
        *(np.minimum(first / words, 1.0) for words in (100, 200, 400)),
        np.log1p(first),
        top,
        np.log1p(places.top[wanted]),
        np.log1p(places.occurrences[wanted]),
        np.log1p(document),
        document == 0,
        top * size,
        np.minimum(first / _TOP, 1.0) * size,
    ])  # fmt: skip
