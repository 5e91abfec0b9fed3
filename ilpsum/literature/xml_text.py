"""The text of an XML element of JATS, TEI or PubMed."""

import re
from xml.etree.ElementTree import Element

from ilpsum.literature.markup import PARAGRAPH, is_power

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_LEFT_OUT = frozenset(
    "fig fig-group table-wrap table disp-formula formula figure note fn ref-list media "
    "supplementary-material listBibl object-id tex-math annotation annotation-xml label "
    "graphic inline-graphic".split()
)
# What ends a paragraph: blocks, and GROBID's sentences.
_BLOCKS = frozenset(
    "p list list-item item def-list def-item disp-quote preformat title head s sec div "
    "table-wrap fig disp-formula boxed-text verse-group verse-line speech".split()
)
_APART = frozenset("break term def td th".split())
_CITES = ("bibr", "fn")
_NUMBERS = re.compile(r"[\d,;\s–*†‡§¶‖#-]{1,60}")


def text_of(element: Element | None) -> str:
    """Return the text of an element without figures, formulas and numbers that cite; each
    paragraph is on one line, and `PARAGRAPH` ends it.
    """
    if element is None:
        return ""
    paragraphs = "".join(_pieces(element, [""])).split(PARAGRAPH)
    return PARAGRAPH.join(filter(None, (" ".join(part.split()) for part in paragraphs)))


def language_of(element: Element) -> str:
    """Return the code of an element's language; empty if it is not stated."""
    return str(element.get(_LANGUAGE) or "")


def is_english(language: str) -> bool:
    """Return whether a code of a language is one of English."""
    return language.lower().startswith("en")


def at(element: Element, path: str) -> Element | None:
    """Return the first child at a path of tags, where no tag but the last has siblings of its name.

    `Element.find` walks a path in Python, and a tag alone several times as fast.
    """
    child: Element | None = element
    for tag in path.split("/"):
        if child is None:
            return None
        child = child.find(tag)
    return child


def texts_at(element: Element, path: str) -> list[str]:
    """Return the texts of all children at a path, as `at` walks it; none if they are empty."""
    parent_path, _, tag = path.rpartition("/")
    parent = at(element, parent_path) if parent_path else element
    return [] if parent is None else [child.text for child in parent.findall(tag) if child.text]


def date_of(element: Element, *tags: str) -> str:
    """Return the texts of an element's year, month and day, which have these tags."""
    return " ".join(element.findtext(tag) or "" for tag in tags).strip()


def _pieces(element: Element, done: list[str]) -> list[str]:
    """Append the text of an element to `done` and return it."""
    done.append(element.text or "")
    name = element.tag.rpartition("}")[2]
    for place, child in enumerate(element):
        tag = child.tag.rpartition("}")[2]
        apart = PARAGRAPH if tag in _BLOCKS else " " if tag in _APART else ""
        if tag in _LEFT_OUT or _is_number_that_cites(child, done):
            # A sentence may go on below a table.
            done.append(" " if apart else "")
        else:
            raised = tag == "sup" or (name == "msup" and place == 1)
            if raised and is_power("".join(done[-4:]), "".join(child.itertext())):
                done.append("^")
            done.append("/" if name == "mfrac" and place == 1 else apart)
            _pieces(child, done)
            done.append(apart)
        done.append(child.tail or "")
    return done


def _is_number_that_cites(element: Element, done: list[str]) -> bool:
    """Return whether an element is a citation number without brackets, which would run into the
    preceding word.
    """
    if element.tag == "sup":
        return any(xref.get("ref-type") in _CITES for xref in element.iter("xref"))
    kind = element.get("ref-type") or element.get("type")
    if element.tag not in ("xref", "ref") or kind not in _CITES:
        return False
    before, number = "".join(done[-4:]).rstrip(), "".join(element.itertext())
    in_brackets = before.endswith(("[", "(", ",", "–", "-", ";"))
    return _NUMBERS.fullmatch(number) is not None and not in_brackets
