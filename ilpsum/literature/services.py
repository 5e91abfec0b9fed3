"""Base class of literature services, filters of a search, and cached responses."""

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, NamedTuple, TypeVar
from urllib.parse import urlencode

import msgspec

from ilpsum.errors import UsageError
from ilpsum.files import records
from ilpsum.files.atomic import write_errors, write_file
from ilpsum.files.identifiers import ArticleIds
from ilpsum.files.reading import MAX_TEXT
from ilpsum.literature.client import BadAnswerError, Client, Patience, Request
from ilpsum.literature.intake import documents
from ilpsum.records import Publication, SourceFilter
from ilpsum.resources import user_cache

Record = TypeVar("Record")

# Maximum age of cached responses that are used, in days, unless another is requested.
DAYS = 30.0
_SECONDS_A_DAY = 86400.0
# Files older than this many days are removed, whatever maximum age is requested.
_OLDEST = 365.0


def restricted(query: str, wanted: SourceFilter, to: "type[Service] | Service") -> str:
    """Return a query with the conditions of a filter added, in the query language of a service."""
    dated = wanted.since is not None or wanted.until is not None
    # Services expect years of four digits.
    years = to.years.format(wanted.since or 1000, wanted.until or 3000) if dated else ""
    kinds = _any_of(to.kinds[kind] for kind in wanted.kinds)
    languages = _any_of(map(to.language.format, wanted.languages))
    required = "".join(f" AND {condition}" for condition in (years, kinds, languages) if condition)
    if wanted.humans:
        required += f" NOT ({to.animals})"
    if not wanted.preprints:
        required += f" NOT {to.preprint}"
    return f"({query}){required}" if required else query


def _any_of(conditions: Iterable[str]) -> str:
    text = " OR ".join(conditions)
    return f"({text})" if " " in text else text


class Cache:
    """Responses of services by request, as files in the user's cache folder.

    Plain files rather than a caching library's database: abstract readers and indexing use them
    directly, no pickle is involved, and the cache is emptied by removing its folder. A file is
    named after its service and a digest of its request.

    Args:
        days: maximum age; older responses are requested again. 0 requests all again.
        folder: cache folder; by default `ilpsum/answers` in the user's cache.

    Raises:
        UsageError: the folder cannot be created.
    """

    def __init__(self, days: float = DAYS, folder: Path | None = None) -> None:
        self._folder, self._days = folder or user_cache() / "literature", days
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            for path in self._folder.iterdir():
                # Another process may remove it first.
                with suppress(FileNotFoundError):
                    if path.is_file() and _age(path) > _OLDEST:
                        path.unlink()
        except OSError as error:
            what = f"{error.filename or self._folder}: cannot be written ({error.strerror})"
            raise UsageError(f"{what}; set XDG_CACHE_HOME to another folder") from None

    def __call__(self, service: str, request: str, suffix: str, fetch: Callable[[], bytes]) -> Path:
        """Return the file of a response; the result of `fetch` is cached.

        Raises:
            IlpsumError: the file cannot be written, or `fetch` raised it; nothing is cached then.
        """
        digest = sha256(request.encode()).hexdigest()[:32]
        path = self._folder / f"{service.lower().replace(' ', '-')}-{digest}{suffix}"
        if not (path.is_file() and _age(path) < self._days):
            data = fetch()
            with write_errors(path):
                write_file(path, data)
        return path


def _age(path: Path) -> float:
    """Return the age of a file in days."""
    return (time.time() - path.stat().st_mtime) / _SECONDS_A_DAY


class Hits(NamedTuple):
    """Search results: the number of matching records, and the first of them, as `Service.files`
    takes them.
    """

    total: int
    records: Sequence[str]
    notes: tuple[str, ...] = ()


class Service(ABC):
    """A literature service with cached responses; `close` closes its client.

    All methods may raise `ServiceError`. The environment variable `variable` overrides the URL,
    e.g. with a mirror.

    Attributes:
        page: address of the service's own search page, to which a query is added.
        years, language: query patterns for a pair of years, and for a language code.
        kinds: the query for each study kind.
        animals, preprint: queries for animal-only studies and for preprints.
        asker: identifies the client; sent with each request, but not part of the cache key.

    Raises:
        UsageError: see `Client`.
    """

    name: ClassVar[str]
    base: ClassVar[str]
    page: ClassVar[str]
    variable: ClassVar[str]
    years: ClassVar[str]
    language: ClassVar[str]
    kinds: ClassVar[Mapping[str, str]]
    animals: ClassVar[str]
    preprint: ClassVar[str]
    asker: Mapping[str, str] = {}
    a_second = 10.0
    post = False

    def __init__(self, cache: Cache, patience: Patience | None = None) -> None:
        self._cache = cache
        self._client = Client(
            self.name,
            os.environ.get(self.variable) or self.base,
            self.a_second,
            patience,
        )
        self.close = self._client.close

    @abstractmethod
    def search(self, query: str, most: int) -> Hits:
        """Search by relevance, for at most `most` records, with a query in the service's
        language.
        """

    @abstractmethod
    def look_up(self, ids: Sequence[ArticleIds]) -> Sequence[str]:
        """Look up articles; unknown ones are omitted."""

    @abstractmethod
    def files(self, records: Sequence[str]) -> Iterator[Path]:
        """Yield files with the records of searches or look-ups."""

    @staticmethod
    @abstractmethod
    def merged(files: Sequence[Path]) -> Iterator[bytes]:
        """Yield the pieces of a single file with the records of all files."""

    @staticmethod
    def listed(path: Path) -> Iterator[Publication]:
        """Yield the publications in a file of records."""
        return (document.publication for document in documents(path))

    def _kept(
        self,
        path: str,
        fields: Mapping[str, str],
        suffix: str,
        check: Callable[[bytes], object],
    ) -> Path:
        """Return the file of a cached response, which `check` accepts."""

        def fetch() -> bytes:
            request = Request(path, {**fields, **self.asker}, post=self.post)
            return self._client.ask(request, check, 2 * MAX_TEXT)

        return self._cache(
            self.name,
            f"{self._client.base}{path}?{urlencode(fields)}",
            suffix,
            fetch,
        )


def decoded(body: bytes, kind: type[Record]) -> Record:
    """Decode JSON as a record; `BadAnswerError` if that fails."""
    try:
        return msgspec.json.decode(body, type=kind)
    except records.UNFIT:
        raise unexpected(body, "JSON") from None


def of_file(path: Path, kind: type[Record]) -> Record:
    """Decode a cached JSON file; `InputError` if it is damaged."""
    return records.decode(
        path.read_bytes(),
        kind,
        ("an answer of a service", "remove this file and run again"),
        path,
    )


def service_error(problem: str) -> BadAnswerError:
    """Return the error for a problem reported by the service; the user's query may be the cause."""
    return BadAnswerError(f"it says {' '.join(problem.split())[:200]!r}; check a query of yours")


def unexpected(body: bytes, expected: str) -> BadAnswerError:
    """Return the error for a body in another format."""
    start = body[:2000].decode("utf-8", "replace").lstrip("\ufeff \r\n\t").lower()
    page = "<html" in start or start.startswith("<!doctype html")
    return BadAnswerError(
        f"expected {expected}, got {'a web page' if page else 'a part of it or something else'}"
    )
