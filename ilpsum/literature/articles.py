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
from ilpsum.files.reading import beginning, elements
from ilpsum.literature.publishing import Reference, ids, is_power, iso_date, keys, reference
from ilpsum.papers.headings import section_kind
from ilpsum.records import Author, Document

_TEI = "{http://www.tei-c.org/ns/1.0}"
_LOOK = re.compile(r"<(?:(?:\w+:)?article|pmc-articleset|TEI|teiCorpus)[\s>]")
_LEFT_OUT = frozenset(
    "fig fig-group table-wrap table disp-formula formula figure note fn ref-list media "
    "supplementary-material listBibl "
    "object-id tex-math label graphic".split()
)
_CITES = ("bibr", "fn")
_NUMBERS = re.compile(r"[\d,;\s–-]{1,60}")
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

_Part = tuple[str, str, str]  # section kind, heading and text of a paragraph


def is_article(path: Path) -> bool:
    """Return whether a file starts like JATS or TEI."""
    begin = beginning(path)
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
        made = (_tei(root) if root.tag == "TEI" else _jats(root)).document(count)
        yield made if made.text else InputError(f"article {count} has no text", path)
    if not count:
        raise InputError("no article; expected JATS (<article>) or TEI (<TEI>)", path)


def _jats(root: Element) -> Reference:
    meta, journal = root.find("front/article-meta"), root.find("front/journal-meta")
    if meta is None:
        return Reference()
    named = {str(each.get("pub-id-type")): each.text or "" for each in meta.iterfind("article-id")}
    dates = sorted(meta.iterfind("pub-date"), key=lambda date: date.findtext("year") or "9999")
    related = {str(each.get("related-article-type")) for each in meta.iterfind("related-article")}
    own = [each for each in meta.iterfind("abstract") if not each.get("abstract-type")]
    return reference(
        _JATS,
        lambda path: [text_of(meta.find(path))],
        ids=ids(
            named.get("doi", ""),
            pmid=named.get("pmid", ""),
            pmcid=named.get("pmc") or named.get("pmcid") or "",
        ),
        date=iso_date(*(dates[0].findtext(tag) or "" for tag in ("year", "month", "day")))
        if dates
        else "",
        pages="-".join(filter(None, (text_of(meta.find(tag)) for tag in ("fpage", "lpage"))))
        or text_of(meta.find("elocation-id")),
        abstract=[
            (label, text) for each in own[:1] for _, label, text in _sections(each, "abstract", "")
        ],
        body=list(_sections(root.find("body"), "other", "")),
        authors=[_jats_author(each) for each in meta.iterfind("contrib-group/contrib")],
        types=(
            str(root.get("article-type")),
            *map(text_of, meta.iterfind("article-categories//subject")),
        ),
        journal="" if journal is None else next(map(text_of, journal.iter("journal-title")), ""),
        language=str(root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""),
        retracted=any("retract" in each for each in related),
    )


def _jats_author(contrib: Element) -> Author:
    if contrib.get("contrib-type") not in (None, "author"):
        return Author("")
    group = text_of(contrib.find("collab")).partition("\n")[0]
    return Author(contrib.findtext(".//surname") or group, contrib.findtext(".//given-names") or "")


def _tei(root: Element) -> Reference:
    header = root.find("teiHeader")
    if header is None:
        return Reference()
    pages, date = (
        header.find(f"{_IMPRINT}/biblScope[@unit='page']"),
        header.find(f"{_IMPRINT}/date"),
    )
    span = (
        [] if pages is None else [str(pages.get(end)) for end in ("from", "to") if pages.get(end)]
    )
    abstract = _sections(header.find("profileDesc/abstract"), "abstract", "")
    return reference(
        _TEI_KEYS,
        lambda path: [text_of(header.find(path))],
        ids=ids(
            *(
                f"{each.get('type')}: {text_of(each)}"
                for each in header.iterfind(f"{_SOURCE}//idno")
            )
        ),
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
        elif child.tag in ("p", "list", "disp-quote", "def-list") and (text := text_of(child)):
            yield kind, heading, text


def text_of(element: Element | None) -> str:
    """Return the text of an element on one line, without figures, formulas and numbers that
    cite.
    """
    return "" if element is None else " ".join("".join(_pieces(element, [""])).split())


def _pieces(element: Element, done: list[str]) -> list[str]:
    """Append the text of an element to `done` and return it."""
    done.append(element.text or "")
    for child in element:
        if child.tag not in _LEFT_OUT and not _is_number_that_cites(child, done):
            if child.tag in ("p", "list-item", "item", "break"):
                done.append(" ")
            elif child.tag == "sup" and is_power("".join(done[-4:]), "".join(child.itertext())):
                done.append("^")
            _pieces(child, done)
        done.append(child.tail or "")
    return done


def _is_number_that_cites(element: Element, done: list[str]) -> bool:
    """Return whether an element is a citation number without brackets, which would run into the
    preceding word.
    """
    if element.tag == "sup":
        return any(each.get("ref-type") in _CITES for each in element.iter("xref"))
    if (
        element.tag not in ("xref", "ref")
        or (element.get("ref-type") or element.get("type")) not in _CITES
    ):
        return False
    in_brackets = "".join(done[-4:]).rstrip().endswith(("[", "(", ",", "–", "-", ";"))
    return _NUMBERS.fullmatch("".join(element.itertext())) is not None and not in_brackets
