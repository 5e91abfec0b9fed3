"""Names in a text: symbols, and words capitalised other than at the beginning."""

import re
from functools import lru_cache

from features.text import porter, words

# A run of word characters with any but small letters. Most words have only these.
_MARKED = re.compile(r"\b[a-z]*+[^\Wa-z]\w*")
_SYMBOL = re.compile(r"\w*[A-Z]\w*[A-Z0-9]\w*|[a-z]+\d+\w*")
_CAPITALISED = re.compile(r"[A-Z][a-z]{2,}")


# Names recur from sentence to sentence.
@lru_cache(maxsize=1 << 12)
def stems_of(name: str) -> tuple[str, ...]:
    """Return the stems of the words of a name."""
    return tuple(map(porter, words(name)))


@lru_cache(maxsize=1 << 12)
def names_in(text: str) -> frozenset[str]:
    """Return the names in a text, lower-cased: symbols, and words capitalised other than at the beginning.

    >>> sorted(names_in("Newts of Pond IV express p53 and newtase"))
    ['iv', 'p53', 'pond']
    """
    runs = _MARKED.findall(text)
    opens = text.startswith(tuple(runs[:1]))
    names = {*filter(_SYMBOL.fullmatch, runs), *filter(_CAPITALISED.fullmatch, runs[opens:])}
    return frozenset(map(str.lower, names))
