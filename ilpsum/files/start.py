"""The start of a file, read once: recognisers of formats are functions of it."""

import re
from dataclasses import dataclass
from functools import cached_property
from json import JSONDecoder
from pathlib import Path
from typing import Any

from ilpsum.files.reading import decode, head

# Bytes that are read, and those that are read where the first JSON object is longer.
_SIZE, _MOST = 2**16, 4 * 2**20


@dataclass(frozen=True)
class Start:
    """The start of a file.

    Attributes:
        path: the file, or a folder, whose start is empty.
        data: the first bytes, unpacked; empty if they cannot be read.
    """

    path: Path
    data: bytes = b""

    @classmethod
    def of(cls, source: "str | Path | Start") -> "Start":
        """Read the start of a file; a start that has been read is returned as it is."""
        if isinstance(source, Start):
            return source
        path = Path(source)
        return cls(path, head(path, _SIZE))

    @cached_property
    def text(self) -> str:
        """The start as text, without a BOM and leading white space."""
        return decode(self.data)[0].removeprefix("\ufeff").lstrip()

    @cached_property
    def record(self) -> dict[str, Any]:
        """The first whole JSON object: of the file, or of the list in it; empty if none."""
        text = self.text
        if text[:1] not in ("{", "["):
            return {}
        return _object_in(text) or self._longer()

    @property
    def is_cut_off(self) -> bool:
        """Whether a short file begins like JSON but holds no whole object with keys."""
        begins = re.match(r"\{|\[\s*[{\]]", self.text) is not None
        return begins and len(self.data) < _SIZE and not self.record

    def _longer(self) -> dict[str, Any]:
        if len(self.data) < _SIZE:
            return {}
        return _object_in(decode(head(self.path, _MOST))[0].lstrip("\ufeff \t\r\n"))


def _object_in(text: str) -> dict[str, Any]:
    begin = 1 + len(text[1:]) - len(text[1:].lstrip()) if text[0] == "[" else 0
    try:
        value, _ = JSONDecoder().raw_decode(text, begin)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
