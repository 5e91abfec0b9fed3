"""Read abstracts that reference managers and databases export: RIS, and CSV with a header.

RIS: records from `TY` to `ER`, with title (`TI`, `T1`), abstract (`AB`, `N2`), year (`PY`, `Y1`) and identifiers (`AN`,
`ID`, `DO`, `UR`). CSV: separated by commas, semicolons or tabs, with columns named as PubMed, Zotero, EndNote, Rayyan,
Covidence, Scopus or Web of Science name them.

A document's id is its PMID, else its DOI, else `record-N-DIGEST`: the number of the record in the file and a digest of
its text, so that the records of two files differ.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from ilpsum.corpora import pubmed
from ilpsum.errors import InputError
from ilpsum.io.files import decode, head, read_lines
from ilpsum.records import Document

_RIS_FIELD = re.compile(r"([A-Z][A-Z0-9]) {1,2}-(?: (.*))?$")
_RIS_TAGS = {
    "title": ("TI", "T1"),
    "abstract": ("AB", "N2"),
    "date": ("PY", "Y1", "DA"),
    "doi": ("DO",),
    "number": ("AN",),
    "own": ("ID",),
    "database": ("DB", "DP"),
    "url": ("UR", "L2"),
    "notes": ("N1", "M1", "M3"),
}
_COLUMNS = {
    "title": ("title", "articletitle", "documenttitle", "primarytitle"),
    "abstract": ("abstract", "abstractnote", "abstracttext"),
    "date": ("publicationyear", "publishedyear", "year", "pubyear", "publicationdate", "date"),
    "pmid": ("pmid", "pubmedid"),
    "doi": ("doi",),
    "number": ("accessionnumber",),
    "url": ("url", "urls", "link"),
    "notes": ("extra", "notes"),
}
_SEPARATORS = ",;\t"
_DATE = re.compile(r"\s*(\d{4})(?:[-/](\d{1,2}))?(?:[-/](\d{1,2}))?")
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]+")
_PMID = re.compile(r"(?:\bPMID:? *|ncbi\.nlm\.nih\.gov/(?:m/)?pubmed/|pubmed\.ncbi\.nlm\.nih\.gov/)(\d{1,8})\b", re.I)
# Tags that publishers leave in the abstracts they deliver.
_TAG = re.compile(r"</?(?:jats:)?(?:p|i|b|em|strong|italic|bold|sub|sup|title|sec)\b[^<>]*>", re.I)


@dataclass(frozen=True, slots=True)
class Table:
    """The header of a CSV file: its separator, its column names, and the index of each known column."""

    separator: str
    names: tuple[str, ...]
    columns: Mapping[str, int]


def is_ris(path: Path) -> bool:
    """Return whether a file starts like RIS."""
    return re.search(r"^TY {1,2}- \w", decode(head(path))[0].removeprefix("\ufeff"), re.M) is not None


def table_of(path: Path) -> Table | None:
    """Return the header of a CSV file of references; None if the file does not start like one."""
    lines = (line for line in decode(head(path))[0].removeprefix("\ufeff").splitlines() if line.strip())
    first = next(lines, "")
    first = next(lines, "") if first.startswith("sep=") else first
    tables = [_table(first, separator) for separator in _SEPARATORS]
    best = max(tables, key=lambda table: len(table.columns))
    return best if len(best.columns) > 1 and best.columns.keys() & {"title", "abstract", "pmid"} else None


def _table(line: str, separator: str) -> Table:
    try:
        names = next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        names = []
    folded = [re.sub(r"[^a-z]", "", name.casefold()) for name in names]
    columns = {
        field: folded.index(alias)
        for field, aliases in _COLUMNS.items()
        if (alias := next((a for a in aliases if a in folded), None))
    }
    return Table(separator, tuple(names), columns)


def read_ris(path: str | Path) -> Iterator[Document | InputError]:
    """Yield the references of a RIS file, in its order.

    Raises:
        InputError: the file cannot be read.
    """
    fields: dict[str, list[str]] = {}
    tag, count = "", 0
    for _, data in read_lines(path):
        line = decode(data)[0].removeprefix("\ufeff")
        match = _RIS_FIELD.match(line)
        if match is None:
            # A long field continues on the next lines.
            if tag and line.strip():
                fields[tag].append(f" {line.strip()}")
            continue
        tag, value = match[1], (match[2] or "").strip()
        if tag in ("TY", "ER"):
            if fields:
                count += 1
                yield _of_ris(fields, count)
            fields, tag = {}, ""
        else:
            parts = fields.setdefault(tag, [])
            parts.append(f"; {value}" if parts else value)
    if fields:
        yield _of_ris(fields, count + 1)


def _of_ris(parts: Mapping[str, list[str]], number: int) -> Document:
    fields = {tag: "".join(values) for tag, values in parts.items()}
    own = {name: next((fields[tag] for tag in tags if fields.get(tag)), "") for name, tags in _RIS_TAGS.items()}
    # Most programs number their records in ID, so it is a PMID only if it has as many digits as one.
    if re.fullmatch(r"\d{6,8}", own["own"]):
        own["pmid"] = own["own"]
    # Other databases have accession numbers of digits too.
    if own["database"] and not re.search(r"pubmed|medline|\bNLM\b", own["database"], re.I):
        own["number"] = ""
    return _document(own, number)


def read_csv(path: str | Path) -> Iterator[Document | InputError]:
    """Yield the references of a CSV file, in its order; a row with too few or too many cells yields an error.

    Raises:
        InputError: the file cannot be read, has no column of abstracts, or has a quote that is never closed.
    """
    table = table_of(Path(path))
    if table is None or "abstract" not in table.columns:
        raise InputError(without_abstracts(table), path)
    lines = (decode(data)[0].removeprefix("\ufeff") + "\n" for _, data in read_lines(path))
    rows = csv.reader((line for line in lines if not line.startswith("sep=")), delimiter=table.separator, strict=True)
    count, needed = -1, max(table.columns["abstract"], table.columns.get("title", 0))
    try:
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            count += 1
            if not count:
                continue  # the header
            if len(row) <= needed or any(cell.strip() for cell in row[len(table.names) :]):
                what = f"expected {len(table.names)} cells, got {len(row)}; export the file again"
                yield InputError(what, path, rows.line_num)
                continue
            # Some programs drop empty cells at the end of a row.
            row += [""] * (len(table.names) - len(row))
            yield _document({name: row[place].strip() for name, place in table.columns.items()}, count)
    except csv.Error as error:
        raise InputError(f"not valid CSV ({error}); is a quote left open?", path, rows.line_num) from None


def without_abstracts(table: Table | None) -> str:
    """Return the error for a CSV file that has no column of abstracts."""
    if table and {"PMID", "Journal/Book"} <= {name.strip("\ufeff ") for name in table.names}:
        return "PubMed's CSV has no abstracts; save the results in the format PubMed instead (.txt or .nbib)"
    return "a CSV file without a column named Abstract; export the references with their abstracts, as RIS or CSV"


def _document(fields: Mapping[str, str], number: int) -> Document:
    title, abstract = (_TAG.sub(" ", fields.get(name, "")) for name in ("title", "abstract"))
    date = _DATE.match(fields.get("date", ""))
    made = pubmed.document(
        "", title, [("", abstract)], pubmed.iso_date(*(part or "" for part in date.groups())) if date else ""
    )
    id_ = _pmid(fields) or _doi(fields) or f"record-{number}-{blake2b(made.text.encode(), digest_size=3).hexdigest()}"
    return Document(id_, made.text, made.title, made.date, sections=made.sections)


def _pmid(fields: Mapping[str, str]) -> str:
    for value in (fields.get("pmid", ""), fields.get("number", "")):
        # Programs that take the column for numbers write 23.0.
        if match := re.fullmatch(r"(?:PMID:? *)?(\d{1,8})(?:\.0)?", value, re.IGNORECASE):
            return pubmed.as_pmid(match[1])
    named = _PMID.search(" ".join(fields.get(name, "") for name in ("number", "own", "url", "notes")))
    return pubmed.as_pmid(named[1]) if named else ""


def _doi(fields: Mapping[str, str]) -> str:
    found = _DOI.search(" ".join(fields.get(name, "") for name in ("doi", "url", "notes")))
    return found[0].rstrip(".,;)").lower() if found else ""
