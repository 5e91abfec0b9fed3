"""Rule 1 of Lin and Wilbur (2007), the subtitle: by pattern, before anything is parsed."""

import re

_SUBTITLE = re.compile(r"\s*(?::(?=\s|[\"“'‘])|-{2,}|[—―]|(?<=\s)[–](?=\s))")
# "Response to: a title" is one phrase.
_OPEN_END = re.compile(r"(?:^|\s)(?:to|of|in|on|for|with|by|from|re|the|an?|and|or|vs\.?)$", re.IGNORECASE)
_CLOSING = re.compile(r"[\s.\])}\"”’']*$")


def subtitle(text: str) -> tuple[int, int] | None:
    """Rule 1: what follows a colon or consecutive dashes.

    A colon counts where white space or a quotation mark follows (not in a ratio 1:1 or a translocation t(9;22)), two or
    more hyphens, and a dash between phrases, count everywhere but at the beginning. The final full stop and brackets
    that were opened before stay.

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
    for mark in _SUBTITLE.finditer(text):
        before, after = text[: mark.start()], text[mark.end() :]
        if not re.search(r"\w", before) or not re.search(r"\w", after) or _OPEN_END.search(before):
            continue
        if _unclosed(before) - _opening_bracket(text):
            continue
        end = len(text)
        closing = _CLOSING.search(text)
        if closing and closing.start() >= mark.end():
            # Of the marks that close the title, those that belong to the subtitle (its own brackets, quotes) go.
            tail = closing.group()
            keep = re.search(r"\.?\s*\]?\.?\s*$" if before.lstrip().startswith("[") else r"\.?\s*$", tail)
            end -= len(keep.group()) if keep else 0
        return mark.start(), end
    return None


def _unclosed(text: str) -> int:
    """How many brackets a text leaves open."""
    return sum(text.count(sign) for sign in "([{") - sum(text.count(sign) for sign in ")]}")


def _opening_bracket(text: str) -> int:
    """1 where the whole title stands in square brackets, as translated titles do."""
    return int(text.lstrip().startswith("["))
