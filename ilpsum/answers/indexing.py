"""A single on-disk index of a collection of abstract files.

Files are recognised by the SHA-256 of their bytes: moved or copied files are not indexed again, and
a file that replaces another at its path also replaces it in the index. The index has a record of
each file (`IndexedFile`), so that every commit is complete: an interrupted build resumes after the
last commit, and a search sees all commits. A file whose path, size and times are those of its
record is not read again; the record of a large file that was moved gets its new place.

tantivy builds and searches the index: it adds on disk in bounded memory, merges, commits
atomically, and memory-maps the index for searching. On opening, it checks that each index file is
present and complete at its end; `checksums` compares those that changed. (bm25s computes all scores
at indexing time, so it keeps the whole collection in memory and cannot extend it.)
"""

import errno
import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import tantivy

from ilpsum.answers.checksums import verify
from ilpsum.answers.entries import (
    FILE,
    RECORD,
    Abstract,
    IndexedFile,
    add,
    add_record,
    record_of,
    schema,
    stored,
    term_query,
)
from ilpsum.errors import IlpsumError, InputError, UsageError
from ilpsum.files.atomic import locked
from ilpsum.files.reading import digest_of
from ilpsum.literature.intake import Record, left_out
from ilpsum.literature.intake import read as read_records
from ilpsum.pipeline.reading import read
from ilpsum.records import Document
from ilpsum.resources import user_cache

# Shows progress: wraps the records of a file as they are indexed.
Watch: TypeAlias = Callable[[Iterable[Record]], Iterable[Record]]

# Version of the index format, and of the analysis of terms and readings; an index of another
# version is not used.
_FORMAT = 19
_COMMIT_EVERY = 100_000
_HEAP = 64 * 2**20
# Two changes within a tick of the file system's clock, at most two seconds, leave the same times.
_FRESH = 3_000_000_000  # nanoseconds
# Size in bytes from which hashing a file takes longer than noting its place in the index.
_LARGE = 2**26
# Seconds to wait for another process that is building the index.
_PATIENCE = 600.0
# Index folders of this and other versions; format 6 had one for each abstract file.
_SEGMENT = re.compile(r"[0-9a-f]{32}\.[\w.]+")
_FOLDER = re.compile(r"index-[\d.-]+|\.?[0-9a-f]{64}(\.part)?")
_SYSTEM_ERROR = re.compile(r"os error (\d+)")
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class EngineError(Exception):
    """tantivy failed; the message is the operating system's reason where there is one."""

    def __init__(self, error: BaseException) -> None:
        number = _SYSTEM_ERROR.search(str(error))
        super().__init__(
            os.strerror(int(number[1])) if number else str(error).partition("\n")[0][:160]
        )


@contextmanager
def engine() -> Iterator[None]:
    """Turn any error of a tantivy call into an `EngineError`."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise EngineError(error) from None
    except BaseException as error:
        # A Rust panic on a damaged index; its class derives from BaseException and cannot be
        # imported.
        if type(error).__name__ != "PanicException":
            raise
        raise EngineError(error) from None


def default_folder() -> Path:
    """Return the default folder of the index: `ilpsum/index` in the user's cache
    (`XDG_CACHE_HOME`).
    """
    return user_cache() / "index"


@dataclass(frozen=True, slots=True)
class Collection:
    """The searched files by digest in the given order, warnings about them, and their index folder.

    The folder is None for an index in memory.
    """

    paths: Mapping[str, Path]
    folder: Path | None = None
    warnings: tuple[str, ...] = ()


class Index(NamedTuple):
    """An index: tantivy's searcher, and the indexed files by digest."""

    searcher: Any
    files: dict[str, IndexedFile]


def index_files(
    paths: Sequence[str | Path],
    folder: Path,
    watch: Watch | None = None,
) -> tuple[Collection, Index]:
    """Index the files that are not in a folder's index yet; return the collection of all files, and
    the index.

    Unreadable files found in folders are left out, with a warning.

    Raises:
        InputError: a file named by the user cannot be read, no file can be read, or a file changed
            during indexing.
        UsageError: standard input was given, another process indexes for over ten minutes, or the
            folder is read-only.
        IlpsumError: the disk is full or fails; another call resumes.
    """
    if "-" in map(str, paths):
        raise UsageError("cannot search abstracts from standard input; name their files")
    errors = list[InputError]()
    warnings = list[str]()
    index = _usable(folder) or Index(None, {})
    unchanged = {(file.path, file.state): digest for digest, file in index.files.items()}
    named = dict[str, Path]()
    states = dict[str, tuple[int, ...]]()
    path_of = dict[str, str | Path]()
    for path in paths:
        # Before the digest: a file that changes meanwhile has another state afterwards.
        state = _state(Path(path))
        noted = unchanged.get((str(Path(path).absolute()), state)) if state else None
        try:
            digest = noted or digest_of(path)
        except InputError as error:
            warnings.append(left_out(path, error))
            errors.append(error)
            continue
        if digest not in named:
            named[digest], states[digest], path_of[digest] = Path(path), state, path
    about_index = list[str]()
    if not index.files.keys() >= named.keys():
        with _disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            with locked(folder / ".lock", "is building this index", _PATIENCE):
                _tidy(folder, about_index)
                index = _usable(folder) or index  # another process may have added files meanwhile
                while not index.files.keys() >= named.keys():
                    index, broken = _extended(folder, named, watch)
                    for digest, damage in broken.items():
                        warnings.append(left_out(path_of[digest], damage))
                        errors.append(damage)
                        del named[digest]
    if errors and not named:
        raise errors[0]
    index = _relocated(folder, index, named, states)
    for digest, path in named.items():
        warnings += [f"{path.name}: {line}" for line in index.files[digest].warnings]
    return Collection(named, folder.absolute(), (*warnings, *about_index)), index


def opened(folder: Path) -> Index:
    """Open the index in a folder; `EngineError` if it is absent or damaged."""
    with engine():
        verify(_home(folder))
        index = tantivy.Index.open(str(_home(folder)))
        if index.schema != schema():
            raise ValueError("the index has other fields")
        searcher = index.searcher()
        records = searcher.search(
            term_query(RECORD, FILE),
            max(1, searcher.doc_freq(FILE, RECORD)),
            count=False,
        ).hits
        files = [stored(searcher.doc(place), IndexedFile) for _, place in records]
        if searcher.num_docs != sum(file.documents + 1 for file in files):
            raise ValueError("the index has other abstracts than its files")
    return Index(searcher, {file.digest: file for file in files})


def in_memory(documents: Iterable[Document]) -> tuple[Collection, Index]:
    """Index documents in memory, as a single file without a path."""
    index = tantivy.Index(schema())
    entries = [Abstract.of(document, n) for n, document in enumerate(documents)]
    writer = index.writer(heap_size=_HEAP, num_threads=1)
    for entry in entries:
        add(writer, entry)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    file = IndexedFile("", "", len(entries), sum(entry.length for entry in entries))
    return Collection({"": Path()}), Index(index.searcher(), {"": file})


def _usable(folder: Path) -> Index | None:
    """Open the index in a folder; None if it is absent or damaged."""
    try:
        return opened(folder)
    except EngineError:
        return None


def _home(folder: Path) -> Path:
    return folder / f"index-{_FORMAT}-{version('tantivy')}"


def sizes_in(folder: Path) -> dict[Path, int]:
    """Return the sizes in bytes of those index files in a folder that never change once written."""
    sizes = {}
    for file in _home(folder).iterdir():
        with suppress(FileNotFoundError):  # another process has merged it into another file
            if _SEGMENT.fullmatch(file.name):
                sizes[file] = file.stat().st_size
    return sizes


def _tidy(folder: Path, warnings: list[str]) -> None:
    """Remove a damaged index, with a warning, and indexes of other versions; processes that have
    them open continue.
    """
    home = _home(folder)
    if home.exists() and not _usable(folder):
        # Without files of abstracts, it is a build that was interrupted as it began.
        warnings += [f"{folder}: the index is damaged and is rebuilt"] if sizes_in(folder) else []
        if home.is_symlink():
            raise UsageError(f"{home}: is a symbolic link; name another folder for the index")
        # Renamed first: just after an index is opened, a thread of tantivy's reads it once more and
        # leaves a lock file in its folder, also while that is removed.
        home.rename(folder / f"index-{time.time_ns()}")
    for other in folder.iterdir():
        if other != home and _FOLDER.fullmatch(other.name):
            shutil.rmtree(other, ignore_errors=True)


@contextmanager
def _disk_errors(folder: Path) -> Iterator[None]:
    """Turn disk failures into an `IlpsumError`, and an unwritable folder into a `UsageError`."""
    try:
        yield
    except EngineError as error:
        # A writer thread of tantivy does not pass on the reason of its failure.
        reason = (
            str(error) if shutil.disk_usage(folder).free >= 2**20 else os.strerror(errno.ENOSPC)
        )
        raise IlpsumError(
            f"{folder}: cannot be written ({reason}); free disk space and run again"
        ) from None
    except OSError as error:
        line = f"{error.filename or folder}: cannot be written ({error.strerror or error})"
        if error.errno in _FULL:
            raise IlpsumError(f"{line}; free disk space and run again") from None
        raise UsageError(f"{line}; name another folder for the index") from None


def _extended(
    folder: Path,
    named: dict[str, Path],
    watch: Watch | None,
) -> tuple[Index, dict[str, InputError]]:
    """Add missing files until `_COMMIT_EVERY` abstracts are added, and commit; return the index,
    and the errors of damaged files by digest.
    """
    _home(folder).mkdir(exist_ok=True)
    with engine():
        writer = tantivy.Index(schema(), str(_home(folder))).writer(heap_size=_HEAP, num_threads=1)
    there = opened(folder).files
    places = {str(path.absolute()) for path in named.values()}
    for file in there.values():
        if file.digest not in named and file.path in places:
            writer.delete_documents_by_term(FILE, file.digest)
    added, errors = 0, dict[str, InputError]()
    for digest, path in named.items():
        if digest not in there and added < _COMMIT_EVERY:
            try:
                added += _add_file(writer, digest, path, watch)
            except InputError as error:
                # Remove the abstracts that precede the damage.
                writer.delete_documents_by_term(FILE, digest)
                errors[digest] = error
    with engine():
        writer.commit()
        writer.wait_merging_threads()
    return opened(folder), errors


def _relocated(
    folder: Path,
    index: Index,
    named: Mapping[str, Path],
    states: Mapping[str, tuple[int, ...]],
) -> Index:
    """Return the index with the new places and times of large files that were moved, copied, or too
    fresh when they were indexed; otherwise they would be hashed for each question.
    """
    moved = []
    for digest, path in named.items():
        state = states[digest]
        here = replace(index.files[digest], path=str(path.absolute()), state=state)
        if state and state[0] >= _LARGE and here != index.files[digest]:
            moved.append(here)
    if not moved:
        return index
    # They are hashed again where the index cannot be written, or is being written.
    with suppress(OSError, EngineError, UsageError), locked(folder / ".lock", "is building it"):
        with engine():
            home = str(_home(folder))
            writer = tantivy.Index(schema(), home).writer(heap_size=_HEAP, num_threads=1)
            for file in moved:
                writer.delete_documents_by_term(FILE, record_of(file.digest))
                add_record(writer, file)
            writer.commit()
            writer.wait_merging_threads()
        return opened(folder)
    return index


def _add_file(writer: Any, digest: str, path: Path, watch: Watch | None) -> int:
    """Add a file's abstracts and record to an index; return the number of abstracts; `InputError`
    if it changes.
    """
    count, length = 0, 0
    warnings, withdrawn = list[str](), list[str]()
    records = read_records(path)
    for record in watch(records) if watch else records:
        warnings += record.problems
        withdrawn += record.withdrawn
        if record.document is None:
            continue
        entry = Abstract.of(record.document, count, digest)
        with engine():
            add(writer, entry, read(record.document))
        count, length = count + 1, length + entry.length
    state = _state(path)
    if digest_of(path) != digest:
        raise InputError("changed while it was indexed; run again", path)
    place = str(path.absolute())
    file = IndexedFile(digest, place, count, length, tuple(warnings), tuple(withdrawn), state)
    with engine():
        add_record(writer, file)
    return count


def _state(path: Path) -> tuple[int, ...]:
    """Return the size and times of a file (modification, change), which change with its content.

    Empty if it is missing, or changed so recently that it may change again without a trace.
    Programs cannot set the change time, so rewriting a file with its old size and modification
    time is still noticed.
    """
    try:
        state = path.stat()
    except (OSError, ValueError):
        return ()
    times = state.st_mtime_ns, state.st_ctime_ns
    return (state.st_size, *times) if time.time_ns() - max(times) > _FRESH else ()
