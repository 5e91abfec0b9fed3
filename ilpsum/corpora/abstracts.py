"""Read abstracts from every kind of file that people have, alone or in folders: `_READERS` lists the formats.

What a file is shows in its first bytes, not in its name. Files of other kinds are refused by name, with what to do.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Literal

from ilpsum.corpora import FORMATS, articles, bibtex, json_exports, pdf, pubmed, references
from ilpsum.errors import InputError, counted, listed
from ilpsum.io.files import decode, open_bytes, read_bytes
from ilpsum.io.folders import walk
from ilpsum.io.identifiers import ArticleIds, is_id_list, listed_ids
from ilpsum.records import Document

Kind = Literal["abstracts", "topics", "ids", "plain"]
"""What a readable file has: abstracts, topics with documents in our JSON lines, identifiers of articles, plain text."""

IDS = "a list of identifiers, not of texts; add --pubmed to fetch the articles, or name a collection that has them"
"""What is said of a list of identifiers where texts are needed."""

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
_LOOKS = (
    (r"<!doctype html|<html\b", "an HTML page", f"save it as plain text, or {_EXPORT}"),
    (r"<(\?xml\b|!doctype\b|[a-z][\w:.-]*(\s[^<>]*)?/?>)", "XML, but not PubMed's, EndNote's, JATS or TEI", _EXPORT),
    (r"%[0A-Z] \S.*\n%[0A-Z] ", "EndNote's tagged format", "export the references with their abstracts as RIS"),
    (r"FN (Clarivate|Thomson|ISI)", "Web of Science's tagged format", "export the references as RIS"),
)
_TAR = slice(257, 262)
_Read = Callable[[str | Path], Iterator[Document | InputError]]
# How each format beside PubMed's is recognised, and read; what is found first counts.
_READERS: tuple[tuple[Callable[[Path], bool], _Read], ...] = (
    (json_exports.is_europe_pmc, json_exports.read),
    (json_exports.is_csl, json_exports.read),
    (references.is_endnote, references.read_endnote),
    (articles.is_article, articles.read),
    (pdf.is_pdf, pdf.read),
    (references.is_ris, references.read_ris),
    (bibtex.is_bibtex, bibtex.read),
)
# What a folder is searched for beside abstracts, where plain texts are read.
_TEXT = (".txt", ".text")
_TABLES = (".csv", ".tsv")


class Damaged:
    """Files in folders that cannot be read: the others are read, and these are named when that is done.

    A file that the user names ends the call instead.

    Attributes:
        errors: what is wrong with each.
    """

    def __init__(self) -> None:
        self.errors: list[InputError] = []
        self._inside: set[str] = set()

    def inside(self, files: Iterable[Path]) -> None:
        """Note that files were found in a folder."""
        self._inside.update(map(str, files))

    @contextmanager
    def reading(self, path: str | Path) -> Iterator[None]:
        """Note the error of a file from a folder; raise that of another one."""
        try:
            yield
        except InputError as error:
            if str(path) not in self._inside:
                raise
            self.errors.append(error)


class _RefusedError(InputError):
    """A file that is of a kind that is not read."""


def kind_of(path: Path, name: str = "") -> Kind:
    """Return what a file has, judged by its content; its name, or the one given, only tells tables from prose.

    Raises:
        InputError: the file cannot be read, is empty, or is of a kind that is not read; what to do instead.
    """
    with open_bytes(path) as stream:
        data = stream.read(4096)
    if not data.strip():
        raise _RefusedError(f"the file is empty; {_EXPORT}", path)
    if pubmed.form_of(path) or _reader(path):
        return "abstracts"
    _refuse_binary(path, data)
    if FORMATS["jsonl"]().recognises(path):
        return "topics"
    refuse_topics(path)
    _refuse_markup(path, decode(data)[0].removeprefix("\ufeff").lstrip())
    if table := references.table_of(path):
        if table.abstracts is None:
            raise _RefusedError(references.without_abstracts(table), path)
        return "abstracts"
    # The last line may be cut.
    if is_id_list(decode(data)[0].rpartition("\n")[0] or decode(data)[0]):
        return "ids"
    if (name or path.name).lower().removesuffix(".gz").endswith(_TABLES) or references.is_table(path):
        raise _RefusedError(references.without_abstracts(None), path)
    return "plain"


def read_list(path: str | Path, warnings: list[str], name: str = "") -> tuple[ArticleIds, ...]:
    """Return the articles that a list of identifiers names.

    `warnings` gets what may be an identifier but was not read, each with the name of the file or the one given.
    `InputError` if the file cannot be read.
    """
    read = listed_ids(decode(read_bytes(path, what="expected a list of identifiers"))[0])
    warnings += (f"{name or path}:{line}: {doubt}" for line, doubt in read.doubts)
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
        expected = 'one object per line, {"pmid", "title", "abstract"}, or {"id", "documents"}'
        raise _RefusedError(f"JSON of an unknown kind; expected {expected}", path)
    for look, what, advice in _LOOKS:
        if re.match(look, text, re.IGNORECASE):
            raise _RefusedError(f"{what}, which is not read; {advice}", path)


def refuse_topics(path: Path) -> None:
    """Raise an `InputError` if a file or folder has topics of any format but our JSON lines."""
    for name in FORMATS:
        if name != "jsonl" and FORMATS[name]().recognises(path):
            advice = "to summarise them: ilpsum summarize TOPICS --out DIR"
            raise _RefusedError(f"topics ({name}), not texts to answer from; {advice}", path)


def documents(path: str | Path, deleted: list[str] | None = None) -> Iterator[Document | InputError]:
    """Yield the abstracts of a file, in its order; one that cannot be read yields an error, and reading continues.

    A record without an abstract is yielded too; see `has_abstract`. `deleted` gets, in the end, the PMIDs that the file
    withdraws. `InputError` if the file cannot be read, is of another kind, or is cut off.
    """
    path = Path(path)
    if (kind := kind_of(path)) != "abstracts":
        raise InputError(IDS if kind == "ids" else f"plain text or topics, not abstracts; {_EXPORT}", path)
    reader = _reader(path)
    if reader is None and pubmed.form_of(path):
        return pubmed.documents(path, deleted)
    return (reader or references.read_csv)(path)


def _reader(path: Path) -> _Read | None:
    return next((read for is_one, read in _READERS if is_one(path)), None)


def has_abstract(document: Document) -> bool:
    """Return whether a record has an abstract, or a text: a title alone says too little to answer from."""
    return any(section.kind != "title" for section in document.sections)


def read(path: str | Path, warnings: list[str]) -> Iterator[Document]:
    """Yield the abstracts of a file; `warnings` gets, at the end, what was skipped; errors as of `documents`."""
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
    """Return the warnings of a file that was read: of what is skipped, of another encoding than UTF-8, of a PDF."""
    lines = [pdf.NOTE] if pdf.is_pdf(path) else []
    if _reader(path) in (None, references.read_ris, bibtex.read) and not pubmed.form_of(path):
        with open_bytes(path) as stream:
            told = ((number, decode(line)[1]) for number, line in enumerate(iter(stream.readline, b""), 1))
            lines += islice((f"line {number}: {recoded}" for number, recoded in told if recoded), 1)
    lines += [f"skipped {counted(without, 'record')} without an abstract"] if without else []
    damaged = f"skipped {counted(unreadable, 'record')} that cannot be read; the first: {first}"
    return (*lines, damaged) if unreadable else tuple(lines)


def files_in(
    paths: Sequence[str | Path], warnings: list[str], damaged: Damaged, *, plain: bool = False
) -> list[str | Path]:
    """Return the files, with each folder replaced by its files of abstracts, sorted; hidden ones are left out.

    Args:
        paths: files and folders; a file is returned as it is.
        warnings: gets a line for each folder that has files of other kinds.
        damaged: gets the files in folders.
        plain: whether texts (.txt) and topics in our JSON lines count too.

    Raises:
        InputError: a folder has topics, or no file of abstracts.
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


def _inside(folder: Path, damaged: Damaged, *, plain: bool) -> tuple[list[Path], list[str]]:
    """Return the files of abstracts in a folder and below it, and the names of files of other kinds."""
    inside, others = list[Path](), list[str]()
    for place, _, names in walk(folder):
        if any(part.startswith(".") for part in place.relative_to(folder).parts):
            continue
        for path in (place / name for name in names if not name.startswith(".")):
            try:
                # A pipe would wait for its writer.
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
