"""PubMed by NCBI's E-utilities: searches kept on the history server, records in batches, open full texts of PMC.

Requests are posted: neither the question nor an API key is part of an address, which libraries and proxies log.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import urlencode

import msgspec

from ilpsum.io.files import MAX_TEXT
from ilpsum.io.identifiers import ArticleIds
from ilpsum.io.records import UNFIT, decode
from ilpsum.io.xml_stream import elements
from ilpsum.literature.cache import Cache
from ilpsum.literature.client import Address, BadAnswerError, Client
from ilpsum.literature.restriction import Restriction
from ilpsum.literature.services import CACHED, Hits, Listed, as_pmcid

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_BASE, _VARIABLE = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/", "ILPSUM_EUTILS_URL"
# Requests a second: without an API key and with one.
_SLOW, _FAST = 3.0, 10.0
# Records a request; PubMed gives no more than the first 9,999 of a search.
_BATCH, _MOST = 200, 9999
# Identifiers that one search looks up.
_LOOKED_UP = 40
_SET = re.compile(rb"<PubmedArticleSet[^>]*>(.*)</PubmedArticleSet>", re.DOTALL)
_ARTICLE = re.compile(rb"<article[\s>].*</article>", re.DOTALL)


class _Messages(msgspec.Struct):
    """What PubMed could not use of a query."""

    phrasesnotfound: list[str] = []
    fieldsnotfound: list[str] = []


class _Result(msgspec.Struct):
    """The result of a search."""

    count: str = ""
    idlist: list[str] = []
    webenv: str = ""
    querykey: str = ""
    error: str = msgspec.field(name="ERROR", default="")
    errorlist: _Messages = msgspec.field(default_factory=_Messages)


class _Search(msgspec.Struct):
    esearchresult: _Result = msgspec.field(default_factory=_Result)
    error: str = ""


class PubMed:
    """PubMed; `NCBI_API_KEY` and `ILPSUM_EMAIL` of the environment say who asks.

    Raises:
        UsageError: `ILPSUM_EUTILS_URL` is no address, or the client library is not installed.
    """

    name = "PubMed"

    def __init__(self, cache: Cache) -> None:
        key, email, other = (os.environ.get(name, "") for name in ("NCBI_API_KEY", "ILPSUM_EMAIL", _VARIABLE))
        address = Address.of(self.name, _BASE, _FAST if key else _SLOW, variable=_VARIABLE, other=other)
        self._cache, self._client, self._base = cache, Client(address), address.base
        given = {"tool": "ilpsum", "email": email, "api_key": key}
        self._asker = {name: value for name, value in given.items() if value}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.__exit__()

    def search(self, query: str, most: int) -> Hits:
        """See `Service`."""
        fields = {"db": "pubmed", "term": query, "retmode": "json", "retmax": str(min(most, _MOST))}
        fields |= {"sort": "relevance", "usehistory": "y"}
        path, new = self._kept("esearch.fcgi", fields, ".json", _searched)
        result = decode(path.read_bytes(), _Search, CACHED, path).esearchresult
        history = {"WebEnv": result.webenv, "query_key": result.querykey} if new and result.webenv else {}
        ids, total, notes = result.idlist, int(result.count), list[str]()
        if lost := [*result.errorlist.phrasesnotfound, *result.errorlist.fieldsnotfound]:
            notes.append(f"{self.name} does not know {', '.join(lost)}")
        if len(ids) < min(most, total):
            notes.append(f"{self.name} gives the first {len(ids):,} of {total:,} records; narrow the query for the others")
        return Hits(total, -(-len(ids) // _BATCH), self._batches(ids, history), tuple(notes))

    def records(self, ids: Sequence[ArticleIds]) -> Hits:
        """See `Service`."""
        others = [_looked_up(each) for each in ids if not each.pmid and _looked_up(each)]
        pmids = [each.pmid for each in ids if each.pmid]
        for start in range(0, len(others), _LOOKED_UP):
            term = " OR ".join(others[start : start + _LOOKED_UP])
            fields = {"db": "pubmed", "term": term, "retmode": "json", "retmax": str(2 * _LOOKED_UP)}
            path, _ = self._kept("esearch.fcgi", fields, ".json", _searched)
            pmids += decode(path.read_bytes(), _Search, CACHED, path).esearchresult.idlist
        pmids = list(dict.fromkeys(pmids))
        return Hits(len(pmids), -(-len(pmids) // _BATCH), self._batches(pmids, {}))

    def listed(self, path: Path) -> Iterator[Listed]:
        """See `Service`."""
        for element in elements(path, "PubmedArticle"):
            yield _listed(element)

    def full_text(self, pmcid: str) -> Path | None:
        """See `Service`."""
        fields = {"db": "pmc", "id": pmcid.removeprefix("PMC"), "retmode": "xml"}
        path, _ = self._kept("efetch.fcgi", fields, ".xml", open_article)
        return path if path.stat().st_size else None

    def restricted(self, query: str, restriction: Restriction) -> str:
        """See `Service`."""
        return restriction.for_pubmed(query)

    def merged(self, files: Sequence[Path]) -> Iterator[bytes]:
        """See `Service`."""
        yield b'<?xml version="1.0" encoding="UTF-8"?>\n<PubmedArticleSet>\n'
        for path in files:
            match = _SET.search(path.read_bytes())
            yield match[1].strip() + b"\n" if match else b""
        yield b"</PubmedArticleSet>\n"

    def _batches(self, ids: Sequence[str], history: Mapping[str, str]) -> Iterator[Path]:
        """Yield the files of records, by the history server where the search is still fresh, else by their ids."""
        for start in range(0, len(ids), _BATCH):
            batch = ids[start : start + _BATCH]
            named = {"db": "pubmed", "retmode": "xml", "id": ",".join(batch)}
            paged = {"db": "pubmed", "retmode": "xml", **history, "retstart": str(start), "retmax": str(len(batch))}

            def fetch(batch: Sequence[str] = batch, named: dict[str, str] = named, paged: dict[str, str] = paged) -> bytes:
                if history:
                    data = self._asked("efetch.fcgi", paged, _records)
                    if set(batch) <= {each.ids.pmid for each in _in_bytes(data)}:
                        return data
                # The service has sorted the search anew since.
                return self._asked("efetch.fcgi", named, _records)

            yield self._cache(self._key("efetch.fcgi", named), ".xml", fetch)[0]

    def _kept(
        self, path: str, fields: Mapping[str, str], suffix: str, read: Callable[[bytes], bytes]
    ) -> tuple[Path, bool]:
        return self._cache(self._key(path, fields), suffix, lambda: self._asked(path, fields, read))

    def _key(self, path: str, fields: Mapping[str, str]) -> str:
        return f"{self._base}{path}?{urlencode(fields)}"

    def _asked(self, path: str, fields: Mapping[str, str], read: Callable[[bytes], bytes]) -> bytes:
        return self._client.ask(path, {**fields, **self._asker}, read, most=2 * MAX_TEXT, post=True)


def _looked_up(ids: ArticleIds) -> str:
    """Return the query of PubMed for a PMCID, DOI or arXiv id."""
    doi = ids.doi or (f"10.48550/arxiv.{ids.arxiv}" if ids.arxiv else "")
    return f'"{doi}"[doi]' if doi else ids.pmcid


def _searched(body: bytes) -> bytes:
    """Let the result of a search pass."""
    try:
        found = msgspec.json.decode(body, type=_Search)
    except UNFIT:
        raise BadAnswerError(unexpected(body, "the result of a search in JSON")) from None
    if problem := found.error or found.esearchresult.error:
        raise BadAnswerError(f"it says {problem[:200]!r}")
    if not found.esearchresult.count.isdecimal() or not all(map(str.isdecimal, found.esearchresult.idlist)):
        raise BadAnswerError(unexpected(body, "the result of a search"))
    return body


def _records(body: bytes) -> bytes:
    """Let a set of records pass."""
    root = parsed(body, "records in XML")
    if root.tag != "PubmedArticleSet" or not _SET.search(body):
        problem = "".join(root.itertext()).strip() if root.find(".//ERROR") is not None or root.tag == "ERROR" else ""
        raise BadAnswerError(f"it says {problem[:200]!r}" if problem else unexpected(body, "records in XML"))
    return body


def open_article(body: bytes) -> bytes:
    """Return the article in an answer with JATS; nothing if it has no text, as one that is not open."""
    root = parsed(body, "an article in XML")
    match = _ARTICLE.search(body)
    if match is None and root.tag not in ("article", "pmc-articleset"):
        raise BadAnswerError(unexpected(body, "an article in JATS"))
    return match[0] if match and root.find(".//body") is not None else b""


def parsed(body: bytes, expected: str) -> "Element":
    """Parse XML in UTF-8 that defines no entities.

    Raises:
        BadAnswerError: it is anything else.
    """
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        body.decode()
        root: Element = fromstring(body)
    except (ParseError, DefusedXmlException, ValueError, LookupError):
        raise BadAnswerError(unexpected(body, expected)) from None
    return root


def unexpected(body: bytes, expected: str) -> str:
    """Say what an answer is instead of what was expected."""
    start = body[:2000].decode("utf-8", "replace").lstrip("\ufeff \r\n\t").lower()
    if not start:
        return f"expected {expected}, got nothing"
    if "<html" in start or start.startswith("<!doctype html"):
        return f"expected {expected}, got a web page"
    return f"expected {expected}, got something else or a part of it"


def _in_bytes(body: bytes) -> Iterator[Listed]:
    return map(_listed, parsed(body, "records").iter("PubmedArticle"))


def _listed(article: "Element") -> Listed:
    pmid = (article.findtext("MedlineCitation/PMID") or "").strip()
    others = {
        str(each.get("IdType")): (each.text or "").strip() for each in article.iterfind("PubmedData/ArticleIdList/ArticleId")
    }
    pmcid = as_pmcid(others.get("pmc", ""))
    return Listed(ArticleIds(pmid=pmid, pmcid=pmcid, doi=others.get("doi", "").lower()), bool(pmcid))
