"""The counts of each ROUGE metric: matches of a candidate with each reference, and the totals of both sides.

Texts are sentences of word numbers: 1 and above for words of the references, -1 for any other word.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple, Protocol

from features.registry import Registry
from ilpsum.metrics.lcs import Alignment

Sentences = list[list[int]]


class Hits(NamedTuple):
    """The counts of a score.

    Attributes:
        matched: n-grams (or words of common subsequences) that the candidate shares with each reference.
        reference: n-grams of each reference.
        candidate: n-grams of the candidate.
        digits: decimals of the recalls that decide which of several references is best; the script rounds all recalls
            except ROUGE-L's.
    """

    matched: list[int]
    reference: list[int]
    candidate: int
    digits: int | None = 5


class Metric(Protocol):
    """A metric prepared for the references of one topic."""

    def hits(self, candidate: Sentences) -> Hits:
        """Count the matches of a candidate with each reference."""
        ...


METRICS: Registry[Callable[[Sequence[Sentences], int], Metric]] = Registry("metric")


class Grams:
    """Clipped counts of n-grams: an n-gram matches as often as it occurs on both sides (Lin 2004, equation 1).

    Args:
        references: the references' words.
        base: a number greater than every word's.
        grams: returns the n-grams of a text without unknown words, each as one number.
        total: returns the number of n-grams, with unknown words, in a text of a given number of words.
    """

    def __init__(
        self,
        references: Sequence[Sentences],
        base: int,
        grams: Callable[[list[int], int], Iterable[int]],
        total: Callable[[int], int],
    ) -> None:
        self._base, self._grams, self._total = base, grams, total
        texts = [list(chain.from_iterable(reference)) for reference in references]
        self._reference = [total(len(text)) for text in texts]
        # One lookup covers all references, because most of a candidate's n-grams are in none.
        self._counts: dict[int, list[int]] = {}
        for k, text in enumerate(texts):
            for gram, count in Counter(grams(text, base)).items():
                self._counts.setdefault(gram, [0] * len(texts))[k] = count

    def hits(self, candidate: Sentences) -> Hits:
        """See `Metric.hits`."""
        text = list(chain.from_iterable(candidate))
        matched, counts = [0] * len(self._reference), self._counts
        for gram, count in Counter(gram for gram in self._grams(text, self._base) if gram in counts).items():
            for k, other in enumerate(counts[gram]):
                matched[k] += count if count < other else other
        return Hits(matched, self._reference, self._total(len(text)))


class Lcs:
    """Union of longest common subsequences over sentences (Lin 2004, section 3.2), clipped as in ROUGE-1.4.1 and later.

    Each reference sentence is aligned with each sentence of the candidate. Each of its words counts once, even if it is
    in several alignments, and no word counts more often than it occurs in candidate or reference.
    """

    def __init__(self, references: Sequence[Sentences], base: int) -> None:  # noqa: ARG002 (only n-grams need it)
        self._references = references
        self._words = [Counter(chain.from_iterable(reference)) for reference in references]

    def hits(self, candidate: Sentences) -> Hits:
        """See `Metric.hits`."""
        words = Counter(chain.from_iterable(candidate))
        alignments = [Alignment(sentence) for sentence in candidate]
        matched = [
            _union(reference, alignments, words & counts)
            for reference, counts in zip(self._references, self._words, strict=True)
        ]
        return Hits(matched, [counts.total() for counts in self._words], words.total(), digits=None)


def _union(reference: Sentences, alignments: Sequence[Alignment], left: Counter[int]) -> int:
    matched = 0
    for sentence in reference:
        for i in sorted(set(chain.from_iterable(alignment.common(sentence) for alignment in alignments))):
            if left[sentence[i]] > 0:
                left[sentence[i]] -= 1
                matched += 1
    return matched


def _ngrams(n: int) -> Callable[[list[int], int], Iterable[int]]:
    def grams(text: list[int], base: int) -> Iterable[int]:
        for start in range(len(text) - n + 1):
            gram = 0
            for word in text[start : start + n]:
                if word < 0:
                    break
                gram = gram * base + word
            else:
                yield gram

    return grams


def _skip_bigrams(gap: int | None, *, unigrams: bool) -> Callable[[list[int], int], Iterable[int]]:
    def grams(text: list[int], base: int) -> Iterable[int]:
        # The script's outer loop ends before the last token, which therefore does not count as a unigram.
        for i, word in enumerate(text[:-1]):
            if word < 0:
                continue
            if unigrams:
                yield word
            first = word * base
            for other in text[i + 1 : None if gap is None else i + gap + 2]:
                if other > 0:
                    yield first + other

    return grams


def _skip_total(gap: int | None, *, unigrams: bool) -> Callable[[int], int]:
    def total(words: int) -> int:
        most = max(words - 1, 0)
        reach = most if gap is None else min(gap + 1, most)
        # Each of the first words - reach tokens starts `reach` pairs, those after it one fewer each.
        return reach * (words - reach) + reach * (reach - 1) // 2 + (most if unigrams else 0)

    return total


def _ngram_total(n: int) -> Callable[[int], int]:
    return lambda words: max(words - n + 1, 0)


for _n in range(1, 5):
    METRICS.add(f"ROUGE-{_n}", partial(Grams, grams=_ngrams(_n), total=_ngram_total(_n)))
METRICS.add("ROUGE-L", Lcs)
for _name, _gap, _unigrams in (("S4", 4, False), ("S*", None, False), ("SU4", 4, True), ("SU*", None, True)):
    _grams, _total = _skip_bigrams(_gap, unigrams=_unigrams), _skip_total(_gap, unigrams=_unigrams)
    METRICS.add(f"ROUGE-{_name}", partial(Grams, grams=_grams, total=_total))
