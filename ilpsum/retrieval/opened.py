"""An open index, restricted to the files that are searched."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from socket import gethostname
from typing import Any, TypeAlias

from ilpsum.errors import InputError, UsageError
from ilpsum.records import Document
from ilpsum.retrieval.engine import EngineError, engine
from ilpsum.retrieval.entries import EVERY, FILE, IDENTITY, TERMS, Entry, add, any_of, schema, term_query
from ilpsum.retrieval.indexing import Collection, IndexedFile, Manifest, Watch, index_files, published

Place: TypeAlias = Any
"""tantivy's address of an abstract."""

_COUNTS = 1 << 14  # counts of terms that are remembered
_HEAP = 64 * 2**20
# Another process may replace an index between its check and its opening.
_ATTEMPTS = 3


class OpenIndex:
    """A searcher of an index.

    Args:
        searcher: tantivy's.
        folder: the folder of the index, for messages; None if it is in memory.
        wanted, others: the files of abstracts that are searched, and those that are not.
    """

    def __init__(
        self,
        searcher: Any,
        folder: Path | None = None,
        wanted: Sequence[IndexedFile] = (),
        others: Sequence[IndexedFile] = (),
    ) -> None:
        self._searcher, self._folder, self._wanted, self._others = searcher, folder, wanted, others
        self.size = int(searcher.doc_freq(FILE, EVERY))
        """The number of abstracts by which the library weighs terms: also deleted ones, and those of other files."""
        # Without deleted abstracts and other files, the library's counts are those of the abstracts searched.
        self._plain = not others and self.size == searcher.num_docs
        # Words of questions and of what defines them are counted again and again.
        self.holding = lru_cache(_COUNTS)(self._holding)

    def weighed(self, term: str) -> int:
        """Return the number of abstracts by which the library weighs a term; see `size`."""
        return int(self._searcher.doc_freq(TERMS, term))

    def _holding(self, field: str, value: str) -> int:
        """Return the number of abstracts searched with a value of a field."""
        found = int(self._searcher.doc_freq(field, value))
        if not found or self._plain:
            return found
        with self._failures():
            return int(self._searcher.search(self._restricted(term_query(value, field)), 1).count)

    def found(self, query: Any, most: int, **order: Any) -> list[tuple[float, Place]]:
        """Return the scores, or the keys of the order, and the places of the best abstracts for a query."""
        with self._failures():
            found: list[tuple[float, Place]] = self._searcher.search(
                self._restricted(query), most, count=False, **order
            ).hits
            return found

    def same(self, numbers: Sequence[int], most: int) -> list[Place]:
        """Return the places of the abstracts whose ids have the numbers (`ilpsum.retrieval.entries.identity`)."""
        return [place for _, place in self.found(any_of(IDENTITY, numbers), most)]

    def entries(self, places: Iterable[Place]) -> list[Entry]:
        """Return the entries at some places."""
        with self._failures():
            return [Entry.stored(self._searcher.doc(place)) for place in places]

    def _restricted(self, query: Any) -> Any:
        """Restrict a query to the files searched: exclude the others where these have fewer abstracts."""
        from tantivy import Occur, Query

        if not self._others:
            return query
        wanted, others = (sum(file.documents for file in files) for files in (self._wanted, self._others))
        if others < wanted:
            return Query.boolean_query([(Occur.Must, query), (Occur.MustNot, _in_files(self._others))])
        only = Query.const_score_query(_in_files(self._wanted), 0.0)
        return Query.boolean_query([(Occur.Must, query), (Occur.Must, only)])

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            with engine():
                yield
        except EngineError:
            raise InputError("the index is damaged; remove this folder and run again", self._folder) from None


def _in_files(files: Iterable[IndexedFile]) -> Any:
    return any_of(FILE, (file.digest for file in files))


def open_files(files: Sequence[str | Path], folder: Path, watch: Watch) -> tuple[Collection, OpenIndex]:
    """Open the index of files of abstracts, which are indexed if needed; errors as of `index_files`."""
    for _ in range(_ATTEMPTS):
        with suppress(EngineError):
            return (found := index_files(files, folder, watch)), _opened(found)
    raise InputError("the index cannot be opened; remove this folder and run again", folder)


def reopen(collection: Collection) -> tuple[Collection, OpenIndex]:
    """Open the index of a collection in another process, perhaps on another machine.

    Raises:
        UsageError: the index is absent, or another one.
    """
    for _ in range(_ATTEMPTS):
        manifest, _ = published(collection.folder)
        if manifest.has(collection.paths):
            with suppress(EngineError):
                found = Collection(collection.folder, manifest, collection.paths)
                return found, _opened(found)
    what = f"the index in {collection.folder} is absent, another one or not writable on {gethostname()}"
    raise UsageError(f"{what}; give all workers the folder of --index at this path, or leave out --shared")


def _opened(collection: Collection) -> OpenIndex:
    from tantivy import Index

    others = [file for file in collection.manifest.files if file.digest not in collection.paths]
    with engine():
        searcher = Index.open(str(collection.folder / collection.manifest.folder)).searcher()
        return OpenIndex(searcher, collection.folder, collection.files, others)


def open_documents(documents: Iterable[Document]) -> tuple[Collection, OpenIndex]:
    """Index documents in memory, as one file without a path."""
    from tantivy import Index

    index, count, length = Index(schema()), 0, 0
    writer = index.writer(heap_size=_HEAP, num_threads=1)
    for document in documents:
        entry = Entry.of(document, count, "")
        add(writer, entry)
        count, length = count + 1, length + entry.length
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    file = IndexedFile("", "", count, length)
    return Collection(Path(), Manifest("", "", (file,)), {"": Path()}), OpenIndex(index.searcher())
