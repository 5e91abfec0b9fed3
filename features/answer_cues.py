"""What a sentence offers an answer: names, numbers, enumerations, a definition, a treatment."""

import re
from functools import lru_cache
from typing import NamedTuple

from features.folding import folded
from features.text import porter, words

# A word with any character but small letters; most words have none.
_MARKED = re.compile(r"\b[a-z]*+[^\Wa-z]\w*")
_SYMBOL = re.compile(r"\w*[A-Z]\w*[A-Z0-9]\w*|[a-z]+\d+\w*")
_CAPITALISED = re.compile(r"[A-Z][a-z]{2,}")

_NUMBER = re.compile(r"\d+(?:\.\d+)?%?")
# The lookbehind comes last: a search is faster if the pattern begins with a character set.
_COUNTED = re.compile(r"\d(?<!\w\d)[\d.,]*%?")
# These are searched in lower-case text.
_ENUMERATION = re.compile(r"such as|including|include[sd]?\b|e\.g\.|namely|[:;]|,\s+\S+\s*,\s+\S+")
_DEFINITION = re.compile(
    r"(?:is(?<!\wis)|are(?<!\ware))\s+(?:an?|the|characteri[sz]ed|defined|caused)\b"
)
_TREATMENT = re.compile(
    "|".join(
        rf"{stem}(?<!\w{stem})"
        for stem in "treat therap drug inhibit approv efficac administ".split()
    )
)
# The verb of a definition comes within this many characters.
_EARLY = 120


class AnswerCues(NamedTuple):
    """What a sentence offers.

    Attributes:
        names: lower-cased symbols, and words capitalised other than at the beginning.
        numbers: the distinct numbers.
        counts: how many numbers and marks of enumeration it has, whether it is a definition, and
            whether it mentions treatment.
    """

    names: tuple[str, ...]
    numbers: tuple[str, ...]
    counts: tuple[int, int, int, int]

    @property
    def is_definition(self) -> bool:
        """Whether the sentence is a definition."""
        _, _, defines, _ = self.counts
        return bool(defines)


# Sentences recur from question to question; an index stores the offers of its own.
@lru_cache(maxsize=1 << 12)
def cues_of(text: str) -> AnswerCues:
    """Return what a sentence offers.

    >>> cues_of("Newts of Pond IV express 3 forms of p53")
    AnswerCues(names=('iv', 'p53', 'pond'), numbers=('3', '53'), counts=(1, 0, 0, 0))
    """
    text = folded(text)
    lower = text.lower()
    marked = _MARKED.findall(text)
    names = {word.lower() for word in marked if _SYMBOL.fullmatch(word)}
    # The first word of a sentence is capitalised.
    after_first = marked[text.startswith(tuple(marked[:1])) :]
    names.update(word.lower() for word in after_first if _CAPITALISED.fullmatch(word))
    numbers = set(_NUMBER.findall(text))
    counts = (
        len(_COUNTED.findall(text)),
        len(_ENUMERATION.findall(lower)),
        int(_DEFINITION.search(lower[:_EARLY]) is not None),
        int(_TREATMENT.search(lower) is not None),
    )
    return AnswerCues(tuple(sorted(names)), tuple(sorted(numbers)), counts)


# Names recur from sentence to sentence.
@lru_cache(maxsize=1 << 12)
def stems_of(name: str) -> tuple[str, ...]:
    """Return the stems of the words of a name."""
    return tuple(map(porter, words(name)))
