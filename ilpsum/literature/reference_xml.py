"""Read the XML of reference managers and services: EndNote's, Europe PMC's, and BioC."""

import re
from collections.abc import Callable, Iterator
from xml.etree.ElementTree import Element

from msgspec import structs

from ilpsum.files.start import Start
from ilpsum.files.xml import read_elements
from ilpsum.literature.raw import Parsed, Problem, Raw, raw_of
from ilpsum.literature.tables import ENDNOTE_XML, EUROPE_PMC_XML
from ilpsum.records import Author


def _of_endnote(record: Element) -> Raw:
    raw = raw_of(ENDNOTE_XML, lambda path: _texts(record, path))
    kinds = [str(kind.get("name") or "") for kind in record.iterfind("ref-type")]
    pmcid = raw.pmcid if raw.pmcid.upper().startswith("PMC") else ""
    return structs.replace(raw, types=[*raw.types, *kinds], pmcid=pmcid)


def _of_europe_pmc(record: Element) -> Raw:
    raw = raw_of(EUROPE_PMC_XML, lambda path: _texts(record, path))
    is_preprint = "PPR" in raw.database
    people = tuple(_person(one) for one in record.iterfind("authorList/author"))
    return structs.replace(
        raw,
        types=[*raw.types, *(["preprint"] if is_preprint else [])],
        authors=people or raw.authors,
    )


def _person(element: Element) -> Author:
    family = element.findtext("lastName") or element.findtext("collectiveName") or ""
    return Author(family, element.findtext("firstName") or element.findtext("initials") or "")


def _of_bioc(record: Element) -> Raw:
    title, abstract, body = "", list[tuple[str, str]](), list[tuple[str, str, str]]()
    for passage in record.iterfind("passage"):
        kind = next((i.text or "" for i in passage.iterfind("infon[@key='type']")), "").lower()
        text = passage.findtext("text") or ""
        if kind.startswith(("title", "front")):
            title = title or text
        elif kind.startswith("abstract"):
            abstract.append(("", text))
        elif kind == "paragraph":
            body.append(("other", "", text))
    number = record.findtext("id") or ""
    field = "pmcid" if number.upper().startswith("PMC") else "pmid"
    raw = Raw(title=title, abstract=abstract, body=body, labelled=True)
    return structs.replace(raw, **{field: number})


def _texts(record: Element, path: str) -> list[str]:
    return [" ".join("".join(part.itertext()).split()) for part in record.iterfind(path)]


# What tells the XML of each, the tag of its records, and what makes a raw record of one.
_FORMATS: tuple[tuple[re.Pattern[str], str, Callable[[Element], Raw]], ...] = (
    (re.compile(r"<records>[\s\S]{0,400}<record\b|<record>\s*<(?:database|ref-type|source-app)"),
     "record", _of_endnote),
    (re.compile(r"<resultList\b|<responseWrapper\b"), "result", _of_europe_pmc),
    (re.compile(r"<collection\b[\s\S]{0,4000}<passage\b"), "document", _of_bioc),
)  # fmt: skip
_BEGIN = 8192


def format_of(start: Start) -> int | None:
    """Return the number of the format of an XML file; None for any other file."""
    if not start.text.startswith("<"):
        return None
    begin = start.text[:_BEGIN]
    return next((i for i, row in enumerate(_FORMATS) if row[0].search(begin)), None)


def read(form: int, start: Start) -> Iterator[Parsed]:
    """Yield the records of a file, in file order."""
    _, tag, make = _FORMATS[form]
    for line, element, problem in read_elements(start.path, tag):
        if problem:
            yield Problem(problem, line, is_lost=element is None)
        if element is not None:
            yield make(element)
