"""From a question to a topic: records are fetched from services, files are indexed, all are
searched, and the best documents are attached.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import count, takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from ilpsum.answers.attaching import FOUND, with_documents
from ilpsum.answers.searching import AbstractSearch
from ilpsum.answers.sources import MOST_TEXTS, Sources
from ilpsum.answers.weights import asked_in
from ilpsum.errors import InputError, UsageError
from ilpsum.files.numbers import whole_number
from ilpsum.files.pmids import Pmids
from ilpsum.files.work import Progress
from ilpsum.literature.intake import Record, has_abstract
from ilpsum.records import Document, Topic
from ilpsum.records.notices import NothingNewer
from ilpsum.tasks.texts import distinct, documents, files_in

# Clients of services are loaded when one is asked.
if TYPE_CHECKING:
    from ilpsum.answers.finding import Finding, Wanted

# Warn if nothing found is newer than this many years.
_OLD = 5
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def topic_of(question: str, sources: Sources) -> Topic:
    """Return a question with the documents that are retrieved from sources; raises as `searched`
    does, and `UsageError` without sources.
    """
    if not (sources.texts or sources.documents or sources.services):
        raise UsageError(
            "nothing to answer from: name texts, folders, - for standard input, documents to "
            "search, or a service"
        )
    search, abstracts, warnings = searched(question, sources)
    require_abstracts(search, sources)
    return attached(question, sources, search, warnings, abstracts=abstracts)


def requested(wanted: "Wanted", sources: Sources) -> "list[Finding]":
    """Fetch records from the services of sources; results received before a failure stay in the
    cache.

    Raises:
        ServiceError: a service cannot be reached, rejects the request, or returns an unexpected
            response.
    """
    from ilpsum.answers.finding import find
    from ilpsum.literature.client import Patience
    from ilpsum.literature.services import Cache

    cache = Cache(days=0) if sources.refresh else Cache()
    return find(wanted, sources.services, cache, Patience(sources.seconds, sources.tell))


def fetched(question: str, sources: Sources) -> "list[Finding]":
    """Fetch the records for a question; raises as `requested` does.

    Fetches ten times the records that an answer may use, and at least 200, from each service; the
    query is relaxed until half of them are found.
    """
    from ilpsum.answers.finding import MOST, Wanted

    most = max(MOST, 10 * (sources.found or FOUND))
    wanted = Wanted(question, sources.query, (), most, sources.wanted, sources.exact)
    return requested(wanted, sources)


def indexed(sources: Sources, records: Sequence[str] = ()) -> AbstractSearch:
    """Index the documents of sources that are not indexed yet, and further files of records, and
    return a search over them.

    Raises:
        InputError: a file cannot be read.
        UsageError: there are no files of abstracts.
    """
    files = files_in((*sources.documents, *records))
    only = Pmids(Path(sources.pmids)) if sources.pmids else None
    counter = _Counter(sources.progress)
    search = AbstractSearch(files.paths, sources.index, counter.watch, only, sources.wanted)
    counter.end()
    search.warnings = (*sources.problems, *files.problems, *search.warnings)
    return search


def searched(
    question: str,
    sources: Sources,
    known: "list[Finding] | None" = None,
) -> tuple[AbstractSearch, bool, list[str]]:
    """Return a search over all sources for a question, whether they contain abstracts, and
    warnings.

    Services are asked as in `fetched`, unless what they have for the question is `known`.

    Raises:
        InputError: a file cannot be read.
        ServiceError: see `requested`.
    """
    read = documents(sources.texts)
    texts = read.documents
    findings = known or []
    if known is None and sources.services:
        findings = fetched(question, sources)
    files = [str(path) for finding in findings for path in finding.records]
    records, about_fetched = documents(files)

    warnings = list(read.problems)
    for finding in findings:
        warnings += finding.notes
    if not sources.documents:
        warnings += about_fetched
    year = newest(records)
    if (whole_number(year) or math.inf) < date.today().year - _OLD:
        warnings.append(NothingNewer(f"nothing newer than {year} was found"))
    if sources.documents:
        # The index reads the fetched records again, and gives the warnings about them.
        search = indexed(sources, files)
        warnings += search.warnings
        abstracts = True
    else:
        if files:
            texts, repeated = distinct([*texts, *records])
            warnings += repeated
        search = AbstractSearch.of_documents(texts, sources.wanted)
        abstracts = any(map(has_abstract, texts))
    search.fetched = bool(findings)
    return search, abstracts, warnings


def attached(
    question: str,
    sources: Sources,
    search: AbstractSearch,
    warnings: Iterable[str],
    *,
    abstracts: bool = True,
) -> Topic:
    """Return a question with the documents that a search over sources finds, and warnings."""
    most = sources.found or (FOUND if abstracts else MOST_TEXTS)
    # A case history contains much that no text on its question has.
    asked, kind = asked_in(question), "" if abstracts else "texts"
    topic = Topic(
        "question",
        asked,
        kind=kind,
        written=question if asked != question else "",
    )
    topic = with_documents(
        topic,
        search.restricted(sources.wanted),
        most,
        sources.coverage,
        sources.exact,
    )
    return replace(topic, warnings=(*warnings, *topic.warnings))


def require_abstracts(search: AbstractSearch, sources: Sources) -> None:
    """Raise `InputError` if a search over sources has no abstracts and there are no services."""
    if search.documents or sources.services:
        return
    inputs = (*sources.documents, *sources.texts)
    files = (str(source) for source in inputs if not isinstance(source, Document))
    raise InputError(
        "no record has an abstract; export the records again, with their abstracts",
        next(files, None),
    )


class _Counter:
    """Counts abstracts as they are indexed, in one progress display for all files from the first
    unindexed one on.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._ended = False
        self._ticks: Iterator[int] | None = None

    def watch(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield the records of a file."""
        if self._ticks is None:
            numbers = takewhile(lambda _: not self._ended, count(1))
            self._ticks = iter(self._progress(numbers, "abstracts indexed"))
        for record in records:
            if record.document is not None:
                next(self._ticks)
            yield record

    def end(self) -> None:
        """End the display, if it has begun."""
        self._ended = True
        if self._ticks is not None:
            next(self._ticks, None)


def newest(documents: Iterable[Document]) -> str:
    """Return the latest year of publication; empty if no document has one."""
    dates = (document.publication.year or document.date for document in documents)
    return max((year for date in dates for year in _YEAR.findall(date)), default="")
