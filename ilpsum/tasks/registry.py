"""The registry of formats.

The module of a format has its reader, limits, writer and check, and a `Format` of them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from features.registry import Registry, UnknownNameError, unknown
from ilpsum.errors import UsageError
from ilpsum.files.start import Start
from ilpsum.records import Incoming

if TYPE_CHECKING:
    from ilpsum.tasks.submissions import Finding, FormatWriter

Paths = Path | Sequence[Path]
"""A file or folder, or several."""

RUN_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]*[1-5]")
"""Name of a TAC run: a team id followed by a run number."""


@dataclass(frozen=True)
class FormatLimits:
    """Length limits of a run format, added to the selection as constraints, besides the user's word
    limit.

    A summary has one sentence per line. If `bytes` or `count` includes line ends, each sentence
    costs its length plus one line end, and the limit grows by one line end, which the last sentence
    lacks.

    Attributes:
        words: maximum number of words (`str.split`); None for no limit.
        sentences: maximum number of sentences; None for no limit.
        bytes: maximum size of the text in bytes of UTF-8, line ends between sentences included;
            None for no limit.
        count: returns a sentence's length in the format's unit; None if the format counts only
            words.
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
            raise UsageError(
                "the format has a length limit of its own; leave out the limit in bytes"
            )

    def holds(self, text: str) -> bool:
        """Whether a text of one sentence is within `bytes` or `count_limit`."""
        lengths, most = self.lengths([text])
        return most is None or sum(lengths) <= most

    def lengths(
        self,
        sentences: Iterable[str],
        labels: Iterable[str] = (),
    ) -> tuple[tuple[int, ...], int | None]:
        """Return each sentence's length in the format's unit, line end included, and the limit of
        their sum.

        The limit leaves room for each of `labels` once. Without a limit, returns an empty tuple and
        None.
        """
        count, limit = (
            (self.count, self.count_limit) if self.bytes is None else (_bytes, self.bytes)
        )
        if count is None:
            return (), None
        line_end = max(0, count("x\nx") - 2 * count("x"))
        most = limit + line_end - sum(map(count, labels))
        return tuple(count(text) + line_end for text in sentences), max(0, most)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _lacking(*_: object, **__: object) -> Any:
    raise UsageError("this format cannot be read, written or checked; choose another")


@dataclass(frozen=True)
class Reader:
    """Reads topics.

    Attributes:
        recognises: whether a path looks like the format, judged by names and the first bytes; it
            never raises.
        read: yields the topics of a path lazily. A topic that cannot be read is a `BrokenTopic`,
            and reading continues; another input format raises `InputError`. A topic whose id is
            known in advance may be a `PendingTopic`, which a worker process can load.
        options: names of the `ReaderOptions` that `read` accepts.
        looks: what `recognises` looks for, for an error message.
        searched: whether topics have no documents, so that abstracts are searched for them
            (`--documents`).
        gold: whether topics have gold summaries alone, so that they are guessed for gold only.
    """

    recognises: Callable[[Start], bool] = lambda _: False
    read: Callable[..., Iterator[Incoming]] = _lacking
    options: tuple[str, ...] = ()
    looks: str = ""
    searched: bool = False
    gold: bool = False


@dataclass(frozen=True)
class Format:
    """A format of topics, of runs, or of both.

    Attributes:
        name: the value of `--from`, `--to` and `--as`.
        reader: reads topics.
        writer: makes a writer from a run's name and, where the format has one, a contact address
            (None if not given).
        texts: yields topic, text and warning of each answer of a written run; `InputError` if one
            is damaged.
        checker: returns the errors and warnings of a run, as `check` does.
        output: the default format of runs for its topics.
        limits: limits of the format, applied as constraints of the selection.
        cites: whether answers cite PMIDs; their sentences are then cleaned for readers.
        stem, cut: default scoring options: whether to stem, and the number of words kept of each
            text (None: all).
    """

    name: str
    reader: Reader = Reader()
    writer: "Callable[..., FormatWriter]" = _lacking
    texts: Callable[[Path], Iterator[tuple[str, str, str]]] = _lacking
    checker: "Callable[..., list[Finding]]" = _lacking
    output: str = "jsonl"
    limits: FormatLimits = FormatLimits()
    cites: bool = False
    stem: bool = False
    cut: int | None = None

    @property
    def words(self) -> int:
        """The default word limit: the format's maximum if it has one, else 250."""
        return self.limits.words or 250

    def check(
        self,
        path: Path,
        *,
        topics: Paths | None = None,
        pmids: Path | None = None,
    ) -> "list[Finding]":
        """Return the errors and warnings of a run in this format.

        `topics`: files of the topics to answer; `pmids`: file of the PMIDs that may be cited, one
        per line. Both are optional.

        Raises:
            InputError: the run, the topics or the PMIDs cannot be read.
            UsageError: the format has no check, or PMIDs are given but the format has no citations.
        """
        if pmids is not None and not self.cites:
            raise UsageError(f"--pmids is for runs that cite PMIDs; {self.name} runs do not")
        return self.checker(path, topics=topics, **({"pmids": pmids} if self.cites else {}))


FORMATS: Registry[Format] = Registry("format", group="ilpsum.formats")
"""All formats; readers are tried in this order.

Another package registers a `Format` by an entry point.
"""

for _name, _place in {
    "tac": "tac:TAC", "scisumm": "scisumm:SCISUMM", "bioasq": "bioasq:BIOASQ",
    "biogen": "biogen:TOPICS",
    "biogen-2024": "biogen:OF_2024", "biogen-2025": "biogen:OF_2025",
    "jsonl": "jsonl:JSONL",
    "references": "references:REFERENCES",
    "task1": "task1:TASK1",
}.items():  # fmt: skip
    FORMATS.add_lazily(_name, f"{__package__}.{_place}")

# Built-in formats with a reader, a writer and a check; parsers of the command line name them
# without importing them.
READ = ("tac", "scisumm", "bioasq", "biogen", "jsonl", "references")
WRITTEN = ("tac", "bioasq", "biogen-2024", "biogen-2025", "jsonl")
CHECKED = ("tac", "bioasq", "biogen-2024", "biogen-2025", "task1")


def chosen(name: str, names: Sequence[str]) -> Format:
    """Return a format of `names` (READ, WRITTEN or CHECKED) or of another package; else
    `UnknownNameError`.
    """
    ours = {*READ, *WRITTEN, *CHECKED}
    if name in names:
        return FORMATS[name]
    if name in FORMATS and name not in ours:
        _ = FORMATS[name]  # raises if it cannot be loaded
    plugins = [form for form, _ in FORMATS.loadable() if form not in ours]
    if names is not READ:
        # Many plug-ins only read.
        part = "writer" if names is WRITTEN else "checker"
        plugins = [form for form in plugins if getattr(FORMATS[form], part) is not _lacking]
    if name not in plugins:
        raise UnknownNameError(unknown(FORMATS.kind, name, [*names, *plugins]))
    return FORMATS[name]


def default_output(form: str) -> Format:
    """Return the default format of runs for a format of topics."""
    return FORMATS[FORMATS[form].output]
