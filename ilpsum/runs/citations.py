"""Citations in running text, as TREC BioGen 2024 has them (`A sentence [32091909,28678410]. The next one.`).

Text in square brackets is a comma-separated list of PMIDs, of which the first three count. A citation belongs to the
sentence that encloses it: it counts only where something of the sentence stands before it and the sentence's last `.`,
`!` or `?` after it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from features.sentences import split_sentences
from ilpsum.pipeline.citing import MOST_PMIDS

_BRACKET = re.compile(r"\s*\[([^\[\]]*)\]")
_STOP = re.compile(r"[.!?]+")
# What spaCy makes a token that is no punctuation: numbers, words (cut at hyphens and slashes), and symbols.
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|[=<>+±~^|$°×→≥≤]")
_NO_LETTER = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Citation:
    """A pair of brackets in an answer.

    Attributes:
        entries: what stands between its commas.
        start: its place in the answer.
        sentence: the number of the sentence that it belongs to, from 0; -1 where it belongs to none and is discarded.
    """

    entries: tuple[str, ...]
    start: int
    sentence: int

    @property
    def counting(self) -> tuple[str, ...]:
        """The entries that count; none of a discarded citation."""
        return self.entries[:MOST_PMIDS] if self.sentence >= 0 else ()


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """An answer taken apart.

    Attributes:
        text: the answer without citations.
        sentences: its sentences.
        citations: its citations, in order.
    """

    text: str
    sentences: tuple[str, ...]
    citations: tuple[Citation, ...]


def parse(answer: str) -> CitedAnswer:
    """Takes an answer apart; a bracket without its partner stays in the text.

    >>> parse("Newts sing [12,7]. Toads hum. [9]").citations
    (Citation(entries=('12', '7'), start=11, sentence=0), Citation(entries=('9',), start=30, sentence=-1))
    """
    brackets = list(_BRACKET.finditer(answer))
    text = _BRACKET.sub("", answer)
    spans = split_sentences(text)
    citations, removed = [], 0
    for match in brackets:
        place = match.start() - removed
        removed += match.end() - match.start()
        entries = tuple(entry.strip() for entry in match[1].split(","))
        start = match.start() + match[0].index("[")
        citations.append(Citation(entries, start, _enclosing(text, spans, place)))
    return CitedAnswer(text, tuple(text[start:end] for start, end in spans), tuple(citations))


def _enclosing(text: str, spans: Sequence[tuple[int, int]], place: int) -> int:
    for number, (start, end) in enumerate(spans):
        if start < place <= end and _NO_LETTER.fullmatch(text[start:place]) is None:
            last = max(text.rfind(stop, start, end) for stop in ".!?")
            return number if place <= last else -1
    return -1


def count_words(text: str) -> int:
    """About how many words the track's validator counts: spaCy's tokens that are no punctuation; rather more.

    >>> count_words("A dose-response (p < 0.05) isn't miR-372.")
    10
    """
    return len(_TOKEN.findall(text))


def cite(sentence: str, pmids: Sequence[str]) -> str:
    """A clean sentence with its citation before the final punctuation.

    >>> cite("Newts sing.", ["12", "7"])
    'Newts sing [12,7].'
    """
    if not pmids:
        return sentence
    last = list(_STOP.finditer(sentence))[-1].start()
    return f"{sentence[:last].rstrip()} [{','.join(pmids[:MOST_PMIDS])}]{sentence[last:]}"
