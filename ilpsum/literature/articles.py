"""Read full-text articles in XML: JATS, as PMC and publishers distribute it, and TEI, as GROBID
extracts it from PDF.

An article consists of its title and the paragraphs of abstract and body, each with the heading
above it. Figures, tables, display formulas, notes, back matter and superscript citation numbers are
left out.
"""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from msgspec import structs

from ilpsum.errors import InputError
from ilpsum.files.start import Start
from ilpsum.files.xml import read_elements
from ilpsum.literature.markup import PARAGRAPH
from ilpsum.literature.people import author
from ilpsum.literature.raw import Parsed, Problem, Raw, raw_of
from ilpsum.literature.tables import JATS, TEI
from ilpsum.literature.xml_text import date_of, is_english, language_of, text_of
from ilpsum.papers.headings import section_kind
from ilpsum.records import Author

_LOOK = re.compile(r"<(?:(?:[\w.-]+:)?article|pmc-articleset|TEI|teiCorpus)[\s>]")
# Characters before which the root begins.
_BEGIN = 4096
# JATS `sec-type` values, used where the heading is not informative.
_TYPES = {
    "intro": "introduction",
    "materials": "methods",
    "subjects": "methods",
    "cases": "results",
}
# Elements with a date, the most telling first.
_DATES = ("pub-date", "pub-date-not-available", "history/date", "permissions")
_SOURCE = "fileDesc/sourceDesc/biblStruct"
_IMPRINT = f"{_SOURCE}/monogr/imprint"

_PROSE = ("p", "list", "disp-quote", "def-list", "preformat", "s", "verse-group", "speech")
_Part = tuple[str, str, str]  # section kind, heading and text of a paragraph


def is_article(start: Start) -> bool:
    """Return whether a file starts like JATS or TEI."""
    begin = start.text[:_BEGIN]
    is_page = "<html" in begin.lower()
    return begin.startswith("<") and _LOOK.search(begin) is not None and not is_page


def read(start: Start) -> Iterator[Parsed]:
    """Yield the articles of a file, in file order; an article without text is a problem."""
    count = 0
    for line, root, problem in read_elements(start.path, "article", "TEI"):
        count += 1
        if problem:
            yield Problem(problem, line, is_lost=root is None)
        if root is None:
            continue
        raw = _tei(root) if root.tag == "TEI" else _jats(root)
        if raw.title or raw.abstract or raw.body:
            yield raw
        else:
            yield Problem(f"article {count} has no text", line, is_lost=True)
    if not count:
        message = "no article; expected JATS (<article>) or TEI (<TEI>)"
        raise InputError(message, start.path)


def _jats(root: Element) -> Raw:
    """Return the record of a JATS article; empty without metadata."""
    meta = root.find("front/article-meta")
    if meta is None:
        return Raw()
    pages = filter(None, (text_of(meta.find("fpage")), text_of(meta.find("lpage"))))
    people = [_jats_author(contrib) for contrib in meta.iterfind("contrib-group/contrib")]
    related = [str(link.get("related-article-type")) for link in meta.iterfind("related-article")]
    raw = raw_of(JATS, lambda path: list(map(text_of, meta.iterfind(path))))
    text = _translation(root)
    stub = text.find("front-stub")
    front = meta if stub is None else stub
    abstract = _abstract(front, language_of(text))
    titles = _titles(front, abstract)
    return structs.replace(
        raw,
        labelled=False,
        title=_first_text(titles, "article-title", "trans-title"),
        subtitle=_first_text(titles, "subtitle", "trans-subtitle"),
        date=_date(meta),
        pages="-".join(pages) or text_of(meta.find("elocation-id")),
        abstract=_parts(abstract),
        body=list(_sections(text.find("body"), "other", "")),
        authors=tuple(people),
        types=[str(root.get("article-type")), *raw.types],
        journal=text_of(root.find("front/journal-meta//journal-title")),
        language=language_of(text),
        links=related,
    )


def _translation(root: Element) -> Element:
    """Return the translation into English of an article in another language, else the article."""
    if not language_of(root) or is_english(language_of(root)):
        return root
    parts = root.iterfind("sub-article")
    translations = (part for part in parts if part.get("article-type") == "translation")
    return next((part for part in translations if is_english(language_of(part))), root)


def _titles(front: Element, abstract: Element | None) -> Element:
    """Return the group of the title: of the translated one if the abstract is."""
    if abstract is not None and abstract.tag == "trans-abstract":
        for translated in front.iterfind("title-group/trans-title-group"):
            if language_of(translated) == language_of(abstract):
                return translated
    group = front.find("title-group")
    return Element("title-group") if group is None else group


def _first_text(element: Element, *tags: str) -> str:
    return next(filter(None, (text_of(element.find(tag)) for tag in tags)), "")


def _date(meta: Element) -> str:
    """Return the earliest date of publication, in any of the elements that have one."""
    dates = list[str]()
    for path in _DATES:
        for date in meta.iterfind(path):
            text = date_of(date, "year", "month", "day") or date.get("iso-8601-date") or ""
            text = text or text_of(date.find("string-date")) or text_of(date.find("copyright-year"))
            dates += [text] if re.search(r"\d{4}", text) else []
        if dates:
            break
    return min(dates, key=lambda text: re.findall(r"\d{4}", text)[0], default="")


def _abstract(front: Element, language: str) -> Element | None:
    """Return the abstract: the article's own or one of a type, in English if there is one."""
    abstracts = [*front.iterfind("abstract"), *front.iterfind("trans-abstract")]

    def rank(abstract: Element) -> tuple[bool, bool]:
        usual = (language or "en") if abstract.tag == "abstract" else ""
        in_english = is_english(language_of(abstract) or usual)
        return not in_english, bool(abstract.get("abstract-type"))

    return min(filter(text_of, abstracts), key=rank, default=None)


def _jats_author(contrib: Element) -> Author:
    """Return an author; of alternatives, the name in English or the first."""
    if contrib.get("contrib-type") not in (None, "author"):
        return Author("")
    names = [*contrib.iterfind(".//name"), *contrib.iterfind(".//string-name")]
    names.sort(key=lambda name: not is_english(language_of(name) or "en"))
    for name in names:
        if family := name.findtext("surname"):
            return Author(family, name.findtext("given-names") or "")
        if text := text_of(name):
            return author(text)
    collaboration = contrib.find(".//collab")
    if collaboration is None:
        return Author("")
    named = collaboration.find(".//institution")
    group = named if named is not None else collaboration
    return Author((text_of(group) or group.text or "").partition(PARAGRAPH)[0])


def _tei(root: Element) -> Raw:
    header = root.find("teiHeader")
    if header is None:
        return Raw()
    pages = header.find(f"{_IMPRINT}/biblScope[@unit='page']")
    ends = [] if pages is None else [pages.get("from"), pages.get("to")]
    date = header.find(f"{_IMPRINT}/date")
    numbers = header.iterfind(f"{_SOURCE}//idno")
    names = header.iterfind(f"{_SOURCE}/analytic/author/persName")
    raw = raw_of(TEI, lambda path: [text_of(header.find(path))])
    return structs.replace(
        raw,
        labelled=False,
        named=[f"{number.get('type')}: {text_of(number)}" for number in numbers],
        date="" if date is None else str(date.get("when") or text_of(date)),
        pages="-".join(filter(None, ends)) or text_of(pages),
        abstract=_parts(header.find("profileDesc/abstract")),
        body=list(_sections(root.find("text/body"), "other", "")),
        authors=tuple(map(_tei_author, names)),
    )


def _tei_author(name: Element) -> Author:
    forenames = " ".join(map(text_of, name.iterfind("forename")))
    return Author(text_of(name.find("surname")), forenames)


def _parts(abstract: Element | None) -> list[tuple[str, str]]:
    """Return the parts of an abstract as (label, text)."""
    return [(label, text) for _, label, text in _sections(abstract, "abstract", "")]


def _sections(element: Element | None, kind: str, heading: str) -> Iterator[_Part]:
    """Yield the paragraphs of a section and its subsections, which may change the kind, except in
    an abstract.
    """
    for child in () if element is None else element:
        if child.tag in ("sec", "div", "boxed-text"):
            title = text_of(child.find("title" if child.tag != "div" else "head"))
            inner = kind
            if kind != "abstract":
                sort = str(child.get("sec-type") or "").partition("|")[0]
                inner = section_kind(title) or section_kind(_TYPES.get(sort, sort)) or kind
            yield from _sections(child, inner, title or heading)
        elif child.tag in _PROSE and (text := text_of(child)):
            yield kind, heading, text
