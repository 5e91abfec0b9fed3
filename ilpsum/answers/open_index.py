"""An open index, restricted to the files of a collection: counts of terms, and abstracts that match
a query.
"""

from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from socket import gethostname
from time import monotonic
from typing import Any, TypeAlias

from tantivy import DocAddress, Occur, Order, Query

from ilpsum.answers.entries import (
    EVERY,
    FILE,
    IDENTITY,
    TERMS,
    Abstract,
    IndexedFile,
    abstract,
    any_of,
    term_query,
)
from ilpsum.answers.indexing import Collection, EngineError, Index, engine, opened, sizes_in
from ilpsum.errors import InputError, UsageError
from ilpsum.pipeline.reading import keep, unpacked

_COUNTS = 1 << 14  # cached counts of terms
_ENTRIES = 1 << 9  # cached entries: a question may be searched for again
# First limit on results where all matching abstracts are wanted.
_ALL = 1000
_CHECKED = 0.05  # seconds between two checks of an open index


# Position of an abstract in an index: segment and number within it.
Place: TypeAlias = tuple[int, int]


class OpenIndex:
    """An index restricted to the files of a collection; `KeyError` if it lacks one of them."""

    def __init__(self, collection: Collection, index: Index) -> None:
        self.collection, self._searcher = collection, index.searcher
        self.files = [index.files[digest] for digest in collection.paths]
        self._others = [
            file for digest, file in index.files.items() if digest not in collection.paths
        ]
        self._sizes = sizes_in(collection.folder) if collection.folder else {}
        self._checked = monotonic()
        # The number of entries in tantivy's term statistics: includes deleted entries and other
        # files.
        self.size = self.weighed(EVERY, FILE)
        # Without deleted entries and other files, tantivy's counts apply to the searched abstracts.
        self._whole = not self._others and self.size == index.searcher.num_docs
        # Words of questions and definitions are counted repeatedly.
        self.holding = lru_cache(_COUNTS)(self._holding)
        self._entry = lru_cache(_ENTRIES)(self._read)

    def weighed(self, value: str, field: str = TERMS) -> int:
        """Return the document frequency of a field value in tantivy's statistics; see `size`."""
        with self._failures():
            return int(self._searcher.doc_freq(field, value))

    def _holding(self, value: str, field: str = TERMS) -> int:
        """Return the number of searched abstracts with a field value."""
        frequency = self.weighed(value, field)
        return frequency if self._whole or not frequency else self.count(term_query(value, field))

    def count(self, query: Any) -> int:
        """Return the number of abstracts that match a query."""
        with self._failures():
            return int(self._searcher.search(self._restricted(query), 1).count)

    def first(self, query: Any, most: int) -> list[Abstract]:
        """Return the `most` matching abstracts with the lowest PMIDs, in ascending order."""
        return list(self.placed(query, most, order_by_field=IDENTITY, order=Order.Asc).values())

    def placed(
        self,
        query: Any,
        most: int = 0,
        known: Container[Place] = (),
        **order: Any,
    ) -> dict[Place, Abstract]:
        """Return the `most` best matches for a query (all if 0), best first, except those at known
        positions.
        """
        with self._failures():
            asked, limit = self._restricted(query), most or _ALL
            result = self._searcher.search(asked, limit, count=not most, **order)
            if not most and result.count > limit:
                result = self._searcher.search(asked, result.count)
            places = [(place.segment_ord, place.doc) for _, place in result.hits]
            return {place: self._entry(*place) for place in places if place not in known}

    def read(self, entry: Abstract) -> None:
        """Keep the stored reading of an abstract for the pipeline."""
        if entry.packed:
            with self._failures():
                keep(entry.document, unpacked(entry.document, entry.terms, entry.packed))

    def _read(self, segment: int, number: int) -> Abstract:
        return abstract(self._searcher.doc(DocAddress(segment, number)))

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            self._check_sizes()
            with engine():
                yield
        except EngineError:
            raise InputError(
                "the index is damaged; remove this folder and run again",
                self.collection.folder,
            ) from None

    def _check_sizes(self) -> None:
        """Check that no file was truncated: reading a memory map beyond a file's end would kill the
        process.

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
        """Restrict a query to the searched files, or exclude the other files if they have fewer
        abstracts.
        """
        if not self._others:
            return query
        wanted = sum(file.documents for file in self.files)
        others = sum(file.documents for file in self._others)
        if others < wanted:
            restriction = Occur.MustNot, _in_files(self._others)
        else:
            restriction = Occur.Must, _in_files(self.files)
        return Query.boolean_query([(Occur.Must, query), restriction])


def _in_files(files: Iterable[IndexedFile]) -> Any:
    """Return a query for all abstracts of files that adds nothing to a score."""
    return Query.const_score_query(any_of(FILE, (file.digest for file in files)), 0.0)


def reopen(collection: Collection) -> OpenIndex:
    """Open a collection's index in another process or on another machine; `UsageError` if it is not
    there.
    """
    with suppress(EngineError, KeyError):
        if collection.folder:
            return OpenIndex(collection, opened(collection.folder))
    what = (
        f"the index in {collection.folder} is absent, another one or not writable on "
        f"{gethostname()}"
    )
    raise UsageError(f"{what}; give all workers the folder of the index at this path")
