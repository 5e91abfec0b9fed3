"""An open index, or a part of it: the files that are searched."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from ilpsum.errors import InputError
from ilpsum.records import Document
from ilpsum.retrieval.analysis import FILE, IDENTITY, STORED, TERMS, schema
from ilpsum.retrieval.engine import EngineError, engine
from ilpsum.retrieval.indexing import KEY, file_number
from ilpsum.retrieval.packing import Head, Packing
from ilpsum.retrieval.volumes import DICTIONARY, Volume

State: TypeAlias = tuple[int, int, int, int]
"""Device, inode, size and modification time (ns) of an index's file."""

Place: TypeAlias = Any
"""tantivy's address of an abstract."""

_COUNTS = 1 << 14  # counts of terms that are remembered


class OpenIndex:
    """A searcher of an index.

    Args:
        searcher: tantivy's.
        packings: of each file, by its number.
        mean: mean length of the abstracts in the index, in terms.
        only: the numbers of the files that are searched; None for all.
        folder: its folder; None if it is in memory.
    """

    def __init__(
        self,
        searcher: Any,
        packings: Mapping[int, Packing],
        mean: float,
        only: Sequence[int] | None = None,
        folder: Path | None = None,
    ) -> None:
        self.mean, self._searcher, self._packings, self._folder = mean, searcher, packings, folder
        self._filter = None if only is None else _any_of(FILE, only)
        self._states = _states(folder) if folder else {}
        # Words of questions and of what defines them are counted again and again.
        self.holding = lru_cache(_COUNTS)(self._holding)

    @property
    def size(self) -> int:
        """The number of abstracts in the index, of files that are not searched too."""
        return int(self._searcher.num_docs)

    @property
    def segments(self) -> int:
        """The number of the index's segments."""
        return int(self._searcher.num_segments)

    def check(self) -> None:
        """Check that no file of the index changed since it was opened.

        Files are mapped into memory: reading what another program cut off would end the process.

        Raises:
            InputError: one did.
        """
        if self._folder and _states(self._folder, self._states) != self._states:
            raise self._damaged()

    def weighed(self, term: str) -> int:
        """Return the number of abstracts with a term, of files that are not searched too."""
        return int(self._searcher.doc_freq(TERMS, term))

    def _holding(self, field: str, value: str) -> int:
        """Return the number of abstracts searched with a value of a field."""
        found = int(self._searcher.doc_freq(field, value))
        if not found or self._filter is None:
            return found
        with self._failures():
            return int(self._searcher.search(self._filtered(term_query(value, field)), 1).count)

    def found(self, query: Any, most: int, **order: Any) -> list[tuple[Any, Place]]:
        """Return the scores, or the keys of the order, and the places of the best abstracts for a query."""
        with self._failures():
            found: list[tuple[Any, Place]] = self._searcher.search(
                self._filtered(query), most, count=False, **order
            ).hits
            return found

    def same(self, numbers: Sequence[int], most: int) -> list[Place]:
        """Return the places of the abstracts whose ids have the numbers (`ilpsum.retrieval.analysis.identity`)."""
        return [place for _, place in self.found(_any_of(IDENTITY, numbers), most)]

    def heads(self, places: Iterable[Place]) -> list[tuple[int, Head]]:
        """Return of each abstract the number of its file, and its head."""
        with self._failures():
            return [(file, packing.head(data)) for packing, file, data in map(self._data, places)]

    def document(self, place: Place) -> Document:
        """Return an abstract."""
        with self._failures():
            packing, _, data = self._data(place)
            return packing.document(data)

    def _data(self, place: Place) -> tuple[Packing, int, bytes]:
        data = self._searcher.doc(place)[STORED][0]
        file = int.from_bytes(data[:KEY], "little")
        if file not in self._packings:
            raise ValueError("an abstract of an unknown file")
        return self._packings[file], file, data[KEY:]

    def _filtered(self, query: Any) -> Any:
        from tantivy import Occur, Query

        if self._filter is None:
            return query
        only = Query.const_score_query(self._filter, 0.0)
        return Query.boolean_query([(Occur.Must, query), (Occur.Must, only)])

    @contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            with engine():
                yield
        except EngineError:
            raise self._damaged() from None

    def _damaged(self) -> InputError:
        return InputError("the index was damaged after it was opened; run again to rebuild it", self._folder)


def open_volume(volume: Volume, digests: Iterable[str]) -> OpenIndex:
    """Open an index to search the files of some digests.

    Raises:
        EngineError: another process replaced the index, or damaged it.
    """
    from tantivy import Index

    wanted = set(digests)
    with engine():
        packings = {
            file_number(file.digest): Packing((volume.folder / f"{file.digest}{DICTIONARY}").read_bytes())
            for file in volume.files
        }
        only = None if len(wanted) == len(volume.files) else sorted(map(file_number, wanted))
        mean = sum(file.terms for file in volume.files) / max(1, volume.documents)
        return OpenIndex(Index.open(str(volume.folder)).searcher(), packings, mean, only, volume.folder)


def term_query(value: str, field: str = TERMS) -> Any:
    """Return the query for a value of a field."""
    from tantivy import Query

    return Query.term_query(schema(), field, value, index_option="freq" if field == TERMS else "basic")


def _any_of(field: str, values: Sequence[int]) -> Any:
    from tantivy import Query

    return Query.term_set_query(schema(), field, list(values))


def _states(folder: Path, known: Mapping[Path, State] | None = None) -> dict[Path, State]:
    """Return the states of the files of an index that are mapped into memory, of `known` ones if given.

    A file that was removed or replaced has the known state: who opened it still has its content.
    """
    states = {}
    for path in known or (path for path in folder.iterdir() if path.suffix not in (DICTIONARY, ".json")):
        try:
            found = path.stat()
        except OSError:
            found = None
        if known and (found is None or (found.st_dev, found.st_ino) != known[path][:2]):
            states[path] = known[path]
        elif found is not None:
            states[path] = found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
    return states
