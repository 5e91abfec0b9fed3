"""PubMed through NCBI's E-utilities: searches kept on the history server, records in batches, open PMC full texts.

Requests use POST: neither the question nor an API key is part of a URL, which libraries and proxies log.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from ilpsum.answers.client import BadAnswerError, Patience
from ilpsum.answers.services import Cache, Hits, Language, Service, decoded, of_file, open_article, parsed, said
from ilpsum.files.identifiers import ArticleIds

# Requests per second without an API key.
_SLOW = 3.0
# Records per request; PubMed returns only the first 9,999 of a search.
_BATCH, _MOST = 200, 9999
# Identifiers per look-up query.
_LOOKED_UP = 40
_TYPES = {"systematic-review": "systematic review", "randomised": "randomized controlled trial"}
_TYPES |= {"trial": "clinical trial", "case-report": "case reports"}


class _Unknown(msgspec.Struct):
    """Parts of a query that PubMed did not recognise."""

    phrasesnotfound: list[str] = []
    fieldsnotfound: list[str] = []


class _Result(msgspec.Struct):
    count: str = ""
    idlist: list[str] = []
    webenv: str = ""
    querykey: str = ""
    error: str = msgspec.field(name="ERROR", default="")
    errorlist: _Unknown = msgspec.field(default_factory=_Unknown)


class _Search(msgspec.Struct):
    esearchresult: _Result = msgspec.field(default_factory=_Result)
    error: str = ""


class PubMed(Service):
    """PubMed; the environment variables `NCBI_API_KEY` and `ILPSUM_EMAIL` identify the client."""

    name = "PubMed"
    base = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/"
    variable = "ILPSUM_EUTILS_URL"
    post = True
    # A publication type includes its narrower types.
    language = Language(
        years="{}:{}[dp]",
        language="{}[la]",
        kinds={
            kind: f'"{_TYPES.get(kind, kind)}"[pt]'
            for kind in ("meta-analysis", "guideline", "review", "editorial", "preprint", *_TYPES)
        }
        | {
            "cohort": '"cohort studies"[mh]',
            "in-vitro": '"in vitro techniques"[mh]',
            "animal": "(animals[mh] NOT humans[mh])",
        },
        animals="animals[mh] NOT humans[mh]",
        preprint="preprint[pt]",
    )

    def __init__(self, cache: Cache, patience: Patience | None = None) -> None:
        key, email = os.environ.get("NCBI_API_KEY", ""), os.environ.get("ILPSUM_EMAIL", "")
        given = {"tool": "ilpsum", "email": email, "api_key": key}
        self.asker = {name: value for name, value in given.items() if value}
        self.a_second = type(self).a_second if key else _SLOW
        super().__init__(cache, patience)

    def search(self, query: str, most: int) -> Hits:
        """See `Service`."""
        result, new = self._search(query, min(most, _MOST), sort="relevance", usehistory="y")
        history = {"WebEnv": result.webenv, "query_key": result.querykey} if new and result.webenv else {}
        total, notes = int(result.count), list[str]()
        if unknown := [*result.errorlist.phrasesnotfound, *result.errorlist.fieldsnotfound]:
            notes.append(f"{self.name} does not know {', '.join(unknown)}")
        if total > _MOST < most:
            notes.append(f"{self.name} gives the first {_MOST:,} of {total:,} records only; narrow the query")
        return self._hits(result.idlist[:most], total, history, tuple(notes))

    def look_up(self, ids: Sequence[ArticleIds]) -> Hits:
        """See `Service`."""
        pmids, others = [each.pmid for each in ids if each.pmid], [each for each in ids if not each.pmid]
        for start in range(0, len(others), _LOOKED_UP):
            terms = (f'"{each.doi}"[doi]' if each.doi else each.pmcid for each in others[start : start + _LOOKED_UP])
            if term := " OR ".join(filter(None, terms)):
                pmids += self._search(term, 2 * _LOOKED_UP)[0].idlist
        pmids = list(dict.fromkeys(pmids))
        return self._hits(pmids, len(pmids), {})

    def full_text(self, pmcid: str) -> Path | None:
        """See `Service`."""
        fields = {"db": "pmc", "id": pmcid.removeprefix("PMC"), "retmode": "xml"}
        path, _ = self._kept("efetch.fcgi", fields, ".xml", partial(self._asked, "efetch.fcgi", fields, open_article))
        return path if path.stat().st_size else None

    @staticmethod
    def merged(files: Sequence[Path]) -> Iterator[bytes]:
        """See `Service`."""
        yield b'<?xml version="1.0" encoding="UTF-8"?>\n<PubmedArticleSet>\n'
        for path in files:
            yield _within_set(path.read_bytes())
        yield b"</PubmedArticleSet>\n"

    def _search(self, term: str, most: int, **more: str) -> tuple[_Result, bool]:
        fields = {"db": "pubmed", "term": term, "retmode": "json", "retmax": str(most), **more}
        path, new = self._kept("esearch.fcgi", fields, ".json", partial(self._asked, "esearch.fcgi", fields, _searched))
        return of_file(path, _Search).esearchresult, new

    def _hits(self, ids: Sequence[str], total: int, history: Mapping[str, str], notes: tuple[str, ...] = ()) -> Hits:
        files = (self._batch(ids[start : start + _BATCH], start, history) for start in range(0, len(ids), _BATCH))
        return Hits(total, -(-len(ids) // _BATCH), files, notes)

    def _batch(self, ids: Sequence[str], start: int, history: Mapping[str, str]) -> Path:
        """Return the file of a batch of records: from the history server for a new search, else fetched by ids."""
        named = {"db": "pubmed", "retmode": "xml", "id": ",".join(ids)}
        paged = {"db": "pubmed", "retmode": "xml", **history, "retstart": str(start), "retmax": str(len(ids))}
        fetch = partial(self._asked, "efetch.fcgi", paged if history else named, _records)
        return self._kept("efetch.fcgi", named, ".xml", fetch)[0]


def _searched(body: bytes) -> bytes:
    """Return the body if it is a search result; else raise `BadAnswerError`."""
    found = decoded(body, _Search)
    if problem := found.error or found.esearchresult.error:
        raise said(problem)
    if not all(
        number.isascii() and number.isdigit() and len(number) < 20
        for number in (found.esearchresult.count, *found.esearchresult.idlist)
    ):
        raise BadAnswerError("expected the result of a search, got other JSON")
    return body


def _records(body: bytes) -> bytes:
    """Return the body if it is a set of records; else raise `BadAnswerError`."""
    parsed(body, "PubmedArticleSet")
    return body


def _within_set(data: bytes) -> bytes:
    """Return the content of a response's article set; the search takes linear time."""
    begin, end = data.find(b"<PubmedArticleSet"), data.rfind(b"</PubmedArticleSet>")
    begin = data.find(b">", begin) if begin >= 0 else -1
    return data[begin + 1 : end].strip() + b"\n" if 0 <= begin < end else b""
