"""Limits of the BioGen formats, from the track's pages and validator, and inline citations.

In 2024 (`A sentence [32091909,28678410]. The next one.`), square brackets contain comma-separated PMIDs; only the first
three count. A citation is valid only inside a sentence: after its first letter or digit and before its last `.`, `!`
or `?`.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from features.sentences import split_sentences
from ilpsum.formats.limits import FormatLimits
from ilpsum.formats.papers.printed import MOST_PMIDS, clean, is_sentence

WORDS_2024 = 150
"""Maximum words of an answer without citations."""
SENTENCES_2024 = 10
"""Maximum sentences of an answer."""
SAFE_SENTENCES_2024 = 8
"""Maximum sentences selected: the validator's parser splits 2 % of the sentences in two."""
WORDS_2025 = 250
"""Maximum words of all responses to a topic together."""
EXAMPLE_EMAIL = "contact@example.org"
"""Default contact address; the check warns about it."""
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
"""Pattern of an e-mail address."""

_BRACKET = re.compile(r"(?<!\s)\s*\[([^\[\]]*)\]")
_STOP = re.compile(r"[.!?]+")
# Approximates spaCy's tokens without punctuation: numbers, words (split at hyphens and slashes) and `can|not`;
# `count_words` adds single symbols.
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[Cc]an(?=not\b)|[^\W\d_]+")
_NO_LETTER = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Citation:
    """A bracketed citation in an answer.

    Attributes:
        entries: the comma-separated strings, stripped.
        start: offset of the opening bracket in the answer.
        sentence: index of the enclosing sentence; -1 if there is none, so that the citation is discarded.
    """

    entries: tuple[str, ...]
    start: int
    sentence: int

    @property
    def counting(self) -> tuple[str, ...]:
        """The entries that the track evaluates; none if the citation is discarded."""
        return self.entries[:MOST_PMIDS] if self.sentence >= 0 else ()


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """A parsed answer: its text without citations, its sentences, and its citations, in order."""

    text: str
    sentences: tuple[str, ...]
    citations: tuple[Citation, ...]


def parse(answer: str) -> CitedAnswer:
    """Parse an answer; unbalanced brackets are kept in the text.

    >>> parse("Newts sing [12,7]. Toads hum. [9]").citations
    (Citation(entries=('12', '7'), start=11, sentence=0), Citation(entries=('9',), start=30, sentence=-1))
    """
    text = _BRACKET.sub("", answer)
    spans = split_sentences(text)
    citations, removed = [], 0
    for match in _BRACKET.finditer(answer):
        offset = match.start() - removed
        removed += match.end() - match.start()
        entries = tuple(entry.strip() for entry in match[1].split(","))
        start = match.start() + match[0].index("[")
        citations.append(Citation(entries, start, _enclosing(text, spans, offset)))
    return CitedAnswer(text, tuple(text[start:end] for start, end in spans), tuple(citations))


def _enclosing(text: str, spans: Sequence[tuple[int, int]], offset: int) -> int:
    for number, (start, end) in enumerate(spans):
        if start < offset <= end and _NO_LETTER.fullmatch(text[start:offset]) is None:
            last = max(text.rfind(stop, start, end) for stop in ".!?")
            return number if offset <= last else -1
    return -1


def count_words(text: str) -> int:
    """Estimate the validator's word count (spaCy tokens without punctuation), erring on the high side."""
    symbols = sum(not c.isalnum() and unicodedata.category(c).startswith("S") for c in text)
    return len(_TOKEN.findall(text)) + symbols


def cite(sentence: str, pmids: Sequence[str]) -> str:
    """Insert a citation into a clean sentence, before its final punctuation.

    No space precedes the bracket: after a space, the validator's parser often starts a new sentence, `[12].`, and
    discards the citation (experiments/results/biogen.md).
    """
    if not pmids:
        return sentence
    last = list(_STOP.finditer(sentence))[-1].start()
    return f"{sentence[:last].rstrip()}[{','.join(pmids[:MOST_PMIDS])}]{sentence[last:]}"


def words_2024(text: str) -> int:
    """Return the length of a candidate sentence as the 2024 validator counts words."""
    return count_words(clean(text))


def allows_2024(text: str) -> bool:
    """Return whether a candidate is eligible: whether it prints as exactly one sentence."""
    return is_sentence(text) and len(split_sentences(clean(text))) == 1


OF_2024 = FormatLimits(
    words=WORDS_2024, sentences=SAFE_SENTENCES_2024, count=words_2024, count_limit=WORDS_2024, allows=allows_2024
)
OF_2025 = FormatLimits(words=WORDS_2025, allows=is_sentence)
