"""Errors reported to users, each in one line: where, what is wrong, what was expected, what to
do.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

# Maximum length of a message, which may quote file content.
_LONGEST = 1000
TOO_LONG = "is too long for a path; to use a text, write it to a file"
"""What is wrong with a path whose name is beyond the limit of the file system."""


def printable(text: str) -> str:
    r"""Return a text on one line, with terminal control characters and lone surrogates escaped.

    >>> printable("D1401\x1b[2J\nfell silent")
    'D1401\\x1b[2J fell silent'
    """
    line = " ".join(text.split())
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


def listed(names: Sequence[str], most: int = 5) -> str:
    """Join names for a message, at most `most` of them.

    >>> listed(["Newt", "Toad", "Eft"], most=2)
    'Newt, Toad, ...'
    """
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def joined(names: Iterable[str], last: str = "and") -> str:
    """Join distinct names as in English, at least one.

    >>> joined(["newts", "toads", "efts"]), joined(["newts", "efts"], "or")
    ('newts, toads and efts', 'newts or efts')
    """
    *others, final = dict.fromkeys(names)
    return f"{', '.join(others)} {last} {final}" if others else final


def shortened(text: str, most: int) -> str:
    """Return a text, or if it is longer than `most` characters its first words and dots.

    >>> shortened("newts sing", 8), shortened("newts", 8)
    ('newts ...', 'newts')
    """
    if len(text) <= most:
        return text
    start = text[:most]
    words = start.rpartition(" ")[0]
    # A word of hundreds of letters is cut.
    return f"{words if len(words) > most - 60 else start} ..."


def quoted(words: Iterable[str], last: str = "and") -> str:
    """Join words as `joined` does, each in quotation marks."""
    return joined([f"'{word}'" for word in words], last)


def counted(number: int, noun: str, several: str = "") -> str:
    """Return a number with its noun in the singular or plural.

    >>> counted(1, "source"), counted(2000, "source"), counted(2, "study", "studies")
    ('1 source', '2,000 sources', '2 studies')
    """
    return f"{number:,} {noun if number == 1 else several or f'{noun}s'}"


def ordinal(number: int) -> str:
    """Return an English ordinal such as `3rd`."""
    teens = number // 10 % 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


class IlpsumError(Exception):
    """A failure reported to the user in one line, without a traceback."""


class UsageError(IlpsumError):
    """Wrong usage, such as an unknown name or mutually exclusive options (exit status 2)."""


class ArgumentError(UsageError, ValueError):
    """An invalid argument in Python, also a `ValueError`."""


def require_list(name: str, value: object) -> None:
    """Check an argument: `ArgumentError` if it is a text, whose letters would count as texts."""
    if isinstance(value, str | bytes):
        raise ArgumentError(f"{name}: expected a list of texts, got one text: put it in a list")


class InputError(IlpsumError):
    """Input that cannot be read (exit status 2).

    Args:
        message: what is wrong, what was expected, and what to do, in one line.
        file: file name, `-` for standard input; None if no file applies.
        line: line number, from 1; None if no line applies.
    """

    def __init__(
        self,
        message: str,
        file: str | Path | None = None,
        line: int | None = None,
    ) -> None:
        self.message, self.file, self.line = message, file, line
        place = "standard input" if str(file) == "-" else f"{file}"
        if line is not None:
            place = f"{place}:{line}"
        text = shortened(message, _LONGEST)
        super().__init__(printable(text if file is None else f"{place}: {text}"))

    def __reduce__(self) -> tuple[type["InputError"], tuple[str, str | Path | None, int | None]]:
        # Worker processes pickle errors; by default, unpickling would call __init__ with the
        # complete text.
        return type(self), (self.message, self.file, self.line)


class SkippedTopicError(InputError):
    """A topic that no run can have: it has no id, or that of an earlier topic."""


class ModelError(InputError):
    """A model file that is missing, damaged, of another version, or for another system."""


class ScoresError(InputError):
    """A file of scores of other documents than those of its topics."""


class SolverError(IlpsumError):
    """A solver that is not installed, or that failed."""


class MissingSolverError(SolverError, UsageError):
    """A solver that is not installed (exit status 2)."""
