"""Terminal output: all printed data, messages and progress pass through here.

Ids, file names and texts come from input. Control characters in them could clear the screen, change
its colours or type on the user's behalf, and bidirectional ones could reorder the text.
"""

import codecs
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from functools import partial
from shutil import get_terminal_size
from time import monotonic
from typing import TYPE_CHECKING, Any, TextIO, TypeVar, cast

from ilpsum.errors import printable
from ilpsum.records.notices import LeftOut

if TYPE_CHECKING:
    from ilpsum.records import BrokenTopic

Item = TypeVar("Item")

# Seconds until the first line of progress, and between later ones.
_SECONDS_TO_FIRST = 5.0
_SECONDS_A_LINE = 30.0
_SECONDS_A_STATUS = 2.0
# Without the time left: a topic, or a step of training, says little of what the next one takes.
_BAR = "{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}]"
_COUNT = "{desc}: {n_fmt} [{elapsed}]"

# Control characters except tab and LF, line separators, bidirectional controls.
_OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

# Cells that a spreadsheet would evaluate as formulas; numbers do not match.
_COMPUTED = re.compile(r"[=@].|[+-](?![\d.,]*(?:[eE][+-]?\d+)?%?$)")


def escaped(text: str) -> str:
    r"""Escape terminal control characters as in JSON: `\u` and four hexadecimal digits.

    >>> escaped("D1401\x1b[2J\n")
    'D1401\\u001b[2J\n'
    """
    return _OBEYED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def cell(text: str) -> str:
    r"""Format a text as a table cell: on one line, with an apostrophe before formulas of
    spreadsheets.

    >>> cell("=cmd|calc!A1"), cell("D1 \n 2"), cell("-0.5")
    ("'=cmd|calc!A1", 'D1 2', '-0.5')
    """
    line = " ".join(text.split())
    return f"'{line}" if _COMPUTED.match(line) else line


def _unencodable(error: UnicodeError, *, keep: bool = False) -> tuple[str | bytes, int]:
    """Encoding error handler: escapes a character, or with `keep` restores the byte behind a lone
    surrogate.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    code = ord(error.object[error.start])
    if keep and 0xDC80 <= code <= 0xDCFF:
        return bytes([code - 0xDC00]), error.start + 1
    return json.dumps(error.object[error.start])[1:-1], error.start + 1


_ESCAPING, _KEEPING = "ilpsum-escaping", "ilpsum-keeping"
codecs.register_error(_ESCAPING, _unencodable)
codecs.register_error(_KEEPING, partial(_unencodable, keep=True))


OUTPUT = "standard output"


def _of_output(error: OSError) -> OSError:
    """Name standard output in an error of writing to it, which the system leaves unnamed."""
    error.filename = OUTPUT
    return error


class _Escaping:
    """A text stream that escapes what is written and delegates everything else to `stream`."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write a text; characters that the stream's encoding lacks are also escaped as in JSON."""
        encoding = getattr(self.stream, "encoding", None) or "utf-8"
        # Undecodable input bytes, kept as surrogates, are written unchanged.
        keeps = getattr(self.stream, "errors", "") == "surrogateescape"
        data = escaped(text).encode(encoding, _KEEPING if keeps else _ESCAPING)
        try:
            self.stream.write(data.decode(encoding, "surrogateescape" if keeps else "strict"))
        except OSError as error:
            raise _of_output(error) from None
        return len(text)

    def flush(self) -> None:
        """Write what is buffered."""
        try:
            self.stream.flush()
        except OSError as error:
            raise _of_output(error) from None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def list_warnings(warnings: Iterable[str], *, quiet: bool) -> int:
    """List warnings on stderr; return the exit status, 1 if files of folders were left out. These
    are named last, even if `quiet`.
    """
    lines = list(warnings)
    left_out = [line for line in lines if isinstance(line, LeftOut)]
    for line in lines:
        if line not in left_out:
            notify(line, quiet)
    for line in left_out:
        notify(line)
    return 1 if left_out else 0


def list_broken(
    broken: "Sequence[BrokenTopic]",
    outcome: str = "cannot be read and is left out",
) -> int:
    """List failed topics and what came of them on stderr, and return the exit status."""
    for topic in broken:
        what = f"skipped {topic.id}" if topic.is_skipped else f"topic {topic.id} {outcome}"
        notify(f"{what}: {topic.error}")
    return 1 if broken else 0


def progress(
    items: Iterable[Item],
    what: str,
    *,
    quiet: bool = False,
) -> Iterable[Item]:
    """Report progress on stderr: with a bar on a terminal, otherwise with a line now and
    then.
    """
    total = len(items) if isinstance(items, Sized) else None
    if quiet or not sys.stderr.isatty():
        return items if quiet else _reported(items, what, total)
    from tqdm import tqdm

    shown = _unescaped(sys.stderr)
    form = _COUNT if total is None else _BAR
    bar = tqdm(items, desc=printable(what), total=total, file=shown, bar_format=form)
    return cast(Iterable[Item], bar)


def _reported(items: Iterable[Item], what: str, total: int | None) -> Iterator[Item]:
    """Yield items, with a progress line after five seconds and every half minute, and one at the
    end.
    """
    began = monotonic()
    due = began + _SECONDS_TO_FIRST
    number, is_told = 0, False
    for number, item in enumerate(items, 1):
        yield item
        now = monotonic()
        if now >= due and number != total:
            due = now + _SECONDS_A_LINE
            is_told = True
            notify(f"{what}: {number:,}{f' of {total:,}' if total else ''}")
    if is_told:
        notify(f"{what}: {number:,} in {monotonic() - began:.0f} s")


class Status:
    """Shows what the program waits for: on a terminal in one line that it rewrites, otherwise in a
    new line every two seconds.
    """

    def __init__(self) -> None:
        self._said = monotonic()

    def __call__(self, text: str) -> None:
        """Show a line, or remove it if it is empty."""
        if sys.stderr.isatty():
            # To the start of the line, erase it; a longer line would wrap and stay.
            width = get_terminal_size().columns - 1
            _unescaped(sys.stderr).write(f"\r\x1b[K{printable(text)[:width]}")
            sys.stderr.flush()
        elif text and monotonic() - self._said >= _SECONDS_A_STATUS:
            self._said = monotonic()
            notify(text)


def notify(text: object, quiet: bool = False) -> None:
    """Print a line on stderr, above any progress bar."""
    if quiet:
        return
    line = printable(f"ilpsum: {text}")
    if "tqdm" in sys.modules:
        sys.modules["tqdm"].tqdm.write(line, file=_unescaped(sys.stderr))
    else:
        print(line, file=sys.stderr)


@contextmanager
def escaping() -> Iterator[None]:
    """Escape all output to stdout and stderr."""
    before = sys.stdout, sys.stderr
    # A closed stream (`>&-`) is None in Python; opening it read-only makes writing to stdout fail
    # with an `OSError`.
    streams = zip(before, (os.O_RDONLY, os.O_WRONLY), strict=True)
    opened = (
        stream or os.fdopen(os.open(os.devnull, flags), "w", encoding="utf-8")
        for stream, flags in streams
    )
    sys.stdout, sys.stderr = (cast(TextIO, _Escaping(stream)) for stream in opened)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def _unescaped(stream: TextIO) -> TextIO:
    """Return the underlying stream, for progress bars, which need control characters."""
    return stream.stream if isinstance(stream, _Escaping) else stream
