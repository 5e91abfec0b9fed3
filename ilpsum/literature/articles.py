"""Read full-text articles in XML: JATS, as PMC and publishers distribute it, and TEI, as GROBID
extracts it from PDF.

An article consists of its title and the paragraphs of abstract and body, each with the heading
above it. Figures, tables, display formulas, notes, back matter and superscript citation numbers are
left out.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from ilpsum.errors import InputError
from ilpsum.files.reading import elements
from ilpsum.files.start import Start
from ilpsum.literature.gate import admitted
from ilpsum.literature.raw import Raw, keys, raw_of
from ilpsum.literature.xml_text import text_of
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

_JATS = keys("title: title-group/article-title; volume: volume; issue: issue")
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
    return (
        begin.startswith("<") and _LOOK.search(begin) is not None and "<html" not in begin.lower()
    )


def read(path: str | Path) -> Iterator[Document | InputError]:
    """Yield the articles of a file, in file order; an article without text yields an error."""
    count = 0
    for root in elements(path, "article", "TEI", f"{_TEI}TEI", "{http://jats.nlm.nih.gov}article"):
        for element in root.iter():
            # Comments and processing instructions have no tag name.
            element.tag = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
        count += 1
        made = admitted(_tei(root) if root.tag == "TEI" else _jats(root), count)
        yield made if made.text else InputError(f"article {count} has no text", path)
    if not count:
        raise InputError("no article; expected JATS (<article>) or TEI (<TEI>)", path)


def _jats(root: Element) -> Raw:
    meta, journal = root.find("front/article-meta"), root.find("front/journal-meta")
    if meta is None:
        return Raw()
    named = {str(each.get("pub-id-type")): each.text or "" for each in meta.iterfind("article-id")}
    dates = sorted(meta.iterfind("pub-date"), key=lambda date: date.findtext("year") or "9999")
    related = {str(each.get("related-article-type")) for each in meta.iterfind("related-article")}
    return raw_of(
        _JATS,
        lambda path: [text_of(meta.find(path))],
        doi=named.get("doi", ""),
        pmid=named.get("pmid", ""),
        pmcid=named.get("pmc") or named.get("pmcid") or "",
        date=" ".join(dates[0].findtext(tag) or "" for tag in ("year", "month", "day"))
        if dates
        else "",
        pages="-".join(filter(None, (text_of(meta.find(tag)) for tag in ("fpage", "lpage"))))
        or text_of(meta.find("elocation-id")),
        abstract=[(label, text) for _, label, text in _sections(_abstract(root), "abstract", "")],
        body=list(_sections(root.find("body"), "other", "")),
        authors=[_jats_author(each) for each in meta.iterfind("contrib-group/contrib")],
        types=(
            str(root.get("article-type")),
            *map(text_of, meta.iterfind("article-categories//subject")),
        ),
        journal="" if journal is None else next(map(text_of, journal.iter("journal-title")), ""),
        language=str(root.get(_LANGUAGE) or ""),
        retracted=any("retract" in each for each in related),
    )


def _abstract(root: Element) -> Element | None:
    """Return the abstract: the article's own or one of a type, in English if there is one."""
    meta = root.find("front/article-meta")
    found = [] if meta is None else [*meta.iterfind("abstract"), *meta.iterfind("trans-abstract")]
    language = root.get(_LANGUAGE) or "en"

    def rank(element: Element) -> tuple[bool, bool]:
        own = language if element.tag == "abstract" else ""
        is_english = (element.get(_LANGUAGE) or own).lower().startswith("en")
        return not is_english, bool(element.get("abstract-type"))

    return min((each for each in found if text_of(each)), key=rank, default=None)


def _jats_author(contrib: Element) -> Author:
    if contrib.get("contrib-type") not in (None, "author"):
        return Author("")
    group = text_of(contrib.find("collab")).partition("\n")[0]
    return Author(contrib.findtext(".//surname") or group, contrib.findtext(".//given-names") or "")


def _tei(root: Element) -> Raw:
    header = root.find("teiHeader")
    if header is None:
        return Raw()
    pages, date = (
        header.find(f"{_IMPRINT}/biblScope[@unit='page']"),
        header.find(f"{_IMPRINT}/date"),
    )
    span = (
        [] if pages is None else [str(pages.get(end)) for end in ("from", "to") if pages.get(end)]
    )
    abstract = _sections(header.find("profileDesc/abstract"), "abstract", "")
    return raw_of(
        _TEI_KEYS,
        lambda path: [text_of(header.find(path))],
        named=[
            f"{each.get('type')}: {text_of(each)}" for each in header.iterfind(f"{_SOURCE}//idno")
        ],
        date="" if date is None else str(date.get("when") or ""),
        pages="-".join(span) or text_of(pages),
        abstract=[(label, text) for _, label, text in abstract],
        body=list(_sections(root.find("text/body"), "other", "")),
        authors=[
            Author(text_of(each.find("surname")), " ".join(map(text_of, each.iterfind("forename"))))
            for each in header.iterfind(f"{_SOURCE}/analytic/author/persName")
        ],
    )


def _sections(element: Element | None, kind: str, heading: str) -> Iterator[_Part]:
    """Yield the paragraphs of a section and its subsections, which may change the kind, except in
    an abstract.
    """
    for child in () if element is None else element:
        if child.tag in ("sec", "div", "boxed-text"):
            title = text_of(child.find("title" if child.tag != "div" else "head"))
            sort = str(child.get("sec-type") or "").partition("|")[0]
            own = (
                kind
                if kind == "abstract"
                else section_kind(title) or section_kind(_TYPES.get(sort, sort)) or kind
            )
            yield from _sections(child, own, title or heading)
        elif child.tag in _PROSE and (text := text_of(child)):
            yield kind, heading, text
