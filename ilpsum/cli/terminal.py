"""What is printed: the one place through which everything goes to the terminal, whatever the input held.

Ids, file names and texts come from input. A control character in them could clear the screen, change its colours or
type on the user's behalf, and a bidirectional one could reorder what is read.
"""

import codecs
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TextIO, cast

# Control characters but for tabs and line ends, line separators, bidirectional controls.
_OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

# What is no number but would be computed.
_COMPUTED = re.compile(r"[=@].|[+-](?![\d.,]*(?:[eE][+-]?\d+)?%?$)")


def escaped(text: str) -> str:
    r"""Escape the characters that control a terminal as JSON does: `\u` and four hexadecimal digits.

    >>> escaped("D1401\x1b[2J\n")
    'D1401\\u001b[2J\n'
    """
    return _OBEYED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def cell(text: str) -> str:
    r"""Return a text as a cell of a table: on one line, with an apostrophe before what a spreadsheet would compute.

    >>> cell("=cmd|calc!A1"), cell("D1 \n 2"), cell("-0.5")
    ("'=cmd|calc!A1", 'D1 2', '-0.5')
    """
    line = " ".join(text.split())
    return f"'{line}" if _COMPUTED.match(line) else line


def _unencodable(error: UnicodeError, *, keep: bool = False) -> tuple[str | bytes, int]:
    """Return the escapes of what an encoding lacks, or the byte that a lone surrogate stands for (see `codecs`)."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    code = ord(error.object[error.start])
    if keep and 0xDC80 <= code <= 0xDCFF:
        return bytes([code - 0xDC00]), error.start + 1
    return json.dumps(error.object[error.start])[1:-1], error.start + 1


_ESCAPING, _KEEPING = "ilpsum-escaping", "ilpsum-keeping"
codecs.register_error(_ESCAPING, _unencodable)
codecs.register_error(_KEEPING, partial(_unencodable, keep=True))


class _Escaping:
    """A text stream that escapes what is written; everything else is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text; characters that the stream's encoding lacks are written as escapes too, as in JSON."""
        encoding = getattr(self.stream, "encoding", None) or "utf-8"
        # Bytes outside the encoding that were read as such are written as such.
        keeps = getattr(self.stream, "errors", "") == "surrogateescape"
        data = escaped(text).encode(encoding, _KEEPING if keeps else _ESCAPING)
        self.stream.write(data.decode(encoding, "surrogateescape" if keeps else "strict"))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def escaping() -> Iterator[None]:
    """Escape whatever is printed to stdout and stderr."""
    before = sys.stdout, sys.stderr
    # Python has None for a stream that is closed (`>&-`): to write on standard output is then an error of the system.
    streams = zip(before, (os.O_RDONLY, os.O_WRONLY), strict=True)
    opened = (stream or os.fdopen(os.open(os.devnull, flags), "w", encoding="utf-8") for stream, flags in streams)
    sys.stdout, sys.stderr = (cast(TextIO, _Escaping(stream)) for stream in opened)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def unescaped(stream: TextIO) -> TextIO:
    """Return the stream below, for a progress bar: it moves the cursor."""
    return stream.stream if isinstance(stream, _Escaping) else stream
