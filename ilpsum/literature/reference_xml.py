"""Read the XML of reference managers and services: EndNote's, Europe PMC's, BioC, Dublin Core, and
Atom.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from xml.etree.ElementTree import Element

from msgspec import structs

from ilpsum.files.start import Start
from ilpsum.files.xml import read_elements
from ilpsum.literature.passages import of_passages
from ilpsum.literature.raw import Fields, Parsed, Problem, Raw, raw_of
from ilpsum.literature.tables import ATOM, DUBLIN_CORE, ENDNOTE_XML, EUROPE_PMC_XML
from ilpsum.literature.xml_text import is_english, language_of
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
    passages = (
        ({str(i.get("key")): i.text or "" for i in part.iterfind("infon")}, part.findtext("text"))
        for part in record.iterfind("passage")
    )
    number = record.findtext("id") or ""
    return of_passages(number, [(told, text) for told, text in passages if text])


def _by(fields: Fields, record: Element) -> Raw:
    return raw_of(fields, lambda path: _texts(record, path))


def _texts(record: Element, path: str) -> list[str]:
    """Return the texts of the elements at a path; of several languages those in English."""
    parts = record.findall(path)
    parts = [part for part in parts if is_english(language_of(part))] or parts
    # EndNote ends lines by CR.
    texts = ("".join(part.itertext()).split("\r") for part in parts)
    return ["\n".join(" ".join(line.split()) for line in lines) for lines in texts]


# What tells the XML of each, the tag of its records, and what makes a raw record of one.
_FORMATS: tuple[tuple[re.Pattern[str], str, Callable[[Element], Raw]], ...] = (
    (re.compile(r"<records>[\s\S]{0,400}<record\b|<record>\s*<(?:database|ref-type|source-app)"),
     "record", _of_endnote),
    (re.compile(r"<(?:\w+:)?dc[\s>]"), "dc", partial(_by, DUBLIN_CORE)),
    (re.compile(r"<rdf:RDF\b[\s\S]{0,4000}<dc:title\b"), "Description", partial(_by, DUBLIN_CORE)),
    (re.compile(r"<feed\b[\s\S]{0,4000}<entry>"), "entry", partial(_by, ATOM)),
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
