"""Files of abstracts, indexed once to disk.

Each file has an index of its own, in a folder named by the SHA-256 of the file's bytes: a file that changed is another
file and is indexed anew, one that was copied or moved is not, and further files leave what is there as it is. An index
that was cut off is taken up where its last commit was. What was built by another version, or is not to the byte what
was written, is built again.

tantivy builds and searches the indexes: it adds to an index on disk within bounded memory, maps it into memory for the
search, and commits atomically. (bm25s computes all scores when it indexes, so it holds the whole collection and cannot
add to it.)
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ilpsum.corpora import pubmed
from ilpsum.errors import IlpsumError, InputError, UsageError
from ilpsum.io.files import digest, unreadable
from ilpsum.records import Document
from ilpsum.retrieval.analysis import STORED, TERMS, register, schema, terms

Watch: TypeAlias = Callable[[Iterable[Document | InputError]], Iterable[Document | InputError]]
"""What passes abstracts on as they are indexed, to show how far it is."""

_FORMAT = 2
"""Of the folders and of what is a term; another number is indexed again."""
_COMMIT_EVERY = 100_000
_HEAP = 64 * 2**20
_DONE = "done.json"
_BEGUN = "begun.json"


@dataclass(frozen=True, slots=True)
class FileIndex:
    """The index of one file.

    Attributes:
        folder: where it lies.
        digest: SHA-256 of the file's bytes, as hexadecimal digits.
        documents: the abstracts that it holds.
        terms: their terms altogether.
        warnings: what could not be read, and what was built again.
    """

    folder: Path
    digest: str
    documents: int
    terms: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Done:
    """What is written beside a complete index; `content` is the digest of its files."""

    documents: int
    terms: int
    warnings: tuple[str, ...]
    content: str


def default_folder() -> Path:
    """Where indexes lie unless another folder is named: `ilpsum/index` in the user's cache (`XDG_CACHE_HOME`)."""
    base = os.environ.get("XDG_CACHE_HOME") or ""
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "ilpsum" / "index"


def index_file(path: str | Path, folder: Path, watch: Watch = iter) -> FileIndex:
    """The index of a file, built or completed where it is not there yet.

    Args:
        path: PubMed XML, MEDLINE text or JSON lines, `.gz` or not.
        folder: takes a folder for each file.
        watch: passes on the abstracts that are indexed.

    Raises:
        InputError: the file cannot be read, or changed meanwhile.
        UsageError: standard input, which cannot be read again.
        IlpsumError: the folder cannot be written, or another process builds the same index.
    """
    if str(path) == "-":
        raise UsageError("abstracts that are searched cannot come from standard input: name their files")
    before = _state(path)
    content = digest(path)
    home = folder / content
    begun = _encode({"format": _FORMAT, "engine": _engine(), "source": Path(path).name})
    why = _unusable(home, begun)
    done = None if why else _complete(home)
    if done is None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with _alone(home):
                if why or not (home / "meta.json").exists():
                    # Who has the old index open keeps its files: they are unlinked, never written over.
                    shutil.rmtree(home, ignore_errors=True)
                home.mkdir(exist_ok=True)
                (home / _BEGUN).write_bytes(begun)
                done = _build(path, home, watch)
                if _state(path) != before:
                    shutil.rmtree(home)
                    raise InputError("changed while it was indexed; run again", path)
                _publish(home, done)
        except OSError as error:
            what = "name another folder with --index"
            raise IlpsumError(f"{error.filename or home}: cannot be written ({error.strerror}); {what}") from None
    warnings = [f"{Path(path).name}: {warning}" for warning in done.warnings]
    if why:
        warnings.append(f"{Path(path).name}: its index {why} and is built again")
    return FileIndex(home, content, done.documents, done.terms, tuple(warnings))


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """That no other process builds an index meanwhile; the system frees the lock of a process that dies.

    Raises:
        IlpsumError: another process builds it.
    """
    try:
        import fcntl
    except ImportError:  # not on Windows, where tantivy's own lock has to do
        yield
        return
    lock = home.with_name(f".{home.name}.lock")
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            what = "let that end, then run again, or name another folder with --index"
            raise IlpsumError(f"{home}: another process builds this index; {what}") from None
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


def _build(path: str | Path, home: Path, watch: Watch) -> _Done:
    from tantivy import Document as Entry
    from tantivy import Index

    try:
        there = Index.exists(str(home))
        index = register(Index.open(str(home)) if there else Index(schema(), str(home)))
        writer = index.writer(heap_size=_HEAP, num_threads=1)
    except ValueError as error:
        what = "another process builds it, or it is damaged: let that end, or remove the folder"
        raise IlpsumError(f"{home}: the index cannot be opened ({_short(error)}); {what}") from None
    committed = index.searcher().num_docs
    count, length, findings = 0, 0, _Unreadable()
    for number, document in enumerate(_abstracts(watch(pubmed.documents(path)), findings)):
        length += len(terms(document.text))
        count += 1
        if number >= committed:
            entry = Entry()
            entry.add_text(TERMS, document.text)
            entry.add_bytes(STORED, _encode([number, document]))
            writer.add_document(entry)
            if count % _COMMIT_EVERY == 0:
                _commit(writer, home)
    _commit(writer, home)
    writer.wait_merging_threads()
    return _Done(count, length, findings.told(), _content(home, count, length))


def _commit(writer: Any, home: Path) -> None:
    try:
        writer.commit()
    except ValueError as error:
        raise IlpsumError(f"{home}: cannot be written ({_short(error)}); is the disk full? then run again") from None


class _Unreadable:
    """The records of a file that cannot be read: how many, and the first."""

    def __init__(self) -> None:
        self._count, self._first = 0, ""

    def add(self, error: InputError) -> None:
        self._first = self._first or str(error)
        self._count += 1

    def told(self) -> tuple[str, ...]:
        if not self._count:
            return ()
        records = "1 record" if self._count == 1 else f"{self._count} records"
        return (f"{records} left out that cannot be read, the first: {self._first}",)


def _abstracts(found: Iterable[Document | InputError], findings: _Unreadable) -> Iterator[Document]:
    """What can be searched and cited: a title alone says too little."""
    for document in found:
        if isinstance(document, InputError):
            findings.add(document)
        elif any(section.kind == "abstract" for section in document.sections):
            yield document


def _unusable(home: Path, begun: bytes) -> str:
    """Why what is there cannot be gone on with, which was cut off or whole; empty where it can, or nothing is there."""
    if not home.exists():
        return ""
    if not _same_engine(home, begun):
        return "was built by another version"
    if not (home / _DONE).exists():
        return ""
    done = _complete(home)
    return "" if done and done.content == _content(home, done.documents, done.terms) else "is damaged"


def _complete(home: Path) -> _Done | None:
    """What is written beside an index that is whole; None where it is not there, or not as it was written."""
    import msgspec

    try:
        return msgspec.json.decode((home / _DONE).read_bytes(), type=_Done)
    except (OSError, ValueError, msgspec.DecodeError):
        return None


def _content(home: Path, documents: int, length: int) -> str:
    """One digest of all files of an index, their names, and its counts; empty where a file cannot be read."""
    names = sorted(p.name for p in home.iterdir() if not p.name.startswith(".") and p.name not in (_BEGUN, _DONE))
    try:
        each = [(name, digest(home / name)) for name in names]
    except InputError:
        return ""
    return hashlib.sha256(_encode([each, documents, length])).hexdigest()


def _same_engine(home: Path, begun: bytes) -> bool:
    import msgspec

    try:
        there = msgspec.json.decode((home / _BEGUN).read_bytes())
    except (OSError, ValueError, msgspec.DecodeError):
        return False
    here = msgspec.json.decode(begun)
    return isinstance(there, dict) and all(there.get(key) == here[key] for key in ("format", "engine"))


def _publish(home: Path, done: _Done) -> None:
    # An index is mapped into memory: a file that another program cut short would end whoever searches it.
    for file in home.iterdir():
        if not file.name.startswith(".") and file.suffix != ".json":
            file.chmod(0o444)
    part = home / f".{_DONE}"
    part.write_bytes(_encode(done))
    part.replace(home / _DONE)


def _engine() -> str:
    from importlib import metadata

    return f"tantivy {metadata.version('tantivy')}"


def _encode(value: Any) -> bytes:
    import msgspec

    return msgspec.json.encode(value)


def _state(path: str | Path) -> tuple[int, int]:
    try:
        found = Path(path).stat()
    except OSError as error:
        raise unreadable(path, error) from None
    return found.st_size, found.st_mtime_ns


def _short(error: Exception) -> str:
    return str(error).partition("\n")[0][:160]
