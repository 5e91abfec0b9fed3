"""Limits of a format of runs, in addition to the user's word limit."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ilpsum.errors import UsageError


@dataclass(frozen=True)
class FormatLimits:
    """Limits of a format, all of which become constraints of the selection.

    A summary has one sentence a line. Where `bytes` or `count` measures the line ends too, every sentence costs its own
    length and one line end, and the limit grows by the one that the last sentence lacks.

    Attributes:
        words: most words (`str.split`), or None.
        sentences: most sentences, or None.
        bytes: most bytes of the text in UTF-8, line ends and labels included; None for no limit.
        count: returns a sentence's length as the format counts it; None if it counts only words.
        count_limit: most of that length in total.
        allows: returns whether a candidate may be chosen; None if the format allows all.

    Raises:
        UsageError: `bytes` beside `count`.
    """

    words: int | None = None
    sentences: int | None = None
    bytes: int | None = None
    count: Callable[[str], int] | None = None
    count_limit: int = 0
    allows: Callable[[str], bool] | None = None

    def __post_init__(self) -> None:
        if self.bytes is not None and self.count is not None:
            raise UsageError("the format has a length limit of its own; leave out the limit in bytes")

    def holds(self, text: str, labels: Iterable[str] = ()) -> bool:
        """Whether a text of one sentence keeps `bytes` or `count_limit`."""
        lengths, most = self.lengths([text], labels)
        return most is None or sum(lengths) <= most

    def lengths(self, sentences: Iterable[str], labels: Iterable[str] = ()) -> tuple[tuple[int, ...], int | None]:
        """Return what each sentence adds to the length that the format counts, and the most of their sum.

        Room is kept for `labels`, each of which is printed at most once. Without such a limit: nothing, and None.
        """
        count, limit = (self.count, self.count_limit) if self.bytes is None else (_bytes, self.bytes)
        if count is None:
            return (), None
        line_end = max(0, count("x\nx") - 2 * count("x"))
        most = limit + line_end - sum(map(count, labels))
        return tuple(count(text) + line_end for text in sentences), max(0, most)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
