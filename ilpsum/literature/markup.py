"""The letters of a field: markup and entities that publishers leave in their data become text."""

import re

from features.folding import visible
from features.patterns import regex
from ilpsum.files.json_text import well_formed
from ilpsum.files.xml import unescaped_entity
from ilpsum.literature.letters import repaired

PARAGRAPH = "\u2029"
"""Ends a paragraph within a field."""

_MORE = r"(?:\s{1,9}[\w:-]{1,30}\s?=[^<>]{0,300})?\s?"
_PREFIX = r"(?:[a-z]\w{0,9}:)?"
_ENTITY = regex(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,30}\d{0,2});", re.IGNORECASE)
_HEADING = regex(
    rf"<{_PREFIX}(?:title|h[1-6]){_MORE}>([^<>]{{0,200}})</{_PREFIX}(?:title|h[1-6])>",
    re.I,
)
# A name of HTML, JATS or MathML; anything else in angle brackets is text.
_BLOCK = (
    "p br hr div sec section article blockquote pre title h1 h2 h3 h4 h5 h6 ul ol dl li dt dd list "
    "list-item def-list def-item table thead tbody tr caption abstract abstracttext"
)
_INLINE = (
    "i b u em strong italic bold underline sc sub sup inf span a font small big tt code kbd s "
    "strike del ins q cite abbr mark label monospace roman sans-serif overline styled-content "
    "named-content ext-link xref uri email inline-formula alternatives td th term def break img "
    "math semantics mrow mi mn mo mtext mstyle mspace msub msup msubsup mfrac msqrt mover munder "
    "mfenced mtable mtr mtd mpadded mphantom none"
)
_NAME = "|".join((_BLOCK + " " + _INLINE).split())
_TAG = regex(
    rf"</?(?:{_PREFIX}(?P<name>{_NAME})|(?:jats|mml):[a-z-]{{1,30}}){_MORE}/?>",
    re.IGNORECASE,
)
_POWER = regex(rf"(?<=\d)\s?<{_PREFIX}sup{_MORE}>\s{{0,9}}(?=[-−–+]?\d)", re.I)
# Mathematics: a power is marked, the parts of a fraction are kept apart, and of two forms of a
# formula the one for readers stays.
_LEAF = rf"<{_PREFIX}m[nio]{_MORE}>[^<>]{{0,99}}</{_PREFIX}m[nio]>"
_ARGUMENT = (
    rf"(?:<{_PREFIX}mrow{_MORE}>(?:\s{{0,9}}{_LEAF}){{1,9}}\s{{0,9}}</{_PREFIX}mrow>|{_LEAF})"
)
_FRACTION = regex(rf"(<{_PREFIX}mfrac{_MORE}>\s{{0,9}}{_ARGUMENT})\s{{0,9}}(?=<)", re.I)
_RAISED = regex(rf"(<{_PREFIX}msup{_MORE}>\s{{0,9}}{_ARGUMENT})\s{{0,9}}(?=<)", re.I)
_TWIN = regex(
    rf"<{_PREFIX}(?:tex-math|annotation|annotation-xml){_MORE}>[^<>]{{0,9999}}"
    rf"</{_PREFIX}(?:tex-math|annotation|annotation-xml)>",
    re.I,
)
_TEX_BEGIN, _TEX_END = "\\documentclass", "\\end{document}"


def without_markup(text: str) -> str:
    """Return a field without invisible characters, markup and entities; blocks become paragraphs.

    >>> water = "3 &#181;M H&lt;sub&gt;2&lt;/sub&gt;O"
    >>> text = "CD4<sup>+</sup> cells, 10<sup>9</sup>/L, in <i>Danio rerio</i> at p<b of "
    >>> without_markup(text + water)
    'CD4+ cells, 10^9/L, in Danio rerio at p<b of 3 µM H2O'
    """
    return _without_tags(unescaped(text))


def pieces(text: str) -> list[str]:
    """Return a field as text before its first heading, then heading and text in turn.

    >>> pieces("Newts.<h4>Results</h4>They sang.")
    ['Newts.', 'Results', 'They sang.']
    """
    text = unescaped(text)
    return [_without_tags(part) for part in (_HEADING.split(text) if "<" in text else (text,))]


def one_line(text: str) -> str:
    """Return a field as one line of text."""
    return " ".join(without_markup(text).split()) if text else ""


def unescaped(text: str) -> str:
    """Return a text with spoiled letters repaired, and entities as letters, also those that were
    escaped twice.
    """
    for _ in range(2 if "&" in text else 0):
        text = _ENTITY.sub(lambda entity: unescaped_entity(entity[0]), text)
    text = repaired(text)
    return text if text.isascii() else visible(well_formed(text))


def is_power(before: str, raised: str) -> bool:
    """Return whether raised text is an exponent of the number before it and needs a caret:
    `10^9`.
    """
    return before[-1:].isdigit() and re.match(r"\s*[-−–+]?\d", raised) is not None


def _without_tags(text: str) -> str:
    if _TEX_BEGIN in text:
        text = _without_tex(text)
    if "<" not in text:
        return text
    text = _TWIN.sub("", text)
    text = _RAISED.sub(r"\1^", _FRACTION.sub(r"\1/", _POWER.sub("^", text)))
    return _TAG.sub(lambda tag: _separator(tag["name"]), text)


def _separator(name: str | None) -> str:
    """Return what a tag leaves: nothing within a line, a space between cells, or a paragraph's
    end.
    """
    if name is None or name.lower() in _CELLS:
        return " "
    return PARAGRAPH if name.lower() in _BLOCKS else ""


_BLOCKS = frozenset(_BLOCK.split())
_CELLS = frozenset("td th term def break".split())


def _without_tex(text: str) -> str:
    """Return a text without complete TeX documents, which repeat a formula."""
    first, *documents = text.split(_TEX_BEGIN)
    return first + "".join(document.partition(_TEX_END)[2] for document in documents)
