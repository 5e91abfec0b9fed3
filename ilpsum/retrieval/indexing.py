"""Index files of abstracts, each once, to disk.

Each file has its own index, in a folder named by the SHA-256 of the file's bytes: a changed file is indexed again, a
copied or moved one is not, and adding files leaves existing indexes alone. An index is built in a hidden folder, where
an interrupted build continues from its last commit, and gets its name when it is complete. An index of another version,
or one whose files are not byte for byte those that were written, is replaced as a whole: who has it open keeps it.
Digests are remembered (`ilpsum.io.digests`), so unchanged files are not read again.

tantivy builds and searches the indexes: it adds to an index on disk in bounded memory, maps it into memory to search,
and commits atomically. (bm25s computes all scores at indexing time, so it holds the whole collection in memory and
cannot add to it.)
"""

import errno
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias

from ilpsum.corpora import abstracts
from ilpsum.errors import IlpsumError, InputError, UsageError
from ilpsum.io.atomic import Lock, write_file
from ilpsum.io.digests import Digests, state
from ilpsum.io.handles import Folder, is_part, part_name
from ilpsum.records import Document
from ilpsum.retrieval.analysis import DEFINED, NUMBER, STORED, TERMS, register, schema, terms
from ilpsum.retrieval.checksums import DONE, STARTED, data_files, is_intact, read
from ilpsum.retrieval.packing import SAMPLE, Entry, Packing

Watch: TypeAlias = Callable[[Iterable[Document | InputError], str | Path], Iterable[Document | InputError]]
"""Passes abstracts on as they are indexed, given their file, to show progress."""

_FORMAT = 5
"""Version of the index folders and of the terms; indexes of another version are rebuilt."""
_COMMIT_EVERY = 100_000
_HEAP = 64 * 2**20
_DIGESTS = "digests.json"
_DICTIONARY = "dictionary"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
_SYSTEM_ERROR = re.compile(r"os error (\d+)")


@dataclass(frozen=True, slots=True)
class FileIndex:
    """The index of one file.

    Attributes:
        folder: its folder.
        digest: SHA-256 of the file's bytes, as hexadecimal digits.
        documents: number of abstracts.
        terms: total number of their terms.
        warnings: records that could not be read, and whether the index was rebuilt.
    """

    folder: Path
    digest: str
    documents: int
    terms: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Done:
    """The record beside a complete index; `content` is the digest of the index's files."""

    documents: int
    terms: int
    warnings: tuple[str, ...]
    content: str


def unwatched(
    documents: Iterable[Document | InputError],
    path: str | Path,  # noqa: ARG001
) -> Iterable[Document | InputError]:
    """Return the abstracts as they are; see `Watch`."""
    return documents


def add(writer: Any, number: int, document: Document, packing: Packing) -> int:
    """Add a document to an index, and return the number of its terms."""
    from tantivy import Document as Fields

    entry, text = Entry.of(number, document)
    fields = Fields()
    fields.add_text(TERMS, text)
    for form in sorted({form for pair in entry.definitions for form in pair}):
        fields.add_text(DEFINED, form)
    fields.add_unsigned(NUMBER, number)
    fields.add_bytes(STORED, packing.pack(entry))
    writer.add_document(fields)
    return len(entry.terms.split())


def index_in_memory(documents: Iterable[Document]) -> tuple[Any, int, int]:
    """Return an index of documents in memory, their number and that of their terms."""
    from tantivy import Index

    index = register(Index(schema()))
    writer = index.writer(heap_size=_HEAP, num_threads=1)
    packing = Packing()
    lengths = [add(writer, number, document, packing) for number, document in enumerate(documents)]
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


def index_file(path: str | Path, folder: Path, watch: Watch = unwatched, digests: Digests | None = None) -> FileIndex:
    """Return the index of a file of abstracts (`ilpsum.corpora.abstracts`), built if needed.

    `folder` holds a folder per file, and `digests` what it remembers (`known_digests`); `watch` passes on the abstracts
    as they are indexed.

    Raises:
        InputError: the file cannot be read, or changed while it was indexed.
        UsageError: standard input, which cannot be read twice; another process is building the same index; or the
            folder cannot be written.
        IlpsumError: the disk is full or fails; a second call continues.
    """
    if str(path) == "-":
        raise UsageError("cannot search abstracts from standard input; name their files")
    digests = digests or known_digests(folder)
    home = folder / digests(path)
    header = {**_header(), "source": Path(path).name}
    defect, done = _known(home, header, digests)
    if done is None:
        lock = folder / f".{home.name}.lock"
        with _disk_errors(home), Folder(folder, create=True) as indexes, Lock(lock, "is building this index"):
            # Another process may have built it before we had the lock.
            defect, done = _known(home, header, digests)
            if done is None:
                done = _rebuilt(path, indexes, home, header, watch, digests)
    digests.save()
    warnings = [f"{Path(path).name}: {warning}" for warning in done.warnings]
    if defect:
        warnings.append(f"{Path(path).name}: its index {defect} and is rebuilt")
    return FileIndex(home, home.name, done.documents, done.terms, tuple(warnings))


def is_there(index: FileIndex, digests: Digests) -> bool:
    """Whether an index is in its folder, byte for byte as it was written."""
    _, done = _known(index.folder, _header(), digests)
    return done is not None and (done.documents, done.terms) == (index.documents, index.terms)


def _header() -> dict[str, object]:
    return {"format": _FORMAT, "engine": f"tantivy {version('tantivy')}"}


def _rebuilt(
    path: str | Path, indexes: Folder, home: Path, header: dict[str, object], watch: Watch, digests: Digests
) -> _Done:
    """Build an index, or complete an interrupted build, and put it in the place of what is there."""
    before, part = state(path), _begun(indexes, home, header)
    writer, committed = _writer(indexes, part, header)
    try:
        done = _build(path, part, writer, committed, watch, digests)
    except EngineError as error:
        # A thread of the library that fails to write does not pass on the reason.
        free = shutil.disk_usage(part).free // 2**20
        reason = error.reason or (f"{error}; {free} MB are free" if free else os.strerror(errno.ENOSPC))
        advice = f"free disk space and run again; if that fails, remove {part}"
        raise IlpsumError(f"{home}: cannot be written ({reason}); {advice}") from None
    if digests(path) != home.name or state(path) != before:
        indexes.remove(part.name)
        raise InputError("changed while it was indexed; run again", path)
    write_file(part / DONE, _encode(done))
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
        if _started(part, header) or not is_intact(part):
            _start(indexes, part, header)
    else:
        _start(indexes, part, header)
    return part


def _start(indexes: Folder, part: Path, header: dict[str, object]) -> None:
    """Make an empty folder for a build."""
    indexes.remove(part.name)
    indexes.make(part.name)
    write_file(part / STARTED, _encode(header))


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


class EngineError(Exception):
    """A failure of tantivy; `number` and `reason` are of the system's error, if that is what failed."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error).partition("\n")[0][:160])
        found = _SYSTEM_ERROR.search(str(error))
        self.number = int(found[1]) if found else 0
        self.reason = os.strerror(self.number) if found else ""


@contextmanager
def engine() -> Iterator[None]:
    """Turn whatever a call of tantivy raises into an `EngineError`."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise EngineError(error) from None
    except BaseException as error:
        # A panic of the library, on a damaged index; its class, below BaseException, cannot be imported.
        if type(error).__name__ != "PanicException":
            raise
        raise EngineError(error) from None


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
    index = register(Index.open(str(part)) if exists else Index(schema(), str(part)))
    return index.writer(heap_size=_HEAP, num_threads=1), index.searcher().num_docs


def _build(path: str | Path, home: Path, writer: Any, committed: int, watch: Watch, digests: Digests) -> _Done:
    count, length, skipped, unreadable, first = 0, 0, 0, 0, ""
    documents = abstracts.documents(path)
    sample = list(islice(documents, SAMPLE))
    packing = Packing.of(each for each in sample if isinstance(each, Document))
    write_file(home / _DICTIONARY, packing.dictionary)
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
            length += add(writer, count - 1, document, packing)
            if count % _COMMIT_EVERY == 0:
                writer.commit()
    with engine():
        writer.commit()
        writer.wait_merging_threads()
    # An index is mapped into memory: if another program truncated a file, searching processes would crash.
    for file in data_files(home):
        if file.suffix != ".json":
            file.chmod(0o444)
    warnings = abstracts.skipped(skipped, unreadable, first)
    return _Done(count, length, warnings, _content(home, count, length, digests))


def _known(home: Path, header: dict[str, object], digests: Digests) -> tuple[str, _Done | None]:
    """Return why an index must be replaced, and its record if it can be used; neither if it is absent."""
    if not os.path.lexists(home):
        return "", None
    if _started(home, header):
        return "was built by another version", None
    done = read(home / DONE, _Done)
    if done is None or done.content != _content(home, done.documents, done.terms, digests):
        return "is damaged", None
    return "", done


def _started(home: Path, header: dict[str, object]) -> bool:
    """Whether an index was built by another version."""
    started = read(home / STARTED, dict[str, object]) or {}
    return any(started.get(key) != header[key] for key in ("format", "engine"))


def packing_of(index: FileIndex) -> Packing:
    """Return how the entries of an index are packed.

    Raises:
        ValueError: another process replaced the index, or damaged it.
    """
    try:
        return Packing((index.folder / _DICTIONARY).read_bytes())
    except OSError as error:
        raise ValueError(str(error)) from None


def _content(home: Path, documents: int, length: int, digests: Digests) -> str:
    """Return one digest over the names and contents of an index's files and its counts; empty if one is unreadable."""
    try:
        files = [(file.name, digests(file)) for file in data_files(home)]
    except (InputError, OSError):
        return ""
    return hashlib.sha256(_encode([files, documents, length])).hexdigest()


def _encode(value: Any) -> bytes:
    import msgspec

    return msgspec.json.encode(value)
