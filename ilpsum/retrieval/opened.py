"""An open index, restricted to the files that are searched."""

from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from socket import gethostname
from time import monotonic
from typing import Any, TypeAlias

from ilpsum.errors import InputError, UsageError
from ilpsum.retrieval.entries import EVERY, FILE, IDENTITY, TERMS, Abstract, IndexedFile, any_of, stored, term_query
from ilpsum.retrieval.indexing import Collection, EngineError, Index, engine, opened, sizes_in

_COUNTS = 1 << 14  # counts of terms that are remembered
_ENTRIES = 1 << 9  # entries that are remembered: a question may be searched for again
# Where all abstracts are wanted, this many are asked for at first.
_ALL = 1000
# Seconds between two checks of an open index.
_CHECKED = 0.05


Place: TypeAlias = tuple[int, int]
"""Where an index has an abstract: a part, and a number in it."""


class OpenIndex:
    """An index of which the files of a collection are searched; `KeyError` if it lacks one."""

    def __init__(self, collection: Collection, index: Index) -> None:
        self.collection, self._searcher = collection, index.searcher
        self.files = [index.files[digest] for digest in collection.paths]
        self._others = [file for digest, file in index.files.items() if digest not in collection.paths]
        self._sizes = sizes_in(collection.folder) if collection.folder else {}
        self._checked = monotonic()
        self.size = self.weighed(EVERY, FILE)
        """The number of entries by which the library weighs terms: also deleted ones, and those of other files."""
        # Without deleted entries and other files, the library's counts are those of the abstracts searched.
        self._whole = not self._others and self.size == index.searcher.num_docs
        # Words of questions and of what defines them are counted again and again.
        self.holding = lru_cache(_COUNTS)(self._holding)
        self._entry = lru_cache(_ENTRIES)(self._read)

    def weighed(self, value: str, field: str = TERMS) -> int:
        """Return the number of entries by which the library weighs a value of a field; see `size`."""
        with self._failures():
            return int(self._searcher.doc_freq(field, value))

    def _holding(self, value: str, field: str = TERMS) -> int:
        """Return the number of abstracts searched with a value of a field."""
        found = self.weighed(value, field)
        return found if self._whole or not found else self.count(term_query(value, field))

    def vocabulary(self, beginning: str) -> list[tuple[str, int]]:
        """Return the terms with a beginning, each with the number of abstracts searched that have it."""
        with self._failures():
            within = None if self._whole else self._restricted(term_query(EVERY, FILE))
            found = self._searcher.terms_with_prefix(TERMS, beginning, within)
        return [(term, count) for term, count in found if count]

    def count(self, query: Any) -> int:
        """Return the number of abstracts for a query."""
        with self._failures():
            return int(self._searcher.search(self._restricted(query), 1).count)

    def first(self, query: Any, most: int) -> list[Abstract]:
        """Return the abstracts for a query that have the lowest PMIDs, in their order."""
        from tantivy import Order

        return list(self.placed(query, most, order_by_field=IDENTITY, order=Order.Asc).values())

    def placed(self, query: Any, most: int = 0, known: Container[Place] = (), **order: Any) -> dict[Place, Abstract]:
        """Return the best abstracts for a query, all by default, the best first, but for those that are known."""
        with self._failures():
            asked, limit = self._restricted(query), most or _ALL
            found = self._searcher.search(asked, limit, count=not most, **order)
            if not most and found.count > limit:
                found = self._searcher.search(asked, found.count)
            places = [(place.segment_ord, place.doc) for _, place in found.hits]
            return {place: self._entry(*place) for place in places if place not in known}

    def _read(self, segment: int, number: int) -> Abstract:
        from tantivy import DocAddress

        return stored(self._searcher.doc(DocAddress(segment, number)), Abstract)

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            self._check_sizes()
            with engine():
                yield
        except EngineError:
            raise InputError("the index is damaged; remove this folder and run again", self.collection.folder) from None

    def _check_sizes(self) -> None:
        """Check that no file was cut off: the library maps files into memory, and reading there ends the process.

        Files that a build has removed stay readable.
        """
        if monotonic() - self._checked < _CHECKED:
            return
        self._checked = monotonic()
        for file, size in self._sizes.items():
            with suppress(FileNotFoundError):
                if file.stat().st_size < size:
                    raise EngineError(OSError(f"{file.name} was cut off"))

    def _restricted(self, query: Any) -> Any:
        """Restrict a query to the files searched: exclude the others where these have fewer abstracts."""
        from tantivy import Occur, Query

        if not self._others:
            return query
        wanted, others = (sum(file.documents for file in files) for files in (self.files, self._others))
        if others < wanted:
            return Query.boolean_query([(Occur.Must, query), (Occur.MustNot, _in_files(self._others))])
        return Query.boolean_query([(Occur.Must, query), (Occur.Must, _in_files(self.files))])


def _in_files(files: Iterable[IndexedFile]) -> Any:
    """Return the query for all abstracts of files, which adds nothing to a score."""
    from tantivy import Query

    return Query.const_score_query(any_of(FILE, (file.digest for file in files)), 0.0)


def reopen(collection: Collection) -> OpenIndex:
    """Open a collection's index in another process or on another machine; `UsageError` if it is not there."""
    with suppress(EngineError, KeyError):
        if collection.folder:
            return OpenIndex(collection, opened(collection.folder))
    what = f"the index in {collection.folder} is absent, another one or not writable on {gethostname()}"
    raise UsageError(f"{what}; give all workers the folder of --index at this path, or leave out --shared")
