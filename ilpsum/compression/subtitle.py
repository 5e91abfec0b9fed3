"""Rule 1 of Lin and Wilbur (2007), the subtitle: a pattern applied before parsing."""

import re
from itertools import islice

_MARK = re.compile(r":(?=\s|[\"“'‘])|-{2,}|[—―]|(?<=\s)–(?=\s)")
# "Response to: a title" is one phrase.
_OPEN_END = re.compile(r"(?:^|\s)(?:to|of|in|on|for|with|by|from|re|the|an?|and|or|vs\.?)$", re.IGNORECASE)
_FINAL = " .])}\"”’'"
_WORD = re.compile(r"\w")
# Titles have one or two marks; this bounds the time for other texts.
_MOST_MARKS = 20


def subtitle(text: str) -> tuple[int, int] | None:
    """Rule 1: return start and end (exclusive) of the text after a colon or consecutive dashes, or None.

    A colon must be followed by white space or a quotation mark (unlike in the ratio 1:1). Two or more hyphens, or a
    dash between phrases, are equivalent to a colon. These marks are ignored at the beginning, within brackets, and
    after a preposition or article. The final full stop and the bracket around a translated title are kept.
    """
    bracketed = text.lstrip().startswith("[")
    for mark in islice(_MARK.finditer(text), _MOST_MARKS):
        before = text[: mark.start()].rstrip()
        if not _WORD.search(before) or not _WORD.search(text, mark.end()):
            continue
        if _OPEN_END.search(before[-12:]) or _unclosed(before) != int(bracketed):
            continue
        # Final brackets and quotes that belong to the subtitle are removed with it.
        tail = text[max(len(text.rstrip(_FINAL)), mark.end()) :]
        keep = re.search(r"\.?\s*\]?\.?\s*$" if bracketed else r"\.?\s*$", tail[-12:])
        return len(before), len(text) - (len(keep.group()) if keep else 0)
    return None


def _unclosed(text: str) -> int:
    """Count the brackets that a text leaves open."""
    return sum(text.count(sign) for sign in "([{") - sum(text.count(sign) for sign in ")]}")
