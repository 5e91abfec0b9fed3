"""What a service of the literature does; `ilpsum.literature.finding.SERVICES` has them all."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, Self

from ilpsum.io.identifiers import ArticleIds
from ilpsum.literature.cache import Cache
from ilpsum.literature.restriction import Restriction


CACHED = ("an answer of a service", "remove this file and run again")
"""What a file of the cache has, for messages."""


class Hits(NamedTuple):
    """What a search has found.

    Attributes:
        total: how many records the service has for it.
        batches: how many files there are.
        files: of the first records, each fetched when it is asked for, unless the cache has it.
        notes: what the service says of the query.
    """

    total: int
    batches: int
    files: Iterator[Path]
    notes: tuple[str, ...] = ()


class Listed(NamedTuple):
    """A record in a file: its identifiers, and whether its full text is open as far as the record says."""

    ids: ArticleIds
    open: bool


class Service(Protocol):
    """A service; to be used as a context. Every method may raise a `ServiceError`."""

    name: str

    def __init__(self, cache: Cache) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

    def search(self, query: str, most: int) -> Hits:
        """Search by relevance, for at most so many records, by a query in the language of the service."""

    def records(self, ids: Sequence[ArticleIds]) -> Hits:
        """Look up articles; those that the service does not have are left out."""

    def listed(self, path: Path) -> Iterator[Listed]:
        """Yield the records of one of its files."""

    def full_text(self, pmcid: str) -> Path | None:
        """Return the full text of an open article as JATS; None if it is not open."""

    def restricted(self, query: str, restriction: Restriction) -> str:
        """Return a query with a restriction, in the language of the service."""

    def merged(self, files: Sequence[Path]) -> Iterator[bytes]:
        """Yield the pieces of one file with the records of all."""


def as_pmcid(text: str) -> str:
    """Return a PMCID, which becomes part of an address; empty if a text is none."""
    return text.upper() if re.fullmatch(r"PMC[0-9]{1,9}", text, re.IGNORECASE) else ""
