"""PubMed through NCBI's E-utilities: searches, and records in batches.

Requests use POST: neither the question nor an API key is part of a URL, which libraries and proxies
log.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import msgspec

from ilpsum.files.identifiers import ArticleIds
from ilpsum.files.numbers import whole_number
from ilpsum.literature.client import BadAnswerError, Patience
from ilpsum.literature.services import (
    Cache,
    Hits,
    Service,
    decoded,
    of_file,
    service_error,
    unexpected,
)

# Requests per second without an API key.
_SLOW = 3.0
# Records per request; PubMed returns only the first 9,999 of a search.
_BATCH, _MOST = 200, 9999
# Identifiers per look-up query.
_LOOKED_UP = 40
_TYPES = {"systematic-review": "systematic review", "randomised": "randomized controlled trial"}
_TYPES |= {"trial": "clinical trial", "case-report": "case reports"}
# Maximum digits of a count and of an id.
_LONGEST = 19


class _Unknown(msgspec.Struct):
    """Parts of a query that PubMed did not recognise."""

    phrasesnotfound: list[str] = []
    fieldsnotfound: list[str] = []


class _Result(msgspec.Struct):
    count: str = ""
    idlist: list[str] = []
    error: str = msgspec.field(name="ERROR", default="")
    errorlist: _Unknown = msgspec.field(default_factory=_Unknown)


class _Search(msgspec.Struct):
    esearchresult: _Result = msgspec.field(default_factory=_Result)
    error: str = ""


class PubMed(Service):
    """PubMed; the environment variables `NCBI_API_KEY` and `ILPSUM_EMAIL` identify the client."""

    name = "PubMed"
    base = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/"
    page = "https://pubmed.ncbi.nlm.nih.gov/?term="
    variable = "ILPSUM_EUTILS_URL"
    post = True
    years = "{}:{}[dp]"
    language = "{}[la]"
    # A publication type includes its narrower types.
    kinds: ClassVar = {
        kind: f'"{_TYPES.get(kind, kind)}"[pt]'
        for kind in ("meta-analysis", "guideline", "review", "editorial", "preprint", *_TYPES)
    } | {
        "cohort": '"cohort studies"[mh]',
        "in-vitro": '"in vitro techniques"[mh]',
        "animal": "(animals[mh] NOT humans[mh])",
    }
    animals = "animals[mh] NOT humans[mh]"
    preprint = "preprint[pt]"

    def __init__(self, cache: Cache, patience: Patience | None = None) -> None:
        key, email = os.environ.get("NCBI_API_KEY", ""), os.environ.get("ILPSUM_EMAIL", "")
        asker = {"tool": "ilpsum", "email": email, "api_key": key}
        self.asker = {name: value for name, value in asker.items() if value}
        self.a_second = type(self).a_second if key else _SLOW
        super().__init__(cache, patience)

    def search(self, query: str, most: int) -> Hits:
        """See `Service`."""
        result = self._search(query, min(most, _MOST), sort="relevance")
        total, notes = whole_number(result.count, _LONGEST) or 0, list[str]()
        unknown = result.errorlist.phrasesnotfound + result.errorlist.fieldsnotfound
        if unknown:
            notes.append(f"{self.name} does not know {', '.join(dict.fromkeys(unknown))}")
        if total > _MOST < most:
            notes.append(
                f"{self.name} gives the first {_MOST:,} of {total:,} records only; narrow the query"
            )
        return Hits(total, result.idlist[:most], tuple(notes))

    def look_up(self, ids: Sequence[ArticleIds]) -> list[str]:
        """See `Service`."""
        pmids = [article.pmid for article in ids if article.pmid]
        others = (article for article in ids if not article.pmid)
        terms = [f'"{other.doi}"[doi]' if other.doi else other.pmcid for other in others]
        terms = list(filter(None, terms))
        for start in range(0, len(terms), _LOOKED_UP):
            term = " OR ".join(terms[start : start + _LOOKED_UP])
            pmids += self._search(term, 2 * _LOOKED_UP).idlist
        return pmids

    def files(self, records: Sequence[str]) -> Iterator[Path]:
        """See `Service`."""
        ids = list(dict.fromkeys(records))
        for start in range(0, len(ids), _BATCH):
            fields = {"db": "pubmed", "retmode": "xml", "id": ",".join(ids[start : start + _BATCH])}
            yield self._kept("efetch.fcgi", fields, ".xml", _check_records)

    @staticmethod
    def merged(files: Sequence[Path]) -> Iterator[bytes]:
        """See `Service`."""
        yield b'<?xml version="1.0" encoding="UTF-8"?>\n<PubmedArticleSet>\n'
        for path in files:
            yield _within_set(path.read_bytes())
        yield b"</PubmedArticleSet>\n"

    def _search(self, term: str, most: int, **more: str) -> _Result:
        fields = {"db": "pubmed", "term": term, "retmode": "json", "retmax": str(most), **more}
        return of_file(
            self._kept("esearch.fcgi", fields, ".json", _check_search),
            _Search,
        ).esearchresult


def _check_search(body: bytes) -> None:
    """Raise `BadAnswerError` unless a body is the result of a search."""
    answer = decoded(body, _Search)
    result = answer.esearchresult
    if problem := answer.error or result.error:
        raise service_error(problem)
    for number in (result.count, *result.idlist):
        if whole_number(number, _LONGEST) is None:
            raise BadAnswerError("expected the result of a search, got other JSON")


def _check_records(body: bytes) -> None:
    """Raise `BadAnswerError` unless a body is a set of records, in UTF-8 XML without entity
    definitions.
    """
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        body.decode()
        root = fromstring(body)
    except (ParseError, DefusedXmlException, ValueError, LookupError):
        raise unexpected(body, "XML") from None
    if root.tag != "PubmedArticleSet":
        error = root if root.tag == "ERROR" else root.find(".//ERROR")
        if error is None:
            raise unexpected(body, "PubmedArticleSet")
        raise service_error("".join(error.itertext()))


def _within_set(data: bytes) -> bytes:
    """Return the content of a response's article set; the search takes linear time."""
    begin, end = data.find(b"<PubmedArticleSet"), data.rfind(b"</PubmedArticleSet>")
    begin = data.find(b">", begin) if begin >= 0 else -1
    return data[begin + 1 : end].strip() + b"\n" if 0 <= begin < end else b""
