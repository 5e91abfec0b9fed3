"""Recognise files of abstracts in every common format: `_READERS` lists the formats.

The format is recognised from the first bytes, not from the name. Other formats are refused by name,
with advice.
"""

import codecs
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ilpsum.errors import InputError, listed
from ilpsum.files.identifiers import ArticleIds, is_id_list, listed_ids
from ilpsum.files.reading import decode, open_bytes, read_bytes
from ilpsum.files.start import Start
from ilpsum.literature import (
    articles,
    bibtex,
    named,
    passages,
    pdf,
    pubmed,
    pubmed_text,
    reference_xml,
    tagged,
)
from ilpsum.literature.raw import Parsed

_IDS = (
    "a list of identifiers, not of texts; fetch the articles first: ilpsum fetch --ids FILE "
    "--out RECORDS.xml"
)
EXPORT = "export the abstracts in PubMed's format (.nbib, .txt), PubMed XML, RIS or CSV"
INDEXED = f"{EXPORT}; `ilpsum ask QUESTION FILE...`, without --documents, reads plain texts, too"
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
    (r"[\s\S]{257}ustar", "a tar archive", "unpack it and name the folder"),
    (r"[^\x00]*\x00", "not text but a binary file", EXPORT),
    (r"<!doctype html|<html\b", "an HTML page", _SAVE),
    (
        r"<(\?xml\b|!doctype\b|[a-z][\w:.-]*(\s[^<>]*)?/?>)",
        "XML, but not PubMed's, Europe PMC's, EndNote's, BioC, Dublin Core, JATS or TEI",
        EXPORT,
    ),
    (r"FN (Clarivate|Thomson|ISI)", "Web of Science's text without a record", _RIS),
    (r"<1>\s*\n|VN +- +Ovid|1\. *\n(Database|Accession Number)\b", "Ovid's text", _RIS),
    (r"RT \S.*\n+(SR|ID|A1|T1) ", "RefWorks' tagged format", _RIS),
    (r"Scopus\s*\nEXPORT DATE", "Scopus' text", _RIS),
    (r"Record #\d+ of \d", "Cochrane's text", _RIS),
    # Below a header it is a table.
    (
        r"\*?(Generic|Journal Article)\s*\n(?![^\n]*\t(?:Title|Abstract)\b)",
        "EndNote's text with tabs",
        _RIS,
    ),
    (r"\[\s*\]\s*\Z", "an empty list", "export the records again"),
    (r"\{\s*[\"}]|\[\s*\{", "JSON of an unknown kind", _EXPECTED),
)
# Characters that tell a list of identifiers, and a kind that is refused.
_LIST = 4096
# Lines that begin with a tag or with the name of a field; how many must, and what share.
_TAGGED = re.compile(r"^\W{0,4}(?!AIMS?\b)([A-Z][A-Z0-9]{1,3})[ \t]{0,3}[-:|=][ \t]", re.M)
_FIELDS = re.compile(
    r"^\W{0,4}(title|authors?|abstract|doi|journal|source|pmid|issn)s?[ \t]{0,3}[:=|]", re.M | re.I
)
_Reader = Callable[[Start], Iterator[Parsed]]


def _bound(read: Callable[..., Iterator[Parsed]], form: object) -> _Reader | None:
    """Return a reader for a form of its format; None without one."""
    return None if form is None else partial(read, form)


# What finds the reader of each format except tables, the last; the first match wins.
_READERS: tuple[Callable[[Start], _Reader | None], ...] = (
    lambda start: _bound(named.read_json, named.json_list(start)),
    lambda start: articles.read if articles.is_article(start) else None,
    lambda start: pdf.read if pdf.is_pdf(start) else None,
    lambda start: pubmed.read if pubmed.is_article_set(start) else None,
    lambda start: _bound(reference_xml.read, reference_xml.format_of(start)),
    lambda start: _bound(tagged.read, tagged.syntax_of(start)),
    lambda start: pubmed_text.read if pubmed_text.is_text(start) else None,
    lambda start: bibtex.read if bibtex.is_bibtex(start) else None,
    lambda start: passages.read_pubtator if passages.is_pubtator(start) else None,
)


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
            raise RefusedError("the file is empty; expected a text or abstracts", path)
    for find in _READERS:
        if reader := find(start):
            return reader
    _refuse(start)
    if table := named.table_of(start):
        if table.column_of("abstract") is None:
            raise RefusedError(named.without_abstracts(table), path)
        return partial(named.read_table, table)
    text = start.text[:_LIST]
    # The last line may be cut.
    if is_id_list(text.rpartition("\n")[0] or text):
        raise RefusedError(_IDS, path)
    _refuse_unknown(start, text)
    return None


def _refuse_unknown(start: Start, text: str) -> None:
    """Raise `RefusedError` for what its name or its lines tell from prose."""
    suffix = Path(start.path.name.lower().removesuffix(".gz")).suffix
    if suffix in (".json", ".jsonl"):
        what = f"invalid JSON, or JSON of an unknown kind; {_EXPECTED}"
        raise RefusedError(what, start.path)
    if suffix in (".csv", ".tsv") or named.is_table(start):
        raise RefusedError(named.without_abstracts(None), start.path)
    if _is_tagged(text):
        raise RefusedError(f"records of a form that is not known, not prose; {EXPORT}", start.path)


def _is_tagged(text: str) -> bool:
    """Return whether a text consists of lines with tags or names of fields, and is no prose."""
    lines = sum(bool(line.strip()) for line in text.splitlines())
    tags = _TAGGED.findall(text)
    names = {name.lower() for name in _FIELDS.findall(text)}
    by_tags = len(set(tags)) > 2 and 2 * len(tags) >= lines
    return by_tags or (len(names) > 2 and {"title", "abstract"} <= names)


def _refuse(start: Start) -> None:
    if start.data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        # Not a `RefusedError`: it may hold abstracts, which a folder of files would lack.
        raise InputError("text in UTF-16, which is not read; save it in UTF-8", start.path)
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
