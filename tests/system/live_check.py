"""Ask PubMed and Europe PMC what the tests ask their stand-in, and report where they answer
otherwise.

    python -m tests.system.live_check [--query "zinc AND gentamicin"] [--article 23193287 PMC3531190
    10.1093/nar/gks1195]

About 50 requests, at the services' pace, with `NCBI_API_KEY` and `ILPSUM_EMAIL` of the environment;
an empty cache is used and removed. A line for each check; the exit status is 1 if a service answers
otherwise. The services could not be reached where ilpsum was built, so run this first if something
looks wrong.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ilpsum.answers.finding import SERVICES, Wanted, find
from ilpsum.errors import IlpsumError
from ilpsum.files.identifiers import ArticleIds, ids_of
from ilpsum.literature import intake
from ilpsum.literature.services import Cache, Service, restricted
from ilpsum.records import Document, SourceFilter

UNKNOWN, NOBODY = "xqzvbn", ArticleIds(pmid="99999999")


class Given(NamedTuple):
    """What is asked for: a query with many records, and an article."""

    query: str
    article: ArticleIds


def searched(service: Service, given: Given) -> str:
    hits = service.search(given.query, 250)
    numbers = [sum(1 for _ in service.listed(path)) for path in service.files(hits.records)]
    expected = min(250, hits.total)
    return (
        ""
        if expected <= sum(numbers) < expected + 100
        else f"{hits.total} found, {numbers} in files of 250 asked for"
    )


def looked_up(kind: str) -> Callable[[Service, Given], str]:
    def check(service: Service, given: Given) -> str:
        ids = ArticleIds(**{kind: getattr(given.article, kind)})
        found = [
            each
            for path in service.files(service.look_up([ids, NOBODY]))
            for each in service.listed(path)
        ]
        fits = [getattr(each, kind) for each in found] == [getattr(ids, kind)]
        return "" if fits else f"asked for {ids}, got {[ids_of(each) for each in found]}"

    return check


def narrowed(service: Service, given: Given) -> str:
    """Each restriction finds something, and no more than the query alone."""
    whole, problems = service.search(given.query, 1).total, []
    cases = {
        "years": SourceFilter(since=2000, until=2019),
        "language": SourceFilter(languages=("eng",)),
        "humans": SourceFilter(humans=True),
        "kinds": SourceFilter(kinds=("review", "trial")),
        "no preprints": SourceFilter(preprints=False),
    }
    for name, restriction in cases.items():
        number = service.search(restricted(given.query, restriction, service), 1).total
        if not 0 < number <= whole:
            problems.append(f"{name}: {number:,} of {whole:,}")
    return "; ".join(problems)


def excluded(service: Service, given: Given) -> str:
    """A query without what it finds itself finds nothing."""
    number = service.search(f"({given.query}) NOT ({given.query})", 1).total
    return f"{number:,} records are and are not found" if number else ""


def unknown(service: Service, _: Given) -> str:
    hits = service.search(UNKNOWN, 1)
    return f"{hits.total} records for {UNKNOWN}" if hits.total else ""


def read(service: Service, given: Given) -> str:
    """Our readers read the records."""
    (path, *_) = service.files(service.search(given.query, 20).records)
    if service.name != "PubMed":
        return ""
    wrong = [str(each) for each in intake.documents(path) if not isinstance(each, Document)]
    return "; ".join(wrong)


CHECKS: dict[str, Callable[[Service, Given], str]] = {
    "a search, page by page": searched,
    "a PMID": looked_up("pmid"),
    "a PMCID": looked_up("pmcid"),
    "a DOI": looked_up("doi"),
    "restrictions": narrowed,
    "NOT": excluded,
    "a word that nobody writes": unknown,
    "records that are read": read,
}


def checked(given: Given, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the service, the check and what differs, which is empty if nothing does."""
    cache = Cache(folder=folder)
    for name in SERVICES:
        with closing(SERVICES[name](cache)) as service:
            for what, check in CHECKS.items():
                try:
                    problem = check(service, given)
                except IlpsumError as error:
                    problem = str(error)
                yield service.name, what, problem
        try:
            notes = find(Wanted("Can valproate be used during pregnancy?", most=10), [name], cache)[
                0
            ].notes
            yield (
                service.name,
                "a question",
                "" if any(": 0 found" not in note for note in notes) else notes[0],
            )
        except IlpsumError as error:
            yield service.name, "a question", str(error)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--query", default="zinc AND gentamicin")
    parser.add_argument(
        "--article", nargs=3, default=["23193287", "PMC3531190", "10.1093/nar/gks1195"]
    )
    options = parser.parse_args(argv)
    pmid, pmcid, doi = options.article
    given, differs = (
        Given(options.query, ArticleIds(pmid=pmid, pmcid=pmcid, doi=doi.lower())),
        False,
    )
    with tempfile.TemporaryDirectory() as folder:
        for service, what, problem in checked(given, Path(folder)):
            print(
                f"{service}: {what}: {problem and 'DIFFERS: '}{problem or 'as expected'}",
                flush=True,
            )
            differs |= bool(problem)
    return int(differs)


if __name__ == "__main__":
    sys.exit(main())
