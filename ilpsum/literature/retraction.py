"""The one place that tells whether an article is retracted, a notice, or under concern: by its
title and abstract, its types and keywords, its notes, and the notices linked to it.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from features.patterns import regex
from ilpsum.literature.raw import Raw

_NO_LETTER = re.compile("[^a-z]")
_YES = frozenset(("true", "yes", "y", "1", "1.0", "retracted"))
# Types, keywords and lines of notes of retracted articles, and of notices, reduced to letters.
_RETRACTED_TYPES = frozenset(
    "retractedpublication retracted retractedarticle retractedpaper retractedchapter withdrawn "
    "withdrawnarticle withdrawnpublication".split()
)
_NOTICE_TYPES = frozenset(
    "retraction retractionofpublication retractionnotice retractionnote retractionstatement "
    "noticeofretraction statementofretraction withdrawalnotice partialretraction".split()
)
_CONCERN_TYPES = frozenset(("expressionofconcern", "editorialexpressionofconcern"))
# Kinds of links between an article and a notice, reduced to letters: PubMed's, MEDLINE's tags,
# those of JATS, and Crossref's. A link to the article that one replaces says nothing of the one.
_RETRACTED_LINKS = frozenset(
    "retractionin retractedin partialretractionin retractedandrepublishedin rin prin rri "
    "retractionforward partialretractionforward retraction partialretraction withdrawal removal "
    "retractionnotice".split()
)
_NOTICE_LINKS = frozenset(
    "retractionof partialretractionof retractedof rof prof retraction partialretraction "
    "withdrawal removal".split()
)
_CONCERN_LINKS = frozenset(
    "expressionofconcernin expressionofconcern concernforward eci concern "
    "expressionofconcernforward editorialexpressionofconcern".split()
)
# How publishers and databases mark titles of retracted articles: before the title, in brackets or
# before a stop; after it, in brackets or after a dash. `Retracted tendons` is a title.
_NOUN = r"(?:article|paper|publication|manuscript|chapter)"
_MARK = rf"(?:retracted|withdrawn)(?: {_NOUN})?"
_RETRACTED_TITLE = regex(
    rf"\W{{0,3}}{_MARK}\s?[\])】}}>»*]|\W{{0,3}}{_MARK}(?:\s?[:：.]|\s?[—–|]|\s-)"
    rf"|\W{{0,3}}(?:retracted|withdrawn|removed) {_NOUN}\b"
    rf"|\W{{0,3}}(?:this )?{_NOUN} (?:(?:has|was) (?:been )?)?(?:retracted|withdrawn|removed)\b"
    rf"|\W{{0,3}}(?:temporary |article )removal\s?[:\])—–-]"
    rf"|\W{{0,3}}(?-i:REMOVED)\s?[:\])—–.-]|\W{{0,3}}removed\s?[:\]]"
    rf"|\W{{0,3}}retracted and (?:replaced|republished)\s?[:\])]"
    rf"|\W{{0,3}}(?-i:(?:RETRACTED|WITHDRAWN|REMOVED)\s(?=.*[a-z]))",
    re.IGNORECASE,
)
_RETRACTED_END = regex(
    rf"[\[【]\s?(?:{_MARK}|retraction in)\b[^\]】]{{0,200}}[\]】]?\W{{0,3}}\Z"
    rf"|\((?:(?-i:RETRACTED|Retracted|WITHDRAWN|Withdrawn)|(?:retracted|withdrawn) {_NOUN})\b"
    rf"[^()]{{0,200}}\)?\W{{0,3}}\Z"
    rf"|(?-i:[a-z]\W{{0,2}}\s(?:RETRACTED|WITHDRAWN))\W{{0,3}}\Z"
    rf"|(?:\s[—–|-]|:)\s?(?-i:RETRACTED|Retracted|WITHDRAWN|Withdrawn)"
    rf"(?: {_NOUN})?\W{{0,3}}\Z",
    re.IGNORECASE,
)
# A title is marked within so many characters of its end.
_MARKED = 300
_NOTICE_TITLE = regex(
    r"\W{0,2}(?:editorial |author |partial )?retraction"
    r"(?:(?: to| of| for)?\s?:| (?:notice|note|statement)\b)"
    r"|\W{0,2}(?:withdrawal|removal)(?: (?:notice|note|statement)\b|\s?:)"
    r"|\W{0,2}(?:statement|notice|note) of (?:retraction|withdrawal|removal)"
    r"(?:\s?[:.—–]|\s(?:of|to|and)\b|\Z)",
    re.IGNORECASE,
)
_NOTICE_END = regex(r"\((?-i:Retraction|RETRACTION) of\b[^()]{0,200}\)?\W{0,3}\Z", re.IGNORECASE)
_CONCERN_TITLE = regex(r"\W{0,2}(?:editorial )?expressions? of (?:editorial )?concern\b", re.I)
_RETRACTED_TEXT = regex(
    rf"\W{{0,3}}(?:this {_NOUN}|the above {_NOUN}) (?:has been|was|is) "
    r"(?:retracted|withdrawn|removed)\b|\W{0,3}(?-i:RETRACTED|WITHDRAWN)\b",
    re.IGNORECASE,
)
_WORDS = ("retract", "withdraw", "remov")


class Status(NamedTuple):
    """Whether an article is retracted, a retraction notice, or under an expression of concern."""

    retracted: bool
    retracts: bool
    concern: bool


@lru_cache(4096)
def letters(text: str) -> str:
    """Reduce a type to the letters of its American spelling."""
    return _NO_LETTER.sub("", text.lower().replace("ised", "ized"))


def status(raw: Raw, title: str, types: Iterable[str], notes: Iterable[str]) -> Status:
    """Return the status of an article, given its title as text, its types reduced to letters, and
    the lines of its notes.
    """
    words = [*types, *(letters(heading) for heading in raw.mesh if "etracted" in heading)]
    links, about = list(map(letters, raw.links)), list(map(letters, raw.about))
    # A line of a note may name a notice: `Retraction in: J Newts. 2016`.
    heads = [letters(line.partition(":")[0]) for line in notes]
    links += [head for head in heads if head.endswith("in")]
    says_so = any(value.strip().lower() in _YES for value in raw.status)
    retracted = raw.retracted or says_so
    retracted |= not (_RETRACTED_TYPES.isdisjoint(words) and _RETRACTED_LINKS.isdisjoint(links))
    notice = not (_NOTICE_TYPES.isdisjoint(words) and _NOTICE_LINKS.isdisjoint(about))
    concern = raw.concern or not (
        _CONCERN_TYPES.isdisjoint(words) and _CONCERN_LINKS.isdisjoint(links)
    )
    lowered = title.lower()
    if any(word in lowered for word in _WORDS):
        end = title[-_MARKED:]
        by_notice = _NOTICE_TITLE.match(title) or _NOTICE_END.search(end)
        by_title = not by_notice and (_RETRACTED_TITLE.match(title) or _RETRACTED_END.search(end))
        notice |= by_notice is not None and not retracted
        retracted |= bool(by_title)
    texts = [*notes, *(text for _, text, *_ in raw.abstract[:1])]
    retracted |= any(map(_RETRACTED_TEXT.match, texts))
    concern |= "concern" in lowered and _CONCERN_TITLE.match(title) is not None
    return Status(retracted and not notice, notice, concern)
