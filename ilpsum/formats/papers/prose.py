"""Sentences of papers: repair broken characters, and recognise headings, table rows, formulas and fragments."""

import re
import unicodedata
from dataclasses import replace

from features.sentences import begins, is_whole
from features.text import STOP_WORDS
from ilpsum.files.idf import load_idf, terms
from ilpsum.records import Sentence

# Ligatures, and the code that PDF converters output for TeX's ffi ligature.
_LIGATURES = {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl"}
_LETTERS = str.maketrans(_LIGATURES | dict.fromkeys("\u200b\u2060\ufeff", ""))
_SOFT_HYPHEN = re.compile("\u00ad\\s*")
_FFI = re.compile(r"(?<=[a-z])Æ(?=[a-z])")
# An accent that a converter puts after its letter or before a dotless i: `Gime´nez`, `na¨ıve`.
_ACCENTS = {"´": "\u0301", "¨": "\u0308", "ˇ": "\u030c", "¸": "\u0327"}
_ACCENT = re.compile(rf"(?<=[A-Za-z])(?P<accent>[{''.join(_ACCENTS)}])(?:(?P<i>ı)|(?=[A-Za-z,.;)\s]|\Z))")
# `data- driven`, `source- side`; but `pre- and postnatal`.
_HYPHEN = re.compile(r"(?<=[a-z]{2})- (?!(?:and|or|to|versus|vs|nor|as|but|in|into|of)\b)(?=[a-z]{2})")
# The remainder of a label or of another sentence before the first word, and a footnote mark.
_BEFORE = re.compile(r"[:;,.•►▪●■‣]\s+")
_FOOTNOTE = re.compile(r"\d{1,2}\s+(?=(?:We|This|The|These|It|In|For|Note|See|A|An|Our|One|There)\s)")

_SECTION = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,3}\.?\s+[A-Z]")
_LONGEST_HEADING = 12  # words
_WORD = re.compile(r"[^\W\d_]{2}")
_LEAST_WORDS = 0.5  # share of tokens that contain two consecutive letters
_END = re.compile(r"[.!?…][)\]}\"'”’»\[\d,–⁰¹²³⁴⁵⁶⁷⁸⁹-]*\Z")

_LONGEST_WORD = 60
_LAST_WORD = re.compile(r"\w+(?=[)\]}\"'”’»\s]*\Z)")

_WORK = r"(?:study|studies|paper|work|article|review|report|analysis|survey|section|investigation|experiments?)"
_OWN = re.compile(
    rf"""\b(?:(?i:we|ourselves|ours)|us|(?i:our)(?!\s(?:current\s)?(?:understanding|knowledge)\ of))\b
    |\b(?i:this)\s(?:\w+\s)?{_WORK}\b|\b(?i:the\s(?:present|current))\s(?:\w+\s)?{_WORK}\b
    |\b(?:Here|Herein),|\b(?:presented|reported|described|shown|proposed)\s(?:here|herein)\b""",
    re.VERBOSE,
)


def mended(sentence: Sentence, *, paper: bool = False) -> Sentence:
    """Repair the characters of a sentence and remove anything before its first word; its span is unchanged.

    Ligatures and converters' codes for them become letters (`eÆcient`), accents join their letters, soft hyphens and
    zero-width characters are removed, and a word split after a hyphen is joined. In a `paper`, a footnote mark is
    removed, too.
    """
    text = sentence.text
    lead = _BEFORE.match(text) or (_FOOTNOTE.match(text) if paper else None)
    text = text[lead.end() :] if lead else text
    if text.isascii():
        text = _HYPHEN.sub("-", text) if "- " in text else text
    else:
        text = _accented(_HYPHEN.sub("-", _FFI.sub("ffi", _SOFT_HYPHEN.sub("", text.translate(_LETTERS)))))
    text = " ".join(text.split())
    if text == sentence.text:
        return sentence
    return replace(sentence, text=text, words=len(text.split()))


def closed(text: str) -> str:
    """Append a full stop to a sentence that lacks only that; a truncated sentence is returned unchanged.

    A sentence is truncated after a stop word, or in a lower-case last word that the shipped IDF table lacks.

    >>> [closed(text) for text in ("Newts have a disease", "Newts have a", "Newts have a dise", "of newts", "Newts, ")]
    ['Newts have a disease.', 'Newts have a', 'Newts have a dise', 'of newts', 'Newts, ']
    """
    last = _LAST_WORD.search(text, max(0, len(text) - _LONGEST_WORD))
    if last is None or is_whole(text) or not is_whole(f"{text}."):
        return text
    word = last[0]
    known = not word.islower() or not word.isalpha() or all(term in load_idf().counts for term in terms(word))
    return f"{text}." if known and word not in STOP_WORDS else text


def _accented(text: str) -> str:
    if not _ACCENT.search(text):
        return text
    joined = _ACCENT.sub(lambda match: ("i" if match["i"] else "") + _ACCENTS[match["accent"]], text)
    return unicodedata.normalize("NFC", joined)


def is_prose(text: str, *, listed: bool = False) -> bool:
    """Return whether a paper's sentence is prose: no numbered heading, table row, formula or fragment.

    It begins with a capital, a digit or a symbol, and ends with a stop unless it is `listed`, as highlights are.

    >>> [is_prose(text) for text in ("Newts sing.", "4.1 The Pond and the Newts.", "sing.", "Newts 19.5 18.7 1 1 12.")]
    [True, False, False, False]
    """
    tokens = text.split()
    long = [token for token in tokens if len(token) > 3]
    capitals = len(long) > 1 and not any(token[0].islower() for token in long)
    if len(tokens) <= _LONGEST_HEADING and (capitals or _SECTION.match(text)):
        return False
    if not begins(text.lstrip("\"'“‘")) or not (listed or _END.search(text)):
        return False
    return sum(_WORD.search(token) is not None for token in tokens) >= _LEAST_WORDS * len(tokens)


def speaks_of_itself(text: str) -> bool:
    """Return whether a sentence refers to its own paper: `We found ...`, `In this study ...`.

    >>> [speaks_of_itself(t) for t in ("As we found, newts sing.", "Newts sing.", "It adds to our knowledge of newts.")]
    [True, False, False]
    """
    return _OWN.search(text) is not None
