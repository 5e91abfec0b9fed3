"""The files that are searched: their open indexes, their precedence, and warnings about them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from socket import gethostname

from ilpsum.corpora.pubmed import number_of
from ilpsum.errors import InputError, UsageError
from ilpsum.retrieval.engine import EngineError
from ilpsum.retrieval.indexing import FileIndex, Watch, index_files, known_files
from ilpsum.retrieval.opened import OpenIndex, open_volume

# Another process may replace an index between its check and its opening.
_ATTEMPTS = 3


def open_files(
    files: Sequence[str | Path], folder: Path, watch: Watch
) -> tuple[tuple[FileIndex, ...], list[OpenIndex], tuple[str, ...]]:
    """Open the indexes of files of abstracts, built if needed; return what each file has, them, and warnings."""
    for _ in range(_ATTEMPTS):
        with suppress(EngineError):  # another process replaced an index meanwhile
            found, notes = index_files(files, folder, watch)
            return found, _opened(found), notes
    raise InputError("the indexes cannot be opened; remove the folder to rebuild them", folder)


def reopen_files(files: Sequence[FileIndex]) -> list[OpenIndex]:
    """Open the indexes of files that another process, perhaps on another machine, has checked.

    Raises:
        UsageError: an index is absent, or another one.
    """
    for _ in range(_ATTEMPTS):
        with suppress(EngineError):
            return _opened(known_files(files))
    what = f"an index in {files[0].volume.folder.parent} is absent, another one or not writable on {gethostname()}"
    raise UsageError(f"{what}; give all workers the folder of --index at this path, or leave out --shared")


def _opened(files: Iterable[FileIndex]) -> list[OpenIndex]:
    inside = defaultdict[Path, list[FileIndex]](list)
    for each in files:
        inside[each.volume.folder].append(each)
    return [open_volume(own[0].volume, (each.file.digest for each in own)) for own in inside.values()]


def by_precedence(files: Sequence[FileIndex]) -> Iterator[tuple[int, FileIndex]]:
    """Number files by precedence: in order, but PubMed's own files, where there are any, in reverse order."""
    newest = sorted((f for f in files if number_of(f.path)), key=lambda f: number_of(f.path) or (0, 0))
    yield from enumerate(newest.pop() if number_of(each.path) else each for each in files)


def warnings_of(files: Iterable[FileIndex]) -> Iterator[str]:
    """Yield the warnings about files, of those that were indexed again for the same reason one."""
    again = defaultdict[str, list[FileIndex]](list)
    for each in files:
        again[each.defect].append(each)
        yield from each.warnings[: len(each.file.warnings)]
    for defect, those in again.items():
        if defect:
            yield (
                those[0].warnings[-1] if len(those) == 1 else f"{len(those)} files: their index {defect} and is rebuilt"
            )
