"""Counts for each ROUGE metric: the n-grams of a text, and how many of them two texts share."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Any, ClassVar

from features.registry import Registry
from features.text import porter
from ilpsum.errors import UsageError

# Most words of a text whose words are all paired; 5,000 different words take 2 GB.
_MOST_PAIRED = 5000
_LOWER = bytes(
    ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else ord(" ")
    for code in range(256)
)


@dataclass(frozen=True)
class Text:
    """A text to score; its `lines` are the sentences of ROUGE-L."""

    text: str
    lines: Sequence[str]
    stem: bool

    @cached_property
    def words(self) -> list[str]:
        """All words, stemmed if wanted."""
        return words(self.text, stem=self.stem)

    @cached_property
    def sentences(self) -> list[list[str]]:
        """The words of each line; under a byte limit there may be more than in the text."""
        return [words(line, stem=self.stem) for line in self.lines]


def words(text: str, *, stem: bool) -> list[str]:
    """Return the lower-cased sequences of ASCII letters and digits in a text, or their stems.

    >>> words("miR-372 regulates", stem=True)
    ['mir', '372', 'regul']
    """
    tokens = text.encode("ascii", "replace").translate(_LOWER).decode("ascii").split()
    return [porter(token) for token in tokens] if stem else tokens


class GramCounts:
    """The multiset of a text's n-grams, as listed by `grams` for its words.

    Attributes:
        total: number of n-grams of the text as a candidate.
        reference_total: number of n-grams of the text as a reference.
        digits: decimals to which recalls are rounded before the best reference is chosen; None does
            not round.
    """

    digits: ClassVar[int | None] = 5

    def __init__(self, grams: Callable[[Sequence[str]], Iterable[Any]], text: Text) -> None:
        self.counts = Counter(grams(text.words))
        self.total = self.counts.total()
        self.reference_total = self.total

    def matches(self, reference: Any) -> int:
        """Count the common n-grams, each as often as it occurs in both (Lin 2004, equation 1)."""
        common = self.counts.keys() & reference.counts.keys()
        return sum(min(self.counts[gram], reference.counts[gram]) for gram in common)


def ngrams(n: int, words: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """List the sequences of n words."""
    return zip(*(words[start:] for start in range(n)), strict=False)


def skip_bigrams(
    gap: int | None,
    words: Sequence[str],
    *,
    unigrams: bool,
) -> Iterable[tuple[str, ...]]:
    """List the pairs of words with at most `gap` words between them; None allows any number.

    The unigrams lack the last word, as the script's outer loop does not reach it.

    Raises:
        UsageError: a text has too many words to pair them all.
    """
    if gap is None:
        if len(words) > _MOST_PAIRED:
            raise UsageError(
                f"ROUGE-S* and SU* take texts of up to {_MOST_PAIRED} words, got {len(words)}; "
                "score ROUGE-S4 or SU4"
            )
        yield from combinations(words, 2)
    else:
        for distance in range(1, gap + 2):
            yield from zip(words, words[distance:], strict=False)
    if unigrams:
        yield from zip(words[:-1], strict=True)


class SubsequenceCounts(GramCounts):
    """The sentences of a text, for the union of longest common subsequences."""

    # The script rounds the recalls of all other metrics.
    digits: ClassVar[int | None] = None

    def __init__(self, text: Text) -> None:
        super().__init__(iter, text)  # each word is a gram
        self.sentences = text.sentences
        self.reference_total = sum(map(len, text.sentences))

    def matches(self, reference: Any) -> int:
        """Count the words in the union of longest common subsequences over sentences (Lin 2004,
        section 3.2).

        Each reference sentence is aligned with each sentence of the candidate. Each of its words
        counts once, even if it is in several alignments, and no word counts more often than it
        occurs in candidate or reference, as in ROUGE-1.4.1 and later.
        """
        unmatched = self.counts & reference.counts
        matched = 0
        for sentence in reference.sentences:
            positions = set[int]()
            for candidate in self.sentences:
                positions.update(common_subsequence(sentence, candidate))
            for position in sorted(positions):
                if unmatched[sentence[position]] > 0:
                    unmatched[sentence[position]] -= 1
                    matched += 1
        return matched


def common_subsequence(reference: Sequence[str], candidate: Sequence[str]) -> list[int]:
    """Return the positions in the reference of the longest common subsequence of ROUGE-1.5.5,
    descending.

    `lengths[i][j]` is the length for the first i words of the reference and the first j of the
    candidate. Ties are broken as in the script: tracing back from both ends, drop the reference's
    word whenever the length stays the same.

    >>> common_subsequence("a b c d".split(), "b x d".split())
    [3, 1]
    """
    # The row of any other word of the reference would repeat the row before.
    in_candidate = set(candidate)
    positions = [i for i, word in enumerate(reference) if word in in_candidate]
    lengths = [[0] * (len(candidate) + 1)]
    for position in positions:
        above = lengths[-1]
        row = [0]
        for j, word in enumerate(candidate):
            if word == reference[position]:
                row.append(above[j] + 1)
            else:
                row.append(max(above[j + 1], row[j]))
        lengths.append(row)
    common = []
    i, j = len(positions), len(candidate)
    while i and j:
        if reference[positions[i - 1]] == candidate[j - 1]:
            i -= 1
            j -= 1
            common.append(positions[i])
        elif lengths[i - 1][j] >= lengths[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return common


METRICS: Registry[Callable[[Text], GramCounts]] = Registry("metric")
for _n in range(1, 5):
    METRICS.add(f"ROUGE-{_n}", partial(GramCounts, partial(ngrams, _n)))
METRICS.add("ROUGE-L", SubsequenceCounts)
SENTENCE_METRICS = frozenset({"ROUGE-L"})
"""The metrics of `METRICS` whose scores depend on where sentences end."""
for _suffix, _gap in (("4", 4), ("*", None)):
    for _name, _unigrams in (("S", False), ("SU", True)):
        _grams = partial(skip_bigrams, _gap, unigrams=_unigrams)
        METRICS.add(f"ROUGE-{_name}{_suffix}", partial(GramCounts, _grams))
