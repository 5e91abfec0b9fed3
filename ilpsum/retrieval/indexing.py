"""One index for a collection of files of abstracts, in a folder on disk.

    manifest          what the index has: its files of abstracts, and the names, sizes and times of the library's files
    index-1a2b3c4d/   the library's files
    digests.json      remembered digests of the files of abstracts (`ilpsum.io.digests`)

The SHA-256 of its bytes recognises a file of abstracts: moved and copied files are not indexed again, and a file that
replaced another at its path replaces it in the index too. A build never touches what the manifest names. It gives the
library's files second names in a new folder, changes them there, and then replaces the manifest. So readers are never
disturbed, and an interrupted build continues from the last manifest, written after every `_PUBLISH_EVERY` abstracts.

tantivy builds and searches the index: it adds on disk in bounded memory, merges, and maps the index into memory to
search. (bm25s computes all scores at indexing time, so it holds the whole collection in memory and cannot add to it.)
"""

import errno
import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from ilpsum.corpora import abstracts
from ilpsum.errors import IlpsumError, InputError, UsageError
from ilpsum.io.atomic import Lock, write_file
from ilpsum.io.digests import Digests, state
from ilpsum.records import Document
from ilpsum.retrieval.engine import EngineError, engine
from ilpsum.retrieval.entries import FILE, Entry, add, schema

Watch: TypeAlias = Callable[[Iterable[Document | InputError], str | Path], Iterable[Document | InputError]]
"""Passes abstracts on as they are indexed, given their file, to show progress."""

_FORMAT = 7
"""Version of the index and of the terms; an index of another version is rebuilt."""
_PUBLISH_EVERY = 100_000
_HEAP = 64 * 2**20
_MANIFEST, _DIGESTS = "manifest", "digests.json"
# Folders of the library's files, also those of format 6, one per file of abstracts.
_FOLDER = re.compile(r"index-[0-9a-f]{8}|\.?[0-9a-f]{64}(\.part)?")
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file of abstracts in an index.

    Attributes:
        digest: SHA-256 of the file's bytes, as hexadecimal digits.
        path: where it was when it was indexed.
        documents: number of abstracts.
        terms: total number of their terms.
        warnings: of records that could not be read.
        deleted: ids that the file withdraws.
    """

    digest: str
    path: str
    documents: int
    terms: int
    warnings: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Versioned:
    """What the manifests of all versions have."""

    version: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a complete index has.

    Attributes:
        version: of its format and of the library.
        folder: the name of the folder of the library's files.
        files: of abstracts.
        parts: size and modification time (ns) of each of the library's files.
    """

    version: str
    folder: str = ""
    files: tuple[IndexedFile, ...] = ()
    parts: dict[str, tuple[int, int]] = field(default_factory=dict)

    def has(self, digests: Iterable[str]) -> bool:
        """Whether it has all files with these digests."""
        return {file.digest for file in self.files}.issuperset(digests)


@dataclass(frozen=True, slots=True)
class Collection:
    """Files of abstracts, and the index that has them.

    Attributes:
        folder: the folder of the index.
        manifest: of the index, which may have other files too.
        paths: of the files, by digest, in the order given.
        rebuilt: why the index was rebuilt; empty if it was not.
    """

    folder: Path
    manifest: Manifest
    paths: dict[str, Path]
    rebuilt: str = ""

    @property
    def files(self) -> tuple[IndexedFile, ...]:
        """What the index has of each file, in the order given."""
        inside = {file.digest: file for file in self.manifest.files}
        return tuple(inside[digest] for digest in self.paths)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Records that could not be read, and whether the index was rebuilt."""
        lines = (f"{self.paths[file.digest].name}: {line}" for file in self.files for line in file.warnings)
        return (*lines, *([f"{self.folder}: the index {self.rebuilt} and is rebuilt"] if self.rebuilt else ()))


def unwatched(
    documents: Iterable[Document | InputError],
    path: str | Path,  # noqa: ARG001
) -> Iterable[Document | InputError]:
    """Return the abstracts as they are; see `Watch`."""
    return documents


def default_folder() -> Path:
    """Return the default folder of the index: `ilpsum/index` in the user's cache (`XDG_CACHE_HOME`)."""
    base = os.environ.get("XDG_CACHE_HOME") or ""
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "ilpsum" / "index"


def known_digests(folder: str | Path | None = None) -> Digests:
    """Return the remembered digests of files, kept in the folder of an index, by default `default_folder()`."""
    return Digests((Path(folder) if folder is not None else default_folder()) / _DIGESTS)


def index_files(paths: Sequence[str | Path], folder: Path, watch: Watch = unwatched) -> Collection:
    """Index the files that the index in a folder lacks; `watch` passes on their abstracts.

    Raises:
        InputError: a file cannot be read, or changed while it was indexed.
        UsageError: standard input, which cannot be read twice; another process is building the index; or the folder
            cannot be written.
        IlpsumError: the disk is full or fails; a second call continues.
    """
    if "-" in map(str, paths):
        raise UsageError("cannot search abstracts from standard input; name their files")
    digests, named = known_digests(folder), dict[str, Path]()
    for path in map(Path, paths):
        named.setdefault(digests(path), path)
    manifest, defect = published(folder)
    if not manifest.has(named):
        with _disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            with Lock(folder / ".lock", "is building this index"):
                # Another process may have published an index before we had the lock.
                manifest, _ = published(folder)
                while not manifest.has(named):
                    manifest = _extended(folder, manifest, named, watch, digests)
    digests.save()
    return Collection(folder, manifest, named, defect)


def published(folder: Path) -> tuple[Manifest, str]:
    """Return the manifest of the index in a folder, empty if it cannot be used, and why not."""
    while True:
        data = _bytes(folder / _MANIFEST)
        if data is None:
            return Manifest(_version()), ""
        manifest, defect = _checked(folder, data)
        # A process that published another index meanwhile has removed this one.
        if not defect or _bytes(folder / _MANIFEST) == data:
            return manifest, defect


def _checked(folder: Path, data: bytes) -> tuple[Manifest, str]:
    """Decode a manifest, JSON after a line with its SHA-256, and compare the library's files with it."""
    digest, _, record = data.partition(b"\n")
    if hashlib.sha256(record).hexdigest().encode() != digest:
        return Manifest(_version()), "is damaged"
    if msgspec.json.decode(record, type=_Versioned).version != _version():
        return Manifest(_version()), "was built by another version"
    manifest = msgspec.json.decode(record, type=Manifest)
    if not _FOLDER.fullmatch(manifest.folder) or _parts(folder / manifest.folder) != manifest.parts:
        return Manifest(_version()), "is damaged"
    return manifest, ""


def _version() -> str:
    return f"{_FORMAT}, tantivy {version('tantivy')}"


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _parts(home: Path) -> dict[str, tuple[int, int]]:
    """Return size and modification time of each of the library's files in a folder; none if it is absent."""
    try:
        found = [(file.name, file.stat()) for file in home.iterdir() if file.suffix != ".lock"]
    except OSError:
        return {}
    return {name: (each.st_size, each.st_mtime_ns) for name, each in sorted(found)}


@contextmanager
def _disk_errors(folder: Path) -> Iterator[None]:
    """Report a full or failing disk as a failure, and a folder that cannot be written as wrong usage."""
    try:
        yield
    except EngineError as error:
        # A thread of the library that fails to write does not pass on the reason.
        reason = str(error) if shutil.disk_usage(folder).free >= 2**20 else os.strerror(errno.ENOSPC)
        raise IlpsumError(f"{folder}: cannot be written ({reason}); free disk space and run again") from None
    except OSError as error:
        line = f"{error.filename or folder}: cannot be written ({error.strerror or error})"
        if error.errno in _FULL:
            raise IlpsumError(f"{line}; free disk space and run again") from None
        raise UsageError(f"{line}; name another folder with --index") from None


def _extended(folder: Path, manifest: Manifest, named: Mapping[str, Path], watch: Watch, digests: Digests) -> Manifest:
    """Add files that an index lacks, at most `_PUBLISH_EVERY` abstracts and one file, and publish the new index."""
    from tantivy import Index

    _tidy(folder, manifest.folder)
    home = folder / f"index-{secrets.token_hex(4)}"
    home.mkdir()
    try:
        for name in manifest.parts:
            _second_name(folder / manifest.folder / name, home / name)
        places = {str(path.absolute()) for path in named.values()}
        kept = [file for file in manifest.files if file.digest in named or file.path not in places]
        with engine():
            writer = Index(schema(), str(home)).writer(heap_size=_HEAP, num_threads=1)
            for file in manifest.files:
                if file not in kept:
                    writer.delete_documents_by_term(FILE, file.digest)
        added: list[IndexedFile] = []
        for digest, path in named.items():
            if not manifest.has([digest]) and sum(file.documents for file in added) < _PUBLISH_EVERY:
                added.append(_add_file(writer, digest, path, watch, digests))
        with engine():
            writer.commit()
            writer.wait_merging_threads()
        new = Manifest(_version(), home.name, (*kept, *added), _parts(home))
        record = msgspec.json.encode(new)
        write_file(folder / _MANIFEST, hashlib.sha256(record).hexdigest().encode() + b"\n" + record)
    except BaseException:
        shutil.rmtree(home, ignore_errors=True)
        raise
    _tidy(folder, new.folder)
    return new


def _tidy(folder: Path, keep: str) -> None:
    """Remove the folders of the library's files that no manifest names; who has them open keeps them."""
    for home in folder.iterdir():
        if home.name != keep and _FOLDER.fullmatch(home.name):
            shutil.rmtree(home, ignore_errors=True)


def _second_name(file: Path, target: Path) -> None:
    """Give a file a second name, or, where that is impossible, copy it."""
    try:
        target.hardlink_to(file)
    except OSError:
        shutil.copy2(file, target)


def _add_file(writer: Any, digest: str, path: Path, watch: Watch, digests: Digests) -> IndexedFile:
    """Add the abstracts of a file to an index.

    Raises:
        InputError: the file cannot be read, or changed meanwhile.
    """
    before = state(path)
    count, length, skipped, unreadable, first = 0, 0, 0, 0, ""
    deleted: list[str] = []
    for document in watch(abstracts.documents(path, deleted), path):
        if isinstance(document, InputError):
            unreadable, first = unreadable + 1, first or str(document)
            continue
        if not abstracts.has_abstract(document):
            skipped += 1
            continue
        entry = Entry.of(document, count, digest)
        with engine():
            add(writer, entry)
        count, length = count + 1, length + entry.length
    if digests(path) != digest or state(path) != before:
        raise InputError("changed while it was indexed; run again", path)
    lines = abstracts.skipped(skipped, unreadable, first)
    return IndexedFile(digest, str(path.absolute()), count, length, lines, tuple(deleted))
