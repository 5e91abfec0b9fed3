"""The folder of indexes: which index has which file, and several small indexes merged into one.

An index, of one file or of several, is a folder with the library's files, the dictionary of each file
(`ilpsum.retrieval.packing`) and a record of the files (`Done`). A search takes each of its files from one index.

If at least `MANY` of the indexes that a search uses are small (fewer than half of `FULL` abstracts) and have only files
that it searches, they are merged, in the order of the files, into indexes of at most `FULL` abstracts: the segments of
the small ones become those of a new one, and the library merges segments of about one size. A thousand files so become
a few dozen indexes, and later small files are merged eight at a time. The new index appears whole; then the small ones
are removed, which whoever has them open does not notice.
"""

import hashlib
import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ilpsum.errors import InputError, UsageError
from ilpsum.io.atomic import Folder, Lock, write_file
from ilpsum.io.digests import Digests
from ilpsum.retrieval.checksums import DONE, STARTED, data_files, read
from ilpsum.retrieval.engine import EngineError, engine

MANY, FULL = 8, 1_000_000
"""So many small indexes are merged; the abstracts of a full one."""

DICTIONARY = ".dictionary"
"""The suffix of the dictionary of a file, named by its digest."""

_NAME = re.compile(r"[0-9a-f]{64}")
_META = "meta.json"
_MERGING_HEAP = 15 * 2**20  # nothing is added


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file in an index.

    Attributes:
        digest: SHA-256 of the file's bytes, as hexadecimal digits.
        documents: number of abstracts.
        terms: total number of their terms.
        warnings: of records that could not be read.
        deleted: ids that the file withdraws.
    """

    digest: str
    documents: int
    terms: int
    warnings: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Volume:
    """A complete index of one or several files, and its folder."""

    folder: Path
    files: tuple[IndexedFile, ...]

    @property
    def documents(self) -> int:
        """The number of its abstracts."""
        return sum(file.documents for file in self.files)


@dataclass(frozen=True, slots=True)
class Done:
    """The record beside a complete index; `content` is the digest of the index's files."""

    files: tuple[IndexedFile, ...]
    content: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Which index has each file, by digest.

    Attributes:
        volumes: of the files that are indexed.
        defects: why the index of others must be replaced.
        useless: indexes of several files that are damaged, and indexes whose files are all in others, which an
            interrupted merge left.
    """

    volumes: dict[str, Volume]
    defects: dict[str, str]
    useless: tuple[Path, ...]


def planned(folder: Path, wanted: Collection[str], header: Mapping[str, object], digests: Digests) -> Plan:
    """Return the indexes in a folder that have the wanted files, preferring those with most of them."""
    volumes, defects, useless = list[tuple[int, int, Path, Volume]](), dict[str, str](), list[Path]()
    for home in sorted(home for home in folder.glob("*") if _NAME.fullmatch(home.name)):
        done = read(home / DONE, Done)
        inside = {file.digest for file in done.files}.intersection(wanted) if done else set()
        inside |= {home.name}.intersection(wanted)
        if not inside:
            continue
        if defect := _defect(home, done, header, digests):
            defects |= dict.fromkeys(inside, defect)
            useless += [home] * (home.name not in inside)
        elif done:
            held = sum(file.documents for file in done.files if file.digest in inside)
            volume = Volume(home, done.files)
            volumes.append((-held, volume.documents - held, home, volume))
    chosen: dict[str, Volume] = {}
    for *_, volume in sorted(volumes, key=lambda each: each[:3]):
        chosen = {file.digest: volume for file in volume.files if file.digest in wanted} | chosen
    covered = {file.digest for volume in chosen.values() for file in volume.files}
    used = {volume.folder for volume in chosen.values()}
    useless += [v.folder for *_, v in volumes if v.folder not in used and covered.issuperset(f.digest for f in v.files)]
    return Plan(chosen, {digest: why for digest, why in defects.items() if digest not in chosen}, tuple(useless))


def _defect(home: Path, done: Done | None, header: Mapping[str, object], digests: Digests) -> str:
    """Return why an index must be replaced; empty if it can be used."""
    if of_another_version(home, header):
        return "was built by another version"
    if done is None or done.content != content(home, done.files, digests):
        return "is damaged"
    return "" if all(_NAME.fullmatch(file.digest) for file in done.files) else "is damaged"


def of_another_version(home: Path, header: Mapping[str, object]) -> bool:
    """Whether an index was built by another version."""
    started = read(home / STARTED, dict[str, object]) or {}
    return any(started.get(key) != header[key] for key in ("format", "engine"))


def content(home: Path, files: Iterable[IndexedFile], digests: Digests) -> str:
    """Return one digest over the names and contents of an index's files and its record; empty if one is unreadable."""
    try:
        found = [(file.name, digests(file)) for file in data_files(home)]
    except (InputError, OSError):
        return ""
    return hashlib.sha256(encode([found, list(files)])).hexdigest()


def finish(part: Path, files: Sequence[IndexedFile], digests: Digests) -> Done:
    """Write the record of an index that is complete, and return it."""
    # An index is mapped into memory: if another program truncated a file, searching processes would crash.
    for file in data_files(part):
        if file.suffix != ".json":
            file.chmod(0o444)
    done = Done(tuple(files), content(part, files, digests))
    write_file(part / DONE, encode(done))
    return done


def due(volumes: Iterable[Volume], wanted: Collection[str]) -> Iterator[list[Volume]]:
    """Yield the groups of small indexes that are to be merged; see the module."""
    small = [v for v in dict.fromkeys(volumes) if v.documents < FULL // 2 and all(f.digest in wanted for f in v.files)]
    group: list[Volume] = []
    for volume in small if len(small) >= MANY else []:
        if sum(each.documents for each in group) + volume.documents > FULL:
            yield group
            group = []
        group.append(volume)
    if len(group) > 1:
        yield group


def merge(
    folder: Path, plan: Plan, wanted: Collection[str], header: Mapping[str, object], digests: Digests
) -> tuple[dict[str, Volume], str]:
    """Merge small indexes if it is due; return which index has each file then, and why it failed, if it did.

    Another process that merges is not waited for: the small indexes are as good.
    """
    if not plan.useless and not any(due(plan.volumes.values(), wanted)):
        return plan.volumes, ""
    failure = ""
    try:
        with suppress(UsageError), Folder(folder) as indexes, Lock(folder / ".merging.lock", "merges indexes"):
            # What another process may have merged or replaced before we had the lock.
            now = planned(folder, wanted, header, digests)
            for home in now.useless:
                indexes.remove(home.name)
            volumes = now.volumes
            for group in due((volumes[digest] for digest in wanted if digest in volumes), wanted):
                _merged(indexes, group, header, digests)
    except (OSError, EngineError) as error:
        failure = str(error)
    return planned(folder, wanted, header, digests).volumes, failure


def _merged(indexes: Folder, group: Sequence[Volume], header: Mapping[str, object], digests: Digests) -> None:
    """Make one index of several, and remove these."""
    import msgspec
    from tantivy import Index

    files = [file for volume in group for file in volume.files]
    home = indexes.path / hashlib.sha256(encode([file.digest for file in files])).hexdigest()
    part = home.with_name(f".{home.name}.part")
    indexes.remove(part.name)
    indexes.make(part.name)
    write_file(part / STARTED, encode(header))
    meta: dict[str, Any] = {}
    for volume in group:
        own = msgspec.json.decode((volume.folder / _META).read_bytes(), type=dict[str, Any])
        meta = {**own, "segments": [*meta.get("segments", ()), *own["segments"]]}
        for file in data_files(volume.folder):
            if file.name != _META:
                _link(file, part / file.name)
    write_file(part / _META, encode(meta))
    # The library removes only files that it knows as its own.
    own_files = [file.name for file in data_files(part) if file.suffix != DICTIONARY]
    write_file(part / ".managed.json", encode(own_files))
    with engine():
        writer = Index.open(str(part)).writer(heap_size=_MERGING_HEAP, num_threads=1)
        writer.commit()
        writer.wait_merging_threads()
    finish(part, files, digests)
    indexes.remove(home.name)
    indexes.rename(part.name, indexes, home.name)
    digests.moved(part, home)
    for volume in group:
        indexes.remove(volume.folder.name)


def _link(file: Path, target: Path) -> None:
    """Give a file a second name, or, where that is impossible, copy it."""
    try:
        target.hardlink_to(file)
    except OSError:
        shutil.copyfile(file, target)


def encode(value: Any) -> bytes:
    """Return a value as JSON."""
    import msgspec

    return msgspec.json.encode(value)
