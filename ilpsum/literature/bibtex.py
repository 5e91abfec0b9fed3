"""Read BibTeX with bibtexparser, which names the entries that it cannot read and reads the rest."""

import logging
import re
from collections.abc import Iterator

from msgspec import structs

from features.patterns import regex
from ilpsum.files.reading import decode, read_bytes
from ilpsum.files.start import Start
from ilpsum.literature.letters import without_tex
from ilpsum.literature.people import author
from ilpsum.literature.raw import Parsed, Problem, Raw, raw_of
from ilpsum.literature.tables import BIBTEX
from ilpsum.records import Author

_START = regex(r"(?:(?:%|Scopus\s*\n|EXPORT DATE).*\n|\s)*@[a-z]{3,30}\s*[{(]", re.IGNORECASE)
_MOST_BYTES = 2**28
# Parts of a value that are joined, such as `"Newts" # " sing"`.
_PARTS = regex(r"[\"}]\s*#\s*[\"{]")


def is_bibtex(start: Start) -> bool:
    """Return whether a file starts like BibTeX."""
    return _START.match(start.text[:4096]) is not None


def read(start: Start) -> Iterator[Parsed]:
    """Yield the entries of a file, in file order."""
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.model import DuplicateBlockKeyBlock, Entry, ParsingFailedBlock

    # It writes what cannot be read to standard error as well.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    text, repair = decode(read_bytes(start.path, _MOST_BYTES, "expected BibTeX"))
    if repair:
        yield Problem("not UTF-8, read as cp1252", 1)
    for block in parse_string(text.removeprefix("\ufeff")).blocks:
        # Entries of several files may have the same key.
        entry = block.ignore_error_block if isinstance(block, DuplicateBlockKeyBlock) else block
        if isinstance(entry, Entry):
            yield _entry(entry.entry_type, {f.key.lower(): str(f.value) for f in entry.fields})
        elif isinstance(block, ParsingFailedBlock):
            message = "expected an entry of BibTeX, @article{key, title = {...}, ...}"
            yield Problem(message, (block.start_line or 0) + 1, is_lost=True)


def _entry(kind: str, fields: dict[str, str]) -> Raw:
    from bibtexparser.middlewares.names import split_multiple_persons_names

    def values(key: str) -> list[str]:
        text = without_tex(_PARTS.sub("", fields.get(key, "")).strip('"'))
        if key == "eprint":
            whose = fields.get("archiveprefix") or fields.get("eprinttype") or ""
            text = f"{whose}:{text}"
        return re.split("[;,]", text) if key == "keywords" else [text]

    raw = raw_of(BIBTEX, values)
    authors = split_multiple_persons_names(fields.get("author", ""))
    date = " ".join(values("date") + values("year") + values("month")) if "month" in fields else ""
    return structs.replace(
        raw,
        authors=tuple(map(_author, authors)),
        date=date.strip() or raw.date,
        types=[*raw.types, kind],
        pages=raw.pages.replace("--", "-"),
    )


def _author(text: str) -> Author:
    """Return an author; braces keep the name of a group together."""
    name = without_tex(text)
    is_group = text.startswith("{") and text.find("}") == len(text) - 1
    return Author(name) if is_group else author(name)
