"""The counts of each ROUGE metric: matches of candidates with references, and the n-grams of both sides.

A metric first counts the n-grams of some texts, the references, and then the matches of other texts, the candidates,
with references.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from itertools import accumulate, chain, pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from features.registry import Registry
from ilpsum.metrics.lcs import Alignment
from ilpsum.metrics.numbering import FACTOR, NumberedWords, Numbers, Places, numbered, stems

# Odd, so that its multiples stay distinct modulo 2^64.
_REFERENCE = 0xA0761D6478BD642F
# Above so many n-grams it pays to look at their first bits before searching for them.
_MANY = 400


class CountedTexts:
    """Texts to count in: their `words`, and in `sizes` how many each has.

    Args:
        texts: the texts.
        sentences: the sentences of each text for ROUGE-L; by default its lines.
        stem: whether words of more than three characters count as their stems.
        exceptions: base forms of words, looked up before stemming.
    """

    def __init__(
        self,
        texts: Sequence[str],
        sentences: Sequence[Sequence[str]] | None = None,
        *,
        stem: bool,
        exceptions: Mapping[str, str] | None = None,
    ) -> None:
        self._stems = stems(exceptions) if stem else None
        self._texts, self._sentences = texts, sentences
        self.words = numbered(texts, self._stems)
        self.sizes = [end - start for start, end in pairwise(self.words.bounds)]

    @cached_property
    def sentences(self) -> list[list[list[int]]]:
        """The words of each sentence of each text."""
        lines = self._sentences or [text.split("\n") for text in self._texts]
        return [_by_text(numbered(of_text, self._stems)) for of_text in lines]

    def counted(self, text: int) -> Counter[int]:
        """Return how often each word occurs in a text."""
        return Counter(self.words.numbers[self.words.bounds[text] : self.words.bounds[text + 1]].tolist())


def _by_text(words: NumberedWords) -> list[list[int]]:
    numbers = words.numbers.tolist()
    return [numbers[start:end] for start, end in pairwise(words.bounds)]


class Counts(Protocol):
    """The counted n-grams of references."""

    def matches(self, candidates: CountedTexts, pairs: Sequence[tuple[int, int]]) -> list[int]:
        """Count the n-grams that candidate i shares with reference k, for each pair (i, k)."""
        ...


class Metric(Protocol):
    """A kind of n-gram.

    Attributes:
        digits: decimals of the recalls that decide which of several references is best; the script rounds all recalls
            except ROUGE-L's.
    """

    digits: int | None

    def total(self, words: int) -> int:
        """Return the number of n-grams in a candidate of a number of words."""
        ...

    def totals(self, texts: CountedTexts) -> list[int]:
        """Return the number of n-grams in each text as a reference."""
        ...

    def count(self, texts: CountedTexts, references: Sequence[int]) -> Counts:
        """Count the n-grams of the texts that are references, given by their indices."""
        ...


METRICS: Registry[Metric] = Registry("metric")


class Part(NamedTuple):
    """N-grams, the i-th of which begins with the i-th word; the word `reach` further on must be of the same text."""

    grams: Numbers
    reach: int

    def within(self, owner: Places) -> Numbers:
        """Return the n-grams within one text, given the text of each word."""
        last = owner[self.reach :][: len(self.grams)]
        return self.grams[owner[: len(last)] == last]  # type: ignore[no-any-return]


class Grams:
    """Clipped counts of n-grams: an n-gram matches as often as it occurs on both sides (Lin 2004, equation 1).

    Args:
        grams: returns the n-grams of a sequence of words, each as one number.
        total: returns the number of n-grams in a text of a number of words.
    """

    digits: int | None = 5

    def __init__(self, grams: Callable[[Numbers], list[Part]], total: Callable[[int], int]) -> None:
        self.grams, self.total = grams, total

    def totals(self, texts: CountedTexts) -> list[int]:
        """See `Metric.totals`."""
        return [self.total(words) for words in texts.sizes]

    def count(self, texts: CountedTexts, references: Sequence[int]) -> "GramCounts":
        """See `Metric.count`."""
        return GramCounts(self.grams, texts.words, references)


class GramCounts:
    """The n-grams of references, sorted, with their counts; see `Counts`.

    The words of all references are one sequence, as are those of all candidates, once for each reference that they are
    compared with. The same word has another number for each reference, so no n-gram matches one of another reference.
    N-grams across two texts are dropped: of the candidates only those that match, which are few.
    """

    def __init__(self, grams: Callable[[Numbers], list[Part]], words: NumberedWords, references: Sequence[int]) -> None:
        self._parts = grams
        sequence, owner = _sequence(words, [(text, k) for k, text in enumerate(references)])
        parts = [part.grams if owner is None else part.within(owner) for part in grams(sequence)]
        found, starts = _runs(_joined(parts))
        self._grams, self._counts = found, starts[1:] - starts[:-1]

    def matches(self, candidates: CountedTexts, pairs: Sequence[tuple[int, int]]) -> list[int]:
        """See `Counts.matches`."""
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
        within = owner[words] == owner[words + np.array([part.reach for part in parts], np.intp)[number]]
        found, starts = _runs(places[within] + size * owner[words[within]])
        matched = np.minimum(starts[1:] - starts[:-1], self._counts[found % size])
        return np.bincount(found // size, matched, len(pairs)).astype(int).tolist()  # type: ignore[no-any-return]

    def _found(self, grams: Numbers) -> tuple[Places, Places]:
        """Return the places of the given n-grams that are in a reference, and their places in `self._grams`."""
        rows = self._likely(grams) if len(grams) > _MANY else None
        if rows is not None:
            grams = grams[rows]
        places = self._grams.searchsorted(grams)
        known = (self._grams.take(places, mode="clip") == grams).nonzero()[0]
        return known if rows is None else rows[known], places[known]

    def _likely(self, grams: Numbers) -> Places:
        """Return the places of n-grams with the first bits of one in a reference, sorted by n-gram."""
        shift = np.uint64(61 - len(self._grams).bit_length())
        seen = np.zeros(1 << (64 - int(shift)), bool)
        seen[self._grams >> shift] = True
        likely = seen[grams >> shift].nonzero()[0]
        # Sorted numbers are found much faster.
        return likely[grams[likely].argsort()]  # type: ignore[no-any-return]


def _sequence(words: NumberedWords, pairs: Sequence[tuple[int, int]]) -> tuple[Numbers, Places | None]:
    """Return the words of each text, with numbers for its reference, and the pair of each; None if there is only one.

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
    """Return the distinct values, ascending, and where each begins and the last ends among the sorted values."""
    ordered = np.sort(values)
    first = np.ones(len(ordered) + 1, bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:-1])
    starts = first.nonzero()[0]
    return ordered[starts[:-1]], starts


def _joined(parts: list[Numbers]) -> Numbers:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


class Lcs:
    """Union of longest common subsequences over sentences (Lin 2004, section 3.2), clipped as in ROUGE-1.4.1 and later.

    Each reference sentence is aligned with each sentence of the candidate. Each of its words counts once, even if it is
    in several alignments, and no word counts more often than it occurs in candidate or reference.
    """

    digits: int | None = None

    def total(self, words: int) -> int:
        """See `Metric.total`."""
        return words

    def totals(self, texts: CountedTexts) -> list[int]:
        """See `Metric.totals`: all words of the sentences, of which a byte limit may leave more than of the text."""
        return [sum(map(len, sentences)) for sentences in texts.sentences]

    def count(self, texts: CountedTexts, references: Sequence[int]) -> "SentenceCounts":
        """See `Metric.count`."""
        return SentenceCounts([(texts.sentences[i], texts.counted(i)) for i in references])


class SentenceCounts:
    """The sentences and words of references; see `Counts`."""

    def __init__(self, references: Sequence[tuple[list[list[int]], Counter[int]]]) -> None:
        self._references = references

    def matches(self, candidates: CountedTexts, pairs: Sequence[tuple[int, int]]) -> list[int]:
        """See `Counts.matches`."""
        prepared = {
            i: ([Alignment(sentence) for sentence in candidates.sentences[i]], candidates.counted(i))
            for i in {i for i, _ in pairs}
        }
        matched = []
        for i, k in pairs:
            (reference, theirs), (alignments, ours) = self._references[k], prepared[i]
            matched.append(_union(reference, alignments, ours & theirs))
        return matched


def _union(reference: Sequence[list[int]], alignments: Sequence[Alignment], left: Counter[int]) -> int:
    matched = 0
    for sentence in reference:
        for i in sorted(set(chain.from_iterable(alignment.common(sentence) for alignment in alignments))):
            if left[sentence[i]] > 0:
                left[sentence[i]] -= 1
                matched += 1
    return matched


def _ngrams(n: int, words: Numbers) -> list[Part]:
    grams = words
    for k in range(1, n):
        grams = grams[:-1] * FACTOR + words[k:]
    return [Part(grams, n - 1)]


def _skip_bigrams(gap: int | None, words: Numbers, *, unigrams: bool) -> list[Part]:
    n, scaled = len(words), words * FACTOR
    reach = range(1, n if gap is None else min(gap + 2, n))
    # The script's outer loop ends before the last token, which therefore does not count as a unigram.
    first = [Part(words[:-1] if unigrams else words[:0], 1)]
    return first + [Part(scaled[:-k] + words[k:], k) for k in reach]


def _skip_total(gap: int | None, words: int, *, unigrams: bool) -> int:
    most = max(words - 1, 0)
    reach = most if gap is None else min(gap + 1, most)
    # Each of the first words - reach tokens starts `reach` pairs, those after it one fewer each.
    return reach * (words - reach) + reach * (reach - 1) // 2 + (most if unigrams else 0)


def _ngram_total(n: int, words: int) -> int:
    return max(words - n + 1, 0)


for _n in range(1, 5):
    METRICS.add(f"ROUGE-{_n}", Grams(partial(_ngrams, _n), partial(_ngram_total, _n)))
METRICS.add("ROUGE-L", Lcs())
for _name, _gap, _unigrams in (("S4", 4, False), ("S*", None, False), ("SU4", 4, True), ("SU*", None, True)):
    METRICS.add(
        f"ROUGE-{_name}",
        Grams(partial(_skip_bigrams, _gap, unigrams=_unigrams), partial(_skip_total, _gap, unigrams=_unigrams)),
    )
