"""The texts of a topic as arrays: every word, stem and bigram is a number, and features are
arithmetic on these.

Stemming and the test for stop words take place once per distinct word.
"""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import NamedTuple, TypeVar

import numpy as np

from features.arrays import Floats, Ints, Mask
from features.text import STOP_WORDS, Passage, porter

_Term = TypeVar("_Term", bound=Hashable)


@dataclass(frozen=True, eq=False)
class Tokens:
    """The t terms of n texts, text by text, in order, with repetitions.

    Attributes:
        ids: (t,) number of each term, from 0 to `size` - 1.
        text: (t,) index of the text of each, ascending.
        texts: n.
        size: number of terms in the numbering.
    """

    ids: Ints
    text: Ints
    texts: int
    size: int

    @cached_property
    def lengths(self) -> Ints:
        """(n,) number of terms in each text."""
        return np.bincount(self.text, minlength=self.texts)

    @cached_property
    def starts(self) -> Ints:
        """(n,) index of each text's first term."""
        return np.cumsum(self.lengths) - self.lengths

    @cached_property
    def counts(self) -> Ints:
        """(size,) frequency of each term in all texts."""
        return np.bincount(self.ids, minlength=self.size)

    @cached_property
    def distinct(self) -> "Tokens":
        """The terms of each text without repetitions, in ascending order."""
        text, ids = np.divmod(distinct(self.text * self.size + self.ids), max(self.size, 1))
        return replace(self, ids=ids, text=text)

    @cached_property
    def first(self) -> Ints:
        """The distinct terms of all texts, by first occurrence."""
        ids, places = np.unique(self.ids, return_index=True)
        return ids[np.argsort(places)]

    def rows(self) -> list[list[int]]:
        """Return the terms of each text as a list."""
        ids, ends = self.ids.tolist(), np.cumsum(self.lengths).tolist()
        return [ids[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    def among(self, wanted: Ints) -> Mask:
        """Return (t,) whether each term is one of some others."""
        held = np.zeros(self.size, dtype=bool)
        held[wanted] = True
        return held[self.ids]

    def among_texts(self, rows: slice) -> "Tokens":
        """Return the terms of consecutive texts."""
        first, end = np.searchsorted(self.text, (rows.start, rows.stop))
        text = self.text[first:end] - rows.start
        return Tokens(self.ids[first:end], text, rows.stop - rows.start, self.size)

    def where(self, mask: Mask) -> "Tokens":
        """Return the terms with a true value in a (t,) mask."""
        return replace(self, ids=self.ids[mask], text=self.text[mask])

    def sums(self, values: Floats | Ints | Mask) -> Floats:
        """Return (n,) the sum over each text of (t,) values, added in order."""
        return np.bincount(self.text, values, self.texts).astype(np.float64)

    def frequencies(self, wanted: Ints) -> Floats:
        """Return (n, q) the frequency in each text of q distinct terms."""
        column = np.full(self.size, -1)
        column[wanted] = np.arange(len(wanted))
        columns = column[self.ids]
        cells = (self.text * len(wanted) + columns)[columns >= 0]
        counts = np.bincount(cells, minlength=self.texts * len(wanted))
        return counts.reshape(self.texts, len(wanted)).astype(np.float64)

    def votes(self, weights: Floats) -> Floats:
        """Return (t,) for each term the total of the (n,) weights of its occurrences' texts."""
        votes = np.bincount(self.ids, weights[self.text], self.size).astype(np.float64)
        return votes[self.ids]

    def largest(self, values: Floats | Ints) -> Floats:
        """Return (n,) the largest of (t,) non-negative values in each text; 0 for an empty text."""
        result = np.zeros(self.texts)
        np.maximum.at(result, self.text, values)
        return result

    def first_of(self, mask: Mask) -> Ints:
        """Return (n,) the place in each text of the first term of a (t,) mask; -1 without one."""
        first = np.full(self.texts, -1)
        places = np.flatnonzero(mask)[::-1]
        # Backwards, so that the first place is the last to be written.
        first[self.text[places]] = places - self.starts[self.text[places]]
        return first

    def groups(self, group: Ints) -> Ints:
        """Return (size,) the number of groups of texts with each term; the (n,) groups are numbers
        from -1.
        """
        count = int(group.max(initial=-1)) + 2
        pairs = distinct(self.ids * count + group[self.text] + 1)
        return np.bincount(pairs // count, minlength=self.size)

    def top(self, values: Floats | Ints, k: int) -> Floats:
        """Return (n, k) the largest k of (t,) values in each text, descending; 0 in place of
        missing ones.
        """
        rising = values[np.lexsort((values, self.text))]
        ends = self.starts + self.lengths
        result = np.zeros((self.texts, k))
        for i in range(k):
            has = self.lengths > i
            result[has, i] = rising[ends[has] - 1 - i]
        return result

    def medians(self, values: Floats | Ints) -> Floats:
        """Return (n,) the median of (t,) values in each text; 0 for an empty text."""
        rising = values[np.lexsort((values, self.text))]
        filled = self.lengths > 0
        starts, lengths = self.starts[filled], self.lengths[filled]
        lower = rising[starts + (lengths - 1) // 2]
        upper = rising[starts + lengths // 2]
        medians = np.zeros(self.texts)
        medians[filled] = (lower + upper) / 2
        return medians

    def followed_by(self, other: "Tokens") -> "Tokens":
        """Return these texts and then those of another of the same numbering."""
        text = np.concatenate([self.text, self.texts + other.text])
        return Tokens(
            np.concatenate([self.ids, other.ids]),
            text,
            self.texts + other.texts,
            self.size,
        )


def distinct(keys: Ints) -> Ints:
    """Return the distinct integers of an array, ascending; for short arrays several times as fast
    as `np.unique`.
    """
    keys = np.sort(keys)
    return keys[np.append(True, keys[1:] != keys[:-1])[: len(keys)]]


def numbered(texts: Sequence[Collection[str]]) -> Tokens:
    """Return terms numbered by first occurrence."""
    numbers = Numbers[str]()
    ids = numbers.of(chain.from_iterable(texts))
    return _tokens(ids, [len(text) for text in texts], len(numbers))


class Terms(NamedTuple):
    """The terms of one kind (words, stems, bigrams) of a topic's texts, in one numbering."""

    sentences: Tokens
    citances: Tokens
    documents: Tokens
    query: Tokens


@dataclass(frozen=True, eq=False)
class Bigrams:
    """Pairs of neighbouring terms.

    Attributes:
        pairs: the pairs, in a numbering of their own.
        parts: (size, 2) the two terms of each pair.
        terms: the terms.
        names: the name of each term.
    """

    pairs: Terms
    parts: Ints
    terms: Terms
    names: tuple[str, ...]

    @classmethod
    def of(cls, terms: Terms, names: tuple[str, ...]) -> "Bigrams":
        """Return the pairs of neighbours within each text."""
        size = max(len(names), 1)
        keys = []
        texts = []
        for tokens in terms:
            inside = tokens.text[1:] == tokens.text[:-1]
            keys.append((tokens.ids[:-1] * size + tokens.ids[1:])[inside])
            texts.append(tokens.text[1:][inside])
        distinct_keys, numbers = np.unique(np.concatenate(keys), return_inverse=True)
        bounds = np.cumsum([len(of_kind) for of_kind in keys])[:-1]
        pairs = []
        for ids, text, tokens in zip(np.split(numbers, bounds), texts, terms, strict=True):
            pairs.append(Tokens(ids, text, tokens.texts, len(distinct_keys)))
        parts = np.column_stack(np.divmod(distinct_keys, size))
        return cls(Terms(*pairs), parts, terms, names)

    def named(self, pairs: Ints) -> list[tuple[str, str]]:
        """Return the two terms of each of some pairs."""
        first, second = self.parts[pairs].T.tolist()
        name = self.names.__getitem__
        return list(zip(map(name, first), map(name, second), strict=True))


class Vocabulary:
    """The terms of a topic's sentences, citances, documents and query; words are numbered by first
    occurrence.
    """

    def __init__(self, *groups: Sequence[Passage]) -> None:
        numbers = Numbers[str]()
        ids = [numbers.of(chain.from_iterable(p.words for p in group)) for group in groups]
        words = []
        for of_group, group in zip(ids, groups, strict=True):
            lengths = [len(passage.words) for passage in group]
            words.append(_tokens(of_group, lengths, len(numbers)))
        self.words = Terms(*words)
        stems = Numbers[str]()
        self._stem = stems.of(map(porter, numbers))
        self._is_content = np.array([word not in STOP_WORDS for word in numbers], dtype=bool)
        self.stem_number: Mapping[str, int] = stems
        self.word_number: Mapping[str, int] = numbers
        self.word_name = tuple(numbers)
        self.stem_name = tuple(stems)

    @cached_property
    def stems(self) -> Terms:
        """The stems of all words."""
        return self._stemmed(self.words)

    @cached_property
    def content_words(self) -> Terms:
        """The words except stop words."""
        return Terms(*(tokens.where(self._is_content[tokens.ids]) for tokens in self.words))

    @cached_property
    def content_stems(self) -> Terms:
        """The stems of the content words."""
        return self._stemmed(self.content_words)

    @cached_property
    def bigrams(self) -> "Bigrams":
        """Pairs of neighbouring words."""
        return Bigrams.of(self.words, self.word_name)

    @cached_property
    def stem_bigrams(self) -> "Bigrams":
        """Pairs of neighbouring stems."""
        return Bigrams.of(self.stems, self.stem_name)

    def _stemmed(self, terms: Terms) -> Terms:
        size = len(self.stem_name)
        return Terms(*(replace(tokens, ids=self._stem[tokens.ids], size=size) for tokens in terms))


class Numbers(defaultdict[_Term, int]):
    """Numbers new terms as they are looked up: 0, 1, 2, ..."""

    def __init__(self) -> None:
        super().__init__(self.__len__)

    def of(self, terms: Iterable[_Term]) -> Ints:
        """Return the numbers of terms, in order."""
        return np.fromiter(map(self.__getitem__, terms), np.int64)


def _tokens(ids: Ints, lengths: Sequence[int], size: int) -> Tokens:
    return Tokens(ids, np.repeat(np.arange(len(lengths)), lengths), len(lengths), size)
