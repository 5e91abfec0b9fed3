"""Read EndNote's XML: `<xml><records><record>`, in which `<style>` elements wrap every text."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ilpsum.corpora.publishing import author, keys, reference
from ilpsum.corpora.references import exported
from ilpsum.errors import InputError
from ilpsum.io.files import beginning
from ilpsum.io.xml_stream import elements
from ilpsum.records import Document

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_KEYS = keys(
    "title: titles/title; abstract: abstract; date: dates/year; number: accession-num; database: remote-database-name; "
    "named: electronic-resource-num custom2 urls/related-urls/url notes; volume: volume; issue: number; pages: pages; "
    "journal: periodical/abbr-1 periodical/full-title titles/secondary-title publisher; language: language; "
    "types: work-type; mesh: keywords/keyword"
)


def is_endnote(path: Path) -> bool:
    """Return whether a file starts like EndNote's XML."""
    begin = beginning(path)
    return "<records>" in begin and "<record>" in begin and "<xml" in begin


def read(path: str | Path) -> Iterator[Document | InputError]:
    """Yield the references of a file, in its order; `InputError` if the file cannot be read, or is not well-formed."""
    for number, record in enumerate(elements(path, "record"), 1):
        yield _document(record, number)


def _document(record: "Element", number: int) -> Document:
    def get(path: str) -> list[str]:
        return ["".join(each.itertext()).strip() for each in record.iterfind(path)]

    authors = tuple(map(author, filter(None, get("contributors/authors/author"))))
    return exported(reference(_KEYS, get, authors=authors), number)
