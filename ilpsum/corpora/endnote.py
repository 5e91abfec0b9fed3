"""Read EndNote's XML: `<xml><records><record>`, in which `<style>` elements wrap every text."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ilpsum.corpora.publishing import author
from ilpsum.corpora.references import Reference, document
from ilpsum.errors import InputError
from ilpsum.io.files import head
from ilpsum.io.xml_stream import elements
from ilpsum.records import Document

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


def is_endnote(path: Path) -> bool:
    """Return whether a file starts like EndNote's XML."""
    begin = head(path).decode("utf-8", "replace")
    return "<records>" in begin and "<record>" in begin and "<xml" in begin


def read(path: str | Path) -> Iterator[Document | InputError]:
    """Yield the references of a file, in its order.

    Raises:
        InputError: the file cannot be read, or is not well-formed.
    """
    for number, record in enumerate(elements(path, "record"), 1):
        yield document(_reference(record), number)


def _reference(record: "Element") -> Reference:
    def text(*paths: str) -> str:
        found = (record.find(path) for path in paths)
        return next(("".join(each.itertext()) for each in found if each is not None), "")

    def texts(path: str) -> tuple[str, ...]:
        return tuple("".join(each.itertext()) for each in record.iterfind(path))

    database = text("remote-database-name").lower()
    return Reference(
        title=text("titles/title"),
        abstract=text("abstract"),
        date=text("dates/year"),
        # Other databases have accession numbers of digits, too.
        number=text("accession-num") if not database or "medline" in database or "pubmed" in database else "",
        named=" ".join(
            (text("electronic-resource-num"), text("custom2"), *texts("urls/related-urls/url"), text("notes"))
        ),
        journal=text("periodical/abbr-1", "periodical/full-title", "titles/secondary-title"),
        volume=text("volume"),
        issue=text("number"),
        pages=text("pages"),
        language=text("language"),
        authors=tuple(map(author, filter(str.strip, texts("contributors/authors/author")))),
        types=(text("work-type"),),
        mesh=tuple(keyword.partition("/")[0].lstrip("*") for keyword in texts("keywords/keyword")),
    )
