"""Limits of a format of runs, in addition to the user's word limit."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class FormatLimits:
    """Limits of a format, all of which become constraints of the selection.

    Attributes:
        words: most words (`str.split`), or None.
        sentences: most sentences, or None.
        count: returns a sentence's length as the format counts it; None if it counts only words.
        count_limit: most of that length in total.
        allows: returns whether a candidate may be chosen; None if the format allows all.
    """

    words: int | None = None
    sentences: int | None = None
    count: Callable[[str], int] | None = None
    count_limit: int = 0
    allows: Callable[[str], bool] | None = None
