"""Sentences of papers: repair broken characters, and recognise headings, table rows, formulas and
fragments.
"""

import re
import unicodedata
from dataclasses import replace

from features.patterns import regex
from features.sentences import begins, is_whole
from features.text import STOP_WORDS
from ilpsum.files.idf import load_idf, terms
from ilpsum.papers.headings import without_label
from ilpsum.records import Sentence

# Ligatures, and the code that PDF converters output for TeX's ffi ligature.
_LIGATURES = {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl"}
_LETTERS = str.maketrans(_LIGATURES | dict.fromkeys("\u200b\u2060\ufeff", ""))
_SOFT_HYPHEN = regex("\u00ad\\s*")
_FFI = regex(r"(?<=[a-z])Æ(?=[a-z])")
# An accent that a converter puts after its letter or before a dotless i: `Gime´nez`, `na¨ıve`.
_ACCENTS = {"´": "\u0301", "¨": "\u0308", "ˇ": "\u030c", "¸": "\u0327"}
_ACCENT = regex(
    rf"(?<=[A-Za-z])(?P<accent>[{''.join(_ACCENTS)}])(?:(?P<i>ı)|(?=[A-Za-z,.;)\s]|\Z))"
)
# `data- driven`, `source- side`; but `pre- and postnatal`.
_HYPHEN = regex(r"(?<=[a-z]{2})- (?!(?:and|or|to|versus|vs|nor|as|but|in|into|of)\b)(?=[a-z]{2})")
# The rest of a label or of another sentence before the first word; a footnote mark.
_BEFORE = regex(r"[:;,.•►▪●■‣]\s+")
_FOOTNOTE = regex(r"\d{1,2}\s+(?=(?:We|This|The|These|It|In|For|Note|See|A|An|Our|One|There)\s)")

_SECTION = regex(r"\d{1,2}(?:\.\d{1,2}){1,3}\.?\s+[A-Z]")
_LONGEST_HEADING = 12  # words
_WORD = regex(r"[^\W\d_]{2}")
_LEAST_WORDS = 0.5  # share of tokens that contain two consecutive letters
_END = regex(r"[.!?…][)\]}\"'”’»\[\d,–⁰¹²³⁴⁵⁶⁷⁸⁹-]*\Z")

_LONGEST_WORD = 60
_LAST_WORD = regex(r"\w+(?=[)\]}\"'”’»\s]*\Z)")

_WORK = (
    r"(?:study|studies|paper|work|article|review|report|analysis|survey|section|investigation"
    r"|experiments?)"
)
_OWN = regex(
    rf"""\b(?:(?i:we|ourselves|ours)|us|(?i:our)(?!\s(?:current\s)?(?:understanding
    |knowledge)\ of))\b
    |\b(?i:this)\s(?:\w+\s)?{_WORK}\b|\b(?i:the\s(?:present|current))\s(?:\w+\s)?{_WORK}\b
    |\b(?:Here|Herein),|\b(?:presented|reported|described|shown|proposed)\s(?:here|herein)\b""",
    re.VERBOSE,
)


def mended(sentence: Sentence, *, paper: bool = False) -> Sentence:
    """Repair the characters of a sentence and remove anything before its first word; its span is
    unchanged.

    Ligatures and converters' codes for them become letters (`eÆcient`), accents join their letters,
    soft hyphens and zero-width characters are removed, and a word split after a hyphen is joined.
    In a `paper`, a footnote mark is also removed.
    """
    text = sentence.text
    lead = _BEFORE.match(text) or (_FOOTNOTE.match(text) if paper else None)
    text = text[lead.end() :] if lead else text
    if text.isascii():
        text = _HYPHEN.sub("-", text) if "- " in text else text
    else:
        text = _accented(
            _HYPHEN.sub("-", _FFI.sub("ffi", _SOFT_HYPHEN.sub("", text.translate(_LETTERS))))
        )
    return changed(sentence, " ".join(text.split()))


def changed(sentence: Sentence, text: str) -> Sentence:
    """Return a sentence with its displayed text replaced and its span unchanged."""
    if text == sentence.text:
        return sentence
    return replace(sentence, text=text, words=len(text.split()))


def closed(text: str) -> str:
    """Append a full stop to a sentence that lacks only that; a truncated sentence stays as it is.

    A sentence is truncated if it ends with a stop word, or with a lower-case word that the included
    IDF table lacks.

    >>> [closed(text) for text in ("Newts have a disease", "Newts have a", "Newts have a dise",
    ...     "of newts", "Newts, ")]
    ['Newts have a disease.', 'Newts have a', 'Newts have a dise', 'of newts', 'Newts, ']
    """
    last = _LAST_WORD.search(text, max(0, len(text) - _LONGEST_WORD))
    if last is None or is_whole(text) or not is_whole(f"{text}."):
        return text
    word = last[0]
    is_complete = (
        not word.islower()
        or not word.isalpha()
        or all(term in load_idf().counts for term in terms(word))
    )
    return f"{text}." if is_complete and word not in STOP_WORDS else text


def _accented(text: str) -> str:
    if not _ACCENT.search(text):
        return text
    joined = _ACCENT.sub(
        lambda match: ("i" if match["i"] else "") + _ACCENTS[match["accent"]],
        text,
    )
    return unicodedata.normalize("NFC", joined)


def is_prose(text: str, *, listed: bool = False) -> bool:
    """Return whether a paper's sentence is prose, not a numbered heading, table row, formula or
    fragment.

    It begins with a capital, a digit or a symbol, and ends with a stop unless it is `listed`, as
    highlights are.

    >>> [is_prose(text) for text in ("Newts sing.", "4.1 The Pond and the Newts.", "sing.",
    ...     "Newts 19.5 18.7 1 1 12.")]
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

    >>> [speaks_of_itself(t) for t in ("As we found, newts sing.", "Newts sing.",
    ...     "It adds to our knowledge of newts.")]
    [True, False, False]
    """
    return _OWN.search(text) is not None


_YEAR = r"(?:1[89]|20)\d\d[a-z]?"
_NAME = (
    r"(?!January|February|March|April|May|June|July|August|September|October|November|December)"
    r"[A-Z][\w'’-]+"
)
# Newt, 1998; Newt and Toad 1998a, 2001; Newt et al. (1998).
_CITATION = (
    rf"{_NAME}(?:,?\s(?:and|&)\s{_NAME}|,\s{_NAME},?\s(?:and|&)\s{_NAME})?(?:,?\set\sal\.?)?"
    rf",?\s\(?{_YEAR}\)?"
    rf"(?:,\s{_YEAR})*"
)
_LEAD = (
    r"(?:see(?:\s(?:also|e\.g\.))?|e\.g\.,?|i\.e\.,?|cf\.?|for\s(?:an?\s)?(?:recent\s)?(?:reviews?"
    r"|examples?),?(?:\ssee)?"
    r"|(?:recently\s)?reviewed\s(?:in|by)|(?:as\s)?(?:shown|seen|described|reported|summari[sz]ed"
    r"|listed|discussed)\s(?:in|by)"
    r"|refs?\.?|references?|compare|and|also|such\sas)\s"
)
_PLACE = (
    r"(?:(?:supp(?:l(?:ement(?:ary|al))?)?\.?|additional|extended\sdata|on-?line|supporting)\s)?"
    r"(?:fig(?:ure)?s?|tables?|tabs?|eqs?|equations?|sections?|sect|appendix|box|movies?|videos?"
    r"|datasets?|files?|data"
    r"|methods?|materials?|information|experimental\sprocedures|text|schemes?|chapters?"
    r"|algorithms?|refs?|§)"
)
_UNSEEN = (
    r"(?:(?:unpublished|data|results?|observations?|manuscript|our)\s){0,3}(?:not\sshown"
    r"|unpublished(?:\s\w+)?"
    r"|in\s(?:preparation|press)|submitted|personal\scommunication)"
)
_SEE = r"see\s(?:above|below|text|legends?|later|there(?:in)?)"
_POINTER = regex(
    rf"(?:{_LEAD}){{0,2}}(?:{_CITATION}(?:(?:,\s|,?\sand\s|;\s){_CITATION})*(?:"
    r",?\sand\sreferences\stherein)?"
    rf"|(?i:{_PLACE})\.?\s?S?\d.{{0,80}}|(?i:{_PLACE}s?\sonline)|(?i:supp\w*\s{_PLACE})\b.{{0,40}}"
    rf"|(?i:.{{0,60}}{_UNSEEN}.{{0,30}})|(?i:{_SEE}).{{0,40}}|(?i:ref\.|refs\.|references?"
    rf")\s\d.{{0,40}}"
    rf"|(?i:see)\s.{{0,60}})"
)
_ROUND = regex(r"\s?\(([^()]{1,400}(?:\([^()]{1,30}\)[^()]{0,200}){0,4})\)")
_NUMBER = r"\[\s?\d{1,4}(?:(?:\s?[,;–—-]\s?|,?\sand\s)\d{1,4})*\s?\]"
_SQUARE = regex(
    rf"(?:\s|(?<=[a-z]{{3}})|(?<=[.,;:)\]”\"])){_NUMBER}(?:(?:\s?[,;–—-]\s?|,?\sand\s|\s?"
    rf"){_NUMBER})*"
)
_NAMES_IN_SQUARE = regex(rf"\s?\[(?:{_LEAD})?[^\[\]()]{{0,200}}{_YEAR}[^\[\]()]{{0,60}}\]")
# After these words a citation is part of the sentence: `as (Newt, 1998) shows`.
_NEEDED = regex(
    r"(?:\A|,|\b(?:of|by|in|to|from|with|than|and|as|for|see|unlike|like|following|using|after"
    r"|that|while|but|both))\s*\Z",
    re.IGNORECASE,
)
# Reference numbers in round brackets, in papers only: elsewhere they may be an interval.
_LIST = regex(r"\d{1,3}(?:(?:,\s?|[–-])\d{1,3})*")
_INTERVAL = regex(r"(?:CI|interval|range|IQR|median|mean|age|n|%|\d)[\s=:,]*\Z", re.IGNORECASE)
# Searching is fast if a pattern begins with a character set, so preceding text is checked after the
# first character.
_GLUED = regex(r"\d(?:(?<=[a-z]{3}[.,;].)|(?<=\)[.,;].))\d{0,2}(?:[,–-]\s?\d{1,3}){0,30}(?=\s|\Z)")
_RAISED = regex(r"[⁰¹²³⁴⁵⁶⁷⁸⁹](?:(?<=[a-z]{4}.)|(?<=[.,;)].))[⁰¹²³⁴⁵⁶⁷⁸⁹,⁻–-]{0,40}")
_AS_SHOWN = regex(
    r"(?:,\s|\s|\A)(?:as\s)(?:shown|seen|illustrated|depicted|described|summari[sz]ed|indicated"
    r")\s(?:in|by)\s"
    rf"(?i:{_PLACE})\.?\s?S?\d+[A-Za-z]?(?:(?:,\s|\sand\s|[–-])(?:S?\d+[A-Za-z]?|[A-Z])\b)*,?"
)
_NOT_SHOWN = regex(r"[,;]?\s(?i:data\snot\sshown|unpublished\s(?:data|results|observations))\b")
_UNSHOWN = regex(r"n(?:ot\sshown|published)\b", re.IGNORECASE)
_SPACE_BEFORE = regex(r"\s(?=[,;:.!?)\]])")
_TWICE = regex(r"([,;:])(?:\s?[,;:])+|[,;:]\s?(?=[.!?](?:\s|\Z))")


def without_pointers(text: str, *, paper: bool = False) -> str:
    """Return a sentence without labels, citations, and pointers to figures, tables and unpublished
    data.

    In a `paper`, bare numbers in round brackets are also citations. A sentence of pointers only
    stays as it is.

    >>> pointers = "[8], [9] (Toad 1998; Fig. 2)"
    >>> without_pointers(f"RESULTS: Newts sing {pointers}, as toads (on land; data not shown).")
    'Newts sing, as toads (on land).'
    """
    # Collapse white space first, so that no pattern below meets a run of it.
    text = " ".join(text.split())
    bare = without_label(text)
    for pattern in (_NAMES_IN_SQUARE, _SQUARE) if "[" in bare else ():
        bare = pattern.sub(lambda match: match[0] if _is_needed(match) else "", bare)
    if "(" in bare:
        bare = _ROUND.sub(lambda match: _kept(match, paper=paper), bare)
    bare = _GLUED.sub("", bare if bare.isascii() else _RAISED.sub("", bare))
    # Few sentences have these words; to look for them is faster than to try the pattern.
    bare = _AS_SHOWN.sub("", bare) if " as " in f" {bare}" else bare
    bare = _NOT_SHOWN.sub("", bare) if _UNSHOWN.search(bare) else bare
    if bare == text:
        return text
    bare = _TWICE.sub(r"\1", _SPACE_BEFORE.sub("", " ".join(bare.split()))).strip(" ,;")
    if not any(c.isalpha() for c in bare):
        return text
    return bare if text[:1].islower() else bare[:1].upper() + bare[1:]


def _is_needed(match: re.Match[str]) -> bool:
    """Return whether the sentence would be incomplete without a citation."""
    return _NEEDED.search(match.string, max(0, match.start() - 20), match.start()) is not None


def _kept(match: re.Match[str], *, paper: bool) -> str:
    """Return the part of a bracket that is kept."""
    if (
        paper
        and _LIST.fullmatch(match[1].strip())
        and not _INTERVAL.search(match.string, max(0, match.start() - 20), match.start())
    ):
        return ""
    parts = [part.strip() for part in match[1].split(";")]
    kept = [part for part in parts if not _POINTER.fullmatch(part)]
    if len(kept) == len(parts):
        return match[0]
    if not kept and _is_needed(match):
        return match[0]
    space = match[0][: match[0].index("(")]
    return f"{space}({'; '.join(kept)})" if kept else ""
