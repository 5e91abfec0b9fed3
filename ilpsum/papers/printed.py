"""A sentence as printed in an answer with citations: cleaned, and whether it is complete."""

import re

from features.sentences import is_whole
from ilpsum.papers.headings import part_of, without_additions

MOST_PMIDS = 3
"""Maximum number of PMIDs cited per sentence."""

_NO_LETTER = re.compile(r"[\W_]+")
# PubMed prints translated titles in brackets; a title of several sentences has one bracket on the
# first and last.
_TRANSLATED = re.compile(r"^\[?([^\[\]]+)\]?([.?!]?)$")
# Enumerators before a sentence (`2)`, `IV.`) and remnants of a word or label (`Th. We`); not `S.
# aureus`, `St. John`.
_NUMBERED = re.compile(r"(?!St\.)(?:\d{1,2}|\w{1,3})(?:\)|\.(?=\s+[A-Z(]))\s")
# An unknown label in capitals, at the beginning or after a full stop; a label used by journals.
_OTHER_LABEL = re.compile(
    r"(?:^|[.!?]\s+)[A-Z][A-Z &/,()-]{0,60}:\s|^Implications\sfor\s\w+\s(?=[A-Z])"
)
# Words before a capital are a label if they name a section (`Conclusion Our data`, `ResultsPatients
# were`).
_WORDS_LABEL = re.compile(
    r"([A-Z][a-z]+(?:(?:\s(?!of\b|the\b)|,\s|/|\s(?:and|&)\s)[A-Za-z]+)?)\s(?=[A-Z])|([A-Z]{4,}"
    r"|[A-Z][a-z]+)(?=[A-Z][a-z])"
)


def quotation(text: str) -> str:
    """Return a sentence as quoted in an answer: one line, no label, a final full stop.

    Labels (`CONCLUSIONS:`), citation lists, editors' insertions (`[corrected]`) and the brackets of
    a translated title are removed; other brackets stay (`[Het-s]`). The result is empty if no
    letter or digit is left.

    >>> quotation("CONCLUSIONS: Newts [or  efts] sing [3, 4]"), quotation("[Song of the newts].")
    ('Newts [or efts] sing.', 'Song of the newts.')
    """
    text = _TRANSLATED.sub(r"\1\2", _stripped(text))
    if _NO_LETTER.fullmatch(text) or not text:
        return ""
    ends = text.rstrip("\"'”’)]»›″").endswith((".", "!", "?"))
    return text if ends else text.rstrip(" ,;:") + "."


def clean(text: str) -> str:
    """Return a quotation with round brackets only: in BioGen's format, square ones are citations.

    >>> clean("Newts [or efts] sing [3, 4].")
    'Newts (or efts) sing.'
    """
    return _rounded(quotation(text))


def is_sentence(text: str) -> bool:
    """Whether a sentence is complete as printed in an answer: it begins and ends as a sentence,
    without a label.

    >>> [is_sentence(text) for text in ("RESULTS: Newts sing.", "POND: Newts sing.", "Newts sing",
    ...     "of newts sing.")]
    [True, False, False, False]
    """
    text = _rounded(_stripped(text))
    return is_whole(text) and not (
        _NUMBERED.match(text) or _OTHER_LABEL.search(text) or _begins_with_label(text)
    )


def _stripped(text: str) -> str:
    """Return a sentence on one line, without labels, citation lists and editors' insertions."""
    return without_additions(" ".join(text.split())).strip()


def _rounded(text: str) -> str:
    return text.replace("[", "(").replace("]", ")")


def _begins_with_label(text: str) -> bool:
    match = _WORDS_LABEL.match(text)
    return match is not None and bool(part_of(match[1] or match[2]))
