"""PMIDs, and files that list them."""

from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ilpsum.errors import InputError
from ilpsum.io.files import head, open_bytes
from ilpsum.io.json_stream import stream

_BLOCK = 2**18
_EXPECTED = "expected one of 1 to 8 digits a line"


class Pmids:
    """A sorted list of PMIDs, 4 bytes each: 10 million need 40 MB.

    Args:
        path: a file with one PMID a line, in which `#` begins a comment, or with a JSON list of PMIDs; `.gz` or not.

    Raises:
        InputError: the file cannot be read, something in it is not a PMID, or it has none.
    """

    def __init__(self, path: Path) -> None:
        numbers = array("I")
        for block in _json(path) if head(path).lstrip().startswith(b"[") else _blocks(path):
            numbers.extend(block)
        if not numbers:
            raise InputError(f"no PMIDs; {_EXPECTED}", path)
        self._sorted: NDArray[np.uint32] = np.frombuffer(numbers, dtype=np.uintc)
        self._sorted.sort()

    def __len__(self) -> int:
        return len(self._sorted)

    def __contains__(self, pmid: object) -> bool:
        if not (isinstance(pmid, str) and is_pmid(pmid)):
            return False
        place = int(np.searchsorted(self._sorted, int(pmid)))
        return place < len(self._sorted) and int(self._sorted[place]) == int(pmid)


def is_pmid(value: object) -> bool:
    """Return whether a value is a PMID: a string of 1 to 8 digits, the first not 0."""
    return isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 8 and value[0] != "0"


def _json(path: Path) -> Iterator[tuple[int]]:
    for item in stream(path):
        if item.value != []:
            pmid = str(item.value) if type(item.value) is int else item.value
            if item.key or not is_pmid(pmid):
                raise InputError(f"{str(item.value)[:40]!r} is not a PMID; expected a list of PMIDs", path, item.line)
            yield (int(pmid),)


def _blocks(path: Path) -> Iterator[list[int]]:
    line, rest = 1, b""
    with open_bytes(path) as file:
        while data := file.read(_BLOCK):
            whole, newline, tail = data.rpartition(b"\n")
            block, rest = (rest + whole, tail) if newline else (b"", rest + data)
            if len(rest) > _BLOCK:
                raise InputError("expected one PMID a line", path, line)
            yield _numbers(block, path, line)
            line += block.count(b"\n") + bool(newline)
    yield _numbers(rest, path, line)


def _numbers(block: bytes, path: Path, line: int) -> list[int]:
    try:
        if block.isascii() and not block.translate(None, b"0123456789\r\n"):
            numbers = [int(entry) for entry in block.split()]
            if max(numbers, default=0) < 10**8:
                return numbers
    except ValueError:
        pass
    numbers = []
    for number, entry in enumerate(block.split(b"\n"), line):
        text = entry.partition(b"#")[0].strip().decode("utf-8", "replace")
        if text and not is_pmid(text.lstrip("0")):
            raise InputError(f"{text[:40]!r} is not a PMID; {_EXPECTED}", path, number)
        numbers += [int(text)] if text else []
    return numbers
