"""Count the topics of a file where that is cheap, and estimate the number of abstracts, for progress bars."""

import re
import zlib
from pathlib import Path

from ilpsum.errors import InputError
from ilpsum.files.reading import open_bytes, open_file

# Larger files take noticeable time to count.
_MOST_BYTES = 256 * 2**20
_FOLDERS = {"tac": "Annotation", "scisumm": "Reference_XML"}
_MARKS = {"jsonl": b"\n", "bioasq": b'"body"'}
_PIECE = 2**20
# How a record begins in PubMed XML, JSON, MEDLINE and RIS.
_RECORD = re.compile(rb'<MedlineCitation\b|"pmid"|^PMID *-|^TY  -', re.MULTILINE)


def count_topics(path: Path, form: str) -> int | None:
    """Return the approximate number of topics of an input, broken ones included.

    None for standard input, archives, files too large to scan, and anything but folders, JSON lines and BioASQ.
    """
    try:
        if form in _FOLDERS and path.is_dir():
            return sum((folder / _FOLDERS[form]).is_dir() for folder in [path, *path.iterdir()])
        if form not in _MARKS or not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
        count, text = 0, b""
        with open_bytes(path) as stream:
            while piece := stream.read(_PIECE):
                # Keep a tail too short to hold a whole mark, but long enough to complete a split one.
                text = text[len(text) + 1 - len(_MARKS[form]) :] + piece
                count += text.count(_MARKS[form])
        return count + (form == "jsonl" and not text.endswith(b"\n") and bool(text))
    except (OSError, InputError):
        return None


def count_lines(path: str | Path) -> int | None:
    """Return the number of lines of a file; None if it is not a regular file or too large to scan."""
    return count_topics(Path(path), "jsonl")


def estimate_abstracts(path: str | Path) -> int:
    """Estimate the number of abstracts in a file from its first megabyte; 0 if no record is found in it."""
    try:
        with open_file(path) as stream:
            data = stream.read(_PIECE)
        text = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(data) if data[:2] == b"\x1f\x8b" else data
        return len(_RECORD.findall(text)) * max(Path(path).stat().st_size, 1) // max(len(data), 1)
    except (OSError, InputError, zlib.error):
        return 0
