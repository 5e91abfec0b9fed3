"""Count the topics of inputs where that is cheap, and estimate the abstracts of files, for progress bars."""

import re
import zlib
from collections.abc import Sequence
from pathlib import Path

from ilpsum.errors import InputError
from ilpsum.io.files import open_bytes, open_file

# Larger files take noticeable time to count.
_MOST_BYTES = 256 * 2**20
_FOLDERS = {"tac": "Annotation", "scisumm": "Reference_XML"}
_PIECE = 2**20
# How a record begins in PubMed XML, JSON, MEDLINE and RIS.
_RECORD = re.compile(rb'<MedlineCitation\b|"pmid"|^PMID *-|^TY  -', re.MULTILINE)


def count_topics(inputs: Sequence[str | Path], form: str) -> int | None:
    """Return the number of topics in all inputs; None if one is standard input, an archive, or too large to scan.

    The count is an estimate for progress bars and includes broken topics.
    """
    counts = [_count(Path(path), form) for path in inputs]
    return sum(count for count in counts if count) if None not in counts else None


def count_lines(path: str | Path) -> int | None:
    """Return the number of lines of a file; None if it is not a regular file or too large to scan."""
    return _count(Path(path), "jsonl")


def estimate_abstracts(path: str | Path) -> int:
    """Return about how many abstracts a file has, given those in its first megabyte; 0 if that shows none."""
    try:
        with open_file(path) as stream:
            data = stream.read(_PIECE)
        text = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(data) if data[:2] == b"\x1f\x8b" else data
        return len(_RECORD.findall(text)) * max(Path(path).stat().st_size, 1) // max(len(data), 1)
    except (OSError, InputError, zlib.error):
        return 0


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
            # Too short for another occurrence, long enough to complete one that is cut.
            rest = text[1 - len(what) :]
    return count
