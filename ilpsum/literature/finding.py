"""From a question to records of PubMed and Europe PMC, as files that the readers of abstracts read."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from features.registry import Registry
from ilpsum.errors import UsageError
from ilpsum.literature.cache import Cache
from ilpsum.literature.europepmc import EuropePmc
from ilpsum.literature.pubmed import PubMed
from ilpsum.literature.queries import queries
from ilpsum.literature.restriction import Restriction
from ilpsum.literature.services import Service

SERVICES: Registry[type[Service]] = Registry("service")
SERVICES.add("pubmed", PubMed)
SERVICES.add("europepmc", EuropePmc)

_WIDER, _ENOUGH = 10, 5
# Queries that one question may cost a service.
_MOST_QUERIES = 8
ANY = Restriction()
"""Restricts nothing."""

Watch = Callable[[Iterable[Path], str, int], Iterable[Path]]
"""Passes files on as they are fetched, given what they are and their number, to show progress."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What services have for a question.

    Attributes:
        files: of records and full texts, in the cache.
        notes: the queries and what they found, one line each.
    """

    files: tuple[Path, ...]
    notes: tuple[str, ...]


def find(
    question: str,
    services: Sequence[str],
    *,
    query: str = "",
    found: int = 20,
    restriction: Restriction = ANY,
    full_text: bool = False,
    cache: Cache | None = None,
    watch: Watch | None = None,
) -> Finding:
    """Search services for a question, and fetch ten times as many records as an answer is made from.

    The queries are relaxed (`ilpsum.literature.queries`) until a service has five times as many records.

    Args:
        question: to make queries from; it is sent nowhere as a whole.
        services: names of `SERVICES`.
        query: in the services' own language; asked instead of the question.
        found: records that an answer is made from.
        restriction: what is asked for.
        full_text: whether to fetch the full texts of the first `found` open articles of each service.
        cache: of answers; by default those of the last 30 days in the user's cache.
        watch: shows progress.

    Raises:
        ServiceError: a service cannot be reached, refuses, or does not give what was asked for.
        UsageError: nothing to search for, or a service cannot be used here.
        UnknownNameError: no such service.
    """
    asked = [query] if query else queries(question)[-_MOST_QUERIES:]
    if not asked:
        raise UsageError("the question has no word to search for; name what it is about, or give a --query")
    cache, files, notes = cache or Cache(), list[Path](), list[str]()
    with ExitStack() as open_:
        for service in [open_.enter_context(SERVICES[name](cache)) for name in dict.fromkeys(services)]:
            pile = _records(service, asked, found, restriction, notes, watch)
            files += pile
            if full_text:
                files += _full_texts(service, pile, found, notes, watch)
    return Finding(tuple(files), tuple(notes))


def _records(
    service: Service, asked: Sequence[str], found: int, restriction: Restriction, notes: list[str], watch: Watch | None
) -> list[Path]:
    files, total, number, stricter = list[Path](), 0, 0, ""
    for query in asked:
        # What the stricter query has found is not fetched again.
        wanted = f"({query}) NOT ({stricter})" if stricter else query
        hits = service.search(service.restricted(wanted, restriction), _WIDER * found - number)
        what = f"{service.name}: {query}: {hits.total:,} {'more ' * bool(stricter)}found"
        batches = watch(hits.files, f"files from {service.name}", hits.batches) if watch else hits.files
        new = list(batches)
        fetched = sum(1 for path in new for _ in service.listed(path))
        notes += [f"{what}, {fetched:,} read" if fetched < hits.total else what, *hits.notes]
        files, total, number, stricter = [*files, *new], total + hits.total, number + fetched, query
        if total >= _ENOUGH * found or number >= _WIDER * found:
            break
    return files


def _full_texts(
    service: Service, files: Sequence[Path], most: int, notes: list[str], watch: Watch | None
) -> list[Path]:
    pmcids = [each.ids.pmcid for path in files for each in service.listed(path) if each.open][:most]
    found = filter(None, map(service.full_text, pmcids))
    texts = list(watch(found, f"full texts from {service.name}", len(pmcids)) if watch else found)
    notes.append(f"{service.name}: {len(texts):,} full texts of open articles")
    return texts
