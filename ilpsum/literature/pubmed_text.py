"""Read PubMed's format "Abstract (text)": numbered references, each in blocks between blank lines.

The blocks of a record are its source, its title, authors, addresses, the abstract, notices, and
its identifiers.
"""

import re
from collections.abc import Iterator
from typing import Any

from features.patterns import regex
from ilpsum.files.numbers import whole_number
from ilpsum.files.reading import text_lines
from ilpsum.files.start import Start
from ilpsum.literature.people import author
from ilpsum.literature.raw import Parsed, Problem, Raw
from ilpsum.literature.tagged import without_messages
from ilpsum.records import Author

_FIRST, _PMID = regex(r"1\. \S"), regex(r"^PMID: ?(\d{1,8})\b", re.MULTILINE)
_NEXT = regex(r"(\d{1,6})\. \S")
_SOURCE = regex(
    r"\d{1,6}\. (?P<journal>[^.]{1,300})\. (?P<date>\d{4}[^;:.]{0,20})"
    r"(?:;(?P<volume>[^(:.;]{1,20})?(?:\((?P<issue>[^()]{1,20})\))?(?::(?P<pages>[^.;]{1,30}))?)?"
)
_NAMED = regex(r"^(DOI|PMCID|PMID): ?(\S+)", re.MULTILINE)
_AUTHOR = regex(r"[^\W\d_][\w'’ .-]{0,60} [A-Z]{1,4}(?: (?:Jr|Sr|2nd|3rd))?(?:\(#?\d{1,3}\))*")
# Blocks that are neither authors nor abstract.
_BESIDE = regex(
    r"(?:author information|collaborators|doi|pmcid|pmid|publication types?|mesh terms|substances"
    r"|grant support|conflicts? of interest[^:]{0,40}|free [^:]{1,30}):|©|\(c\)|copyright\b"
    r"|\[article in|comments? (?:in|on)\b|(?:erratum|update|original report|summary|republished"
    r"|corrected and republished|(?:partial )?retract\w+|expression of concern)"
    r"[\w ]{0,40}(?:in|of|for|from)\b",
    re.IGNORECASE,
)
_NOTICE = regex(
    r"^((?:Partial )?retract(?:ion|ed)(?: and republished)? (?:in|of|from)"
    r"|Expression of concern (?:in|for))\b",
    re.MULTILINE | re.IGNORECASE,
)


def is_text(start: Start) -> bool:
    """Return whether a file starts like PubMed's text."""
    text = without_messages(start.text)
    return _FIRST.match(text) is not None and _PMID.search(text) is not None


def read(start: Start) -> Iterator[Parsed]:
    """Yield the records of a file, in file order; one without a PMID is a problem."""
    blocks, block = list[str](), list[str]()
    number, begin = 1, 1
    for line, text in text_lines(start.path):
        match = _NEXT.match(text)
        following = match and whole_number(match[1]) == number + 1
        if following and not block and _PMID.search("\n".join(blocks)):
            yield _record(blocks, begin)
            blocks, number, begin = [], number + 1, line
        if text.strip():
            block.append(text.strip())
        elif block:
            blocks.append("\n".join(block))
            block = []
    if block:
        blocks.append("\n".join(block))
    yield _record(blocks, begin)


def _record(blocks: list[str], line: int) -> Raw | Problem:
    """Return the record of a reference's blocks: source, title, authors, text, identifiers."""
    whole = "\n".join(blocks)
    ids = {match[1].lower(): match[2] for match in _NAMED.finditer(whole)}
    if "pmid" not in ids or len(blocks) < 2:
        message = "expected a reference with a line `PMID: number`"
        return Problem(message, line, is_lost=True)
    source, title, *others = (" ".join(block.split()) for block in blocks)
    if authors := _authors_in("".join(others[:1])):
        others = others[1:]
    abstract = [("", text) for text in others if not _BESIDE.match(text)]
    match = _SOURCE.match(source)
    source_fields: dict[str, Any] = match.groupdict(default="") if match else {}
    notices = [match[1] for match in _NOTICE.finditer(whole)]
    return Raw(
        pmid=ids["pmid"],
        pmcid=ids.get("pmcid", ""),
        doi=ids.get("doi", ""),
        **source_fields,
        title=title,
        abstract=abstract,
        labelled=True,
        authors=tuple(authors),
        links=notices,
        about=notices,
    )


def _authors_in(block: str) -> list[Author]:
    """Return the authors in a block; empty if most of it is something else."""
    names = [name.strip() for name in block.rstrip(".").split(",")]
    if 2 * sum(_AUTHOR.fullmatch(name) is not None for name in names) <= len(names):
        return []
    # Numbers of addresses are in brackets.
    return [author(name.partition("(")[0]) for name in names]
