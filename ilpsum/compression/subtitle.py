"""Rule 1 of Lin and Wilbur (2007), the subtitle: by pattern, before anything is parsed."""

import re
from itertools import islice

_MARK = re.compile(r":(?=\s|[\"“'‘])|-{2,}|[—―]|(?<=\s)–(?=\s)")
# "Response to: a title" is one phrase.
_OPEN_END = re.compile(r"(?:^|\s)(?:to|of|in|on|for|with|by|from|re|the|an?|and|or|vs\.?)$", re.IGNORECASE)
_FINAL = " .])}\"”’'"
_WORD = re.compile(r"\w")
# A title has one or two; a text of thousands is none.
_MOST_MARKS = 20


def subtitle(text: str) -> tuple[int, int] | None:
    """Rule 1: what follows a colon or consecutive dashes.

    A colon counts where white space or a quotation mark follows (not in a ratio 1:1 or a translocation t(9;22)); two or
    more hyphens and a dash between phrases count too. None counts at the beginning, within brackets, or after a
    preposition or article. The final full stop stays, and so does the bracket around a translated title.

    Args:
        text: a title.

    Returns:
        Start and end (exclusive) of what goes, None where there is no subtitle.

    Example:
        >>> text = "Binding of a toxin: a review."
        >>> start, end = subtitle(text)
        >>> text[:start] + text[end:]
        'Binding of a toxin.'
    """
    bracketed = text.lstrip().startswith("[")
    for mark in islice(_MARK.finditer(text), _MOST_MARKS):
        before = text[: mark.start()].rstrip()
        if not _WORD.search(before) or not _WORD.search(text, mark.end()):
            continue
        if _OPEN_END.search(before[-12:]) or _unclosed(before) != int(bracketed):
            continue
        # Of the marks that close the title, the subtitle's own brackets and quotes go.
        tail = text[max(len(text.rstrip(_FINAL)), mark.end()) :]
        keep = re.search(r"\.?\s*\]?\.?\s*$" if bracketed else r"\.?\s*$", tail[-12:])
        return len(before), len(text) - (len(keep.group()) if keep else 0)
    return None


def _unclosed(text: str) -> int:
    """How many brackets a text leaves open."""
    return sum(text.count(sign) for sign in "([{") - sum(text.count(sign) for sign in ")]}")
