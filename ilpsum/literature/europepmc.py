"""Europe PMC through its REST service: core records page by page, preprints included."""

from collections.abc import Iterator, Sequence
from math import ceil
from pathlib import Path
from typing import ClassVar

import msgspec

from ilpsum.files.identifiers import ArticleIds
from ilpsum.literature.client import BadAnswerError
from ilpsum.literature.services import Hits, Service, decoded, of_file, service_error

_PAGE = 100
# Identifiers per look-up query.
_LOOKED_UP = 20
# Excludes patents and agricultural records.
_SOURCES = "(SRC:MED OR SRC:PMC OR SRC:PPR)"
_TYPES = {
    "meta-analysis": ("meta-analysis",),
    "systematic-review": ("systematic review",),
    "guideline": ("guideline", "practice guideline"),
    "randomised": ("randomized controlled trial",),
    "trial": ("clinical trial", "controlled clinical trial", "randomized controlled trial"),
    "review": ("review", "systematic review"),
    "case-report": ("case reports",),
    "editorial": ("editorial",),
}


class _List(msgspec.Struct):
    result: list[msgspec.Raw]


class _Page(msgspec.Struct):
    """A page of results, or an error."""

    hits: int = msgspec.field(name="hitCount", default=0)
    following: str = msgspec.field(name="nextCursorMark", default="")
    listed: _List | None = msgspec.field(name="resultList", default=None)
    problem: str = msgspec.field(name="errMsg", default="")


class EuropePmc(Service):
    """Europe PMC."""

    name = "Europe PMC"
    base = "https://www.ebi.ac.uk/europepmc/webservices/rest/"
    page = "https://europepmc.org/search?query="
    variable = "ILPSUM_EUROPEPMC_URL"
    years = "PUB_YEAR:[{} TO {}]"
    language = 'LANG:"{}"'
    kinds: ClassVar = (
        {
            kind: " OR ".join(f'PUB_TYPE:"{name}"' for name in names)
            for kind, names in _TYPES.items()
        }
        | {
            "cohort": 'KW:"Cohort Studies"',
            "in-vitro": 'KW:"In Vitro Techniques"',
            "preprint": "SRC:PPR",
        }
        | {"animal": '(KW:"Animals" NOT KW:"Humans")'}
    )
    animals = 'KW:"Animals" NOT KW:"Humans"'
    preprint = "SRC:PPR"

    def search(self, query: str, most: int) -> Hits:
        """See `Service`."""
        # As few pages as possible, of equal sizes.
        mark, size = "*", ceil(most / ceil(most / _PAGE))
        files = [self._page(query, mark, size)]
        total = (page := of_file(files[0], _Page)).hits
        while len(files) * size < min(most, total) and page.following not in ("", mark):
            mark = page.following
            files.append(self._page(query, mark, size))
            page = of_file(files[-1], _Page)
        return Hits(total, list(map(str, files)))

    def look_up(self, ids: Sequence[ArticleIds]) -> list[str]:
        """See `Service`."""
        asked, files = list(filter(None, map(_looked_up, ids))), list[str]()
        for start in range(0, len(asked), _LOOKED_UP):
            query = " OR ".join(asked[start : start + _LOOKED_UP])
            files.append(str(self._page(query, "*", _PAGE)))
        return files

    def files(self, records: Sequence[str]) -> Iterator[Path]:
        """See `Service`; the records came with the search, as files."""
        return map(Path, records)

    @staticmethod
    def merged(files: Sequence[Path]) -> Iterator[bytes]:
        """See `Service`."""
        separator = b""
        yield b'{"resultList": {"result": [\n'
        for path in files:
            for record in (of_file(path, _Page).listed or _List([])).result:
                yield separator + bytes(record)
                separator = b",\n"
        yield b"\n]}}\n"

    def _page(self, query: str, mark: str, size: int) -> Path:
        fields = {
            "query": f"({query}) AND {_SOURCES}",
            "resultType": "core",
            "format": "json",
            "synonym": "true",
        }
        fields |= {"pageSize": str(size), "cursorMark": mark}
        return self._kept("search", fields, ".json", _check_page)


def _looked_up(ids: ArticleIds) -> str:
    """Return the query for one article."""
    if ids.pmid:
        return f"(EXT_ID:{ids.pmid} AND SRC:MED)"
    doi = ids.doi or (f"10.48550/arxiv.{ids.arxiv}" if ids.arxiv else "")
    return f'DOI:"{doi}"' if doi else f"PMCID:{ids.pmcid}" if ids.pmcid else ""


def _check_page(body: bytes) -> None:
    """Raise `BadAnswerError` unless a body is a page of results."""
    page = decoded(body, _Page)
    if page.problem:
        raise service_error(page.problem)
    if page.listed is None or page.hits < 0:
        raise BadAnswerError("expected a page of results, got other JSON")
