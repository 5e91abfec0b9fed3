"""Length limits of a run format, in addition to the user's word limit."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ilpsum.errors import UsageError


@dataclass(frozen=True)
class FormatLimits:
    """Limits of a run format, added to the selection as constraints.

    A summary has one sentence per line. If `bytes` or `count` includes line ends, each sentence costs its length plus
    one line end, and the limit grows by one line end, which the last sentence lacks.

    Attributes:
        words: maximum number of words (`str.split`); None for no limit.
        sentences: maximum number of sentences; None for no limit.
        bytes: maximum size of the text in bytes of UTF-8, line ends included; None for no limit.
        count: returns a sentence's length in the format's unit; None if the format counts only words.
        count_limit: maximum total of `count`.
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

    def holds(self, text: str) -> bool:
        """Whether a text of one sentence is within `bytes` or `count_limit`."""
        lengths, most = self.lengths([text])
        return most is None or sum(lengths) <= most

    def lengths(self, sentences: Iterable[str]) -> tuple[tuple[int, ...], int | None]:
        """Return each sentence's length in the format's unit, line end included, and the limit of their sum.

        Without a limit, returns an empty tuple and None.
        """
        count, limit = (self.count, self.count_limit) if self.bytes is None else (_bytes, self.bytes)
        if count is None:
            return (), None
        line_end = max(0, count("x\nx") - 2 * count("x"))
        return tuple(count(text) + line_end for text in sentences), limit + line_end


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
