"""Read abstracts from every common file format, alone or in folders: `_READERS` lists the formats.

The format is recognised from the first bytes, not from the name. Other formats are refused by name,
with advice.
"""

import codecs
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ilpsum.errors import InputError, counted, listed
from ilpsum.files.identifiers import ArticleIds, is_id_list, listed_ids
from ilpsum.files.reading import decode, open_bytes, read_bytes, require_length
from ilpsum.files.start import Start
from ilpsum.literature import articles, exports, pdf, pubmed, pubmed_text
from ilpsum.literature.raw import Notice, Read
from ilpsum.records import Document

_IDS = (
    "a list of identifiers, not of texts; fetch the articles first: ilpsum fetch --ids FILE "
    "--out RECORDS.xml"
)
EXPORT = "export the abstracts in PubMed's format (.nbib, .txt), PubMed XML, RIS or CSV"
_SAVE = f"save it as plain text, or {EXPORT}"
_RIS = "export the references with their abstracts as RIS"
_EXPECTED = 'expected one object per line, {"pmid", "title", "abstract"}, or {"id", "documents"}'
# Beginnings of other kinds of files, one character a byte; what they are, and advice.
_REFUSED = (
    (r"PK\x03\x04", "a Word, OpenDocument, Excel or zip file", _SAVE),
    (r"\xd0\xcf\x11\xe0", "an old Word or Excel file", _SAVE),
    (r"{\\rtf", "an RTF file", _SAVE),
    (r"%!PS", "a PostScript file", f"extract its text first (ps2ascii FILE.ps), or {EXPORT}"),
    (r"\x89PNG|\xff\xd8\xff|GIF8|II\*\x00|MM\x00\*", "an image", EXPORT),
    (r"BZh\d|\xfd7zXZ", "compressed by bzip2 or xz", "unpack it, or compress it by gzip"),
    (r"\xff\xfe|\xfe\xff", "text in UTF-16", "save it in UTF-8"),
    (r"[\s\S]{257}ustar", "a tar archive", "unpack it and name the folder"),
    (r"[^\x00]*\x00", "not text but a binary file", EXPORT),
    (r"<!doctype html|<html\b", "an HTML page", _SAVE),
    (
        r"<(\?xml\b|!doctype\b|[a-z][\w:.-]*(\s[^<>]*)?/?>)",
        "XML, but not PubMed's, JATS or TEI",
        EXPORT,
    ),
    (r"%[0A-Z] \S.*\n%[0A-Z] ", "EndNote's tagged format", _RIS),
    (r"FN (Clarivate|Thomson|ISI)", "Web of Science's tagged format", _RIS),
    (r"<1>\s*\n|VN +- +Ovid|1\. *\n(Database|Accession Number)\b", "Ovid's text", _RIS),
    (r"RT \S.*\n+(SR|ID|A1|T1) ", "RefWorks' tagged format", _RIS),
    (r"Scopus\s*\nEXPORT DATE", "Scopus' text", _RIS),
    (r"Record #1 of \d", "Cochrane's text", _RIS),
    (r"(%.*\n|\s)*@[a-z]{3,30}\s*[{(]", "BibTeX", _RIS),
    (r"\[\s*\]\s*\Z", "an empty list", "export the records again"),
    (r"\{\s*[\"}]|\[\s*\{", "JSON of an unknown kind", _EXPECTED),
)
# Unreadable records, beyond the number of the others, with which reading ends.
_MOST_UNREAD = 10_000
# Characters that tell a list of identifiers, and a kind that is refused.
_LIST = 4096
_Reader = Callable[[Start], Iterator[Read]]
# Recogniser and reader of each format except CSV, the last; the first match wins.
_READERS: tuple[tuple[Callable[[Start], object], _Reader], ...] = (
    (exports.is_europe_pmc, exports.read_json),
    (exports.is_csl, exports.read_json),
    (articles.is_article, articles.read),
    (pdf.is_pdf, pdf.read),
    (exports.is_ris, exports.read_ris),
    (pubmed.reader_of, pubmed.documents),
    (pubmed_text.is_text, pubmed_text.read),
)


@dataclass
class FileWarnings:
    """Warnings about files that are read.

    An unreadable file found in a folder is left out; one that the user names raises its error.

    Attributes:
        lines: what was skipped or repaired.
        errors: errors of the files that were left out.
        inside: paths of the files found in folders.
    """

    lines: list[str] = field(default_factory=list)
    errors: list[InputError] = field(default_factory=list)
    inside: set[str] = field(default_factory=set)

    @contextmanager
    def reading(self, path: str | Path) -> Iterator[None]:
        """Keep the error of a file found in a folder; raise the error of any other file."""
        try:
            yield
        except InputError as error:
            if str(path) not in self.inside:
                raise
            self.errors.append(error)

    def without_lines(self) -> "FileWarnings":
        """Return warnings for another call on the same files: lines of its own, errors shared."""
        return FileWarnings([], self.errors, self.inside)

    def left_out(self) -> list[str]:
        """Return a line for each file that was left out."""
        return [f"{error} (left out)" for error in self.errors]


class RefusedError(InputError):
    """A file of an unsupported kind."""


def reader_of(start: Start) -> _Reader | None:
    """Return the reader of a file of abstracts, judged by its start; None for plain text. The
    file's name tells tables and JSON from prose.

    `InputError` if the file cannot be read, is empty, or is of an unsupported kind; the message
    gives advice.
    """
    path = start.path
    if not start.data.strip():
        with open_bytes(path) as stream:
            # What cannot be read has an empty start, too: read it to the end, where a gzip file may
            # be cut off.
            while stream.read(2**16):
                pass
            raise RefusedError(f"the file is empty; {EXPORT}", path)
    for is_one, reader in _READERS:
        if is_one(start):
            return reader
    _refuse(start)
    if table := exports.table_of(start):
        if table.column_of("abstract") is None:
            raise RefusedError(exports.without_abstracts(table), path)
        return partial(exports.read_csv, table)
    text = start.text[:_LIST]
    # The last line may be cut.
    if is_id_list(text.rpartition("\n")[0] or text):
        raise RefusedError(_IDS, path)
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    if suffix in (".json", ".jsonl"):
        raise RefusedError(f"invalid JSON, or JSON of an unknown kind; {_EXPECTED}", path)
    if suffix in (".csv", ".tsv") or exports.is_table(start):
        raise RefusedError(exports.without_abstracts(None), path)
    return None


def _refuse(start: Start) -> None:
    begin = start.data[:_LIST].removeprefix(codecs.BOM_UTF8).decode("latin-1").lstrip()
    for look, what, advice in _REFUSED:
        if re.match(look, begin, re.IGNORECASE):
            raise RefusedError(f"{what}, which is not read; {advice}", start.path)


def read_list(path: str | Path, warnings: list[str]) -> tuple[ArticleIds, ...]:
    """Return the articles that a list of identifiers names.

    `warnings` receives a line that counts the lines without an identifier.
    `InputError` if the file cannot be read.
    """
    read = listed_ids(decode(read_bytes(path, what="expected a list of identifiers"))[0])
    if read.without:
        lines = (
            f"lines without an identifier: {len(read.without)} "
            f"({listed(list(map(str, read.without)))})"
        )
        warnings.append(
            f"{path}: {lines}; write PMID: before a PMID, and a DOI or PMCID in one piece"
        )
    return read.articles


def has_abstract(document: Document) -> bool:
    """Return whether a record has an abstract or full text; a title alone is too little to answer
    from.
    """
    return any(section.kind != "title" for section in document.sections)


def documents(source: str | Path | Start) -> Iterator[Read]:
    """Yield the abstracts of a file, in file order, and notices about the file.

    Records without an abstract are yielded too; see `has_abstract`. `InputError` if the file cannot
    be read, is of another kind, or is truncated.
    """
    start = Start.of(source)
    reader = reader_of(start)
    if reader is None:
        raise InputError(f"plain text or topics, not abstracts; {EXPORT}", start.path)
    return reader(start)


class Abstracts:
    """The abstracts of a file, in file order, to be iterated once; raises as `documents` does, and
    if it has records and none can be read.

    Once the file is read, `notices` says what was left out or repaired, and `deleted` has the PMIDs
    that it withdraws. `titles` keeps records without an abstract, too.
    """

    def __init__(self, source: str | Path | Start, *, titles: bool = False) -> None:
        self.start, self._titles = Start.of(source), titles
        self.notices, self.deleted = tuple[str, ...](), list[str]()

    def __iter__(self) -> Iterator[Document]:
        told, first = list[str](), ""
        records, without, unread = 0, 0, 0
        for read in documents(self.start):
            if isinstance(read, InputError):
                unread += 1
                first = first or str(read)
                if unread > records + without + _MOST_UNREAD:
                    message = f"too many records cannot be read; the first: {first}"
                    raise InputError(message, self.start.path)
            elif isinstance(read, Notice):
                told += filter(None, [read.text])
                self.deleted += filter(None, read.withdrawn)
            elif self._titles or has_abstract(read):
                require_length(read.text, read.id, self.start.path)
                records += 1
                yield read
            else:
                without += 1
        if without:
            told.append(f"skipped {counted(without, 'record')} without an abstract")
        if unread and not records + without:
            raise InputError(f"no record can be read ({unread} in all): {first}", self.start.path)
        if unread:
            told.append(
                f"skipped {counted(unread, 'record')} that cannot be read; the first: {first}"
            )
        self.notices = tuple(told)


def read(
    source: str | Path | Start,
    warnings: list[str],
    *,
    titles: bool = False,
) -> Iterator[Document]:
    """Yield the abstracts of a file as `Abstracts` does, and at the end add to `warnings` what was
    left out.
    """
    abstracts = Abstracts(source, titles=titles)
    yield from abstracts
    warnings += (f"{abstracts.start.path.name}: {notice}" for notice in abstracts.notices)
