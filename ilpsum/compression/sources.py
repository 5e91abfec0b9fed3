"""Titles from lines, JSON lines or PubMed XML, as a stream; `.gz` or not, from a file or from standard input."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ilpsum.errors import InputError
from ilpsum.io.files import MAX_LINE, open_bytes

FORMS = ("lines", "jsonl", "pubmed")
# Characters that some readers take for line ends, and the tab that parts the columns of TSV.
_LINE_ENDS = re.compile("[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
# Half characters, which JSON can hold and no encoding can; those that stand for bytes that are no UTF-8 are kept.
_HALVES = re.compile("[\ud800-\udc7f\udd00-\udfff]")


@dataclass(frozen=True, slots=True)
class Line:
    """A text to compress.

    Attributes:
        id: the number of its line from 1, or the PMID or id that its record names.
        text: the title; bytes that are no UTF-8 are kept as lone surrogates, and come out as they went in.
    """

    id: str
    text: str


def read_items(path: str | Path, form: str | None = None, field: str | None = None) -> Iterator[Line]:
    """Yields the texts of a file, one for each line or record, in order.

    Args:
        path: a file, or `-` for standard input.
        form: one of `FORMS`; by default what the beginning looks like.
        field: the field of JSON records that holds the text; by default `title`, else `text`.

    Raises:
        InputError: the file cannot be read as what it should be; with its line.
    """
    with open_bytes(path) as stream:
        start = _peek(stream)
        if start.startswith(b"%PDF") or b"\x00" in start:
            raise InputError("not a text file: lines, JSON lines or PubMed XML were expected", _name(path))
        chosen = form or _guess(start)
        if chosen == "pubmed":
            yield from _articles(stream, path)
            return
        for number, line in _lines(stream, path):
            if chosen == "jsonl":
                if line.strip():
                    yield _record(line, field, path, number)
                else:
                    yield Line(str(number), "")
            else:
                yield Line(str(number), line)


def _name(path: str | Path) -> str | Path:
    return "standard input" if str(path) == "-" else path


def _peek(stream: BinaryIO) -> bytes:
    return stream.peek(4096)[:4096] if hasattr(stream, "peek") else b""


def _guess(start: bytes) -> str:
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if re.match(rb"<\?xml|<!DOCTYPE|<(Pubmed|Medline)", text):
        return "pubmed"
    return "jsonl" if re.match(rb'\{\s*"[^"\n]*"\s*:', text) else "lines"


def _lines(stream: BinaryIO, path: str | Path) -> Iterator[tuple[int, str]]:
    number = 0
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise InputError(f"a line of more than {MAX_LINE // 2**20} MB: one title a line was expected", path, number)
        text = line.rstrip(b"\r\n").decode("utf-8", "surrogateescape")
        yield number, one_line(text.removeprefix("\ufeff") if number == 1 else text)


def one_line(text: str) -> str:
    """The text with line ends of every kind, and tabs, as blanks, and without half characters."""
    return _HALVES.sub("\ufffd", _LINE_ENDS.sub(" ", text))


def _record(line: str, field: str | None, path: str | Path, number: int) -> Line:
    expected = f'expected an object such as {{"id": "1", "{field or "title"}": "text"}} a line'
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"no JSON ({error}): {expected}", path, number) from None
    names = (field,) if field else ("title", "text")
    text = (
        next((record[name] for name in names if record.get(name) is not None), None)
        if isinstance(record, dict)
        else None
    )
    if not isinstance(text, str):
        raise InputError(f"no text in {' or '.join(names)}: {expected}", path, number)
    name = next((record[key] for key in ("id", "pmid") if isinstance(record.get(key), str | int)), number)
    return Line(one_line(str(name)), one_line(text))


def _articles(stream: BinaryIO, path: str | Path) -> Iterator[Line]:
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, iterparse

    opened: list[Any] = []
    number = 0
    try:
        for event, element in iterparse(_Reading(stream), events=("start", "end")):
            if event == "start":
                opened.append(element)
                continue
            opened.pop()
            if element.tag == "MedlineCitation":
                number += 1
                title = element.find("Article/ArticleTitle")
                text = "" if title is None else "".join(title.itertext())
                yield Line(one_line((element.findtext("PMID") or str(number)).strip()), " ".join(text.split()))
            if element.tag in ("MedlineCitation", "PubmedArticle", "PubmedBookArticle") and opened:
                # Done with: an article set holds tens of thousands.
                opened[-1].remove(element)
    except ParseError as error:
        raise InputError(f"no well-formed XML ({error}): expected a PubmedArticleSet", path) from None
    except DefusedXmlException as error:
        raise InputError(f"XML with entities of its own is not read ({type(error).__name__})", path) from None
    except (LookupError, ValueError) as error:
        raise InputError(f"XML that cannot be decoded ({error})", path) from None


class _Reading:
    """Only `read`, so that the XML parser neither closes nor names the stream."""

    def __init__(self, stream: BinaryIO) -> None:
        self.read = stream.read
