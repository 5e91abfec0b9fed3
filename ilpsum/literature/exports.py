"""Read abstracts exported by databases and reference managers: RIS, CSV, CSL JSON, and the JSON of
Europe PMC.

- RIS: records from `TY` to `ER`, with title (`TI`, `T1`), abstract (`AB`, `N2`), year (`PY`, `Y1`)
  and identifiers (`AN`, `ID`, `DO`, `UR`). (rispy, measured at 0.10, loses records without `ER` or
  with one space after their tags.)
- CSV: a header with column names of PubMed, Zotero, EndNote, Rayyan, Covidence, Scopus or Web of
  Science; separated by commas, semicolons or tabs.
- CSL JSON, as of Zotero, Mendeley and Crossref: a list of items; PMID and PMCID have their own
  fields or are in `note`.
- Europe PMC: `{"resultList": {"result": [...]}}` or a list of results; abstracts are HTML with
  labels in `<h4>`.

A document's id is its PMID, else its DOI, PMCID or arXiv id, else `record-N-DIGEST`: the record's
number in the file and a digest of its text, so that ids differ between files.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from features.patterns import regex
from ilpsum.errors import InputError
from ilpsum.files.json_text import list_items
from ilpsum.files.reading import decode, read_lines
from ilpsum.files.start import Start
from ilpsum.literature.gate import admitted
from ilpsum.literature.raw import Notice, Read, author, authors_of, keys, raw_of, tagged
from ilpsum.records import Author, Document

_RIS_FIELD = re.compile(r"[ \t]{0,8}([A-Z][A-Z0-9]) {1,2}-(?: (.*))?$")
# Some programs write tags in lower case, always with two spaces.
_RIS_LOWER = re.compile(r"[ \t]{0,8}([A-Za-z][A-Za-z0-9]) {2}-(?: (.*))?$")
_RIS = keys(
    "title: TI T1; abstract: AB N2; date: PY Y1 DA; number: AN; database: DB DP; "
    "named: DO C2 UR L2 M3; notes: N1 M1 RN; "
    "journal: JO JF T2 BT JA J2 PB; volume: VL; issue: IS; language: LA; types: M3; mesh: KW"
)
# Column names, reduced to their letters.
_CSV = keys(
    "title: title articletitle documenttitle primarytitle ti; "
    "abstract: abstract abstractnote abstracttext ab; "
    "date: publicationyear publishedyear year pubyear publicationdate date py; "
    "pmid: pmid pubmedid pm; number: accessionnumber; doi: doi di; pmcid: pmcid pmc; "
    "named: url urls link; notes: extra notes note; authors: authors author au; "
    "journal: journal journalbook publicationtitle sourcetitle secondarytitle booktitle so "
    "publisher; volume: volume vl; issue: issue number; pages: pages page bp; "
    "language: language languageoforiginaldocument la; "
    "types: publicationtype publicationtypes documenttype typeofwork dt; "
    "mesh: meshterms mesh keywords indexkeywords manualtags de"
)
_COLUMNS = frozenset(name for names in _CSV.values() for name in names)
_EXPECTED = "expected a record, an object with a title"
_SEPARATORS = ",;\t"
# Characters that tell RIS and tables.
_BEGIN = 4096
_RIS_START = regex(r"^[ \t]{0,8}TY {1,2}- \w", re.M | re.I)
# Column name in any table: at most three words, without punctuation.
_COLUMN = re.compile(r"\w[^\s.,;:!?]{0,30}(?: [^\s.,;:!?]{1,30}){0,2}")
_RESULTS = "resultList.result"
_EUROPE_PMC = keys(
    "title: title; abstract: abstractText; doi: doi; date: pubYear journalInfo.yearOfPublication; "
    "volume: journalInfo.volume; issue: "
    "journalInfo.issue; "
    "journal: journalInfo.journal.isoabbreviation journalInfo.journal.title "
    "bookOrReportDetails.publisher; "
    "pages: pageInfo; language: language"
)
_CSL = keys(
    "title: title; abstract: abstract; date: date-parts issued.raw issued.literal; pmid: PMID; "
    "pmcid: PMCID; doi: DOI; named: URL; notes: note; journal: container-title-short "
    "container-title publisher; volume: volume; "
    "issue: issue; pages: page; language: language; types: genre type; mesh: keyword"
)


def is_ris(start: Start) -> bool:
    """Return whether a file starts like RIS."""
    return _RIS_START.search(start.text[:_BEGIN]) is not None


def read_ris(start: Start) -> Iterator[Read]:
    """Yield the references of a RIS file, in file order; `InputError` if the file cannot be
    read.
    """
    repairs = list[Notice]()
    lines = _decoded(start.path, repairs)
    is_lower = re.search(r"^\s*ty {2}- ", start.text, re.MULTILINE) is not None
    field = _RIS_LOWER if is_lower else _RIS_FIELD
    for count, (_, fields) in enumerate(tagged(start.path, lines, field, "TY", "ER"), 1):
        yield _of_ris(fields, count)
    yield from repairs


def _decoded(path: str | Path, repairs: list[Notice]) -> Iterator[tuple[int, str]]:
    """Yield numbered lines as text; `repairs` receives a notice of the first that is not
    UTF-8.
    """
    for number, data in read_lines(path):
        text, repair = decode(data)
        if repair and not repairs:
            repairs.append(Notice(f"line {number}: {repair}"))
        yield number, text.removeprefix("\ufeff")


def _of_ris(fields: Mapping[str, list[str]], number: int) -> Document:
    def values(tag: str) -> list[str]:
        ids = fields.get("ID", [])
        listed = fields.get(tag, [])
        # Most programs put a record number in ID, so it is a PMID only if it has as many digits as
        # one. Prefixed identifiers, `doi:10.1234/newts`, count in any case.
        if tag == "AN":
            return [*listed, *(value for value in ids if re.fullmatch(r"\d{6,8}", value))][:1]
        if tag == "L2":
            return [*listed, *(value for value in ids if not value.isdigit())]
        return listed

    pages = dict.fromkeys(filter(None, (*values("SP"), *values("EP"))))
    raw = raw_of(
        _RIS,
        values,
        pages="-".join(pages),
        authors=tuple(map(author, values("AU") or values("A1"))),
        labelled=True,
    )
    return admitted(raw, number)


@dataclass(frozen=True, slots=True)
class Table:
    """The header of a CSV file: separator, column names, and the index of each known column."""

    separator: str
    names: tuple[str, ...]
    columns: Mapping[str, int]

    def column_of(self, field: str) -> int | None:
        """Return the index of the first column for a field of a reference; None if there is
        none.
        """
        return next((self.columns[name] for name in _CSV[field] if name in self.columns), None)


def table_of(start: Start) -> Table | None:
    """Return the header of a CSV file of references; None if the file does not start with one."""
    lines = (line for line in start.text.splitlines() if line.strip())
    header = next((line for line in lines if not line.startswith("sep=")), "")
    tables = [_table(header, separator) for separator in _SEPARATORS]
    best = max(tables, key=lambda table: len(table.columns))
    telling = any(best.column_of(field) is not None for field in ("title", "abstract", "pmid"))
    return best if len(best.columns) > 1 and telling else None


def _table(line: str, separator: str) -> Table:
    try:
        names = next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        names = []
    columns: dict[str, int] = {}
    for column, name in enumerate(names):
        folded = re.sub(r"[^a-z]", "", name.casefold())
        if folded in _COLUMNS:
            columns.setdefault(folded, column)
    return Table(separator, tuple(names), columns)


def is_table(start: Start) -> bool:
    """Return whether a text is a table with a header, whatever its columns.

    The column names are short, no space follows a separator, and all rows have the same number of
    cells.
    """
    lines = [line for line in start.text[:_BEGIN].splitlines() if line.strip()]
    for separator in _SEPARATORS:
        try:
            header, *rows = csv.reader(lines, delimiter=separator)
        except (csv.Error, ValueError):
            continue
        named = len(header) > 1 and all(map(_COLUMN.fullmatch, header))
        # The last of several rows may be truncated.
        if named and rows and all(len(row) == len(header) for row in rows[:-1] or rows):
            return True
    return False


def without_abstracts(table: Table | None) -> str:
    """Return the error message for a CSV file without a column of abstracts."""
    if table is None:
        return (
            "a table whose header names no text; expected the columns Title and Abstract, one "
            "record a row"
        )
    if {"PMID", "Journal/Book"} <= {name.strip("\ufeff ") for name in table.names}:
        return (
            "PubMed's CSV has no abstracts; save the results in the format PubMed instead "
            "(.txt or .nbib)"
        )
    return (
        "a CSV file without a column named Abstract; export the references with their "
        "abstracts, as RIS or CSV"
    )


def read_csv(table: Table, start: Start) -> Iterator[Read]:
    """Yield the references of a CSV file with this header, in file order; a row with too few or too
    many cells yields an error.

    `InputError` if a quote is never closed.
    """
    repairs = list[Notice]()
    lines = (f"{line}\n" for _, line in _decoded(start.path, repairs))
    # Web of Science writes quotation marks as they are.
    is_raw = table.names[0].strip("\ufeff") == "PT"
    reader = csv.reader(
        (line for line in lines if not line.startswith("sep=")),
        delimiter=table.separator,
        quoting=csv.QUOTE_NONE if is_raw else csv.QUOTE_MINIMAL,
        strict=True,
    )
    rows = (row for row in reader if any(map(str.strip, row)))
    needed = [table.column_of(field) or 0 for field in ("abstract", "title")]
    fewest, width = max(needed) + 1, len(table.names)
    try:
        next(rows, None)  # the header
        for count, row in enumerate(rows, 1):
            if len(row) < fewest or any(map(str.strip, row[width:])):
                message = f"expected {width} cells, got {len(row)}; export the file again"
                yield InputError(message, start.path, reader.line_num)
                continue
            # Some programs drop empty cells at the end of a row.
            row += [""] * (width - len(row))
            cells = {name: row[column].strip() for name, column in table.columns.items()}
            yield _of_row(cells, count)
    except csv.Error as error:
        message = f"not valid CSV ({error}); is a quote left open?"
        raise InputError(message, start.path, reader.line_num) from None
    yield from repairs


def _of_row(cells: Mapping[str, str], number: int) -> Document:
    def values(name: str) -> list[str]:
        return [cells.get(name, "")]

    authors = next((cells[name] for name in _CSV["authors"] if cells.get(name)), "")
    people = tuple(authors_of(authors))
    return admitted(raw_of(_CSV, values, authors=people, labelled=True), number)


def is_europe_pmc(start: Start) -> bool:
    """Return whether a file starts like results of Europe PMC."""
    if start.text.startswith("{"):
        return '"resultList"' in start.text
    record = start.record
    return "source" in record and not record.keys().isdisjoint(("authorString", "abstractText"))


def is_csl(start: Start) -> bool:
    """Return whether a file starts like a list of CSL JSON items."""
    return start.text.startswith("[") and {"type", "title"} <= start.record.keys()


def read_json(start: Start) -> Iterator[Document | InputError]:
    """Yield the records of Europe PMC or of CSL JSON, in file order; `InputError` if it is not
    valid JSON.
    """
    make = _europe_pmc if is_europe_pmc(start) else _csl
    records = list_items(start.path, _RESULTS, "a list of records")
    for number, (line, value) in enumerate(records, 1):
        document = make(value, number) if isinstance(value, dict) else Document("", "")
        yield document if document.text else InputError(_EXPECTED, start.path, line)


def _europe_pmc(record: object, number: int) -> Document:
    source, id_ = _text(record, "source"), _text(record, "id")
    people = [_person(author) for author in _values(record, "authorList.author")]
    if not any(person.family for person in people):
        people = list(authors_of(_text(record, "authorString")))
    types = list(map(_text, _values(record, "pubTypeList.pubType")))
    if source == "PPR":
        types.append("preprint")
    headings = _values(record, "meshHeadingList.meshHeading")
    links = _values(record, "commentCorrectionList.commentCorrection")
    notices = " ".join(_text(link, "type").lower() for link in links)
    raw = raw_of(
        _EUROPE_PMC,
        lambda path: [_text(record, path)],
        pmid=_text(record, "pmid") or (id_ if source == "MED" else ""),
        pmcid=_text(record, "pmcid") or (id_ if source == "PMC" else ""),
        labelled=True,
        authors=people,
        types=types,
        mesh=[_text(heading, "descriptorName") for heading in headings],
        retracted="retraction in" in notices,
        concern="concern in" in notices,
    )
    return admitted(raw, number)


def _csl(record: object, number: int) -> Document:
    def values(path: str) -> list[str]:
        if path == "date-parts":
            dates = _values(record, "issued.date-parts")
            first = dates[0] if dates and isinstance(dates[0], list) else []
            return ["-".join(map(str, first[:3]))]
        value = _text(record, path)
        return re.split("[;,]", value) if path == "keyword" else [value]

    people = tuple(map(_person, _values(record, "author")))
    return admitted(raw_of(_CSL, values, authors=people, labelled=True), number)


def _person(record: object) -> Author:
    def first(*keys: str) -> str:
        return next(filter(None, (_text(record, key) for key in keys)), "")

    family = first("lastName", "family")
    if family:
        particle = _text(record, "non-dropping-particle")
        return Author(f"{particle} {family}".strip(), first("firstName", "initials", "given"))
    name = _text(record, "fullName")
    return author(name) if name else Author(first("collectiveName", "literal"))


def _values(value: Any, path: str = "") -> list[Any]:
    """Return the list at a path of nested keys, or the single value as a list."""
    for key in filter(None, path.split(".")):
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, list) else [value]


def _text(value: object, path: str = "") -> str:
    """Return the string or number at a path of nested keys, or the first of a list; empty if there
    is none.
    """
    first = next(iter(_values(value, path)), "")
    is_text = isinstance(first, str | int | float) and not isinstance(first, bool)
    return str(first) if is_text else ""
