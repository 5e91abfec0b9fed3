"""Terms of a text in Task 1: analysis, counts and weights."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
import numpy as np

from features.arrays import Floats, unit
from features.registry import Registry
from features.retrieval import B, idf, term_scores
from features.text import Passage
from ilpsum.files.records import Table
from ilpsum.records import Citance


def counted(texts: Sequence[Iterable[str]], vocabulary: Mapping[str, int]) -> Floats:
    """Return (n, V) counts of a vocabulary's stems in the stems of each text."""
    counts = np.zeros((len(texts), len(vocabulary)))
    for row, stems in zip(counts, texts, strict=True):
        for column in (vocabulary[stem] for stem in stems if stem in vocabulary):
            row[column] += 1.0
    return counts


def weighted(counts: Floats, idf: Floats) -> Floats:
    """Return (1 + log tf) idf of counts tf >= 1 (Salton and Buckley 1988); a count below 1, from
    query expansion, scales the weight.
    """
    return (1.0 + np.log(np.maximum(counts, 1.0))) * np.minimum(counts, 1.0) * idf


def tf_idf(counts: Floats, idf: Floats) -> Floats:
    """Return unit-length tf-idf vectors from (n, V) counts and (V,) IDF."""
    return unit(weighted(counts, idf))


def bm25(counts: Floats, lengths: Floats) -> Floats:
    """Return (n, V) BM25 weights (see `features.retrieval`), with the n rows as the collection.

    Args:
        counts: (n, V) occurrences of each stem in each row.
        lengths: (n,) stems of each row, including those outside `counts`.
    """
    length = (B * lengths / max(float(lengths.mean()), 1.0))[:, None]
    holding = (counts > 0).sum(axis=0, dtype=np.float64)
    return term_scores(counts, length) * idf(len(counts), holding)


WEIGHTINGS: Registry[Callable[[Floats, Floats], Floats]] = Registry("weighting")
"""Each returns (..., V) term weights from (..., V) counts and (V,) IDF, before normalisation."""

WEIGHTINGS.add("tf-idf", weighted)
WEIGHTINGS.add("counts", lambda counts, _idf: counts)


class Analysis(Table, frozen=True):
    """How index and queries analyse text.

    Attributes:
        weighting: term weights for `vector-space`, a key of `WEIGHTINGS`.
        stop_words: whether stop words are terms (key `stop-words`).
        stem: whether terms are stems instead of words.
    """

    weighting: str = "tf-idf"
    stop_words: bool = msgspec.field(default=False, name="stop-words")
    stem: bool = True

    def words(self, passage: Passage) -> tuple[str, ...]:
        """Return the words of a passage that are terms, in order."""
        return passage.words if self.stop_words else passage.content_words

    def terms(self, passage: Passage) -> tuple[str, ...]:
        """Return the terms of a passage, one for each of `words`."""
        if not self.stem:
            return self.words(passage)
        return passage.stems if self.stop_words else passage.content_stems


_NUMBER = r"S?\d{1,3}[a-z]?"
_NUMBERS = rf"{_NUMBER}(?:\s?[,;–—-]\s?{_NUMBER})*"
# A year distinguishes bracketed names from other bracketed text.
_YEAR = r"(?:1[89]|20)\d\d[a-z]?"
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\[\s?(?:(?:reviewed in|see|e\.g\.,?|refs?\.?)\s)?{_NUMBERS}\s?\]",
        rf"[(\[][^()\[\]]{{0,400}}?\b{_YEAR}(?:[;,][^()\[\]]{{0,600}})?[)\]]",
        rf"\((?:(?:reviewed in|see|e\.g\.,?|refs?\.?)\s)?{_NUMBERS}\)",
        r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+(?:[⁻,–-][⁰¹²³⁴⁵⁶⁷⁸⁹]+)*",
        # Superscript numbers that extraction joined to a lower-case word, or to the full stop after
        # it.
        r"(?<=[a-z]{4})\d{1,3}(?:[,–-]\d{1,3})*(?=[\s.,;:]|$)",
        r"(?<=[a-z)][.,;])\d{1,3}(?:[,–-]\d{1,3})*(?=\s|$)",
    )
)
# "Smith et al. (2004)" and "Smith and Jones": names outside the brackets are removed with the year.
_NAMES = re.compile(r"\b[A-Z][\w’'-]+ (?:et al\.?|and [A-Z][\w’'-]+(?= *[(\[]))")


def without_markers(citance: Citance) -> str:
    """Remove citation markers from a citance: the annotated one, and all text that looks like one.

    Removes `[9]`, `[3, 5-7]`, `(12)`, `(Chen et al., 2000; Li and Wu, 2001b)`, names before a
    bracketed year, and superscript numbers (`cells12,13`).
    """
    text = citance.text
    if citance.marker is not None:
        start, end = citance.marker.start - citance.start, citance.marker.end - citance.start
        if 0 <= start < end <= len(text):
            # Brackets left empty are removed; others stay, as other markers may share them.
            text = re.sub(r"[(\[]\s*+(?:[,;]\s*+)?[)\]]", " ", text[:start] + " " + text[end:])
    return strip_markers(text)


def strip_markers(text: str) -> str:
    """Remove everything that looks like a citation marker, and normalise white space."""
    text = _NAMES.sub(" ", text)
    for pattern in _PATTERNS:
        text = pattern.sub(" ", text)
    return " ".join(text.split())
