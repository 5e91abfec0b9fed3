"""Read PubTator's text and make records of the passages of BioC, whether in XML or JSON."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import structs

from features.patterns import regex
from ilpsum.files.reading import text_lines
from ilpsum.files.start import Start
from ilpsum.literature.raw import Parsed, Raw, raw_of_keys
from ilpsum.literature.tables import BIOC

_PASSAGE = regex(r"(\d{1,9})\|([at])\|(.*)")
_KINDS = {"t": "title", "a": "abstract"}

Passage = tuple[Mapping[str, str], str]
"""What is told of a passage, and its text."""


def is_pubtator(start: Start) -> bool:
    """Return whether a file starts like PubTator's text."""
    return _PASSAGE.match(start.text) is not None


def read_pubtator(start: Start) -> Iterator[Parsed]:
    """Yield the records of a file, in file order; annotations are left out."""
    number, passages = "", list[Passage]()
    for _, line in text_lines(start.path):
        match = _PASSAGE.match(line)
        if match is None:
            continue
        if match[1] != number and passages:
            yield of_passages(number, passages)
            passages = []
        number = match[1]
        passages.append(({"type": _KINDS[match[2]]}, match[3]))
    yield of_passages(number, passages)


def of_passages(
    number: str,
    passages: Iterable[Passage],
    document_fields: Mapping[str, list[str]] | None = None,
) -> Raw:
    """Return the record of a document with this number, a PMID or PMCID, whose passages tell what
    they are; `document_fields` is what the document tells by the names of `BIOC`.
    """
    title, abstract, body = "", list[tuple[str, str]](), list[tuple[str, str, str]]()
    name = "pmcid" if number.upper().startswith("PMC") else "id"
    fields = {**(document_fields or {}), name: [number]}
    for told, text in passages:
        kind = told.get("type", "").lower()
        if kind in ("title", "front"):
            title = title or text
            fields |= {key: [value] for key, value in told.items() if key not in fields}
        elif kind.startswith("abstract"):
            abstract.append(("", text))
        elif kind == "paragraph":
            body.append(("other", "", text))
    return structs.replace(raw_of_keys(BIOC, fields), title=title, abstract=abstract, body=body)
