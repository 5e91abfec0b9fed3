"""Read records from JSON documents: core records of Europe PMC's REST service, and CSL JSON of reference managers.

Europe PMC: `{"resultList": {"result": [...]}}` or a list of results; abstracts are HTML with labels in `<h4>`.
CSL JSON, as written by Zotero, Mendeley and Crossref: a list of items with `type`, `title`, `author`, `issued`,
`container-title`, `DOI`, `abstract`; PMID and PMCID have their own fields or are in the `note`.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ilpsum.errors import InputError
from ilpsum.files.json_text import Item, parts
from ilpsum.files.reading import beginning
from ilpsum.formats.publishing import author, authors_of, ids, keys, parts_of, plain, reference
from ilpsum.formats.references import exported
from ilpsum.records import Author, Document

_RESULTS = "resultList.result"
_EUROPE_PMC = keys(
    "date: pubYear journalInfo.yearOfPublication; volume: journalInfo.volume; issue: journalInfo.issue; "
    "journal: journalInfo.journal.isoabbreviation journalInfo.journal.title bookOrReportDetails.publisher; "
    "pages: pageInfo; language: language"
)
_CSL = keys(
    "title: title; abstract: abstract; date: issued.raw issued.literal; pmid: PMID; named: DOI PMCID URL note; "
    "journal: container-title-short container-title publisher; volume: volume; issue: issue; pages: page; "
    "language: language; types: genre type; mesh: keyword"
)


def is_europe_pmc(path: Path) -> bool:
    """Return whether a file starts like results of Europe PMC."""
    begin = beginning(path)
    return (begin.startswith("{") and '"resultList"' in begin) or (
        begin.startswith("[") and '"source"' in begin and ('"authorString"' in begin or '"abstractText"' in begin)
    )


def is_csl(path: Path) -> bool:
    """Return whether a file starts like a list of CSL JSON items."""
    begin = beginning(path)
    return re.match(r"\[\s*\{", begin) is not None and '"type"' in begin and '"title"' in begin


def read(path: str | Path) -> Iterator[Document | InputError]:
    """Yield the records of a file in either format, in file order; `InputError` if it is not valid JSON."""
    number, make = 0, _europe_pmc if is_europe_pmc(Path(path)) else _csl
    for item in parts(path, lists=(_RESULTS,)):
        if item.element and item.key in ("", _RESULTS):
            number += 1
            made = make(item, number) if isinstance(item.value, dict) else None
            yield made or InputError("expected a record, an object with a title", path, item.line)


def _europe_pmc(item: Item, number: int) -> Document | None:
    record = item.value

    def get(path: str) -> list[str]:
        return list(filter(None, [_text(record, *path.split("."))]))

    source, own = _text(record, "source"), _text(record, "id")
    notices = [_text(each, "type").lower() for each in _list(record, "commentCorrectionList", "commentCorrection")]
    authors = [_person(each) for each in _list(record, "authorList", "author")]
    made = reference(
        _EUROPE_PMC,
        get,
        ids=ids(
            _text(record, "doi"),
            pmid=_text(record, "pmid") or (own if source == "MED" else ""),
            pmcid=_text(record, "pmcid") or (own if source == "PMC" else ""),
        ),
        title=plain(_text(record, "title")),
        abstract=parts_of(_text(record, "abstractText")),
        authors=authors if any(each.family for each in authors) else tuple(authors_of(_text(record, "authorString"))),
        types=[*map(_text, _list(record, "pubTypeList", "pubType")), *["preprint"] * (source == "PPR")],
        mesh=[_text(each, "descriptorName") for each in _list(record, "meshHeadingList", "meshHeading")],
        retracted=any("retraction in" in each for each in notices),
        concern=any("concern in" in each for each in notices),
    ).document(number)
    return made if made.text else None


def _csl(item: Item, number: int) -> Document | None:
    record = item.value

    def get(path: str) -> list[str]:
        value = _text(record, *path.split("."))
        return re.split("[;,]", value) if path == "keyword" else [value] if value else []

    dates = _list(record, "issued", "date-parts")
    date = "-".join(str(part) for part in (dates[0] if dates and isinstance(dates[0], list) else ())[:3])
    given = reference(_CSL, get, authors=tuple(_person(each) for each in _list(record, "author")))
    made = exported(replace(given, date=date or given.date), number)
    return made if made.text else None


def _person(given: object) -> Author:
    family = _text(given, "lastName") or _text(given, "family")
    if not family:
        name = _text(given, "fullName")
        return author(name) if name else Author(_text(given, "collectiveName") or _text(given, "literal"))
    particle = _text(given, "non-dropping-particle")
    names = _text(given, "firstName") or _text(given, "initials") or _text(given, "given")
    return Author(f"{particle} {family}".strip(), names)


def _at(value: object, *keys: str) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _text(value: object, *keys: str) -> str:
    """Return the string or number at a path of nested keys, or the first of a list; empty if there is none."""
    found = _at(value, *keys)
    found = found[0] if isinstance(found, list) and found else found
    return str(found) if isinstance(found, str | int | float) and not isinstance(found, bool) else ""


def _list(value: object, *keys: str) -> list[object]:
    found = _at(value, *keys)
    return found if isinstance(found, list) else []
