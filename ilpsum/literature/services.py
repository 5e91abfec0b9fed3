"""What a service of the literature does: how it restricts a search, and how its answers are kept and read."""

import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, NamedTuple, TypeVar
from urllib.parse import urlencode
from xml.etree.ElementTree import Element

import msgspec

from ilpsum.corpora.abstracts import documents
from ilpsum.errors import UsageError
from ilpsum.io import records
from ilpsum.io.atomic import write_errors, write_file
from ilpsum.io.files import MAX_TEXT
from ilpsum.io.identifiers import ArticleIds
from ilpsum.literature.client import BadAnswerError, Client
from ilpsum.records import Document, Publication
from ilpsum.resources import user_cache

Record = TypeVar("Record")

DAYS = 30.0
"""The age to which an answer is used, unless another is asked for."""
_SECONDS_A_DAY = 86400.0
# Older files are removed, whatever age is asked for.
_OLDEST = 365.0
_ARTICLE = re.compile(rb"<article[\s>]")


@dataclass(frozen=True, slots=True)
class Language:
    """How a service says a restriction.

    Attributes:
        years, language: patterns for two years, and for a code of a language.
        kinds: the condition of each kind of study.
        animals, preprint: what is about animals only, and what is a preprint.
    """

    years: str
    language: str
    kinds: Mapping[str, str]
    animals: str
    preprint: str


@dataclass(frozen=True, slots=True)
class Restriction:
    """What services are asked for; the default restricts nothing.

    Attributes:
        since, until: the first and the last year; None for any.
        kinds: of study, of which one must hold; none for all.
        languages: codes of three letters (ISO 639-2), such as `eng`; none for all.
        humans: whether to leave out what is about animals only.
        preprints: whether preprints may be found.
    """

    since: int | None = None
    until: int | None = None
    kinds: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    humans: bool = False
    preprints: bool = True

    def __call__(self, query: str, to: Language) -> str:
        """Return a query with the restriction, in the language of a service."""
        dated = self.since is not None or self.until is not None
        # Services take years of four digits.
        years = to.years.format(self.since or 1000, self.until or 3000) if dated else ""
        kinds, languages = (to.kinds[kind] for kind in self.kinds), map(to.language.format, self.languages)
        wanted = list(filter(None, (years, _any_of(kinds), _any_of(languages))))
        unwanted = [f"({to.animals})"] * self.humans + [to.preprint] * (not self.preprints)
        if not wanted and not unwanted:
            return query
        return " NOT ".join([" AND ".join([f"({query})", *wanted]), *unwanted])


def _any_of(conditions: Iterable[str]) -> str:
    text = " OR ".join(conditions)
    return f"({text})" if " " in text else text


class Cache:
    """What services have answered, by request, as files in the user's cache folder.

    Plain files rather than a database of a caching library: the readers and the index of abstracts take them as they
    are, no pickle is involved, and to empty the cache is to remove its folder. A file is named after its service and a
    digest of its request.

    Args:
        days: older answers are asked for again; 0 for all.
        folder: in which they are; by default `ilpsum/literature` in the user's cache.

    Raises:
        UsageError: the folder cannot be made.
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

    def __call__(self, service: str, request: str, suffix: str, fetch: Callable[[], bytes]) -> tuple[Path, bool]:
        """Return the file of a request and whether it was fetched now; what `fetch` returns is kept.

        Raises:
            IlpsumError: the file cannot be written, or what `fetch` raises; nothing is kept then.
        """
        digest = sha256(request.encode()).hexdigest()[:32]
        path = self._folder / f"{service.lower().replace(' ', '-')}-{digest}{suffix}"
        if path.is_file() and _age(path) < self._days:
            return path, False
        data = fetch()
        with write_errors(path):
            write_file(path, data)
        return path, True


def _age(path: Path) -> float:
    """Return the age of a file in days."""
    return (time.time() - path.stat().st_mtime) / _SECONDS_A_DAY


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


def decoded(body: bytes, kind: type[Record]) -> Record:
    """Decode JSON as a record; `BadAnswerError` if it is anything else."""
    try:
        return msgspec.json.decode(body, type=kind)
    except records.UNFIT:
        raise _unexpected(body, "JSON") from None


def of_file(path: Path, kind: type[Record]) -> Record:
    """Decode the JSON of a file in the cache; an `InputError` if it is damaged."""
    return records.decode(path.read_bytes(), kind, ("an answer of a service", "remove this file and run again"), path)


def parsed(body: bytes, *tags: str) -> Element:
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
