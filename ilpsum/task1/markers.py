"""Removes citation markers from citances, as they do not describe the cited text."""

import re

from ilpsum.records import Citance

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
        # Superscript numbers that extraction joined to a lower-case word, or to the full stop after it.
        r"(?<=[a-z]{4})\d{1,3}(?:[,–-]\d{1,3})*(?=[\s.,;:]|$)",
        r"(?<=[a-z)][.,;])\d{1,3}(?:[,–-]\d{1,3})*(?=\s|$)",
    )
)
# "Smith et al. (2004)" and "Smith and Jones": names outside the brackets are removed with the year.
_NAMES = re.compile(r"\b[A-Z][\w’'-]+ (?:et al\.?|and [A-Z][\w’'-]+(?= *[(\[]))")


def without_markers(citance: Citance) -> str:
    """Remove citation markers from a citance: the annotated one, and all text that looks like one.

    Removes `[9]`, `[3, 5-7]`, `(12)`, `(Chen et al., 2000; Li and Wu, 2001b)`, names before a bracketed year, and
    superscript numbers (`cells12,13`).
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
