"""The errors reported to users. Each is one line: where, what is wrong, what was expected, what to do."""

from collections.abc import Sequence
from numbers import Integral
from pathlib import Path

# A message may quote what a file holds.
_LONGEST = 1000


def printable(text: str) -> str:
    r"""Return a text on one line, without characters that a terminal would obey, and without lone surrogates.

    >>> printable("D1401\x1b[2J\nfell silent")
    'D1401\\x1b[2J fell silent'
    """
    line = " ".join(text.split())
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return names for a message, at most so many.

    >>> listed(["Newt", "Toad", "Eft"], most=2)
    'Newt, Toad, ...'
    """
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def counted(number: int, noun: str, several: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "source"), counted(2000, "source"), counted(2, "study", "studies")
    ('1 source', '2,000 sources', '2 studies')
    """
    return f"{number:,} {noun if number == 1 else several or f'{noun}s'}"


class IlpsumError(Exception):
    """A failure reported to the user in one line, without a traceback."""


class UsageError(IlpsumError):
    """Wrong usage, such as an unknown name or options that exclude each other (exit status 2)."""


class ArgumentError(UsageError, ValueError):
    """A wrong argument in Python, also a `ValueError`."""


def require_whole(name: str, value: object) -> None:
    """Check an argument: `ArgumentError` unless it is a whole number, 1 or more."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ArgumentError(f"{name}: expected a whole number, 1 or more, got {value!r:.60}")


class InputError(IlpsumError):
    """Input that cannot be read (exit status 2).

    Args:
        message: what is wrong, what was expected, and what to do about it, in one line.
        file: the file.
        line: the line, from 1; None if no line applies.
    """

    def __init__(self, message: str, file: str | Path | None = None, line: int | None = None) -> None:
        self.message, self.file, self.line = message, file, line
        place = "" if file is None else f"{file}: " if line is None else f"{file}:{line}: "
        super().__init__(printable(place + message[:_LONGEST]))

    def __reduce__(self) -> tuple[type["InputError"], tuple[str, str | Path | None, int | None]]:
        # Worker processes pickle their errors; the default would call __init__ with the finished text.
        return type(self), (self.message, self.file, self.line)


class SecondTopicError(InputError):
    """A topic whose id an earlier topic had."""


class ModelError(InputError):
    """A model file that is missing, damaged, of another version, or made for another system."""


class SolverError(IlpsumError):
    """A solver that is not installed or failed."""
