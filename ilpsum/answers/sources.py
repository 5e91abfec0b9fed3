"""Sources of answers: texts, collections of abstracts and literature services."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from itertools import count, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ilpsum.errors import InputError, UsageError
from ilpsum.files.arguments import fitting
from ilpsum.files.numbers import whole_number
from ilpsum.files.records import Natural, Share
from ilpsum.files.work import Progress, Tell, no_progress, silent
from ilpsum.records import ANY_BUT_RETRACTED, KINDS, Document, SourceFilter, Topic
from ilpsum.records.notices import NothingNewer

if TYPE_CHECKING:
    from ilpsum.answers.finding import Finding, Wanted
    from ilpsum.answers.searching import AbstractSearch
    from ilpsum.literature.intake import Record
    from ilpsum.pipeline.settings import Values

# Maximum texts used for one answer or summary.
MOST_TEXTS = 50
# Warn if nothing found is newer than this many years.
_OLD = 5
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@dataclass(frozen=True, slots=True)
class Sources:
    """Sources to answer questions from, and search options.

    Attributes:
        texts: documents, or files and folders of abstracts and plain texts, searched in memory.
        documents: files and folders of abstracts, indexed on disk; excludes `texts`.
        index: folder of the indexes; default: in the user's cache.
        pmids: file of the PMIDs that may be found; None for all.
        found: maximum abstracts per question; None for the default, 20.
        coverage, exact: see `ilpsum.answers.attaching.with_documents`.
        wanted: filter for quotable publications.
        services: `pubmed`, `europepmc`. Nothing is sent to a service that is not listed.
        query: query in the syntax of the services; default: derived from the question.
        refresh: whether to repeat requests cached in the last 30 days.
        seconds: how long to wait for services: for a question in all, for `fetch` each request.
        progress: reports the progress of indexing.
        tell: takes a line about once a second while a service is waited for; may raise to end the
            wait.
        problems: warnings about the folders that `documents` were found in.
    """

    texts: Sequence[Document | str | Path] = ()
    documents: Sequence[str | Path] = ()
    index: str | Path | None = None
    pmids: str | Path | None = None
    found: Natural | None = None
    coverage: Share | None = None
    exact: bool = False
    wanted: SourceFilter = ANY_BUT_RETRACTED
    services: Sequence[str] = ()
    query: str = ""
    refresh: bool = False
    seconds: float = 120.0
    progress: Progress = field(default=no_progress, compare=False)
    tell: Tell = field(default=silent, compare=False)
    problems: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, settings: "Values", **kwargs: Any) -> "Sources":
        """Return sources with the settings of the table `source`; `kwargs` are further fields."""
        from ilpsum.pipeline.settings import SourceTable, changed

        table = changed(SourceTable(), "source", settings)
        kinds = tuple(kind for kind in KINDS if kind in table.kinds)
        wanted = msgspec.convert(table, SourceFilter, from_attributes=True)
        return cls(
            wanted=msgspec.structs.replace(wanted, kinds=kinds),
            exact=table.exact,
            refresh=table.refresh,
            seconds=table.seconds,
            **kwargs,
        )

    def __post_init__(self) -> None:
        for each in fields(self):
            if not isinstance(each.type, str):  # a class that is loaded late
                value = fitting(each.name, getattr(self, each.name), each.type)
                object.__setattr__(self, each.name, value)
        if self.documents and self.texts:
            raise UsageError("expected texts (FILE...) or --documents FILE..., not both")
        if not self.documents and (self.index or self.pmids):
            raise UsageError(
                "--index and --pmids are for --documents; texts are searched in memory"
            )
        if self.index and Path(self.index).exists() and not Path(self.index).is_dir():
            raise UsageError(
                f"--index {self.index}: cannot be written; expected a folder, got a file"
            )
        for_services = {
            "--query": self.query,
            "source.until": self.wanted.until,
            "source.languages": self.wanted.languages,
            "source.refresh": self.refresh,
        }
        named = [name for name, value in for_services.items() if value]
        if named and not self.services:
            raise UsageError(
                f"{named[0]} is for a search in PubMed or Europe PMC; add --pubmed or --europepmc"
            )

    def open(self) -> "AbstractSearch":
        """Index documents that are not indexed yet and return a search over them.

        Raises:
            InputError: a file cannot be read.
            UsageError: there are no files of abstracts.
        """
        from ilpsum.answers.searching import AbstractSearch
        from ilpsum.files.pmids import Pmids
        from ilpsum.tasks.texts import files_in

        files = files_in(self.documents)
        only = Pmids(Path(self.pmids)) if self.pmids else None
        counter = _Counter(self.progress)
        search = AbstractSearch(files.paths, self.index, counter.watch, only, self.wanted)
        counter.end()
        search.warnings = (*self.problems, *files.problems, *search.warnings)
        return search

    def find(self, wanted: "Wanted") -> "list[Finding]":
        """Fetch records from the services; results received before a failure stay in the cache.

        Raises:
            ServiceError: a service cannot be reached, rejects the request, or returns an unexpected
                response.
        """
        from ilpsum.answers.finding import find
        from ilpsum.literature.client import Patience
        from ilpsum.literature.services import Cache

        cache = Cache(days=0) if self.refresh else Cache()
        return find(wanted, self.services, cache, Patience(self.seconds, self.tell))

    def fetch(self, question: str) -> "list[Finding]":
        """Fetch the records for a question from the services; raises as `find` does.

        Fetches ten times the records that an answer may use, and at least 200, from each service;
        the query is relaxed until half of them are found.
        """
        from ilpsum.answers.attaching import FOUND
        from ilpsum.answers.finding import MOST, Wanted

        most = max(MOST, 10 * (self.found or FOUND))
        return self.find(Wanted(question, self.query, (), most, self.wanted, self.exact))

    def search(
        self,
        question: str,
        known: "list[Finding] | None" = None,
    ) -> "tuple[AbstractSearch, bool, list[str]]":
        """Return a search over all sources for a question, whether they contain abstracts, and
        warnings.

        Services are asked as in `fetch`, unless what they have for the question is `known`.

        Raises:
            InputError: a file cannot be read.
            ServiceError: see `find`.
        """
        from ilpsum.answers.searching import AbstractSearch
        from ilpsum.literature.intake import has_abstract
        from ilpsum.tasks.texts import distinct, documents

        read = documents(self.texts)
        texts = read.documents
        findings = known or []
        if known is None and self.services:
            findings = self.fetch(question)
        fetched = [str(path) for finding in findings for path in finding.records]
        records, about_fetched = documents(fetched)

        warnings = list(read.problems)
        for finding in findings:
            warnings += finding.notes
        if not self.documents:
            warnings += about_fetched
        year = newest(records)
        if (whole_number(year) or math.inf) < date.today().year - _OLD:
            warnings.append(NothingNewer(f"nothing newer than {year} was found"))
        if self.documents:
            # The index reads what was fetched again, and gives the warnings.
            in_index = (*self.documents, *fetched)
            searched = replace(self, documents=in_index).open()
            warnings += searched.warnings
            abstracts = True
        else:
            if fetched:
                texts, repeated = distinct([*texts, *records])
                warnings += repeated
            searched = AbstractSearch.of_documents(texts, self.wanted)
            abstracts = any(map(has_abstract, texts))
        searched.fetched = bool(findings)
        return searched, abstracts, warnings

    def topic(self, question: str) -> Topic:
        """Return a question with the retrieved documents; raises as `search` does, and `UsageError`
        without sources.
        """
        if not (self.texts or self.documents or self.services):
            raise UsageError(
                "nothing to answer from: name texts, folders, - for standard input, --documents "
                "or --pubmed"
            )
        search, abstracts, warnings = self.search(question)
        self.require_abstracts(search)
        return self.attached(question, search, warnings, abstracts=abstracts)

    def attached(
        self,
        question: str,
        search: "AbstractSearch",
        warnings: Iterable[str],
        *,
        abstracts: bool = True,
    ) -> Topic:
        """Return a question with the documents that a search finds, and warnings."""
        from ilpsum.answers.attaching import FOUND, with_documents
        from ilpsum.answers.weights import asked_in

        most, warnings = self.found or (FOUND if abstracts else MOST_TEXTS), list(warnings)
        # A case history says much that no text on its question has.
        asked, kind = asked_in(question), "" if abstracts else "texts"
        topic = Topic(
            "question",
            asked,
            kind=kind,
            written=question if asked != question else "",
        )
        topic = with_documents(
            topic,
            search.restricted(self.wanted),
            most,
            self.coverage,
            self.exact,
        )
        return replace(topic, warnings=(*warnings, *topic.warnings))

    def require_abstracts(self, search: "AbstractSearch") -> None:
        """Raise `InputError` if a search over these sources has no abstracts and there are no
        services.
        """
        if search.documents or self.services:
            return
        sources = (*self.documents, *self.texts)
        files = (str(source) for source in sources if not isinstance(source, Document))
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

    def watch(self, records: "Iterable[Record]") -> "Iterator[Record]":
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
