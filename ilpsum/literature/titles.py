"""Read titles or sentences to compress: lines, JSON lines, a table, or the articles of PubMed
XML.
"""

import io
import re
import sys
import warnings
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ilpsum.errors import InputError, counted
from ilpsum.files.json_text import list_items, read_json_lines
from ilpsum.files.reading import decode, head, read_lines
from ilpsum.files.work import Warn
from ilpsum.literature import pubmed
from ilpsum.literature.gate import title_of
from ilpsum.literature.raw import Parsed, Problem, Withdrawn

# Characters that some programs treat as line ends, and the tab that separates columns.
_LINE_ENDS = re.compile("[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
# Analysing a sentence takes a hundred times its bytes.
_MAX_LINE = 4 * 2**20
# Fields of a record, and columns of a table, that hold the text and its id.
_TEXTS = ("title", "text")
_NAMES = ("id", "pmid")
_EXPECTED = "expected lines, JSON lines or PubMed XML"


@dataclass(frozen=True, slots=True)
class Title:
    """A text to compress, with the number of its line from 1, or the id of its record or row."""

    id: str
    text: str


def read_titles(
    path: str | Path,
    form: str | None = None,
    warn: Warn = warnings.warn,
) -> Iterator[Title]:
    """Yield the title of each line or record.

    `path` may be gzipped, or `-` for standard input. `form` is `lines`, `jsonl` (JSON lines, or a
    list of objects), `pubmed`, or `tsv` (rows below a header with the columns `title` or `text`,
    and `id` or `pmid`); by default, `tsv` if the file is named so, else recognised from the first
    bytes. `warn` is called with the first line that is not UTF-8. `InputError` if the file cannot
    be read or has no text, or a record is invalid.
    """
    start = _start(path)
    if start.startswith(b"%PDF") or b"\x00" in start:
        raise InputError(f"not a text file; {_EXPECTED}", path)
    form = form or _guess(start, Path(path))
    titles: Iterator[Title]
    if form == "pubmed":
        articles = (_of_article(parsed, path) for parsed in pubmed.read(path))
        titles = (title for title in articles if title)
    elif form == "jsonl":
        is_list = start.lstrip().startswith(b"[")
        records = list_items(path, "", "a list") if is_list else read_json_lines(path)
        titles = (_record(value, path, number) for number, value in records)
    else:
        lines = _decoded(path, warn)
        titles = (Title(str(number), _one_line(line)) for number, line in lines)
        if form == "tsv":
            titles = _rows(lines, path)
    is_empty = True
    for title in titles:
        is_empty = False
        yield title
    if is_empty:
        raise InputError(f"no text to compress; {_EXPECTED}", path)


def _decoded(path: str | Path, warn: Warn) -> Iterator[tuple[int, str]]:
    """Yield numbered lines as text, and warn of the first that is not UTF-8."""
    is_warned = False
    for number, data in read_lines(path, _MAX_LINE):
        text, recoded = decode(data)
        if recoded and not is_warned:
            warn(str(InputError(recoded, path, number)))
            is_warned = True
        yield number, text.removeprefix("\ufeff") if number == 1 else text


def _of_article(parsed: Parsed, path: str | Path) -> Title | None:
    """Return the title of an article; None for what is repaired or withdrawn."""
    if isinstance(parsed, Problem):
        if parsed.is_lost:
            raise InputError(parsed.kind, path, parsed.line)
        return None
    return None if isinstance(parsed, Withdrawn) else Title(parsed.id, title_of(parsed))


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


def _guess(start: bytes, path: Path) -> str:
    if path.name.lower().removesuffix(".gz").endswith(".tsv"):
        return "tsv"
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if re.match(rb"<\?xml|<!DOCTYPE|<(Pubmed|Medline)", text):
        return "pubmed"
    is_json = re.match(rb'(\[\s*)?\{\s*("[^"\n]*"\s*:|\}\s*\Z)|\[\s*\]\s*\Z', text)
    return "jsonl" if is_json else "lines"


def _one_line(text: str) -> str:
    return _LINE_ENDS.sub(" ", text)


def _record(value: Any, path: str | Path, number: int) -> Title:
    if isinstance(value, InputError):
        raise value
    record = value if isinstance(value, dict) else {}
    text = next((record[name] for name in _TEXTS if record.get(name) is not None), None)
    if not isinstance(text, str):
        expected = 'expected one object a line, such as {"id": "1", "title": "text"}'
        raise InputError(f"no text in title or text; {expected}", path, number)
    name = next(
        (record[key] for key in _NAMES if isinstance(record.get(key), str | int)),
        number,
    )
    return Title(_one_line(str(name)), _one_line(text))


def _rows(lines: Iterator[tuple[int, str]], path: str | Path) -> Iterator[Title]:
    """Yield the titles of a table, whose header names the columns."""
    _, header = next(lines, (1, ""))
    columns = [name.strip().lower() for name in header.split("\t")]
    text = _column(columns, _TEXTS)
    if text is None:
        what = f"no column title or text, got {', '.join(columns)[:100] or 'nothing'}"
        raise InputError(f"{what}; expected a tab-separated header, such as id, title", path, 1)
    name = _column(columns, _NAMES)
    needed = max(text, name or 0) + 1
    for number, line in lines:
        if not line:
            continue
        cells = line.split("\t")
        if len(cells) < needed:
            columns_read = counted(len(cells), "column")
            raise InputError(f"{columns_read}; expected {needed} as in the header", path, number)
        yield Title(
            str(number - 1) if name is None else _one_line(cells[name]),
            _one_line(cells[text]),
        )


def _column(columns: Sequence[str], names: Sequence[str]) -> int | None:
    return next((columns.index(name) for name in names if name in columns), None)
