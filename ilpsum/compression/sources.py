"""Streaming readers of texts to compress: lines, JSON lines, TSV or PubMed XML, plain or `.gz`, or standard input."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO

from ilpsum.errors import InputError
from ilpsum.io.files import open_bytes
from ilpsum.io.records import reason

FORMS = ("lines", "jsonl", "tsv", "pubmed")
# Characters that some programs treat as line ends, and the tab that separates TSV columns.
_LINE_ENDS = re.compile("[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
# A sentence takes a hundred times its bytes while it is analysed.
_MAX_LINE = 4 * 2**20
# Lone surrogates, which JSON can contain but no encoding can, except those that represent bytes outside UTF-8.
_SURROGATES = re.compile("[\ud800-\udc7f\udd00-\udfff]")


@dataclass(frozen=True, slots=True)
class InputText:
    """A text to compress.

    Attributes:
        id: line number from 1, or the PMID or id of the record or row.
        text: the text; bytes outside UTF-8 are kept as lone surrogates, so they can be written unchanged.
    """

    id: str
    text: str


def read_items(path: str | Path, form: str | None = None, field: str | None = None) -> Iterator[InputText]:
    """Yield the text of each line or record.

    Args:
        path: a file, or `-` for standard input.
        form: one of `FORMS`; by default recognised from the first bytes, except `tsv`: rows of an id and a title after
            a header.
        field: field of JSON records with the text; by default `title`, or `text` if there is no title.

    Raises:
        InputError: the file cannot be read, or a record is invalid.
    """
    with open_bytes(path) as stream:
        start = _peek(stream)
        if start.startswith(b"%PDF") or b"\x00" in start:
            name = "standard input" if str(path) == "-" else path
            raise InputError("not a text file; expected lines, JSON lines or PubMed XML", name)
        chosen = form or _guess(start)
        if chosen == "pubmed":
            yield from _articles(stream, path)
            return
        for number, line in _lines(stream, path, tabs=chosen == "tsv"):
            if chosen == "tsv":
                if number > 1 and line:
                    yield _row(line, path, number)
            elif chosen == "jsonl" and line.strip():
                yield _record(line, field, path, number)
            else:
                yield InputText(str(number), "" if chosen == "jsonl" else line)


def _peek(stream: BinaryIO) -> bytes:
    return stream.peek(4096)[:4096] if hasattr(stream, "peek") else b""


def _guess(start: bytes) -> str:
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if re.match(rb"<\?xml|<!DOCTYPE|<(Pubmed|Medline)", text):
        return "pubmed"
    return "jsonl" if re.match(rb'\{\s*"[^"\n]*"\s*:', text) else "lines"


def _lines(stream: BinaryIO, path: str | Path, *, tabs: bool) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers; `tabs` keeps the tabs in them."""
    number = 0
    while line := stream.readline(_MAX_LINE + 1):
        number += 1
        if len(line) > _MAX_LINE:
            raise InputError(f"line over {_MAX_LINE // 2**20} MB; expected one title a line", path, number)
        text = line.rstrip(b"\r\n").decode("utf-8", "surrogateescape")
        text = text.removeprefix("\ufeff") if number == 1 else text
        yield number, "\t".join(map(one_line, text.split("\t"))) if tabs else one_line(text)


def one_line(text: str) -> str:
    """Replace line ends of every kind and tabs by blanks, and lone surrogates by U+FFFD."""
    return _SURROGATES.sub("\ufffd", _LINE_ENDS.sub(" ", text))


def _record(line: str, field: str | None, path: str | Path, number: int) -> InputText:
    expected = f'expected one object a line, such as {{"id": "1", "{field or "title"}": "text"}}'
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON ({reason(error)}); {expected}", path, number) from None
    names = (field,) if field else ("title", "text")
    fields = record if isinstance(record, dict) else {}
    text = next((fields[name] for name in names if fields.get(name) is not None), None)
    if not isinstance(text, str):
        raise InputError(f"no text in {' or '.join(names)}; {expected}", path, number)
    name = next((record[key] for key in ("id", "pmid") if isinstance(record.get(key), str | int)), number)
    return InputText(one_line(str(name)), one_line(text))


def _row(line: str, path: str | Path, number: int) -> InputText:
    cells = line.split("\t")
    if len(cells) < 2:
        raise InputError("1 column; expected tab-separated columns id, title, with a header", path, number)
    return InputText(cells[0], cells[1])


def _articles(stream: BinaryIO, path: str | Path) -> Iterator[InputText]:
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, iterparse

    # Only its `read`: the XML parser would close the stream and use its name.
    source = SimpleNamespace(read=stream.read)
    opened: list[Any] = []
    number = 0
    try:
        for event, element in iterparse(source, events=("start", "end")):
            if event == "start":
                opened.append(element)
                continue
            opened.pop()
            if element.tag == "MedlineCitation":
                number += 1
                title = element.find("Article/ArticleTitle")
                text = "" if title is None else "".join(title.itertext())
                yield InputText(one_line((element.findtext("PMID") or str(number)).strip()), " ".join(text.split()))
            if element.tag in ("MedlineCitation", "PubmedArticle", "PubmedBookArticle") and opened:
                # Free memory: an article set has tens of thousands of articles.
                opened[-1].remove(element)
    except ParseError as error:
        raise InputError(f"not well-formed XML ({error}); expected a PubmedArticleSet", path) from None
    except DefusedXmlException as error:
        raise InputError(f"XML that defines entities is not supported ({type(error).__name__})", path) from None
    except (LookupError, ValueError) as error:
        raise InputError(f"XML that cannot be decoded ({error})", path) from None
