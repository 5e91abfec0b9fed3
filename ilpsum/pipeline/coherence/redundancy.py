"""Overlap of two sentences: similarity for citing, redundancy and repetition for selecting.

    similarity(s, t) = |s & t| / sqrt(|s| |t|)
    redundancy(s, t) = |s & t| / min(|s|, |t|)
    repetition(s, t) = |s' & t'| / |s'|

where s and t are the sets of content stems, without labels and lists of citations. Similarity is
the cosine of binary vectors; redundancy is the overlap coefficient, 1 if the longer sentence
contains all stems of the shorter one. Both are 0 if only one sentence has a negation, or if s or t
has fewer than four stems, too few to rule out chance. Similarity tells whether t can be cited for
s, so it is 0 if t lacks a number of s. Redundancy tells whether the second sentence is news to a
reader, so it is 0 only if each sentence has a number that the other lacks.

Repetition tells whether an answer that contains t already says s. s' are the content stems of s
that the question lacks, without stems that only frame a statement (`is known as a novel type of`,
`results show`). If fewer than two are left, t must contain them, and stems of the question count,
too. Repetition is 0 if only one sentence has a negation, or if each adds to the other and the
question a number (digits within a name, `NKX2-1`, are none), a direction (`increases`), or a word
joined by `and` or `or` to one that both have. If only one adds, as `Newts and frogs sing` to `Newts
sing`, it says more, and the other is the repetition.
Merging MeSH synonyms found no further hand-judged pair (experiments/results/readability.md).
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.folding import folded
from features.patterns import regex
from features.text import Passage, porter, remembered
from features.tokens import numbered
from ilpsum.papers.headings import without_additions

FEWEST_STEMS = 4
_FEW_HOLDERS = 64

_NEGATION = regex(
    r"\b(?:no|not|none|never|neither|nor|without|cannot|lack\w*|fail\w*|absence|unlike\w*)\b",
    re.I,
)
_NUMBER = regex(
    r"\d+(?:[.,·]\d+)*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty"
    r"|half|twice)\b",
    re.I,
)

_RISES = regex(
    r"\b(?:increas|elevat|rais|ris(?:e|ing)|enhanc|improv|up-?regulat|prolong)\w*"
    r"|\b(?:higher|greater|longer)\b",
    re.I,
)
_FALLS = regex(
    r"\b(?:decreas|reduc|declin|diminish|suppress|inhibit|impair|worsen|down-?regulat|shorten)\w*"
    r"|\b(?:lower|fewer|shorter)\b",
    re.I,
)
_DIRECTIONS = {"+": _RISES, "-": _FALLS}
_JOINED = regex(
    r"\b([^\W_]+),?\s+(?:and|or|as\s+well\s+as)\s+(?:the\s+|an?\s+)?(?=([^\W_]+))",
    re.I,
)
_NUMBER_ALONE = regex(rf"(?<![\w-])(?<!\d[.,])(?:{_NUMBER.pattern})(?![\w-])", re.I)
_FEWEST_BEYOND = 2
# Minimum repetition of two sentences with the same finding.
_SAME = 0.65
# Stems of words that only frame a statement.
FRAME = frozenset(
    map(
        porter,
        """
        act analysis base call class critical data define demonstrate describe different evidence
        find finding form identify important include indicate key kind known member named new novel
        play present recent recently refer report result reveal role several show study suggest term
        type use various
        """.split(),
    )
)


def similarity(first: Sequence[str], second: Sequence[str], least: float = 0.0) -> Floats:
    """Return (n, m) similarities in [0, 1] of n sentences to m others; values below `least` become
    0.
    """
    rows, columns = _Bags.of(first), _Bags.of(second)
    shared = rows.stems_shared_with(columns)
    sizes, others = rows.sizes, columns.sizes
    cosine: Floats = shared / np.sqrt(np.maximum(np.outer(sizes, others), 1.0))
    cosine[(np.minimum.outer(sizes, others) < FEWEST_STEMS) | (cosine < least)] = 0.0
    for i, k in zip(*np.nonzero(cosine), strict=True):
        if rows.negated[i] != columns.negated[k] or not rows.numbers[i] <= columns.numbers[k]:
            cosine[i, k] = 0.0
    return cosine


def redundant(sentences: Sequence[str], least: float) -> NDArray[np.bool_]:
    """Return an (n, n) mask of pairs with a redundancy of at least `least`; rows are the earlier
    sentences.
    """
    bags = _Bags.of(sentences)
    shared = bags.stems_shared_with(bags)
    alike = np.zeros(shared.shape, dtype=np.bool_)
    for i, (negated, numbers) in enumerate(zip(bags.negated, bags.numbers, strict=True)):
        shorter = np.minimum(bags.sizes[i], bags.sizes[i + 1 :])
        overlap = shared[i, i + 1 :] / np.maximum(shorter, 1.0)
        near = (overlap >= least) & (shorter >= FEWEST_STEMS)
        for k in (np.flatnonzero(near) + i + 1).tolist():
            other = bags.numbers[k]
            alike[i, k] = negated == bags.negated[k] and (numbers <= other or other <= numbers)
    return alike


class Repetitions(NamedTuple):
    """(n, n) masks of n sentences.

    Attributes:
        pairs: pairs of which one sentence repeats the other; rows are the earlier sentences.
        more: where the sentence of the row says what that of the column says, and adds to it.
    """

    pairs: NDArray[np.bool_]
    more: NDArray[np.bool_]


def repeating(sentences: Sequence[str], question: str, least: float) -> Repetitions:
    """Return the pairs with a repetition of at least `least` either way, and which says more.

    >>> newts = ["Newts sing in cold ponds.", "It is known that ponds are where newts sing.",
    ...     "Newts and frogs sing in cold ponds."]
    >>> pairs, more = repeating(newts, "Where is song heard?", 0.65)
    >>> np.argwhere(pairs).tolist(), np.argwhere(more).tolist()
    ([[0, 1], [0, 2], [1, 2]], [[2, 0], [2, 1]])
    """
    alike = _sharing(sentences, question, least)
    more = np.zeros_like(alike)
    asked, in_question = frozenset(Passage(question).stems), _facts(question)
    for i, k in np.argwhere(alike).tolist():
        one, other = sentences[i], sentences[k]
        adds = bool(_facts(one) - _facts(other) - in_question) or _joins(one, other, asked)
        added = bool(_facts(other) - _facts(one) - in_question) or _joins(other, one, asked)
        alike[i, k] = not (adds and added)
        more[i, k] = adds and not added
        more[k, i] = added and not adds
    return Repetitions(alike, more)


def same_finding(one: str, other: str, question: str) -> bool:
    """Whether one of two sentences has the finding of the other, and may add to it: numbers,
    negation, most stems beyond the question.

    >>> same_finding("Newts sing in cold ponds.", "Newts sing loudly at night.",
    ...     "Where do newts sing?")
    False
    """
    return bool(_sharing([one, other], question, _SAME)[0, 1])


def _sharing(sentences: Sequence[str], question: str, least: float) -> NDArray[np.bool_]:
    """Return the mask of `repeating`, without regard to what either sentence of a pair adds."""
    in_question = frozenset(_NUMBER_ALONE.findall(folded(question).lower()))
    whole = _Bags.of(sentences, _NUMBER_ALONE).without(FRAME)
    beyond = whole.without(frozenset(Passage(question).stems))
    few = {i: row for row, i in enumerate(np.flatnonzero(beyond.sizes < _FEWEST_BEYOND).tolist())}
    shared = whole.taken(few).stems_shared_with(whole)
    new = beyond.stems_shared_with(beyond)
    negated = np.array(whole.negated)
    alike = np.zeros(new.shape, dtype=np.bool_)
    for i, size in enumerate(beyond.sizes.tolist()):
        repeats = new[i] >= least * size
        if i in few:
            # A single new word is new information, even if the other sentence has all the rest.
            repeats = (shared[few[i]] >= least * whole.sizes[i]) & (new[i] == size)
        repeats[i] = False
        for k in np.flatnonzero(repeats & (negated == negated[i])).tolist():
            if whole.numbers[i] <= whole.numbers[k] | in_question:
                alike[min(i, k), max(i, k)] = True
    return alike


@lru_cache(maxsize=1 << 11)
def _facts(text: str) -> frozenset[str]:
    """Return the numbers of a text, and `+` or `-` for what rises or falls."""
    text = folded(without_additions(text)).lower()
    directions = [sign for sign, pattern in _DIRECTIONS.items() if pattern.search(text)]
    return frozenset([*_NUMBER_ALONE.findall(text), *directions])


def _joins(text: str, other: str, asked: frozenset[str]) -> bool:
    """Whether a text joins, by `and` or `or`, a word that is new to one of another text or the
    question.
    """
    stated = asked.union(remembered(without_additions(other)).content_stems)
    for pair in _JOINED.findall(without_additions(text)):
        stems = Passage(" ".join(pair)).content_stems
        new = [stem for stem in stems if stem not in stated]
        if len(stems) == len(pair) and len(new) == 1 and new[0] not in FRAME:
            return True
    return False


class _Bags(NamedTuple):
    """Bag of content stems, (n,) bag sizes, negation flags and numbers of n texts."""

    stems: list[dict[str, None]]
    sizes: Floats
    negated: list[bool]
    numbers: list[frozenset[str]]

    @classmethod
    def of(cls, sentences: Sequence[str], number: re.Pattern[str] = _NUMBER) -> "_Bags":
        """Return the bags of sentences; `number` is the pattern of a number."""
        texts = [without_additions(text) for text in sentences]
        stems = [dict.fromkeys(remembered(text).content_stems) for text in texts]
        sizes = np.array(list(map(len, stems)), dtype=np.float64)
        negated = [_NEGATION.search(text) is not None for text in texts]
        lowered = (folded(text).lower() for text in texts)
        numbers = [frozenset(number.findall(text)) for text in lowered]
        return cls(stems, sizes, negated, numbers)

    def taken(self, rows: Iterable[int]) -> "_Bags":
        """Return the bags of these rows, without negations and numbers."""
        kept = [*rows]
        return _Bags([self.stems[i] for i in kept], self.sizes[kept], [], [])

    def without(self, words: frozenset[str]) -> "_Bags":
        """Return the bags without these stems."""
        stems = [{stem: None for stem in bag if stem not in words} for bag in self.stems]
        return self._replace(stems=stems, sizes=np.array(list(map(len, stems)), dtype=np.float64))

    def stems_shared_with(self, others: "_Bags") -> Floats:
        """Return the (n, m) numbers of stems that n texts share with m others.

        Rare stems are counted pair by pair: a matrix column for each would take more memory than
        the result.
        """
        n = len(self.stems)
        tokens = numbered([*self.stems, *others.stems])
        mine = tokens.where(tokens.text < n)
        theirs = tokens.where(tokens.text >= n)
        is_rare = np.minimum(mine.counts, theirs.counts) <= _FEW_HOLDERS
        common = np.flatnonzero(~is_rare)
        shared = mine.frequencies(common)[:n] @ theirs.frequencies(common)[n:].T
        order = np.argsort(theirs.ids, kind="stable")
        rare = mine.where(is_rare[mine.ids])
        times = theirs.counts[rare.ids]
        first = np.searchsorted(theirs.ids[order], rare.ids)
        # The place of a stem's first holder, less the number of holders of the stems before it.
        shifts = first - np.cumsum(times) + times
        holders = order[np.repeat(shifts, times) + np.arange(times.sum())]
        pairs = np.repeat(rare.text, times), theirs.text[holders] - n
        np.add.at(shared, pairs, 1.0)
        return shared
