"""What questions are answered from: texts, collections of abstracts and services of the literature."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from ilpsum.api.arguments import record, several
from ilpsum.errors import InputError, UsageError, listed, require_whole
from ilpsum.io.identifiers import ArticleIds, ids_of
from ilpsum.io.progress import Progress, no_progress
from ilpsum.records import ANY_BUT_RETRACTED, Document, SourceFilter, Topic

if TYPE_CHECKING:
    from ilpsum.corpora.abstracts import Damaged
    from ilpsum.literature import Finding, Restriction, Wanted
    from ilpsum.retrieval import AbstractSearch
    from ilpsum.retrieval.searching import Only

MOST_TEXTS = 50
"""The most texts that one answer or summary is made from."""

# Options of a search, and of what may be quoted.
SEARCH = ("--index", "--pmids", "--found", "--coverage", "--exact")
SOURCES = ("--since", "--kinds", "--humans", "--not-preprints", "--retracted")


@dataclass(frozen=True, slots=True)
class Sources:
    """What questions are answered from, and how it is searched.

    Attributes:
        texts: documents, or files and folders of abstracts and plain texts, searched in memory. Services look up the
            articles of a file of identifiers that the other texts lack.
        documents: files and folders of abstracts, indexed on disk once; instead of texts. A file of identifiers among
            the texts restricts the search to its articles.
        index: folder of the indexes; by default that in the user's cache.
        pmids: a file of the PMIDs that may be found; None for all.
        found: most abstracts for a question; None for the default, 20.
        coverage, exact: see `ilpsum.retrieval.with_documents`.
        wanted: which publications may be quoted.
        services: `pubmed`, `europepmc`. Nothing is sent to a service that is not named.
        query: for the services, in their own language; by default made of the question.
        until, languages: last year, and codes of three letters, of what services search.
        fulltext: whether services fetch open full texts too.
        refresh: whether to ask again what the cache has from the last 30 days.
        progress: shows the progress of indexing and fetching.
        damaged: gets the files in folders that cannot be read, which are left out; by default warnings name them.
    """

    texts: Sequence[Document | str | Path] = ()
    documents: Sequence[str | Path] = ()
    index: str | Path | None = None
    pmids: str | Path | None = None
    found: int | None = None
    coverage: float | None = None
    exact: bool = False
    wanted: SourceFilter = ANY_BUT_RETRACTED
    services: Sequence[str] = ()
    query: str = ""
    until: int | None = None
    languages: Sequence[str] = ()
    fulltext: bool = False
    refresh: bool = False
    progress: Progress = field(default=no_progress, compare=False)
    damaged: "Damaged | None" = field(default=None, compare=False)

    def __post_init__(self) -> None:
        several("texts", self.texts, (Document, str, Path))
        several("documents", self.documents, (str, Path))
        record("wanted", self.wanted, SourceFilter)
        if self.found is not None:
            require_whole("found", self.found)
        if self.index and Path(self.index).exists() and not Path(self.index).is_dir():
            raise UsageError(f"--index {self.index}: cannot be written; expected a folder, got a file")
        own = [name for name in ("query", "until", "languages", "fulltext", "refresh") if getattr(self, name)]
        if own and not self.services:
            raise UsageError(f"--{own[0]} is for a search in PubMed or Europe PMC; add --pubmed or --europepmc")

    @property
    def restriction(self) -> "Restriction":
        """What services are asked for."""
        from ilpsum.literature import Restriction

        only = self.wanted
        return Restriction(only.since, self.until, only.kinds, tuple(self.languages), only.humans, only.preprints)

    def open(self, listed: "Only" = None, warnings: list[str] | None = None) -> "AbstractSearch":
        """Index the documents that are not indexed yet, and return the search over them, for listed articles if given.

        `warnings` gets what was skipped in folders.

        Raises:
            InputError: a file cannot be read.
            UsageError: there is no file of abstracts.
        """
        from ilpsum.corpora.abstracts import Damaged, files_in
        from ilpsum.io.pmids import Pmids
        from ilpsum.retrieval import AbstractSearch

        damaged = self.damaged or Damaged()
        files = list(map(str, files_in(self.documents, [] if warnings is None else warnings, damaged)))
        only = Pmids(Path(self.pmids)) if self.pmids else listed
        watch = partial(_watched, files, self.progress, [])
        return AbstractSearch(files, self.index, watch, only, self.wanted, damaged)

    def find(self, wanted: "Wanted") -> "list[Finding]":
        """Fetch what the services have; the cache keeps what arrives before a failure.

        Raises:
            ServiceError: a service cannot be reached, refuses, or does not give what was asked for.
        """
        from ilpsum.literature import Cache, find

        return find(wanted, self.services, Cache(days=0) if self.refresh else Cache(), self.progress)

    def search(self, question: str) -> "tuple[AbstractSearch, bool, list[str]]":
        """Return a search over all sources for a question, whether they are abstracts, and warnings.

        Of a service, ten times as many records are fetched as an answer may use, and 200 at least; relaxing its query
        ends at half of that.

        Raises:
            InputError: a file cannot be read, or there is only a list of identifiers.
            ServiceError: see `find`.
            UsageError: texts as well as documents.
        """
        from ilpsum.corpora.abstracts import IDS, Damaged, has_abstract
        from ilpsum.corpora.text import distinct, documents
        from ilpsum.literature import Wanted
        from ilpsum.literature.finding import MOST
        from ilpsum.retrieval import FOUND, AbstractSearch

        if not self.documents and (self.index or self.pmids):
            raise UsageError("--index and --pmids are for --documents; texts are searched in memory")
        both = UsageError("expected texts (FILE...) or --documents FILE..., not both")
        if self.documents and not all(map(_may_be_list, self.texts)):
            raise both
        files = [text for text in self.texts if not isinstance(text, Document)]
        abstracts, damaged = True, self.damaged or Damaged()
        warnings, ids = list[str](), list[ArticleIds]()
        texts = [text for text in self.texts if isinstance(text, Document)]
        texts += documents(files, warnings, damaged, ids)
        if texts and self.documents:
            raise both
        if ids and not (texts or self.documents or self.services):
            raise InputError(IDS, "standard input" if str(files[0]) == "-" else files[0])
        held = {name for text in texts for name in (text.id, *ids_of(text.publication))}
        lacking = [article for article in ids if held.isdisjoint(ids_of(article))]
        most = max(MOST, 10 * (self.found or FOUND))
        wanted = Wanted(question, self.query, lacking, most, most // 2, self.restriction, self.fulltext)
        findings = self.find(wanted) if self.services and (lacking or not ids) else []
        fetched = [str(path) for finding in findings for path in finding.files]
        warnings += [line for finding in findings for line in finding.notes]
        only = frozenset(each for article in ids for each in ids_of(article)) if ids and not texts else None
        if self.documents:
            every = (*self.documents, *fetched)
            search = replace(self, texts=(), documents=every, damaged=damaged).open(only, warnings)
            warnings += search.warnings
        else:
            if fetched:
                texts = list(distinct([*texts, *documents(fetched, warnings, damaged)], warnings))
            search = AbstractSearch.of_documents(texts, only, self.wanted)
            abstracts = any(map(has_abstract, texts))
        warnings += [] if self.damaged else [f"{error} (left out)" for error in damaged.errors]
        if absent := [str(article) for article in ids if search.lacks(ids_of(article))]:
            fetch = "" if self.services else "; add --pubmed to fetch them"
            warnings.append(f"{len(absent)} of {len(ids)} listed articles not found: {listed(absent, 20)}{fetch}")
        return search, abstracts, warnings

    def topic(self, question: str) -> Topic:
        """Return a question with the documents that a search finds; errors as of `search`, or there are no sources."""
        from ilpsum.retrieval import FOUND, with_documents

        if not (self.texts or self.documents or self.services):
            raise UsageError(
                "nothing to answer from: name texts, folders, - for standard input, --documents or --pubmed"
            )
        search, abstracts, warnings = self.search(question)
        self.require_abstracts(search)
        most = self.found or (FOUND if abstracts else MOST_TEXTS)
        asked = Topic("question", question, kind="" if abstracts else "texts")
        topic = with_documents(asked, search, most, self.coverage, self.exact)
        return replace(topic, warnings=(*warnings, *topic.warnings))

    def require_abstracts(self, search: "AbstractSearch") -> None:
        """Raise an `InputError` if a search over these sources has no abstract, and no service may have one."""
        if not search.documents and not self.services:
            raise InputError(
                "no record has an abstract; export the records again, with their abstracts",
                next((str(name) for name in (*self.documents, *self.texts) if not isinstance(name, Document)), None),
            )


def _may_be_list(text: Document | str | Path) -> bool:
    """Return whether a text may be a list of identifiers; standard input may, until it is read."""
    from ilpsum.corpora.abstracts import kind_of

    is_file = not isinstance(text, Document) and Path(text).is_file()
    return str(text) == "-" or (is_file and kind_of(Path(str(text))) == "ids")


def _watched(
    files: Sequence[str],
    progress: Progress,
    ticks: list[Iterator[int]],
    documents: Iterable[Document | InputError],
    path: str | Path,
) -> Iterator[Document | InputError]:
    """Yield abstracts as they are indexed; their progress is that over all files from the first not indexed yet."""
    from ilpsum.corpora.counting import estimate_abstracts

    if not ticks:
        total = 0 if progress is no_progress else sum(map(estimate_abstracts, files[files.index(str(path)) :]))
        ticks.append(iter(progress(count(1), "abstracts indexed", total or None)))
    for document in documents:
        next(ticks[0])
        yield document
