"""What the format of a run allows beside the user's word limit."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class FormatLimits:
    """Limits of a format. All become constraints of the selection; nothing is cut afterwards.

    Attributes:
        words: most words (`str.split`), or None.
        sentences: most sentences, or None.
        count: the length of a sentence as the format counts it, or None if it counts only words.
        count_limit: most of that length in all.
        splits: the number of sentences that the format sees in a candidate; candidates with more than one are excluded.
            None if the format does not count sentences.
    """

    words: int | None = None
    sentences: int | None = None
    count: Callable[[str], int] | None = None
    count_limit: int = 0
    splits: Callable[[str], int] | None = None
