"""Features of document order: how many words of a topic's documents precede the first occurrence of a text.

The first occurrence may be in any document. Overlapping snippets repeat a sentence, whole and in parts, and only the
longest is a candidate; its own document may come much later than the first one that quotes it.
"""

from collections import Counter
from dataclasses import dataclass
from statistics import median

import numpy as np

from features.arrays import Floats
from features.context import Context

Bigram = tuple[str, ...]

# Features of a sentence: from its stem bigrams, then from its position in its own document.
COLUMNS = (
    *"words-before share-before-in-200-words share-in-first-200-words share-in-first-80-words".split(),
    *"documents-before occurrences".split(),
    *"own-words-before own-words-before-in-200-words own-documents-before own-share-in-first-200-words".split(),
)

# Features of a bigram.
BIGRAM_COLUMNS = (
    *"words-before-in-100-words words-before-in-200-words words-before-in-400-words words-before".split(),
    *"in-first-200-words occurrences-in-first-200-words occurrences documents-before in-first-document".split(),
    *"in-first-200-words-of-many words-before-in-200-words-of-many".split(),
)

_TOP, _BEGINNING = 200, 80


@dataclass(frozen=True)
class Places:
    """Occurrences of each bigram in the documents.

    `first` and `document` have the number of words before its first occurrence and that document's index; `top` counts
    occurrences in the first 200 words, and `words` is the total number of words.
    """

    first: dict[Bigram, int]
    document: dict[Bigram, int]
    top: Counter[Bigram]
    occurrences: Counter[Bigram]
    words: int

    @classmethod
    def of(cls, context: Context, *, stems: bool) -> "Places":
        """Return the occurrences of stem or word bigrams."""
        first: dict[Bigram, int] = {}
        documents: dict[Bigram, int] = {}
        top, occurrences = Counter[Bigram](), Counter[Bigram]()
        words = before = sum(len(document.words) for document in context.documents)
        # Backwards, so that the first occurrence overwrites later ones.
        for number, document in reversed(list(enumerate(context.documents))):
            bigrams = document.stem_bigrams if stems else document.bigrams
            before -= len(document.words)
            first.update(zip(reversed(bigrams), range(before + len(bigrams) - 1, before - 1, -1), strict=True))
            documents.update(dict.fromkeys(bigrams, number))
            top.update(bigrams[: max(_TOP - before, 0)])
            occurrences.update(bigrams)
        return cls(first, documents, top, occurrences, words)


def order(context: Context) -> Floats:
    """Return `COLUMNS`, (n, 10): six statistics of each sentence's stem bigrams, then four of its own position.

    The median number of words before them, as log(1 + words); the mean of min(words / 200, 2); the shares within the
    first 200 and 80 words; and the medians of the documents before them and of their occurrences, as log(1 + count). A
    sentence without bigrams counts as last. Then, for the sentence itself: the words before it (within its document,
    words of candidates) in both forms; the documents before it; and its share within the first 200 words.
    """
    places = Places.of(context, stems=True)
    end = places.words
    rows = []
    for sentence in context.sentences:
        bigrams = sentence.stem_bigrams
        if not bigrams:
            rows.append((end, 2.0, 0.0, 0.0, 0.0, 0.0))
            continue
        # A bigram across a line end may be missing from its document, which is split differently.
        first = [places.first.get(b, end) for b in bigrams]
        spread = np.minimum(np.array(first) / _TOP, 2.0).mean()
        shares = (sum(place < limit for place in first) / len(first) for limit in (_TOP, _BEGINNING))
        medians = median(places.document.get(b, 0) for b in bigrams), median(places.occurrences[b] for b in bigrams)
        rows.append((median(first), spread, *shares, *medians))
    matrix = np.array(rows, dtype=np.float64).reshape(len(context), 6)
    matrix[:, [0, 4, 5]] = np.log1p(matrix[:, [0, 4, 5]])
    return np.column_stack([matrix, _own_place(context)])


def _own_place(context: Context) -> Floats:
    """Return the last four of `COLUMNS`."""
    document = np.maximum(context.document, 0)
    starts = np.cumsum([0, *(len(d.words) for d in context.documents)])
    lengths = np.array([len(sentence.words) for sentence in context.sentences], dtype=np.int64)
    inside, read = np.zeros(len(context)), Counter[int]()
    for i, (number, length) in enumerate(zip(document.tolist(), lengths.tolist(), strict=True)):
        inside[i] = read[number]
        read[number] += length
    before = starts[document] + inside
    share = np.clip((_TOP - before) / np.maximum(lengths, 1), 0.0, 1.0)
    return np.column_stack([np.log1p(before), np.minimum(before / _TOP, 2.0), np.log1p(document), share])


def bigram_order(context: Context, bigrams: tuple[Bigram, ...], *, stems: bool) -> Floats:
    """Return `BIGRAM_COLUMNS`, (m, 11), of m bigrams.

    The number of words before the first occurrence, over 100, 200 and 400 capped at 1, and as log(1 + words); whether
    it is within the first 200 words; log(1 + count) of the occurrences there, of all occurrences, and of the documents
    before the first; whether that is the first document; and two of these times log(1 + words of all documents), since
    order matters more if much is left out.
    """
    places = Places.of(context, stems=stems)
    first = np.array([places.first.get(b, places.words) for b in bigrams], dtype=np.float64)
    document = np.array([places.document.get(b, 0) for b in bigrams], dtype=np.float64)
    top = (first < _TOP).astype(np.float64)
    size = np.log1p(places.words)
    return np.column_stack([
        *(np.minimum(first / words, 1.0) for words in (100, 200, 400)),
        np.log1p(first),
        top,
        np.log1p([places.top[b] for b in bigrams]),
        np.log1p([places.occurrences[b] for b in bigrams]),
        np.log1p(document),
        document == 0,
        top * size,
        np.minimum(first / _TOP, 1.0) * size,
    ])  # fmt: skip
