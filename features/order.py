"""Features of document order: how many words of a topic's documents precede the first occurrence of
a text.

The first occurrence may be in any document. Overlapping snippets repeat a sentence, whole or in
part, and only the longest is a candidate; its own document may come much later than the first that
quotes it.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from features.arrays import Column, Floats, Ints, names
from features.context import Context
from features.place import words_before_in_document
from features.tokens import Bigrams

_TOP, _BEGINNING = 200, 80


class _Order(NamedTuple):
    """Order of a sentence: of its stem bigrams, whose first occurrence may be in any document, and
    of the sentence itself (`own_...`).

    Attributes:
        words_before: log(1 + w), w the median number of words before its bigrams.
        share_before_in_200_words: mean of min(words before / 200, 2) of its bigrams.
        share_in_first_200_words, share_in_first_80_words: share of its bigrams there.
        documents_before: log(1 + median number of documents before its bigrams).
        occurrences: log(1 + median number of their occurrences).
        own_words_before: log(1 + w), w the words of the documents before its own and of the
            candidates before it in its own.
        own_words_before_in_200_words: min(w / 200, 2).
        own_documents_before: log(1 + documents before its own).
        own_share_in_first_200_words: share of its words there.
    """

    words_before: Column
    share_before_in_200_words: Column
    share_in_first_200_words: Column
    share_in_first_80_words: Column
    documents_before: Column
    occurrences: Column
    own_words_before: Column
    own_words_before_in_200_words: Column
    own_documents_before: Column
    own_share_in_first_200_words: Column


class _BigramOrder(NamedTuple):
    """Order of a bigram, with w the number of words before its first occurrence.

    Attributes:
        words_before_in_100_words, ...: min(w / 100, 1), and so for 200 and 400.
        words_before: log(1 + w).
        in_first_200_words: whether w < 200.
        occurrences_in_first_200_words, occurrences: log(1 + number).
        documents_before: log(1 + documents before its first occurrence).
        in_first_document: whether there are none.
        in_first_200_words_of_many, words_before_in_200_words_of_many: these columns times log(1 +
            words of all documents), as order matters more if much is left out.
    """

    words_before_in_100_words: Column
    words_before_in_200_words: Column
    words_before_in_400_words: Column
    words_before: Column
    in_first_200_words: Column
    occurrences_in_first_200_words: Column
    occurrences: Column
    documents_before: Column
    in_first_document: Column
    in_first_200_words_of_many: Column
    words_before_in_200_words_of_many: Column


COLUMNS = names(_Order)
BIGRAM_COLUMNS = names(_BigramOrder)


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
        pairs = bigrams.pairs.documents
        words = bigrams.terms.documents
        # The k-th pair of a document begins with its k-th word.
        shift = words.starts - pairs.starts
        position = np.arange(len(pairs.ids)) + shift[pairs.text]
        in_top = pairs.where(position < _TOP)
        first = np.full(pairs.size, len(words.ids))
        document = np.zeros(pairs.size, dtype=np.int64)
        # Backwards, so that the first occurrence is the last to be written.
        first[pairs.ids[::-1]] = position[::-1]
        document[pairs.ids[::-1]] = pairs.text[::-1]
        return cls(
            first=first,
            document=document,
            top=in_top.counts,
            occurrences=pairs.counts,
            words=len(words.ids),
        )


def order(context: Context) -> Floats:
    """Return `COLUMNS`, (n, 10); a sentence without bigrams counts as last."""
    bigrams = context.vocabulary.stem_bigrams
    places = Places.of(bigrams)
    pairs = bigrams.pairs.sentences
    has_pairs = pairs.lengths > 0
    numbers = np.maximum(pairs.lengths, 1)
    # A bigram across a line end may be missing from its document, which is split differently.
    first = places.first[pairs.ids]
    median = np.where(has_pairs, pairs.medians(first), places.words)
    documents_before = pairs.medians(places.document[pairs.ids])
    occurrences = pairs.medians(places.occurrences[pairs.ids])
    share_before = pairs.sums(np.minimum(first / _TOP, 2.0)) / numbers
    share_before[~has_pairs] = 2.0

    words = context.vocabulary.words
    lengths = words.sentences.lengths
    document = np.maximum(context.document, 0)
    # One more, for sentences without documents.
    starts = np.append(words.documents.starts, len(words.documents.ids))
    before = starts[document] + words_before_in_document(context)
    share = (_TOP - before) / np.maximum(lengths, 1)
    return np.column_stack(
        _Order(
            words_before=np.log1p(median),
            share_before_in_200_words=share_before,
            share_in_first_200_words=pairs.sums(first < _TOP) / numbers,
            share_in_first_80_words=pairs.sums(first < _BEGINNING) / numbers,
            documents_before=np.log1p(documents_before),
            occurrences=np.log1p(occurrences),
            own_words_before=np.log1p(before),
            own_words_before_in_200_words=np.minimum(before / _TOP, 2.0),
            own_documents_before=np.log1p(document),
            own_share_in_first_200_words=np.clip(share, 0.0, 1.0),
        )
    )


def bigram_order(bigrams: Bigrams, wanted: Ints) -> Floats:
    """Return `BIGRAM_COLUMNS`, (m, 11), of m wanted bigrams."""
    places = Places.of(bigrams)
    first = places.first[wanted].astype(np.float64)
    document = places.document[wanted]
    is_top = (first < _TOP).astype(np.float64)
    in_top = np.minimum(first / _TOP, 1.0)
    occurrences = places.occurrences[wanted]
    occurrences_in_top = places.top[wanted]
    size = np.log1p(places.words)
    return np.column_stack(
        _BigramOrder(
            words_before_in_100_words=np.minimum(first / 100, 1.0),
            words_before_in_200_words=in_top,
            words_before_in_400_words=np.minimum(first / 400, 1.0),
            words_before=np.log1p(first),
            in_first_200_words=is_top,
            occurrences_in_first_200_words=np.log1p(occurrences_in_top),
            occurrences=np.log1p(occurrences),
            documents_before=np.log1p(document),
            in_first_document=document == 0,
            in_first_200_words_of_many=is_top * size,
            words_before_in_200_words_of_many=in_top * size,
        )
    )
