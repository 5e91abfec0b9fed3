"""PMIDs, and files that list them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ilpsum.errors import InputError
from ilpsum.files.json_text import list_items
from ilpsum.files.numbers import whole_number
from ilpsum.files.reading import head, text_lines

_PMID = re.compile("[1-9][0-9]{0,7}")


class Pmids:
    """A sorted list of PMIDs, 4 bytes each: 10 million need 40 MB.

    Args:
        path: a file with one PMID per line, where `#` begins a comment, or with a JSON list of
            PMIDs; `.gz` or not.

    Raises:
        InputError: the file cannot be read, holds anything but PMIDs, or is empty.
    """

    def __init__(self, path: Path) -> None:
        self._sorted = np.sort(np.fromiter(_listed(path), np.uint32))
        if not len(self._sorted):
            raise InputError("no PMIDs; expected one of 1 to 8 digits per line", path)

    def __len__(self) -> int:
        return len(self._sorted)

    def __contains__(self, pmid: object) -> bool:
        number = whole_number(str(pmid)) or 0
        place = int(np.searchsorted(self._sorted, number))
        return place < len(self._sorted) and int(self._sorted[place]) == number


def is_pmid(value: object) -> bool:
    """Return whether a value is a PMID: a string of 1 to 8 digits, not starting with 0."""
    return isinstance(value, str) and _PMID.fullmatch(value) is not None


def _listed(path: Path) -> Iterator[int]:
    entries: Iterator[tuple[int, Any]] = text_lines(path)
    expected = "one of 1 to 8 digits per line"
    if head(path).lstrip().startswith(b"["):
        expected = "a list of PMIDs"
        entries = list_items(path, "", expected)
    for line, value in entries:
        text = str(value).partition("#")[0].strip()
        if not text:
            continue
        number = whole_number(text.lstrip("0"), 8)
        if number is None:
            raise InputError(f"{text[:40]!r} is not a PMID; expected {expected}", path, line)
        yield number
