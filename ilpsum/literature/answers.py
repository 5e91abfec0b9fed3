"""Bodies of answers: what was asked for, or a line that says what came instead."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from ilpsum.io import records
from ilpsum.literature.client import BadAnswerError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

Record = TypeVar("Record")

_ARTICLE = re.compile(rb"<article[\s>]")


def decoded(body: bytes, kind: type[Record]) -> Record:
    """Decode JSON as a record; `BadAnswerError` if it is anything else."""
    try:
        return msgspec.json.decode(body, type=kind)
    except records.UNFIT:
        raise _unexpected(body, "JSON") from None


def of_file(path: Path, kind: type[Record]) -> Record:
    """Decode the JSON of a file in the cache; an `InputError` if it is damaged."""
    return records.decode(path.read_bytes(), kind, ("an answer of a service", "remove this file and run again"), path)


def parsed(body: bytes, *tags: str) -> "Element":
    """Parse XML in UTF-8 that defines no entities, and whose root has one of some tags; `BadAnswerError` if not."""
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        body.decode()
        root: Element = fromstring(body)
    except (ParseError, DefusedXmlException, ValueError, LookupError):
        raise _unexpected(body, "XML") from None
    if root.tag not in tags:
        error = root if root.tag == "ERROR" else root.find(".//ERROR")
        raise _unexpected(body, tags[0]) if error is None else said("".join(error.itertext()))
    return root


def open_article(body: bytes) -> bytes:
    """Return the article in an answer of JATS; nothing if it has no text, like one that is not open."""
    root, match = parsed(body, "article", "pmc-articleset"), _ARTICLE.search(body)
    before, end, _ = body.rpartition(b"</article>")
    article = before[match.start() :] if match and root.find(".//body") is not None else b""
    return article and article + end


def said(problem: str) -> BadAnswerError:
    """Return the error for a problem that the service names, which may be a user's query."""
    return BadAnswerError(f"it says {' '.join(problem.split())[:200]!r}; check a query of yours")


def _unexpected(body: bytes, expected: str) -> BadAnswerError:
    start = body[:2000].decode("utf-8", "replace").lstrip("\ufeff \r\n\t").lower()
    page = "<html" in start or start.startswith("<!doctype html")
    return BadAnswerError(f"expected {expected}, got {'a web page' if page else 'a part of it or something else'}")
