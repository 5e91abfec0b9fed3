"""The start of a file, read once: recognisers of formats are functions of it."""

import re
from dataclasses import dataclass
from functools import cached_property
from json import JSONDecoder
from pathlib import Path
from typing import Any

from ilpsum.files.reading import START, decode, head

# Bytes that are read where the first JSON object is longer than the start.
_MOST = 4 * 2**20
# The beginning of a list: services write null for what they do not have.
_LIST = r"\[\s*(?:null\s*,\s*)*"


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
        return cls(path, head(path, START))

    @cached_property
    def text(self) -> str:
        """The start as text, without a BOM and leading white space; its lines end by LF."""
        text = decode(self.data)[0].removeprefix("\ufeff").lstrip()
        return text.replace("\r\n", "\n").replace("\r", "\n")

    @cached_property
    def record(self) -> dict[str, Any]:
        """The first whole JSON object: of the file, or of the list in it; empty if none."""
        if not self._may_be_json:
            return {}
        record = _object_in(self.text)
        if not record and len(self.data) == START:
            record = _object_in(decode(head(self.path, _MOST))[0].removeprefix("\ufeff").lstrip())
        return record

    @property
    def is_cut_off(self) -> bool:
        """Whether a short file begins like JSON but holds no whole object with keys."""
        return self._may_be_json and len(self.data) < START and not self.record

    @property
    def _may_be_json(self) -> bool:
        return re.match(rf"\{{|{_LIST}[{{\]]", self.text) is not None


def _object_in(text: str) -> dict[str, Any]:
    try:
        value, _ = JSONDecoder().raw_decode(re.sub(rf"\A{_LIST}", "", text))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
