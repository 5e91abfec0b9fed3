"""Index files of abstracts, each once, to disk.

Each file is indexed by itself, in a folder named by the SHA-256 of the file's bytes: a changed file is indexed again, a
copied or moved one is not, and adding files leaves existing indexes alone. Many small indexes are then merged
(`ilpsum.retrieval.volumes`). An index is built in a hidden folder, where an interrupted build continues from its last
commit, and gets its name when it is complete. An index of another version, or one whose files are not byte for byte
those that were written, is replaced as a whole: who has it open keeps it. Digests are remembered (`ilpsum.io.digests`),
so unchanged files are not read again.

tantivy builds and searches the indexes: it adds to an index on disk in bounded memory, maps it into memory to search,
and commits atomically. (bm25s computes all scores at indexing time, so it holds the whole collection in memory and
cannot add to it.)
"""

import errno
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias

from ilpsum.corpora import abstracts
from ilpsum.errors import IlpsumError, InputError, UsageError
from ilpsum.io.atomic import Folder, Lock, is_part, part_name, write_file
from ilpsum.io.digests import Digests, state
from ilpsum.records import Document
from ilpsum.retrieval.analysis import DEFINED, FILE, IDENTITY, STORED, TERMS, identity, schema, terms
from ilpsum.retrieval.checksums import STARTED, is_intact
from ilpsum.retrieval.engine import EngineError, engine
from ilpsum.retrieval.packing import SAMPLE, Entry, Packing
from ilpsum.retrieval.volumes import (
    DICTIONARY,
    Done,
    IndexedFile,
    Volume,
    encode,
    finish,
    merge,
    of_another_version,
    planned,
)

Watch: TypeAlias = Callable[[Iterable[Document | InputError], str | Path], Iterable[Document | InputError]]
"""Passes abstracts on as they are indexed, given their file, to show progress."""

_FORMAT = 6
"""Version of the index folders and of the terms; indexes of another version are rebuilt."""
_COMMIT_EVERY = 100_000
_HEAP = 64 * 2**20
_DIGESTS = "digests.json"
KEY = 8
"""Bytes of the number of a file."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


@dataclass(frozen=True, slots=True)
class FileIndex:
    """A file and the index that has it, of this file alone or of several.

    Attributes:
        path: the file.
        volume: the index.
        file: what the index says of the file.
        defect: why the file was indexed again; empty if it was not.
    """

    path: Path
    volume: Volume
    file: IndexedFile
    defect: str = ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Records that could not be read, and whether the index was rebuilt."""
        lines = [*self.file.warnings, *([f"its index {self.defect} and is rebuilt"] if self.defect else ())]
        return tuple(f"{self.path.name}: {line}" for line in lines)


def unwatched(
    documents: Iterable[Document | InputError],
    path: str | Path,  # noqa: ARG001
) -> Iterable[Document | InputError]:
    """Return the abstracts as they are; see `Watch`."""
    return documents


def add(writer: Any, file: int, number: int, document: Document, packing: Packing) -> int:
    """Add a document of a file, which a number stands for, to an index, and return the number of its terms."""
    from tantivy import Document as Fields

    entry, fields = Entry.of(number, document), Fields()
    fields.add_text(TERMS, " ".join(entry.terms))
    for form in sorted({form for pair in entry.definitions for form in pair}):
        fields.add_text(DEFINED, form)
    fields.add_unsigned(FILE, file)
    fields.add_unsigned(IDENTITY, identity(document.id))
    fields.add_bytes(STORED, file.to_bytes(KEY, "little") + packing.pack(entry))
    writer.add_document(fields)
    return len(entry.terms)


def file_number(digest: str) -> int:
    """Return the number of a file in an index, given its digest."""
    return int(digest[: 2 * KEY - 1], 16)


def index_in_memory(documents: Iterable[Document]) -> tuple[Any, int, int]:
    """Return an index of documents in memory, of a file 0, their number and that of their terms."""
    from tantivy import Index

    index, packing = Index(schema()), Packing()
    writer = index.writer(heap_size=_HEAP, num_threads=1)
    lengths = [add(writer, 0, number, document, packing) for number, document in enumerate(documents)]
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index, len(lengths), sum(lengths)


def default_folder() -> Path:
    """Return the default folder of indexes: `ilpsum/index` in the user's cache (`XDG_CACHE_HOME`)."""
    base = os.environ.get("XDG_CACHE_HOME") or ""
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "ilpsum" / "index"


def known_digests(folder: str | Path | None) -> Digests:
    """Return the digests remembered in a folder of indexes; `default_folder()` if None."""
    return Digests((default_folder() if folder is None else Path(folder)) / _DIGESTS)


def index_files(
    paths: Sequence[str | Path], folder: Path, watch: Watch = unwatched
) -> tuple[tuple[FileIndex, ...], tuple[str, ...]]:
    """Return the indexes of files of abstracts (`ilpsum.corpora.abstracts`), built if needed, and warnings.

    A file given twice counts once. `folder` holds the indexes, which are merged where that is due
    (`ilpsum.retrieval.volumes`), and the remembered digests; `watch` passes on the abstracts as they are indexed.

    Raises:
        InputError: a file cannot be read, or changed while it was indexed.
        UsageError: standard input, which cannot be read twice; another process is building the same index; or the
            folder cannot be written.
        IlpsumError: the disk is full or fails; a second call continues.
    """
    if "-" in map(str, paths):
        raise UsageError("cannot search abstracts from standard input; name their files")
    digests, named = known_digests(folder), dict[str, Path]()
    for path in map(Path, paths):
        named.setdefault(digests(path), path)
    header = _header()
    plan = planned(folder, named, header, digests)
    for digest, path in named.items():
        if digest not in plan.volumes:
            plan.volumes[digest] = _built(path, folder / digest, header, watch, digests)
            digests.save()
    volumes, failure = merge(folder, plan, named, header, digests)
    digests.save()
    notes = (f"indexes were not merged ({failure}); a search takes longer",) if failure else ()
    return _found(volumes, named, plan.defects), notes


def known_files(files: Sequence[FileIndex]) -> tuple[FileIndex, ...]:
    """Return where files that were indexed are now, in the folder of their indexes.

    Raises:
        EngineError: a file is not indexed there.
    """
    folder, named = files[0].volume.folder.parent, {each.file.digest: each.path for each in files}
    return _found(planned(folder, named, _header(), known_digests(folder)).volumes, named, {})


def _header() -> dict[str, object]:
    return {"format": _FORMAT, "engine": f"tantivy {version('tantivy')}"}


def _found(
    volumes: Mapping[str, Volume], named: Mapping[str, Path], defects: Mapping[str, str]
) -> tuple[FileIndex, ...]:
    if missing := next((path for digest, path in named.items() if digest not in volumes), None):
        raise EngineError(ValueError(f"the index of {missing} is absent"))
    return tuple(
        FileIndex(path, volumes[digest], file, defects.get(digest, ""))
        for digest, path in named.items()
        for file in volumes[digest].files
        if file.digest == digest
    )


def _built(path: Path, home: Path, header: dict[str, object], watch: Watch, digests: Digests) -> Volume:
    """Build the index of a file, unless another process just did."""
    lock, folder = home.with_name(f".{home.name}.lock"), home.parent
    with _disk_errors(home), Folder(folder, create=True) as indexes, Lock(lock, "is building this index"):
        if volume := planned(folder, [home.name], header, digests).volumes.get(home.name):
            return volume
        return Volume(home, _rebuilt(path, indexes, home, header, watch, digests).files)


def _rebuilt(
    path: Path, indexes: Folder, home: Path, header: dict[str, object], watch: Watch, digests: Digests
) -> Done:
    """Build an index, or complete an interrupted build, and put it in the place of what is there."""
    before, part = state(path), _begun(indexes, home, header)
    writer, committed = _writer(indexes, part, header)
    try:
        file = _build(path, part, writer, committed, watch, home.name)
    except EngineError as error:
        # A thread of the library that fails to write does not pass on the reason.
        free = shutil.disk_usage(part).free // 2**20
        reason = error.reason or (f"{error}; {free} MB are free" if free else os.strerror(errno.ENOSPC))
        advice = f"free disk space and run again; if that fails, remove {part}"
        raise IlpsumError(f"{home}: cannot be written ({reason}); {advice}") from None
    if digests(path) != home.name or state(path) != before:
        indexes.remove(part.name)
        raise InputError("changed while it was indexed; run again", path)
    done = finish(part, [file], digests)
    old = part_name(home.name)
    if indexes.found(home.name):
        indexes.rename(home.name, indexes, old)
    indexes.rename(part.name, indexes, home.name)
    digests.moved(part, home)
    indexes.remove(old)
    return done


def _begun(indexes: Folder, home: Path, header: dict[str, object]) -> Path:
    """Return the folder in which an index is built: that of an interrupted build, or an empty one."""
    part = home.with_name(f".{home.name}.part")
    for name in indexes.names():
        if is_part(name) == home.name:  # replaced by a process that was killed before it removed it
            indexes.remove(name)
    if indexes.found(part.name):
        with indexes.folder(part.name) as interrupted:
            for name in interrupted.names():
                interrupted.own(name)
        if of_another_version(part, header) or not is_intact(part):
            _start(indexes, part, header)
    else:
        _start(indexes, part, header)
    return part


def _start(indexes: Folder, part: Path, header: dict[str, object]) -> None:
    """Make an empty folder for a build."""
    indexes.remove(part.name)
    indexes.make(part.name)
    write_file(part / STARTED, encode(header))


@contextmanager
def _disk_errors(home: Path) -> Iterator[None]:
    """Report a full or failing disk as a failure, and a folder that cannot be written as wrong usage."""
    try:
        yield
    except OSError as error:
        line = f"{error.filename or home}: cannot be written ({error.strerror or error})"
        if error.errno in _FULL:
            raise IlpsumError(f"{line}; free disk space and run again") from None
        raise UsageError(f"{line}; name another folder with --index") from None


def _writer(indexes: Folder, part: Path, header: dict[str, object]) -> tuple[Any, int]:
    """Return a writer of the index of a build and the documents it has; if what it has is damaged, start over."""
    try:
        with engine():
            return _opened(part)
    except EngineError as error:
        if error.number not in _FULL:
            _start(indexes, part, header)
    try:
        with engine():
            return _opened(part)
    except EngineError as error:
        what = error.reason or error
        raise IlpsumError(f"{part}: cannot be written ({what}); free disk space and run again") from None


def _opened(part: Path) -> tuple[Any, int]:
    from tantivy import Index

    exists = Index.exists(str(part))
    index = Index.open(str(part)) if exists else Index(schema(), str(part))
    return index.writer(heap_size=_HEAP, num_threads=1), index.searcher().num_docs


def _build(path: Path, part: Path, writer: Any, committed: int, watch: Watch, digest: str) -> IndexedFile:
    """Add the abstracts of a file that are not committed yet."""
    count, length, skipped, unreadable, first = 0, 0, 0, 0, ""
    deleted: list[str] = []
    documents = abstracts.documents(path, deleted)
    sample = list(islice(documents, SAMPLE))
    packing = Packing.of(each for each in sample if isinstance(each, Document))
    write_file(part / f"{digest}{DICTIONARY}", packing.dictionary)
    number = file_number(digest)
    for document in watch(chain(sample, documents), path):
        if isinstance(document, InputError):
            unreadable, first = unreadable + 1, first or str(document)
            continue
        if not abstracts.has_abstract(document):
            skipped += 1
            continue
        count += 1
        if count <= committed:
            length += len(terms(document.text))
            continue
        with engine():
            length += add(writer, number, count - 1, document, packing)
            if count % _COMMIT_EVERY == 0:
                writer.commit()
    with engine():
        writer.commit()
        writer.wait_merging_threads()
    return IndexedFile(digest, count, length, abstracts.skipped(skipped, unreadable, first), tuple(deleted))
