"""What is printed: the one place through which everything goes to the terminal, whatever the input held.

Ids, file names and texts come from input. A control character in them could clear the screen, change its colours or
type on the user's behalf, and a bidirectional one could reorder what is read.
"""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

# Control characters but for tabs and line ends, line separators, bidirectional controls.
_OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def escaped(text: str) -> str:
    r"""Return a text with what a terminal would obey as `\uXXXX`, which is valid in JSON too.

    >>> escaped("D1401\x1b[2J\n")
    'D1401\\u001b[2J\n'
    """
    return _OBEYED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class _Escaping:
    """A text stream that escapes what is written; everything else is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text; characters that the stream's encoding lacks are written as escapes too."""
        encoding = getattr(self.stream, "encoding", None) or "utf-8"
        # Bytes outside the encoding that were read as such are written as such.
        errors = "surrogateescape" if getattr(self.stream, "errors", "") == "surrogateescape" else "backslashreplace"
        self.stream.write(escaped(text).encode(encoding, errors).decode(encoding, errors))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def escaping() -> Iterator[None]:
    """Escape whatever is printed to stdout and stderr."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, _Escaping(stream)) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def unescaped(stream: TextIO) -> TextIO:
    """Return the stream below, for a progress bar: it moves the cursor."""
    return stream.stream if isinstance(stream, _Escaping) else stream
