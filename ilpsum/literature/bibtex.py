"""Read BibTeX with bibtexparser, which names the entries that it cannot read and reads the rest."""

import logging
import re
from collections.abc import Iterator

from msgspec import structs

from features.patterns import regex
from ilpsum.files.reading import decode, read_bytes
from ilpsum.files.start import Start
from ilpsum.literature.letters import typeset, without_tex
from ilpsum.literature.people import author
from ilpsum.literature.raw import Parsed, Problem, Raw, raw_of
from ilpsum.literature.tables import BIBTEX
from ilpsum.records import Author

# What stands before the first entry is a comment.
_START = regex(r"^[ \t]*@[a-z]{3,30}\s*[{(]", re.IGNORECASE | re.MULTILINE)
_MOST_BYTES = 2**28
# Parts of a value that are joined, such as `"Newts" # " sing"`.
_PARTS = regex(r"[\"}]\s*#\s*[\"{]")
# A macro before or after the first or last of them.
_MACRO = regex(r"\A[\w.:-]{1,40}(?=\s*#\s*[\"{])|(?<=[\"}] # )[\w.:-]{1,40}\Z")


def is_bibtex(start: Start) -> bool:
    """Return whether a file starts like BibTeX."""
    return _START.search(start.text[:4096]) is not None


def read(start: Start) -> Iterator[Parsed]:
    """Yield the entries of a file, in file order."""
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.model import DuplicateBlockKeyBlock, Entry, ParsingFailedBlock

    # It writes what cannot be read to standard error as well.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    text, repair = decode(read_bytes(start.path, _MOST_BYTES, "expected BibTeX"))
    if repair:
        yield Problem("not UTF-8, read as cp1252", 1)
    library = parse_string(text.removeprefix("\ufeff"))
    macros = {key.lower(): f'"{macro.value}"' for key, macro in library.strings_dict.items()}

    def joined(value: str) -> str:
        value = _MACRO.sub(lambda name: macros.get(name[0].lower(), name[0]), value)
        return _PARTS.sub("", value).strip('"')

    for block in library.blocks:
        # Entries of several files may have the same key.
        entry = block.ignore_error_block if isinstance(block, DuplicateBlockKeyBlock) else block
        if isinstance(entry, Entry):
            fields = {f.key.lower(): joined(str(f.value)) for f in entry.fields}
            yield _entry(entry.entry_type, fields)
        elif isinstance(block, ParsingFailedBlock):
            message = "expected an entry of BibTeX, @article{key, title = {...}, ...}"
            yield Problem(message, (block.start_line or 0) + 1, is_lost=True)


def _entry(kind: str, fields: dict[str, str]) -> Raw:
    from bibtexparser.middlewares.names import split_multiple_persons_names

    def values(key: str) -> list[str]:
        text = without_tex(fields.get(key, ""))
        if key in ("title", "subtitle", "abstract"):
            return [typeset(text)]
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
