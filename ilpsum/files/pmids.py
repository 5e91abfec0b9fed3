"""PMIDs, and files that list them."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ilpsum.errors import InputError
from ilpsum.files.json_text import parts
from ilpsum.files.reading import head, text_lines


class Pmids:
    """A sorted list of PMIDs, 4 bytes each: 10 million need 40 MB.

    Args:
        path: a file with one PMID per line, where `#` begins a comment, or with a JSON list of
            PMIDs; `.gz` or not.

    Raises:
        InputError: the file cannot be read, holds anything but PMIDs, or is empty.
    """

    def __init__(self, path: Path) -> None:
        is_json = head(path).lstrip().startswith(b"[")
        self._sorted = np.sort(
            np.fromiter(_of_json(path) if is_json else _of_lines(path), np.uint32)
        )
        if not len(self._sorted):
            raise InputError("no PMIDs; expected one of 1 to 8 digits per line", path)

    def __len__(self) -> int:
        return len(self._sorted)

    def __contains__(self, pmid: object) -> bool:
        if not (isinstance(pmid, str) and is_pmid(pmid)):
            return False
        place = int(np.searchsorted(self._sorted, int(pmid)))
        return place < len(self._sorted) and int(self._sorted[place]) == int(pmid)


def is_pmid(value: object) -> bool:
    """Return whether a value is a PMID: a string of 1 to 8 digits, not starting with 0."""
    return (
        isinstance(value, str)
        and value.isascii()
        and value.isdigit()
        and len(value) <= 8
        and value[0] != "0"
    )


def _of_json(path: Path) -> Iterator[int]:
    for item in parts(path):
        if item.value != []:
            pmid = str(item.value) if type(item.value) is int else item.value
            if item.key or not is_pmid(pmid):
                raise InputError(
                    f"{str(item.value)[:40]!r} is not a PMID; expected a list of PMIDs",
                    path,
                    item.line,
                )
            yield int(pmid)


def _of_lines(path: Path) -> Iterator[int]:
    for number, line in text_lines(path):
        text = line.partition("#")[0].strip()
        if text and not is_pmid(text.lstrip("0")):
            raise InputError(
                f"{text[:40]!r} is not a PMID; expected one of 1 to 8 digits per line",
                path,
                number,
            )
        if text:
            yield int(text)
