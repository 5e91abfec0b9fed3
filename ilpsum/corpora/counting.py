"""How many topics some inputs hold, as far as that is cheap to tell: for the time left on a progress bar."""

from collections.abc import Sequence
from pathlib import Path

from ilpsum.errors import InputError
from ilpsum.io.files import open_bytes

# Beyond this many bytes counting would be felt.
_MOST_BYTES = 256 * 2**20
_FOLDERS = {"tac": "Annotation", "scisumm": "Reference_XML"}
_PIECE = 2**20


def count_topics(inputs: Sequence[str | Path], form: str) -> int | None:
    """The number of topics of all inputs; None where one is standard input, an archive, or too large to look through.

    It is what a reader will come upon, broken topics included, and good enough to say how long the rest will take; it
    is not what a run is checked by.

    Args:
        inputs: files or folders.
        form: the format of all of them.
    """
    counts = [_count(Path(path), form) for path in inputs]
    return sum(count for count in counts if count) if None not in counts else None


def count_lines(path: str | Path) -> int | None:
    """The lines of a file; None where it is no file or too large to look through."""
    return _count(Path(path), "jsonl")


def _count(path: Path, form: str) -> int | None:
    try:
        if form in _FOLDERS and path.is_dir():
            return sum((folder / _FOLDERS[form]).is_dir() for folder in [path, *path.iterdir()])
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
        if form == "jsonl":
            return _lines(path)
        return _occurrences(path, b'"body"') if form == "bioasq" else None
    except (OSError, InputError):
        return None


def _lines(path: Path) -> int:
    count, end = 0, b"\n"
    with open_bytes(path) as stream:
        while piece := stream.read(_PIECE):
            count += piece.count(b"\n")
            end = piece[-1:]
    return count + (end != b"\n")


def _occurrences(path: Path, what: bytes) -> int:
    count, rest = 0, b""
    with open_bytes(path) as stream:
        while piece := stream.read(_PIECE):
            text = rest + piece
            count += text.count(what)
            # Too short to hold it once more, long enough to end what it begins.
            rest = text[1 - len(what) :]
    return count
