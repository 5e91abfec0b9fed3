"""Options of the services of the literature, shared by `ask`, `fetch` and `serve`."""

import argparse
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ilpsum.cli.options import Search, number_type, progress, source_filter
from ilpsum.errors import InputError, UsageError
from ilpsum.io.identifiers import ids_of

if TYPE_CHECKING:
    from ilpsum.literature import Finding, Restriction, Wanted
    from ilpsum.retrieval import AbstractSearch

# Listed articles named in a warning; further ones are only counted.
_MOST_NAMED = 5
_YEAR = number_type(int, lambda value: 1000 <= value <= 3000, "a year of four digits")


def add_services(group: "argparse._ActionsContainer") -> None:
    """Add the options that name a service; nothing is sent to one that is not named."""
    group.add_argument("--pubmed", action="store_true", help="ask PubMed: terms of the question are sent to it")
    group.add_argument("--europepmc", action="store_true", help="ask Europe PMC, which has preprints too")


def add_search(group: "argparse._ActionsContainer") -> None:
    """Add the options of a search in a service."""
    add = group.add_argument
    add("--query", metavar="TEXT", help="in the language of the service, such as 'valproate[tiab] AND pregnancy[mh]'")
    add("--until", type=_YEAR, metavar="YEAR", help="the last year of publication")
    add("--languages", type=_codes, default=(), metavar="CODE,...", help="codes of three letters, such as eng,ger")
    add("--fulltext", action="store_true", help="fetch the full texts of open articles too")
    add("--refresh", action="store_true", help="ask again what the cache has from the last 30 days")


def _codes(text: str) -> tuple[str, ...]:
    codes = tuple(text.lower().split(","))
    if not all(re.fullmatch("[a-z]{3}", code) for code in codes):
        raise argparse.ArgumentTypeError(f"expected codes of three letters, such as eng,ger, got {text[:40]}")
    return codes


def _watched(files: Iterable[Any], what: str, number: int, *, quiet: bool) -> Iterable[Any]:
    return progress(files, what, quiet, number)


@dataclass(frozen=True, slots=True)
class Literature:
    """The services that a call may ask.

    Attributes:
        services: their names; nothing is sent to others.
        query, full_texts, restriction: see `ilpsum.literature.Wanted`.
        refresh: whether to leave the cache unread.
        quiet: whether to leave out progress.
    """

    services: tuple[str, ...]
    query: str
    full_texts: bool
    restriction: "Restriction"
    refresh: bool
    quiet: bool

    @classmethod
    def of(cls, options: argparse.Namespace) -> "Literature":
        """Return the services that options name; a verb may have only some of the options.

        Raises:
            UsageError: options of a search without a service.
        """
        from ilpsum.literature import Restriction

        given = vars(options)
        services = tuple(name for name in ("pubmed", "europepmc") if given.get(name))
        own = [name for name in ("query", "until", "languages", "fulltext", "refresh") if given.get(name)]
        if own and not services:
            raise UsageError(f"--{own[0]} is for a search in PubMed or Europe PMC; add --pubmed or --europepmc")
        only, languages = source_filter(options), given.get("languages") or ()
        restriction = Restriction(only.since, given.get("until"), only.kinds, languages, only.humans, only.preprints)
        query, texts = given.get("query") or "", bool(given.get("fulltext"))
        return cls(services, query, texts, restriction, bool(given.get("refresh")), options.quiet)

    def find(self, wanted: "Wanted") -> "list[Finding]":
        """Fetch what the services have; the cache keeps what arrives before a failure."""
        from ilpsum.literature import Cache, find

        cache = Cache(days=0) if self.refresh else Cache()
        return find(wanted, self.services, cache, partial(_watched, quiet=self.quiet))

    def pile(self, question: str, files: Sequence[str], where: Search) -> "tuple[AbstractSearch, str, list[str]]":
        """Return a search over what is given and what the services have for a question, its kind, and warnings.

        Fetched are ten times as many records as an answer may use, and 200 at least; relaxing ends at half of that. A
        list of identifiers among the files is looked up in what is given, and fetched from the services instead.

        Raises:
            InputError: there is a list, and nothing to look it up in.
        """
        from ilpsum.corpora.abstracts import IDS, has_abstract, split_lists
        from ilpsum.corpora.text import documents
        from ilpsum.literature import Wanted
        from ilpsum.literature.finding import MOST
        from ilpsum.retrieval import FOUND, AbstractSearch

        listed, given = split_lists(files)
        if listed and not (given or where.files or self.services):
            raise InputError(IDS, files[0])
        most = max(MOST, 10 * (where.found or FOUND))
        wanted = Wanted(question, self.query, listed, most, most // 2, self.restriction, self.full_texts)
        findings = self.find(wanted) if self.services else []
        fetched = [str(path) for finding in findings for path in finding.files]
        warnings = [line for finding in findings for line in finding.notes]
        only = frozenset(each for article in listed for each in ids_of(article)) if listed else None
        if where.files:
            search, kind = where.with_files(fetched).open(only), ""
            warnings += search.warnings
        else:
            texts = list(documents([*given, *fetched], warnings))
            search = AbstractSearch.of_documents(texts, only, where.wanted)
            kind = "" if any(map(has_abstract, texts)) else "texts"
        if absent := [str(article) for article in listed if search.lacks(ids_of(article))]:
            named = ", ".join(absent[:_MOST_NAMED]) + (", ..." if len(absent) > _MOST_NAMED else "")
            fetch = "" if self.services else "; add --pubmed to fetch them"
            warnings.append(f"{len(absent)} of {len(listed)} listed articles not found: {named}{fetch}")
        return search, kind, warnings
