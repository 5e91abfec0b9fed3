"""Regular expressions that are compiled on first use.

For modules whose patterns take a millisecond or more: a program needs few of them, and should not
wait for all at its start.
"""

import re
from functools import cached_property
from typing import Any, cast


def regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that is compiled when one of its attributes is first read.

    >>> regex("newts?").sub("eft", "newts sing")
    'eft sing'
    """
    return cast(re.Pattern[str], LazyPattern(pattern, flags))


class LazyPattern:
    """A pattern as `re.compile` returns it, `compiled` on first use."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._source = pattern, flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern."""
        return re.compile(*self._source)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.compiled, name)
        setattr(self, name, value)
        return value
