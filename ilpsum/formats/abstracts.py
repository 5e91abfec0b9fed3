"""Read abstracts from every common file format, alone or in folders: `_READERS` lists the formats.

The format is recognised from the first bytes, not from the name. Other formats are refused by name, with advice.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Literal

from ilpsum.errors import InputError, counted, listed
from ilpsum.files.folders import walk
from ilpsum.files.identifiers import ArticleIds, is_id_list, listed_ids
from ilpsum.files.reading import decode, open_bytes, read_bytes
from ilpsum.formats import articles, exports, pdf, pubmed
from ilpsum.formats.registry import FORMATS
from ilpsum.records import Document

Kind = Literal["abstracts", "topics", "ids", "plain"]
"""Content of a readable file: abstracts, topics in our JSON lines, article identifiers, or plain text."""

IDS = "a list of identifiers, not of texts; fetch the articles first: ilpsum fetch --ids FILE --out RECORDS.xml"
"""Error message for a list of identifiers where texts are needed."""

_EXPORT = "export the abstracts in PubMed's format (.nbib, .txt), PubMed XML, RIS or CSV"
_MAGIC = (
    (b"PK\x03\x04", "a Word, OpenDocument, Excel or zip file", f"save it as plain text, or {_EXPORT}"),
    (b"\xd0\xcf\x11\xe0", "an old Word or Excel file", f"save it as plain text, or {_EXPORT}"),
    (b"{\\rtf", "an RTF file", f"save it as plain text, or {_EXPORT}"),
    (b"%!PS", "a PostScript file", f"extract its text first (ps2ascii FILE.ps), or {_EXPORT}"),
    ((b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\x00", b"MM\x00*"), "an image", _EXPORT),
    (b"BZh", "compressed by bzip2", "unpack it, or compress it by gzip"),
    (b"\xfd7zXZ", "compressed by xz", "unpack it, or compress it by gzip"),
    ((b"\xff\xfe", b"\xfe\xff"), "text in UTF-16", "save it in UTF-8"),
)
_RIS = "export the references with their abstracts as RIS"
_LOOKS = (
    (r"<!doctype html|<html\b", "an HTML page", f"save it as plain text, or {_EXPORT}"),
    (r"<(\?xml\b|!doctype\b|[a-z][\w:.-]*(\s[^<>]*)?/?>)", "XML, but not PubMed's, JATS or TEI", _EXPORT),
    (r"%[0A-Z] \S.*\n%[0A-Z] ", "EndNote's tagged format", _RIS),
    (r"FN (Clarivate|Thomson|ISI)", "Web of Science's tagged format", _RIS),
    (r"(%.*\n|\s)*@[a-z]{3,30}\s*[{(]", "BibTeX", _RIS),
)
_TAR = slice(257, 262)
_Read = Callable[[str | Path], Iterator[Document | InputError]]
# Recogniser and reader of each format other than PubMed's; the first match wins.
_READERS: tuple[tuple[Callable[[Path], bool], _Read], ...] = (
    (exports.is_europe_pmc, exports.read_json),
    (exports.is_csl, exports.read_json),
    (articles.is_article, articles.read),
    (pdf.is_pdf, pdf.read),
    (exports.is_ris, exports.read_ris),
)
# Suffixes also accepted in a folder where plain texts are read.
_TEXT = (".txt", ".text")
_TABLES, _JSON = (".csv", ".tsv"), (".json", ".jsonl")
_EXPECTED = 'expected one object per line, {"pmid", "title", "abstract"}, or {"id", "documents"}'


class SkippedFiles:
    """Unreadable files found in folders: the other files are read, and these are reported at the end.

    A file that the user names directly raises its error instead.

    Attributes:
        errors: the error of each such file.
    """

    def __init__(self) -> None:
        self.errors: list[InputError] = []
        self._inside: set[str] = set()

    def inside(self, files: Iterable[Path]) -> None:
        """Register files that were found in a folder."""
        self._inside.update(map(str, files))

    @contextmanager
    def reading(self, path: str | Path) -> Iterator[None]:
        """Record the error of a file found in a folder; raise the error of any other file."""
        try:
            yield
        except InputError as error:
            if str(path) not in self._inside:
                raise
            self.errors.append(error)


class _RefusedError(InputError):
    """A file of an unsupported kind."""


def kind_of(path: Path, name: str = "") -> Kind:
    """Return what a file contains, judged by its content; the file name (or `name`) tells tables and JSON from prose.

    Raises:
        InputError: the file cannot be read, is empty, or is of an unsupported kind; the message gives advice.
    """
    with open_bytes(path) as stream:
        data = stream.read(4096)
    if not data.strip():
        raise _RefusedError(f"the file is empty; {_EXPORT}", path)
    if pubmed.form_of(path) or _reader(path):
        return "abstracts"
    _refuse_binary(path, data)
    if FORMATS["jsonl"].reader.recognises(path):
        return "topics"
    refuse_topics(path)
    _refuse_markup(path, decode(data)[0].removeprefix("\ufeff").lstrip())
    if table := exports.table_of(path):
        if table.place("abstract") is None:
            raise _RefusedError(exports.without_abstracts(table), path)
        return "abstracts"
    # The last line may be cut.
    if is_id_list(decode(data)[0].rpartition("\n")[0] or decode(data)[0]):
        return "ids"
    suffix = Path((name or path.name).lower().removesuffix(".gz")).suffix
    if suffix in _JSON:
        raise _RefusedError(f"invalid JSON, or JSON of an unknown kind; {_EXPECTED}", path)
    if suffix in _TABLES or exports.is_table(path):
        raise _RefusedError(exports.without_abstracts(None), path)
    return "plain"


def read_list(path: str | Path, warnings: list[str]) -> tuple[ArticleIds, ...]:
    """Return the articles that a list of identifiers names.

    `warnings` receives possible identifiers that were not recognised, each with the file name and line.
    `InputError` if the file cannot be read.
    """
    read = listed_ids(decode(read_bytes(path, what="expected a list of identifiers"))[0])
    warnings += (f"{path}:{line}: {doubt}" for line, doubt in read.doubts)
    return read.articles


def _refuse_binary(path: Path, data: bytes) -> None:
    for magic, what, advice in _MAGIC:
        if data.startswith(magic):
            raise _RefusedError(f"{what}, which is not read; {advice}", path)
    if data[_TAR] == b"ustar":
        raise _RefusedError("a tar archive, which is not read here; unpack it and name the folder", path)
    if b"\x00" in data:
        raise _RefusedError(f"a binary file, not text; {_EXPORT}", path)


def _refuse_markup(path: Path, text: str) -> None:
    if re.fullmatch(r"\[\s*\]\s*", text):
        raise _RefusedError("a list without a record; export the records again", path)
    if re.match(r'\{\s*["}]|\[\s*\{', text):
        raise _RefusedError(f"JSON of an unknown kind; {_EXPECTED}", path)
    for look, what, advice in _LOOKS:
        if re.match(look, text, re.IGNORECASE):
            raise _RefusedError(f"{what}, which is not read; {advice}", path)


def refuse_topics(path: Path) -> None:
    """Raise an `InputError` if a file or folder holds topics in any format but our JSON lines."""
    for name, form in ((name, FORMATS[name]) for name in FORMATS):
        if name != "jsonl" and form.reader.recognises(path):
            advice = "to summarise them: ilpsum summarize TOPICS --out DIR"
            raise _RefusedError(f"topics ({name}), not texts to answer from; {advice}", path)


def documents(path: str | Path, deleted: list[str] | None = None) -> Iterator[Document | InputError]:
    """Yield the abstracts of a file, in file order; an unreadable record yields an error, and reading continues.

    Records without an abstract are yielded too; see `has_abstract`. `deleted` receives the PMIDs that the file
    withdraws, once it is read. `InputError` if the file cannot be read, is of another kind, or is truncated.
    """
    path = Path(path)
    if (kind := kind_of(path)) != "abstracts":
        raise InputError(IDS if kind == "ids" else f"plain text or topics, not abstracts; {_EXPORT}", path)
    reader = _reader(path)
    if reader is None and pubmed.form_of(path):
        return pubmed.documents(path, deleted)
    return (reader or exports.read_csv)(path)


def _reader(path: Path) -> _Read | None:
    return next((read for is_one, read in _READERS if is_one(path)), None)


def has_abstract(document: Document) -> bool:
    """Return whether a record has an abstract or full text; a title alone is too little to answer from."""
    return any(section.kind != "title" for section in document.sections)


def read(path: str | Path, warnings: list[str]) -> Iterator[Document]:
    """Yield the abstracts of a file, and at the end add to `warnings` what was skipped; raises as `documents` does."""
    without, unreadable, first = 0, 0, ""
    for document in documents(path):
        if isinstance(document, InputError):
            unreadable, first = unreadable + 1, first or str(document)
        elif has_abstract(document):
            yield document
        else:
            without += 1
    warnings += (f"{Path(path).name}: {line}" for line in skipped(Path(path), without, unreadable, first))


def skipped(path: Path, without: int, unreadable: int, first: str) -> tuple[str, ...]:
    """Return the warnings for a file that was read: skipped records, an encoding other than UTF-8, a PDF."""
    lines = [pdf.NOTE] if pdf.is_pdf(path) else []
    if _reader(path) in (None, exports.read_ris) and not pubmed.form_of(path):
        with open_bytes(path) as stream:
            told = ((number, decode(line)[1]) for number, line in enumerate(iter(stream.readline, b""), 1))
            lines += islice((f"line {number}: {recoded}" for number, recoded in told if recoded), 1)
    lines += [f"skipped {counted(without, 'record')} without an abstract"] if without else []
    damaged = f"skipped {counted(unreadable, 'record')} that cannot be read; the first: {first}"
    return (*lines, damaged) if unreadable else tuple(lines)


def files_in(
    paths: Sequence[str | Path], warnings: list[str], damaged: SkippedFiles, *, plain: bool = False
) -> list[str | Path]:
    """Replace each folder by the abstract files in it, sorted; hidden files are left out.

    Args:
        paths: files and folders; files are returned unchanged.
        warnings: receives a line for each folder that holds files of other kinds.
        damaged: registers the files found in folders, and the errors of unreadable ones.
        plain: whether plain texts (.txt) and topics in our JSON lines count as well.

    Raises:
        InputError: a folder holds topics, or no abstract file.
    """
    found: list[str | Path] = []
    for path in paths:
        if str(path) == "-" or not Path(path).is_dir():
            found.append(path)
            continue
        refuse_topics(Path(path))
        inside, others = _inside(Path(path), damaged, plain=plain)
        damaged.inside(inside)
        if not inside:
            raise InputError(f"no file of abstracts in the folder; {_EXPORT}", path)
        if others:
            skipped = counted(len(others), "file that is", "files that are")
            warnings.append(f"{path}: skipped {skipped} not abstracts: {listed(others)}")
        found += inside
    return found


def _inside(folder: Path, damaged: SkippedFiles, *, plain: bool) -> tuple[list[Path], list[str]]:
    """Return the abstract files in a folder and its subfolders, and the names of files of other kinds."""
    inside, others = list[Path](), list[str]()
    for place, _, names in walk(folder):
        if any(part.startswith(".") for part in place.relative_to(folder).parts):
            continue
        for path in (place / name for name in names if not name.startswith(".")):
            try:
                # Opening a pipe would wait for its writer.
                kind = kind_of(path) if path.is_file() else None
            except _RefusedError:
                kind = None
            except InputError as error:
                damaged.errors.append(error)
                continue
            is_text = path.name.removesuffix(".gz").lower().endswith(_TEXT)
            if kind == "abstracts" or (plain and (kind == "topics" or (kind == "plain" and is_text))):
                inside.append(path)
            else:
                others.append(str(path.relative_to(folder)))
    return inside, others
