"""What a service of the literature does."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple
from urllib.parse import urlencode

from ilpsum.corpora.abstracts import documents
from ilpsum.io.files import MAX_TEXT
from ilpsum.io.identifiers import ArticleIds
from ilpsum.literature.cache import Cache
from ilpsum.literature.client import Client
from ilpsum.literature.restriction import Language
from ilpsum.records import Document, Publication


class Hits(NamedTuple):
    """What a search has found: how many records there are, and files of the first, fetched when they are asked for."""

    total: int
    batches: int
    files: Iterator[Path]
    notes: tuple[str, ...] = ()


class Service(ABC):
    """A service, by its answers in a cache and by a client, which `close` closes.

    Every method may raise a `ServiceError`. A variable of the environment names another address, such as a mirror.

    Raises:
        UsageError: see `Client`.
    """

    name: ClassVar[str]
    base: ClassVar[str]
    variable: ClassVar[str]
    language: ClassVar[Language]
    a_second = 10.0
    # Who asks: part of each request, but not of its name in the cache.
    asker: Mapping[str, str] = {}
    post = False

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._client = Client(self.name, os.environ.get(self.variable) or self.base, self.a_second)
        self.close = self._client.close

    @abstractmethod
    def search(self, query: str, most: int) -> Hits:
        """Search by relevance, for at most so many records, by a query in the language of the service."""

    @abstractmethod
    def look_up(self, ids: Sequence[ArticleIds]) -> Hits:
        """Look up articles; those that the service does not have are left out."""

    @staticmethod
    def listed(path: Path) -> Iterator[Publication]:
        """Yield the publications of one of its files."""
        return (each.publication for each in documents(path) if isinstance(each, Document))

    @abstractmethod
    def full_text(self, pmcid: str) -> Path | None:
        """Return the full text of an open article as JATS; None if it is not open."""

    @staticmethod
    @abstractmethod
    def merged(files: Sequence[Path]) -> Iterator[bytes]:
        """Yield the pieces of one file with the records of all."""

    def _asked(self, path: str, fields: Mapping[str, str], read: Callable[[bytes], bytes]) -> bytes:
        return self._client.ask(path, {**fields, **self.asker}, read, 2 * MAX_TEXT, post=self.post)

    def _kept(self, path: str, fields: Mapping[str, str], suffix: str, fetch: Callable[[], bytes]) -> tuple[Path, bool]:
        """Return the file of an answer in the cache, and whether it was fetched now."""
        return self._cache(self.name, f"{self._client.base}{path}?{urlencode(fields)}", suffix, fetch)
