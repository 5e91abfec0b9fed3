"""Europe PMC by its REST service: core records page by page, preprints among them, and open full texts."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self
from urllib.parse import urlencode

import msgspec

from ilpsum.io.files import MAX_TEXT
from ilpsum.io.identifiers import ArticleIds
from ilpsum.io.records import UNFIT, decode
from ilpsum.literature.cache import Cache
from ilpsum.literature.client import Address, BadAnswerError, Client, RefusedError
from ilpsum.literature.pubmed import open_article, unexpected
from ilpsum.literature.restriction import Restriction
from ilpsum.literature.services import CACHED, Hits, Listed, as_pmcid

_BASE, _VARIABLE = "https://www.ebi.ac.uk/europepmc/webservices/rest/", "ILPSUM_EUROPEPMC_URL"
_A_SECOND = 10.0
_PAGE = 100
# Identifiers that one search looks up.
_LOOKED_UP = 20
# Patents and agriculture are elsewhere.
_SOURCES = "(SRC:MED OR SRC:PMC OR SRC:PPR)"


class _Record(msgspec.Struct):
    id: str = ""
    source: str = ""
    pmid: str = ""
    pmcid: str = ""
    doi: str = ""
    open: str = msgspec.field(name="isOpenAccess", default="")


class _List(msgspec.Struct):
    result: list[_Record]


class _RawList(msgspec.Struct):
    result: list[msgspec.Raw]


class _Page(msgspec.Struct):
    """A page of results, or an error."""

    found: int = msgspec.field(name="hitCount", default=0)
    following: str = msgspec.field(name="nextCursorMark", default="")
    listed: _List | None = msgspec.field(name="resultList", default=None)
    problem: str = msgspec.field(name="errMsg", default="")


class _RawPage(msgspec.Struct):
    listed: _RawList = msgspec.field(name="resultList")


class EuropePmc:
    """Europe PMC.

    Raises:
        UsageError: `ILPSUM_EUROPEPMC_URL` is no address, or the client library is not installed.
    """

    name = "Europe PMC"

    def __init__(self, cache: Cache) -> None:
        other = os.environ.get(_VARIABLE, "")
        address = Address.of(self.name, _BASE, _A_SECOND, variable=_VARIABLE, other=other)
        self._cache, self._client, self._base = cache, Client(address), address.base

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.__exit__()

    def search(self, query: str, most: int) -> Hits:
        """See `Service`."""
        size = min(_PAGE, most)
        first = self._page(query, "*", size)
        total = _page(first).found
        number = -(-min(most, total) // size)
        return Hits(total, number, self._pages(query, first, number, size))

    def records(self, ids: Sequence[ArticleIds]) -> Hits:
        """See `Service`."""
        asked = list(filter(None, map(_looked_up, ids)))
        queries = [" OR ".join(asked[i : i + _LOOKED_UP]) for i in range(0, len(asked), _LOOKED_UP)]
        return Hits(len(asked), len(queries), (self._page(query, "*", _PAGE) for query in queries))

    def listed(self, path: Path) -> Iterator[Listed]:
        """See `Service`."""
        for each in (_page(path).listed or _List([])).result:
            pmid = each.pmid or (each.id if each.source == "MED" else "")
            ids = ArticleIds(pmid=pmid, pmcid=as_pmcid(each.pmcid), doi=each.doi.lower())
            yield Listed(ids, each.open == "Y" and bool(ids.pmcid))

    def full_text(self, pmcid: str) -> Path | None:
        """See `Service`."""

        def fetch() -> bytes:
            try:
                return self._client.ask(f"{pmcid}/fullTextXML", {}, open_article, most=MAX_TEXT)
            except RefusedError as error:
                if error.status != 404:
                    raise
                return b""

        path, _ = self._cache(f"{self._base}{pmcid}/fullTextXML", ".xml", fetch)
        return path if path.stat().st_size else None

    def restricted(self, query: str, restriction: Restriction) -> str:
        """See `Service`."""
        return restriction.for_europepmc(query)

    def merged(self, files: Sequence[Path]) -> Iterator[bytes]:
        """See `Service`."""
        separator = b'{"resultList": {"result": [\n'
        for path in files:
            for record in decode(path.read_bytes(), _RawPage, CACHED, path).listed.result:
                yield separator + bytes(record)
                separator = b",\n"
        yield (b"" if separator == b",\n" else separator) + b"\n]}}\n"

    def _pages(self, query: str, first: Path, number: int, size: int) -> Iterator[Path]:
        yield first
        path, mark = first, "*"
        for _ in range(1, number):
            before, mark = mark, _page(path).following
            if mark in ("", before):
                return
            yield (path := self._page(query, mark, size))

    def _page(self, query: str, mark: str, size: int) -> Path:
        fields = {"query": f"({query}) AND {_SOURCES}", "resultType": "core", "format": "json", "synonym": "true"}
        fields |= {"pageSize": str(size), "cursorMark": mark}
        path, _ = self._cache(
            f"{self._base}search?{urlencode(fields)}",
            ".json",
            lambda: self._client.ask("search", fields, _checked, most=2 * MAX_TEXT),
        )
        return path


def _looked_up(ids: ArticleIds) -> str:
    """Return the query of Europe PMC for an article."""
    if ids.pmid:
        return f"(EXT_ID:{ids.pmid} AND SRC:MED)"
    doi = ids.doi or (f"10.48550/arxiv.{ids.arxiv}" if ids.arxiv else "")
    return f'DOI:"{doi}"' if doi else f"PMCID:{ids.pmcid}" if ids.pmcid else ""


def _page(path: Path) -> _Page:
    return decode(path.read_bytes(), _Page, CACHED, path)


def _checked(body: bytes) -> bytes:
    """Let a page of results pass."""
    try:
        page = msgspec.json.decode(body, type=_Page)
    except UNFIT:
        raise BadAnswerError(unexpected(body, "results in JSON")) from None
    if page.problem:
        raise BadAnswerError(f"it says {page.problem[:200]!r}")
    if page.listed is None:
        raise BadAnswerError(unexpected(body, "results"))
    return body
