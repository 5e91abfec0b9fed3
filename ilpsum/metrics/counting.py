"""Counts for each ROUGE metric: n-grams of candidates and references, and matches between them.

A metric first counts the n-grams of the references, then the matches of the candidates with them.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate, chain, pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from features.registry import Registry
from ilpsum.errors import UsageError
from ilpsum.metrics.numbering import FACTOR, NumberedWords, Numbers, Places, numbered, stems

# Odd, so that its multiples are distinct modulo 2^64.
_REFERENCE = 0xA0761D6478BD642F
# Number of n-grams above which filtering by their leading bits before the search pays off.
_MANY = 400
# Maximum words of a text whose words are all paired, which takes half a gigabyte.
_MOST_PAIRED = 5000


class CountedTexts:
    """Texts as numbered `words`, with the number of words of each text in `sizes`.

    Args:
        texts: the texts.
        sentences: the sentences of each text for ROUGE-L; default: its lines.
        stem: whether to stem words of more than three characters.
    """

    def __init__(
        self, texts: Sequence[str], sentences: Sequence[Sequence[str]] | None = None, *, stem: bool
    ) -> None:
        self._stems = stems() if stem else None
        self._texts, self._sentences = texts, sentences
        self.words = numbered(texts, self._stems)
        self.sizes = [end - start for start, end in pairwise(self.words.bounds)]

    @cached_property
    def sentences(self) -> list[list[list[int]]]:
        """The words of each sentence of each text."""
        lines = self._sentences or [text.split("\n") for text in self._texts]
        return [_by_text(numbered(of_text, self._stems)) for of_text in lines]

    def counted(self, text: int) -> Counter[int]:
        """Count the words of the text with this index."""
        return Counter(
            self.words.numbers[self.words.bounds[text] : self.words.bounds[text + 1]].tolist()
        )


def _by_text(words: NumberedWords) -> list[list[int]]:
    numbers = words.numbers.tolist()
    return [numbers[start:end] for start, end in pairwise(words.bounds)]


Matches = Callable[[CountedTexts, Sequence[tuple[int, int]]], list[int]]
"""Counts the matching n-grams of candidate i and reference k, for each pair (i, k)."""


@dataclass(frozen=True, slots=True)
class Metric:
    """The counting functions of a ROUGE metric.

    Attributes:
        total: returns the number of n-grams in a candidate, given its number of words.
        totals: returns the number of n-grams in each text as a reference.
        count: counts the n-grams of the references, given by their indices.
        digits: decimals to which recalls are rounded to choose the best reference; the script
            rounds all recalls except ROUGE-L's.
    """

    total: Callable[[int], int]
    totals: Callable[[CountedTexts], list[int]]
    count: Callable[[CountedTexts, Sequence[int]], Matches]
    digits: int | None


METRICS: Registry[Metric] = Registry("metric")


class Part(NamedTuple):
    """N-grams by first word: n-gram i starts at word i and is valid if word i + `reach` is in the
    same text.
    """

    grams: Numbers
    reach: int

    def within(self, owner: Places) -> Numbers:
        """Return the n-grams that do not cross texts, given the text of each word."""
        last = owner[self.reach :][: len(self.grams)]
        return self.grams[owner[: len(last)] == last]  # type: ignore[no-any-return]


class GramCounts:
    """Sorted n-grams of the references with their counts.

    Matches are clipped: an n-gram counts as often as it occurs on both sides (Lin 2004, equation
    1).

    All references form one sequence of words, and so do all candidates, repeated for each reference
    compared. Word numbers depend on the reference, so n-grams of different references never match.
    N-grams that cross two texts are dropped; for candidates only after matching, when few are left.
    """

    def __init__(
        self,
        grams: Callable[[Numbers], list[Part]],
        words: NumberedWords,
        references: Sequence[int],
    ) -> None:
        self._parts = grams
        sequence, owner = _sequence(words, [(text, k) for k, text in enumerate(references)])
        parts = [part.grams if owner is None else part.within(owner) for part in grams(sequence)]
        found, starts = _runs(_joined(parts))
        self._grams, self._counts = found, starts[1:] - starts[:-1]

    def matches(self, candidates: CountedTexts, pairs: Sequence[tuple[int, int]]) -> list[int]:
        """See `Matches`."""
        sequence, owner = _sequence(candidates.words, pairs)
        parts = self._parts(sequence)
        grams = _joined([part.grams for part in parts])
        if not len(self._grams) or not len(grams):
            return [0] * len(pairs)
        rows, places = self._found(grams)
        size = len(self._grams)
        if owner is None:
            return [int(np.minimum(np.bincount(places, minlength=size), self._counts).sum())]
        # Row r belongs to the part p whose rows begin at begins[p], and to the word r - begins[p].
        begins = np.array([0, *accumulate(len(part.grams) for part in parts)], np.intp)
        number = begins.searchsorted(rows, side="right") - 1
        words = rows - begins[number]
        within = (
            owner[words] == owner[words + np.array([part.reach for part in parts], np.intp)[number]]
        )
        found, starts = _runs(places[within] + size * owner[words[within]])
        matched = np.minimum(starts[1:] - starts[:-1], self._counts[found % size])
        matches = np.bincount(found // size, matched, len(pairs)).astype(int)
        return matches.tolist()  # type: ignore[no-any-return]

    def _found(self, grams: Numbers) -> tuple[Places, Places]:
        """Return the indices of n-grams that occur in a reference, and their indices in
        `self._grams`.
        """
        rows = self._likely(grams) if len(grams) > _MANY else None
        if rows is not None:
            grams = grams[rows]
        places = self._grams.searchsorted(grams)
        known = (self._grams.take(places, mode="clip") == grams).nonzero()[0]
        return known if rows is None else rows[known], places[known]

    def _likely(self, grams: Numbers) -> Places:
        """Return the indices of n-grams that share their leading bits with a reference n-gram,
        sorted by n-gram.
        """
        shift = np.uint64(61 - len(self._grams).bit_length())
        seen = np.zeros(1 << (64 - int(shift)), bool)
        seen[self._grams >> shift] = True
        likely = seen[grams >> shift].nonzero()[0]
        # Searching for sorted numbers is much faster.
        return likely[grams[likely].argsort()]  # type: ignore[no-any-return]


def _sequence(
    words: NumberedWords, pairs: Sequence[tuple[int, int]]
) -> tuple[Numbers, Places | None]:
    """Concatenate the words of texts, numbered by reference; also return the pair of each word,
    None for one pair.

    A pair is the index of a text and the number of a reference.
    """
    numbers, bounds = words
    if len(pairs) == 1:
        ((text, reference),) = pairs
        ours = numbers[bounds[text] : bounds[text + 1]]
        return (ours + np.uint64(reference * _REFERENCE % 2**64) if reference else ours), None
    texts, references = np.array(pairs, np.intp).reshape(-1, 2).T
    edges = np.array(bounds, np.intp)
    starts = edges[texts]
    sizes = edges[texts + 1] - starts
    owner = np.repeat(np.arange(len(pairs)), sizes)
    places = np.arange(len(owner)) + np.repeat(starts - (sizes.cumsum() - sizes), sizes)
    return numbers[places] + (references.astype(np.uint64) * _REFERENCE)[owner], owner


def _runs(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Places]:
    """Return the distinct values, ascending, and the bounds of their runs in the sorted array (one
    more).
    """
    ordered = np.sort(values)
    first = np.ones(len(ordered) + 1, bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:-1])
    starts = first.nonzero()[0]
    return ordered[starts[:-1]], starts


def _joined(parts: list[Numbers]) -> Numbers:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


class _Alignment:
    """A sentence prepared for alignment with others.

    In Hirschberg's recurrence, c[i][j] is the length of the longest common subsequence of the first
    i words of the other sentence and the first j of this one. Each row is one integer, whose bit j
    is 0 if c grows from column j to j + 1 (Hyyro 2004, Bit-parallel LCS-length computation
    revisited, AWOCA), so a row costs a few integer operations instead of one per cell.
    """

    def __init__(self, sentence: Sequence[int]) -> None:
        self._sentence = sentence
        self._places: dict[int, int] = {}
        for j, word in enumerate(sentence):
            self._places[word] = self._places.get(word, 0) | 1 << j

    def common(self, other: Sequence[int]) -> list[int]:
        """Return the positions in the other sentence of the longest common subsequence of
        ROUGE-1.5.5, descending.

        Ties are broken as in the script: tracing back from the ends of both sentences, drop the
        other sentence's word whenever the length stays the same.
        """
        # Words not in this sentence would only repeat the previous row.
        known = [position for position, word in enumerate(other) if word in self._places]
        rows = self._rows([other[position] for position in known])
        positions: list[int] = []
        i, j = len(known), len(self._sentence)
        while i and j:
            columns = (1 << j) - 1
            if other[known[i - 1]] == self._sentence[j - 1]:
                i, j = i - 1, j - 1
                positions.append(known[i])
            elif (rows[i] & columns).bit_count() == (rows[i - 1] & columns).bit_count():
                i -= 1
            else:
                j -= 1
        return positions

    def _rows(self, other: Sequence[int]) -> list[int]:
        every = (1 << len(self._sentence)) - 1
        rows = [every]
        for word in other:
            row = rows[-1]
            both = row & self._places[word]
            rows.append(((row + both) | (row - both)) & every)
        return rows


def _lcs_totals(texts: CountedTexts) -> list[int]:
    """Count the words of all sentences of each text; under a byte limit, there may be more than in
    the text.
    """
    return [sum(map(len, sentences)) for sentences in texts.sentences]


def _lcs(texts: CountedTexts, references: Sequence[int]) -> Matches:
    return partial(_lcs_matches, [(texts.sentences[i], texts.counted(i)) for i in references])


def _lcs_matches(
    references: Sequence[tuple[list[list[int]], Counter[int]]],
    candidates: CountedTexts,
    pairs: Sequence[tuple[int, int]],
) -> list[int]:
    """Count the words in the union of longest common subsequences over sentences (Lin 2004, section
    3.2).

    Each reference sentence is aligned with each sentence of the candidate. Each of its words counts
    once, even if it is in several alignments, and no word counts more often than it occurs in
    candidate or reference, as in ROUGE-1.4.1 and later.
    """
    prepared = {
        i: ([_Alignment(sentence) for sentence in candidates.sentences[i]], candidates.counted(i))
        for i in {i for i, _ in pairs}
    }
    matched = []
    for i, k in pairs:
        (sentences, theirs), (alignments, ours) = references[k], prepared[i]
        left, count = ours & theirs, 0
        for sentence in sentences:
            for place in sorted(
                set(chain.from_iterable(alignment.common(sentence) for alignment in alignments))
            ):
                if left[sentence[place]] > 0:
                    left[sentence[place]] -= 1
                    count += 1
        matched.append(count)
    return matched


def _grams(grams: Callable[[Numbers], list[Part]], total: Callable[[int], int]) -> Metric:
    """Return an n-gram metric: `grams` hashes the n-grams of a word sequence, `total` gives their
    number in a text.
    """
    return Metric(
        total,
        lambda texts: list(map(total, texts.sizes)),
        lambda texts, references: GramCounts(grams, texts.words, references).matches,
        digits=5,
    )


def _apart(metric: Metric) -> Metric:
    """Return a metric that compares each pair of texts alone, for n-grams as many as the pairs of
    words of a text.
    """

    def count(texts: CountedTexts, references: Sequence[int]) -> Matches:
        each = [metric.count(texts, [text]) for text in references]
        return lambda candidates, pairs: [each[k](candidates, [(i, 0)])[0] for i, k in pairs]

    return replace(metric, count=count)


def _ngrams(n: int, words: Numbers) -> list[Part]:
    grams = words
    for k in range(1, n):
        grams = grams[:-1] * FACTOR + words[k:]
    return [Part(grams, n - 1)]


def _skip_bigrams(gap: int | None, words: Numbers, *, unigrams: bool) -> list[Part]:
    n, scaled = len(words), words * FACTOR
    if gap is None and n > _MOST_PAIRED:
        raise UsageError(
            f"ROUGE-S* and SU* take texts of up to {_MOST_PAIRED} words, got {n}; score ROUGE-S4 "
            "or SU4"
        )
    reach = range(1, n if gap is None else min(gap + 2, n))
    # The script's outer loop stops before the last token, so that it does not count as a unigram.
    first = [Part(words[:-1] if unigrams else words[:0], 1)]
    return first + [Part(scaled[:-k] + words[k:], k) for k in reach]


def _skip_total(gap: int | None, words: int, *, unigrams: bool) -> int:
    most = max(words - 1, 0)
    reach = most if gap is None else min(gap + 1, most)
    # The first words - reach tokens start `reach` pairs each; every later token starts one fewer.
    return reach * (words - reach) + reach * (reach - 1) // 2 + (most if unigrams else 0)


def _ngram_total(n: int, words: int) -> int:
    return max(words - n + 1, 0)


for _n in range(1, 5):
    METRICS.add(f"ROUGE-{_n}", _grams(partial(_ngrams, _n), partial(_ngram_total, _n)))
METRICS.add("ROUGE-L", Metric(lambda words: words, _lcs_totals, _lcs, digits=None))
for _name, _gap, _unigrams in (
    ("S4", 4, False),
    ("S*", None, False),
    ("SU4", 4, True),
    ("SU*", None, True),
):
    _metric = _grams(
        partial(_skip_bigrams, _gap, unigrams=_unigrams),
        partial(_skip_total, _gap, unigrams=_unigrams),
    )
    METRICS.add(f"ROUGE-{_name}", _metric if _gap else _apart(_metric))
