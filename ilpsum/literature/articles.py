"""Read full-text articles in XML: JATS, as PMC and publishers distribute it, and TEI, as GROBID
extracts it from PDF.

An article consists of its title and the paragraphs of abstract and body, each with the heading
above it. Figures, tables, display formulas, notes, back matter and superscript citation numbers are
left out.
"""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from ilpsum.errors import InputError
from ilpsum.files.reading import elements
from ilpsum.files.start import Start
from ilpsum.literature.gate import admitted
from ilpsum.literature.raw import Raw, keys, raw_of
from ilpsum.literature.xml_text import date_of, text_of
from ilpsum.papers.headings import section_kind
from ilpsum.records import Author, Document

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_TEI = "{http://www.tei-c.org/ns/1.0}"
_LOOK = re.compile(r"<(?:(?:\w+:)?article|pmc-articleset|TEI|teiCorpus)[\s>]")
# Characters before which the root begins.
_BEGIN = 4096
# JATS `sec-type` values, used where the heading is not informative.
_TYPES = {
    "intro": "introduction",
    "materials": "methods",
    "subjects": "methods",
    "cases": "results",
}

_JATS = keys(
    "title: title-group/article-title; volume: volume; issue: issue; "
    "doi: article-id[@pub-id-type='doi']; pmid: article-id[@pub-id-type='pmid']; "
    "pmcid: article-id[@pub-id-type='pmc'] article-id[@pub-id-type='pmcid']"
)
_SOURCE = "fileDesc/sourceDesc/biblStruct"
_IMPRINT = f"{_SOURCE}/monogr/imprint"
_TEI_KEYS = keys(
    f"title: fileDesc/titleStmt/title; journal: {_SOURCE}/monogr/title; "
    f"volume: {_IMPRINT}/biblScope[@unit='volume']; issue: {_IMPRINT}/biblScope[@unit='issue']"
)

_PROSE = ("p", "list", "disp-quote", "def-list", "preformat", "s", "verse-group", "speech")
_Part = tuple[str, str, str]  # section kind, heading and text of a paragraph


def is_article(start: Start) -> bool:
    """Return whether a file starts like JATS or TEI."""
    begin = start.text[:_BEGIN]
    is_page = "<html" in begin.lower()
    return begin.startswith("<") and _LOOK.search(begin) is not None and not is_page


def read(start: Start) -> Iterator[Document | InputError]:
    """Yield the articles of a file, in file order; an article without text yields an error."""
    path, count = start.path, 0
    for root in elements(path, "article", "TEI", f"{_TEI}TEI", "{http://jats.nlm.nih.gov}article"):
        for element in root.iter():
            # Comments and processing instructions have no tag name.
            element.tag = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
        count += 1
        document = admitted(_tei(root) if root.tag == "TEI" else _jats(root), count)
        yield document if document.text else InputError(f"article {count} has no text", path)
    if not count:
        raise InputError("no article; expected JATS (<article>) or TEI (<TEI>)", path)


def _jats(root: Element) -> Raw:
    meta = root.find("front/article-meta")
    if meta is None:
        return Raw()

    def text(path: str) -> str:
        return text_of(meta.find(path))

    dates = sorted(meta.iterfind("pub-date"), key=lambda date: date.findtext("year") or "9999")
    date = date_of(dates[0], "year", "month", "day") if dates else ""
    pages = "-".join(filter(None, (text("fpage"), text("lpage"))))
    journal = root.find("front/journal-meta//journal-title")
    language = str(root.get(_LANGUAGE) or "")
    subjects = map(text_of, meta.iterfind("article-categories//subject"))
    types = (str(root.get("article-type")), *subjects)
    authors = [_jats_author(contrib) for contrib in meta.iterfind("contrib-group/contrib")]
    related = [element.get("related-article-type") for element in meta.iterfind("related-article")]
    retracted = any("retract" in str(kind) for kind in related)
    abstract, body = _parts(_abstract(root)), list(_sections(root.find("body"), "other", ""))
    return raw_of(
        _JATS,
        lambda path: [text(path)],
        date=date,
        pages=pages or text("elocation-id"),
        abstract=abstract,
        body=body,
        authors=authors,
        types=types,
        journal=text_of(journal),
        language=language,
        retracted=retracted,
    )


def _abstract(root: Element) -> Element | None:
    """Return the abstract: the article's own or one of a type, in English if there is one."""
    meta = root.find("front/article-meta")
    if meta is None:
        return None
    abstracts = [*meta.iterfind("abstract"), *meta.iterfind("trans-abstract")]

    def rank(abstract: Element) -> tuple[bool, bool]:
        usual = (root.get(_LANGUAGE) or "en") if abstract.tag == "abstract" else ""
        is_english = (abstract.get(_LANGUAGE) or usual).lower().startswith("en")
        return not is_english, bool(abstract.get("abstract-type"))

    return min(filter(text_of, abstracts), key=rank, default=None)


def _jats_author(contrib: Element) -> Author:
    if contrib.get("contrib-type") not in (None, "author"):
        return Author("")
    group = text_of(contrib.find("collab")).partition("\n")[0]
    return Author(contrib.findtext(".//surname") or group, contrib.findtext(".//given-names") or "")


def _tei(root: Element) -> Raw:
    header = root.find("teiHeader")
    if header is None:
        return Raw()
    pages = header.find(f"{_IMPRINT}/biblScope[@unit='page']")
    ends = [] if pages is None else [pages.get("from"), pages.get("to")]
    date = header.find(f"{_IMPRINT}/date")
    numbers = header.iterfind(f"{_SOURCE}//idno")
    names = header.iterfind(f"{_SOURCE}/analytic/author/persName")
    body = list(_sections(root.find("text/body"), "other", ""))
    return raw_of(
        _TEI_KEYS,
        lambda path: [text_of(header.find(path))],
        named=[f"{number.get('type')}: {text_of(number)}" for number in numbers],
        date="" if date is None else str(date.get("when") or ""),
        pages="-".join(filter(None, ends)) or text_of(pages),
        abstract=_parts(header.find("profileDesc/abstract")),
        body=body,
        authors=list(map(_tei_author, names)),
    )


def _tei_author(name: Element) -> Author:
    given = " ".join(map(text_of, name.iterfind("forename")))
    return Author(text_of(name.find("surname")), given)


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
