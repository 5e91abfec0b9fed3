"""Read abstracts exported by reference managers and databases: RIS, and CSV with a header.

RIS: records from `TY` to `ER`, with title (`TI`, `T1`), abstract (`AB`, `N2`), year (`PY`, `Y1`) and identifiers (`AN`,
`ID`, `DO`, `UR`). CSV: separated by commas, semicolons or tabs, with column names of PubMed, Zotero, EndNote, Rayyan,
Covidence, Scopus or Web of Science. (rispy, measured at 0.10, loses records without `ER` or with one space after their
tags.)

A document's id is its PMID, else its DOI, PMCID or arXiv id, else `record-N-DIGEST`: the record's number in the file
and a digest of its text, so that ids differ between files.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ilpsum.errors import InputError
from ilpsum.files.reading import decode, head, read_lines
from ilpsum.formats.publishing import Reference, author, authors_of, keys, parts_of, plain, reference, tagged
from ilpsum.records import Document

_RIS_FIELD = re.compile(r"([A-Z][A-Z0-9]) {1,2}-(?: (.*))?$")
_RIS = keys(
    "title: TI T1; abstract: AB N2; date: PY Y1 DA; number: AN; database: DB DP; named: DO ID C2 UR L2 N1 M1 M3; "
    "journal: JO JF T2 BT JA J2 PB; volume: VL; issue: IS; language: LA; types: M3; mesh: KW"
)
# Column names, reduced to their letters.
_CSV = keys(
    "title: title articletitle documenttitle primarytitle; abstract: abstract abstractnote abstracttext; "
    "date: publicationyear publishedyear year pubyear publicationdate date; pmid: pmid pubmedid; "
    "number: accessionnumber; named: doi pmcid url urls link extra notes; authors: authors author; "
    "journal: journal journalbook publicationtitle sourcetitle secondarytitle booktitle publisher; "
    "volume: volume; issue: issue number; pages: pages page; language: language languageoforiginaldocument; "
    "types: publicationtype publicationtypes documenttype typeofwork; "
    "mesh: meshterms mesh keywords indexkeywords manualtags"
)
_KNOWN = frozenset(name for names in _CSV.values() for name in names)
_SEPARATORS = ",;\t"
# Column name in any table: at most three words, without punctuation.
_COLUMN = re.compile(r"\w[^\s.,;:!?]{0,30}(?: [^\s.,;:!?]{1,30}){0,2}")


@dataclass(frozen=True, slots=True)
class Table:
    """The header of a CSV file: separator, column names, and the index of each known column."""

    separator: str
    names: tuple[str, ...]
    columns: Mapping[str, int]

    @property
    def abstracts(self) -> int | None:
        """The index of the column with the abstracts; None if there is none."""
        return next((self.columns[name] for name in _CSV["abstract"] if name in self.columns), None)


def is_ris(path: Path) -> bool:
    """Return whether a file starts like RIS."""
    return re.search(r"^TY {1,2}- \w", decode(head(path))[0].removeprefix("\ufeff"), re.M) is not None


def table_of(path: Path) -> Table | None:
    """Return the header of a CSV file of references; None if the file does not start with one."""
    lines = (line for line in decode(head(path))[0].removeprefix("\ufeff").splitlines() if line.strip())
    first = next(lines, "")
    first = next(lines, "") if first.startswith("sep=") else first
    tables = [_table(first, separator) for separator in _SEPARATORS]
    best = max(tables, key=lambda table: len(table.columns))
    telling = {name for field in ("title", "abstract", "pmid") for name in _CSV[field]}
    return best if len(best.columns) > 1 and best.columns.keys() & telling else None


def _table(line: str, separator: str) -> Table:
    try:
        names = next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        names = []
    folded = [re.sub(r"[^a-z]", "", name.casefold()) for name in names]
    return Table(separator, tuple(names), {name: folded.index(name) for name in _KNOWN if name in folded})


def read_ris(path: str | Path) -> Iterator[Document | InputError]:
    """Yield the references of a RIS file, in file order; `InputError` if the file cannot be read."""
    lines = ((number, decode(data)[0].removeprefix("\ufeff")) for number, data in read_lines(path))
    for count, (_, fields) in enumerate(tagged(lines, _RIS_FIELD, "TY", "ER"), 1):
        yield _of_ris(fields, count)


def _of_ris(parts: Mapping[str, list[str]], number: int) -> Document:
    pages = "-".join(dict.fromkeys(filter(None, (each for tag in ("SP", "EP") for each in parts.get(tag, ())))))
    # Most programs put a record number in ID, so it is a PMID only if it has as many digits as one.
    own = {**_RIS, "pmid": ["ID"] * any(re.fullmatch(r"\d{6,8}", each) for each in parts.get("ID", ()))}
    authors = tuple(map(author, parts.get("AU") or parts.get("A1") or ()))
    return exported(reference(own, lambda tag: parts.get(tag, []), pages=pages, authors=authors), number)


def read_csv(path: str | Path) -> Iterator[Document | InputError]:
    """Yield the references of a CSV file, in file order; a row with too few or too many cells yields an error.

    `InputError` if there is no abstract column, or a quote is never closed.
    """
    table = table_of(Path(path))
    if table is None or table.abstracts is None:
        raise InputError(without_abstracts(table), path)
    lines = (decode(data)[0].removeprefix("\ufeff") + "\n" for _, data in read_lines(path))
    rows = csv.reader((line for line in lines if not line.startswith("sep=")), delimiter=table.separator, strict=True)
    count, needed = -1, max(table.abstracts, *(table.columns.get(name, 0) for name in _CSV["title"]))
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


def is_table(path: Path) -> bool:
    """Return whether a text is a table with a header, whatever its columns.

    The column names are short, no space follows a separator, and all rows have the same number of cells.
    """
    lines = [line for line in decode(head(path))[0].removeprefix("\ufeff").splitlines() if line.strip()]
    for separator in _SEPARATORS:
        try:
            header, *rows = csv.reader(lines, delimiter=separator)
        except (csv.Error, ValueError):
            continue
        named = len(header) > 1 and all(_COLUMN.fullmatch(name) for name in header)
        # The last of several rows may be truncated.
        if named and rows and all(len(row) == len(header) for row in rows[:-1] or rows):
            return True
    return False


def without_abstracts(table: Table | None) -> str:
    """Return the error message for a CSV file without a column of abstracts."""
    if table and {"PMID", "Journal/Book"} <= {name.strip("\ufeff ") for name in table.names}:
        return "PubMed's CSV has no abstracts; save the results in the format PubMed instead (.txt or .nbib)"
    if table is None:
        return "a table whose header names no text; expected the columns Title and Abstract, one record a row"
    return "a CSV file without a column named Abstract; export the references with their abstracts, as RIS or CSV"


def _of_row(cells: Mapping[str, str], number: int) -> Document:
    authors = next((cells[name] for name in _CSV["authors"] if cells.get(name)), "")
    given = reference(_CSV, lambda name: [cells.get(name, "")], authors=tuple(authors_of(authors)))
    return exported(given, number)


def exported(given: Reference, number: int) -> Document:
    """Build the document of an exported reference, the `number`-th of its file."""
    (_, abstract), *_ = given.abstract
    return replace(given, title=plain(given.title), abstract=parts_of(abstract)).document(number)
