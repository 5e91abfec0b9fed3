"""Recognise and remove citations and pointers to another place (`Fig. 2`, `data not shown`).

Bracketed text is judged in parts separated by semicolons: `(a toad; Newt et al., 1998; Fig. 2)` keeps `(a toad)`.
"""

import re

from ilpsum.formats.papers.labels import without_label

_YEAR = r"(?:1[89]|20)\d\d[a-z]?"
_NAME = r"(?!January|February|March|April|May|June|July|August|September|October|November|December)[A-Z][\w'’-]+"
# Newt, 1998; Newt and Toad 1998a, 2001; Newt et al. (1998).
_CITATION = (
    rf"{_NAME}(?:,?\s(?:and|&)\s{_NAME}|,\s{_NAME},?\s(?:and|&)\s{_NAME})?(?:,?\set\sal\.?)?,?\s\(?{_YEAR}\)?"
    rf"(?:,\s{_YEAR})*"
)
_LEAD = (
    r"(?:see(?:\s(?:also|e\.g\.))?|e\.g\.,?|i\.e\.,?|cf\.?|for\s(?:an?\s)?(?:recent\s)?(?:reviews?|examples?),?(?:\ssee)?"
    r"|(?:recently\s)?reviewed\s(?:in|by)|(?:as\s)?(?:shown|seen|described|reported|summari[sz]ed|listed|discussed)\s(?:in|by)"
    r"|refs?\.?|references?|compare|and|also|such\sas)\s"
)
_PLACE = (
    r"(?:(?:supp(?:l(?:ement(?:ary|al))?)?\.?|additional|extended\sdata|on-?line|supporting)\s)?"
    r"(?:fig(?:ure)?s?|tables?|tabs?|eqs?|equations?|sections?|sect|appendix|box|movies?|videos?|datasets?|files?|data"
    r"|methods?|materials?|information|experimental\sprocedures|text|schemes?|chapters?|algorithms?|refs?|§)"
)
_UNSEEN = (
    r"(?:(?:unpublished|data|results?|observations?|manuscript|our)\s){0,3}(?:not\sshown|unpublished(?:\s\w+)?"
    r"|in\s(?:preparation|press)|submitted|personal\scommunication)"
)
_SEE = r"see\s(?:above|below|text|legends?|later|there(?:in)?)"
_POINTER = re.compile(
    rf"(?:{_LEAD}){{0,2}}(?:{_CITATION}(?:(?:,\s|,?\sand\s|;\s){_CITATION})*(?:,?\sand\sreferences\stherein)?"
    rf"|(?i:{_PLACE})\.?\s?S?\d.{{0,80}}|(?i:{_PLACE}s?\sonline)|(?i:supp\w*\s{_PLACE})\b.{{0,40}}"
    rf"|(?i:.{{0,60}}{_UNSEEN}.{{0,30}})|(?i:{_SEE}).{{0,40}}|(?i:ref\.|refs\.|references?)\s\d.{{0,40}}"
    rf"|(?i:see)\s.{{0,60}})"
)
_ROUND = re.compile(r"\s?\(([^()]{1,400}(?:\([^()]{1,30}\)[^()]{0,200}){0,4})\)")
_NUMBER = r"\[\s?\d{1,4}(?:(?:\s?[,;–—-]\s?|,?\sand\s)\d{1,4})*\s?\]"
_SQUARE = re.compile(rf"(?:\s|(?<=[a-z]{{3}})|(?<=[.,;:)\]”\"])){_NUMBER}(?:(?:\s?[,;–—-]\s?|,?\sand\s|\s?){_NUMBER})*")
_NAMES_IN_SQUARE = re.compile(rf"\s?\[(?:{_LEAD})?[^\[\]()]{{0,200}}{_YEAR}[^\[\]()]{{0,60}}\]")
# After these words a citation is part of the sentence: `as (Newt, 1998) shows`.
_NEEDED = re.compile(
    r"(?:\A|,|\b(?:of|by|in|to|from|with|than|and|as|for|see|unlike|like|following|using|after|that|while|but|both))\s*\Z",
    re.IGNORECASE,
)
# Reference numbers in round brackets, in papers only: elsewhere they may be an interval.
_LIST = re.compile(r"\d{1,3}(?:(?:,\s?|[–-])\d{1,3})*")
_INTERVAL = re.compile(r"(?:CI|interval|range|IQR|median|mean|age|n|%|\d)[\s=:,]*\Z", re.IGNORECASE)
# Searching is fast if a pattern begins with a character set, so preceding text is checked after the first character.
_GLUED = re.compile(r"\d(?:(?<=[a-z]{3}[.,;].)|(?<=\)[.,;].))\d{0,2}(?:[,–-]\s?\d{1,3}){0,30}(?=\s|\Z)")
_RAISED = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹](?:(?<=[a-z]{4}.)|(?<=[.,;)].))[⁰¹²³⁴⁵⁶⁷⁸⁹,⁻–-]{0,40}")
_AS_SHOWN = re.compile(
    rf"(?:,\s|\s|\A)(?:as\s)(?:shown|seen|illustrated|depicted|described|summari[sz]ed|indicated)\s(?:in|by)\s"
    rf"(?i:{_PLACE})\.?\s?S?\d+[A-Za-z]?(?:(?:,\s|\sand\s|[–-])(?:S?\d+[A-Za-z]?|[A-Z])\b)*,?"
)
_NOT_SHOWN = re.compile(r"[,;]?\s(?i:data\snot\sshown|unpublished\s(?:data|results|observations))\b")
_SPACE_BEFORE = re.compile(r"\s(?=[,;:.!?)\]])")
_TWICE = re.compile(r"([,;:])(?:\s?[,;:])+|[,;:]\s?(?=[.!?](?:\s|\Z))")
# Signs of a pointer in a text after pointers in brackets were removed.
_LEFT = re.compile(
    r"\b(?:fig(?:ure)?s?|tables?|eqs?|equations?|sections?|appendix)\.?\s?S?\d|(?<![A-Z])\[\d{1,4}(?:\]|[,–-])|\bet\sal\b|\bdata\snot\sshown\b|\b(?:see|shown|described)\s(?:above|below)\b"
    r"|\bfull\stext\b|\bsupplement(?:ary|al)\s(?:data|fig|tab|mat)",
    re.IGNORECASE,
)  # fmt: skip


def without_pointers(text: str, *, paper: bool = False) -> str:
    """Return a sentence without labels, citations, and pointers to figures, tables and unpublished data.

    In a `paper`, bare numbers in round brackets are citations, too. A sentence of pointers only is unchanged.

    >>> without_pointers("RESULTS: Newts sing [8], [9] (Toad 1998; Fig. 2), as toads (on land; data not shown).")
    'Newts sing, as toads (on land).'
    """
    # Collapse white space first, so that no pattern below meets a run of it.
    text = " ".join(text.split())
    found = without_label(text)
    for pattern in (_NAMES_IN_SQUARE, _SQUARE) if "[" in found else ():
        found = pattern.sub(lambda match: match[0] if _is_needed(match) else "", found)
    found = _ROUND.sub(lambda match: _kept(match, paper=paper), found)
    for pattern in (_RAISED, _GLUED, _AS_SHOWN, _NOT_SHOWN):
        found = pattern.sub("", found)
    if found == text:
        return text
    found = _TWICE.sub(r"\1", _SPACE_BEFORE.sub("", " ".join(found.split()))).strip(" ,;")
    if not any(c.isalpha() for c in found):
        return text
    return found if text[:1].islower() else found[:1].upper() + found[1:]


def points_away(text: str) -> bool:
    """Return whether a sentence contains a citation or a pointer.

    >>> [points_away(text) for text in ("Newts sing [3].", "Figure 2 shows newts.", "Newts sing (as toads).")]
    [True, True, False]
    """
    read, whole = without_pointers(text), " ".join(without_label(text).split())
    return _LEFT.search(text) is not None or read.casefold() != whole.casefold()


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
