"""The files that are searched: their open indexes, their precedence, and warnings about them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from ilpsum.corpora.pubmed import number_of
from ilpsum.errors import InputError
from ilpsum.retrieval.engine import EngineError
from ilpsum.retrieval.indexing import FileIndex, Watch, index_files
from ilpsum.retrieval.opened import OpenIndex, open_volume

# Another process may replace an index between its check and its opening.
_ATTEMPTS = 3


def open_files(
    files: Sequence[str | Path], folder: Path, watch: Watch
) -> tuple[tuple[FileIndex, ...], list[OpenIndex], tuple[str, ...]]:
    """Open the indexes of files of abstracts, built if needed; return them, what each file has, and warnings."""
    for _ in range(_ATTEMPTS):
        with suppress(EngineError):  # another process replaced an index meanwhile
            found, notes = index_files(files, folder, watch)
            inside = defaultdict[Path, list[FileIndex]](list)
            for each in found:
                inside[each.volume.folder].append(each)
            indexes = [open_volume(own[0].volume, (each.file.digest for each in own)) for own in inside.values()]
            return found, indexes, notes
    raise InputError("the indexes cannot be opened; remove the folder to rebuild them", folder)


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
