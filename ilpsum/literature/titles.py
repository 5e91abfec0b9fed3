"""Read titles or sentences to compress: lines, JSON lines, a table, or the articles of PubMed
XML.
"""

import io
import re
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ilpsum.errors import InputError
from ilpsum.files.json_text import read_json_lines
from ilpsum.files.reading import head, read_lines
from ilpsum.literature import pubmed
from ilpsum.literature.raw import Read
from ilpsum.records import Document

# Characters that some programs treat as line ends, and the tab that separates columns.
_LINE_ENDS = re.compile("[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
# Analysing a sentence takes a hundred times its bytes.
_MAX_LINE = 4 * 2**20


@dataclass(frozen=True, slots=True)
class Title:
    """A line of text to compress, with its number from 1, or the id or PMID of its record or row.

    Invalid UTF-8 bytes are kept as lone surrogates, so that they can be written unchanged.
    """

    id: str
    text: str


def read_titles(path: str | Path, form: str | None = None) -> Iterator[Title]:
    """Yield the title of each line or record.

    `path` may be gzipped, or `-` for standard input. `form` is `lines`, `jsonl`, `pubmed`, or `tsv`
    (rows of id and title after a header); by default, one of the first three, recognised from the
    first bytes. `InputError` if the file cannot be read, or a record is invalid.
    """
    start = _start(path)
    if start.startswith(b"%PDF") or b"\x00" in start:
        name = "standard input" if str(path) == "-" else path
        raise InputError("not a text file; expected lines, JSON lines or PubMed XML", name)
    form = form or _guess(start)
    if form == "pubmed":
        yield from filter(None, map(_of_article, pubmed.documents(path, form="xml")))
    elif form == "jsonl":
        for number, value in read_json_lines(path):
            yield _record(value, path, number)
    else:
        for number, data in read_lines(path, _MAX_LINE):
            line = data.decode("utf-8", "surrogateescape")
            line = line.removeprefix("\ufeff") if number == 1 else line
            if form == "lines":
                yield Title(str(number), _one_line(line))
            elif number > 1 and line:
                yield _row(line, path, number)


def _of_article(read: Read) -> Title | None:
    if isinstance(read, InputError):
        raise read
    return Title(read.id, read.title) if isinstance(read, Document) else None


def _start(path: str | Path) -> bytes:
    """Return the first bytes without consuming them."""
    if str(path) != "-":
        return head(Path(path))
    data = cast(io.BufferedReader, sys.stdin.buffer).peek(4096)
    return (
        zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(data)
        if data[:2] == b"\x1f\x8b"
        else data
    )


def _guess(start: bytes) -> str:
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if re.match(rb"<\?xml|<!DOCTYPE|<(Pubmed|Medline)", text):
        return "pubmed"
    return "jsonl" if re.match(rb'\{\s*"[^"\n]*"\s*:', text) else "lines"


def _one_line(text: str) -> str:
    return _LINE_ENDS.sub(" ", text)


def _record(value: Any, path: str | Path, number: int) -> Title:
    if isinstance(value, InputError):
        raise value
    record = value if isinstance(value, dict) else {}
    text = next((record[name] for name in ("title", "text") if record.get(name) is not None), None)
    if not isinstance(text, str):
        expected = 'expected one object a line, such as {"id": "1", "title": "text"}'
        raise InputError(f"no text in title or text; {expected}", path, number)
    name = next(
        (record[key] for key in ("id", "pmid") if isinstance(record.get(key), str | int)),
        number,
    )
    return Title(_one_line(str(name)), _one_line(text))


def _row(line: str, path: str | Path, number: int) -> Title:
    cells = line.split("\t")
    if len(cells) < 2:
        raise InputError(
            "1 column; expected tab-separated columns id, title, with a header",
            path,
            number,
        )
    return Title(_one_line(cells[0]), _one_line(cells[1]))
