"""Sources of answers: texts, collections of abstracts and literature services."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ilpsum.errors import UsageError
from ilpsum.files.arguments import fitting
from ilpsum.files.records import Natural, Share
from ilpsum.files.work import Progress, Tell, no_progress, silent
from ilpsum.records import ANY_BUT_RETRACTED, KINDS, Document, SourceFilter

if TYPE_CHECKING:
    from ilpsum.pipeline.settings import Values

# Maximum texts used for one answer or summary.
MOST_TEXTS = 50


@dataclass(frozen=True, slots=True)
class Sources:
    """Sources to answer questions from, and search options; `ilpsum.answers.retrieval` searches
    them.

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
        seconds: how long to wait for services: for a question in all, otherwise each request.
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
        for argument in fields(self):
            if not isinstance(argument.type, str):  # a class that is loaded late
                value = fitting(argument.name, getattr(self, argument.name), argument.type)
                object.__setattr__(self, argument.name, value)
        if self.documents and self.texts:
            raise UsageError("expected texts or documents, not both")
        if not self.documents and (self.index or self.pmids):
            raise UsageError("index and pmids are for documents; texts are searched in memory")
        if self.index and Path(self.index).exists() and not Path(self.index).is_dir():
            raise UsageError(
                f"index {self.index}: cannot be written; expected a folder, got a file"
            )
        for_services = {
            "query": self.query,
            "source.until": self.wanted.until,
            "source.languages": self.wanted.languages,
            "source.refresh": self.refresh,
        }
        named = [name for name, value in for_services.items() if value]
        if named and not self.services:
            raise UsageError(
                f"{named[0]} is for a search in PubMed or Europe PMC; add the service pubmed or "
                "europepmc"
            )
