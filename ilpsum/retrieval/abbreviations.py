"""Abbreviations that a text defines: `restless newt syndrome (RNS)` or `RNS (restless newt syndrome)`.

Source: Schwartz and Hearst (2003), A simple algorithm for identifying abbreviation definitions in biomedical text,
Pacific Symposium on Biocomputing 8, 451-462.
"""

import re

_PARENTHESIS = re.compile(r"\(([^()]{2,100})\)")
# What precedes a parenthesis, up to the sentence's beginning.
_BOUNDARY = re.compile(r"[.;:!?]\s|[()\[\]\n]")


def definitions(text: str) -> list[tuple[str, str]]:
    """Return the short and long form of each definition in a text, in order.

    >>> definitions("Grey newt fever (GNF) is rare, unlike ATF (acute toad fever).")
    [('GNF', 'Grey newt fever'), ('ATF', 'acute toad fever')]
    """
    found = []
    for match in _PARENTHESIS.finditer(text):
        inside = re.split(r"[,;]\s", match[1].strip())[0].strip(" '\"“”")
        before = _BOUNDARY.split(text[max(0, match.start() - 250) : match.start()])[-1].rstrip()
        if not before:
            continue
        short, long = inside, before
        if len(inside.split()) > 2 or not _is_short(inside):
            # The other order: the short form is the word before the parenthesis.
            short, long = before.split()[-1], inside
        # The long form is among the last min(|A| + 5, 2 |A|) words, |A| the characters of the short form.
        words = long.split()[-min(len(short) + 5, 2 * len(short)) :]
        if _is_short(short) and (form := _long_form(short, " ".join(words))):
            found.append((short, form))
    return found


def _is_short(text: str) -> bool:
    """Whether a text may be a short form: 2 to 10 characters and at most 2 words, with a letter."""
    return 2 <= len(text) <= 10 and len(text.split()) <= 2 and text[0].isalnum() and any(c.isalpha() for c in text)


def _long_form(short: str, text: str) -> str:
    """Return the shortest end of a text whose letters match the short form from right to left; empty if there is none.

    The first character of the short form must match at the beginning of a word.
    """
    place = len(text)
    letters = [c for c in short.lower() if c.isalnum()]
    lower = text.lower()
    if len(lower) != len(text):
        return ""
    for number, letter in reversed(list(enumerate(letters))):
        place -= 1
        while place >= 0 and (lower[place] != letter or (number == 0 and place > 0 and lower[place - 1].isalnum())):
            place -= 1
        if place < 0:
            return ""
    start = text.rfind(" ", 0, place + 1) + 1
    form = text[start:].strip(" '\"“”[],")
    words = form.split()
    if len(form) <= len(short) or short in words or len(words) > min(len(short) + 5, 2 * len(short)):
        return ""
    return form
