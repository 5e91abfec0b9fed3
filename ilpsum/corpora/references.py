"""Read abstracts that reference managers and databases export: RIS, and CSV with a header.

RIS: records from `TY` to `ER`, with title (`TI`, `T1`), abstract (`AB`, `N2`), year (`PY`, `Y1`) and identifiers (`AN`,
`ID`, `DO`, `UR`). CSV: separated by commas, semicolons or tabs, with columns named as PubMed, Zotero, EndNote, Rayyan,
Covidence, Scopus or Web of Science name them. (rispy, measured at 0.10, loses records without their `ER` and
with one space after their tags: `experiments/results/exports.md`.)

A document's id is its PMID, else its DOI, PMCID or arXiv id, else `record-N-DIGEST`: the number of the record in the
file and a digest of its text, so that the records of two files differ.
"""

import csv
import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from pathlib import Path

from ilpsum.corpora import pubmed
from ilpsum.corpora.publishing import author, authors_of, ids, publication
from ilpsum.errors import InputError
from ilpsum.io.files import decode, head, read_lines
from ilpsum.records import Author, Document

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
    "pmcid": ("C2",),
    "journal": ("JO", "JF", "T2", "JA", "J2"),
    "volume": ("VL",),
    "issue": ("IS",),
    "pages": ("SP",),
    "last": ("EP",),
    "language": ("LA",),
}
_COLUMNS = {
    "title": ("title", "articletitle", "documenttitle", "primarytitle"),
    "abstract": ("abstract", "abstractnote", "abstracttext"),
    "date": ("publicationyear", "publishedyear", "year", "pubyear", "publicationdate", "date"),
    "pmid": ("pmid", "pubmedid"),
    "pmcid": ("pmcid",),
    "doi": ("doi",),
    "number": ("accessionnumber",),
    "url": ("url", "urls", "link"),
    "notes": ("extra", "notes"),
    "authors": ("authors", "author"),
    "journal": ("journal", "journalbook", "publicationtitle", "sourcetitle", "secondarytitle"),
    "volume": ("volume",),
    "issue": ("issue", "number"),
    "pages": ("pages", "page"),
    "language": ("language", "languageoforiginaldocument"),
    "types": ("publicationtype", "publicationtypes", "documenttype", "typeofwork"),
    "mesh": ("meshterms", "mesh", "keywords", "indexkeywords", "manualtags"),
}
_SEPARATORS = ",;\t"
_DATE = re.compile(r"\s*(\d{4})(?:[-/](\d{1,2}))?(?:[-/](\d{1,2}))?")
# Tags that publishers leave in the abstracts they deliver.
_TAG = re.compile(r"</?(?:jats:)?(?:p|i|b|em|strong|italic|bold|sub|sup|title|sec)\b[^<>]*>", re.I)


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference as a program exports it; what it does not tell is empty.

    Attributes:
        title, abstract, date, journal, volume, issue, pages, language: as written.
        pmid: the field of PMIDs.
        number: the accession number of a database, which may be a PMID.
        named: fields that may name an identifier: DOI, PMCID, addresses, notes.
        authors, types, mesh: in order; `types` of publication, `mesh` headings or keywords.
    """

    title: str = ""
    abstract: str = ""
    date: str = ""
    pmid: str = ""
    number: str = ""
    named: str = ""
    journal: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    language: str = ""
    authors: tuple[Author, ...] = ()
    types: tuple[str, ...] = ()
    mesh: tuple[str, ...] = ()


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
    fields: dict[str, list[list[str]]] = {}
    value, count = list[str](), 0
    for _, data in read_lines(path):
        line = decode(data)[0].removeprefix("\ufeff")
        match = _RIS_FIELD.match(line)
        if match is None and line.strip() != "ER":
            # A long field continues on the next lines.
            if value and line.strip():
                value.append(line.strip())
            continue
        if match is None or match[1] in ("TY", "ER"):
            if fields:
                count += 1
                yield _of_ris({tag: [" ".join(lines) for lines in values] for tag, values in fields.items()}, count)
            fields, value = {}, []
        else:
            value = [(match[2] or "").strip()]
            fields.setdefault(match[1], []).append(value)
    if fields:
        yield _of_ris({tag: [" ".join(lines) for lines in values] for tag, values in fields.items()}, count + 1)


def _of_ris(parts: Mapping[str, list[str]], number: int) -> Document:
    own = {name: next((_joined(parts[t]) for t in tags if parts.get(t)), "") for name, tags in _RIS_TAGS.items()}
    # Other databases have accession numbers of digits too.
    ours = not own["database"] or re.search(r"pubmed|medline|\bNLM\b", own["database"], re.IGNORECASE)
    # Most programs number their records in ID, so it is a PMID only if it has as many digits as one.
    pmid = own["own"] if re.fullmatch(r"\d{6,8}", own["own"]) else ""
    pages = "-".join(dict.fromkeys(filter(None, (own["pages"], own["last"]))))
    reference = Reference(
        **{name: own[name] for name in ("title", "abstract", "date", "journal", "volume", "issue", "language")},
        pmid=pmid,
        number=own["number"] if ours else "",
        named=" ".join(own[name] for name in ("doi", "own", "pmcid", "url", "notes")),
        pages=pages,
        authors=tuple(map(author, parts.get("AU") or parts.get("A1") or ())),
        types=tuple(parts.get("M3", ())),
        mesh=tuple(keyword.partition("/")[0].lstrip("*") for keyword in parts.get("KW", ())),
    )
    return document(reference, number)


def _joined(values: Sequence[str]) -> str:
    return "; ".join(values)


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
            yield _of_row({name: row[place].strip() for name, place in table.columns.items()}, count)
    except csv.Error as error:
        raise InputError(f"not valid CSV ({error}); is a quote left open?", path, rows.line_num) from None


def without_abstracts(table: Table | None) -> str:
    """Return the error for a CSV file that has no column of abstracts."""
    if table and {"PMID", "Journal/Book"} <= {name.strip("\ufeff ") for name in table.names}:
        return "PubMed's CSV has no abstracts; save the results in the format PubMed instead (.txt or .nbib)"
    return "a CSV file without a column named Abstract; export the references with their abstracts, as RIS or CSV"


def _of_row(cells: Mapping[str, str], number: int) -> Document:
    plain = {field.name for field in fields(Reference)} - {"named", "authors", "types", "mesh"}
    return document(
        Reference(
            **{name: cell for name, cell in cells.items() if name in plain},
            named=" ".join(cells.get(name, "") for name in ("doi", "pmcid", "url", "notes")),
            authors=tuple(authors_of(cells.get("authors", ""))),
            types=tuple(re.split("[;|]", cells.get("types", ""))),
            mesh=tuple(each.partition("/")[0] for each in re.split("[;|]", cells.get("mesh", ""))),
        ),
        number,
    )


def document(given: Reference, number: int) -> Document:
    """Return the document of a reference, the `number`-th of its file."""
    title, abstract = (html.unescape(_TAG.sub(" ", text)) for text in (given.title, given.abstract))
    date = _DATE.match(given.date)
    published = publication(
        ids=ids(f"{given.number} {given.named}", pmid=_pmid(given)),
        authors=given.authors,
        types=given.types,
        mesh=given.mesh,
        title=title,
        journal=given.journal,
        volume=given.volume,
        issue=given.issue,
        pages=given.pages,
        language=given.language,
    )
    made = pubmed.document(
        "", title, [("", abstract)], pubmed.iso_date(*(part or "" for part in date.groups())) if date else "", published
    )
    return named_by(made, number)


def named_by(record: Document, number: int) -> Document:
    """Return a record, the `number`-th of its file, with its best identifier as id, or one made for it."""
    known, digest = record.publication, blake2b(record.text.encode(), digest_size=3).hexdigest()
    # Other exports rather have a DOI than a PMCID.
    return replace(record, id=known.pmid or known.doi or known.pmcid or known.arxiv or f"record-{number}-{digest}")


def _pmid(given: Reference) -> str:
    for value in (given.pmid, given.number):
        # Programs that take the column for numbers write 23.0.
        if match := re.fullmatch(r"(?:PMID:? *)?(\d{1,8})(?:\.0)?", value, re.IGNORECASE):
            return pubmed.as_pmid(match[1])
    return ""
