"""Registry of formats: one record each, with its reader, its limits, its writer and its check.

A reader is a module that defines

- `recognises(path)`: whether a path looks like the format, judged by names and the first bytes; it never raises;
- `OPTIONS`: the names of the `ReaderOptions` that it accepts;
- `read(path, *, option=...)`: a lazy iterator of topics, so that a million topics need the memory of a few. A topic
  that cannot be read is yielded as a `BrokenTopic` and reading continues; another input format raises `InputError`.
  A topic whose id is known in advance may be yielded as a `PendingTopic`, which a worker process can load.

A writer is a class, `ilpsum.formats.writing.FormatWriter`; a check is a function that returns `Finding`s.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from features.registry import Registry, UnknownNameError, suggested
from ilpsum.errors import UsageError
from ilpsum.formats.biogen.rules import EMAIL, OF_2024, OF_2025
from ilpsum.formats.limits import FormatLimits
from ilpsum.records import Incoming

if TYPE_CHECKING:
    from ilpsum.formats.writing import FormatWriter

Paths = Path | Sequence[Path]
"""A file or folder, or several."""

RUN_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]*[1-5]")
"""Name of a TAC run: a team id followed by a run number."""


class Reader(Protocol):
    """A reader module."""

    OPTIONS: tuple[str, ...]
    recognises: Callable[[Path], bool]
    read: Callable[..., Iterator[Incoming]]


@dataclass(frozen=True, slots=True)
class Finding:
    """An error or warning of a check: its place and a message. Warnings do not make a run invalid."""

    place: str
    message: str
    warning: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {'warning: ' if self.warning else ''}{self.message}"


@dataclass(frozen=True)
class Format:
    """A format of topics, of runs, or of both.

    Attributes:
        name: the value of `--from`, `--to` and `--as`.
        looks: how its topics are recognised, for an error message.
        reader_name: the reader's module; empty if topics have another format.
        output: the default format of runs for its topics.
        limits: limits of the format, applied as constraints of the selection.
        cites: whether answers cite PMIDs; their sentences are then cleaned for readers.
        contact: whether a run contains a contact address.
        stem, cut: default scoring options: whether to stem, and the number of words kept of each text (None: all).
        writer_name, check_name: `module:name` of the writer and of the check; empty if there is none.
    """

    name: str
    looks: str = ""
    reader_name: str = ""
    output: str = "jsonl"
    limits: FormatLimits = FormatLimits()  # noqa: RUF009
    cites: bool = False
    contact: bool = False
    stem: bool = False
    cut: int | None = None
    writer_name: str = ""
    check_name: str = ""

    @property
    def words(self) -> int:
        """The default word limit: the format's maximum if it has one, else 250."""
        return self.limits.words or 250

    @property
    def reader(self) -> Reader:
        """The reader, imported on first use."""
        return cast(Reader, self._part(self.reader_name, "topics cannot be read in", READ))

    @property
    def writer(self) -> "type[FormatWriter]":
        """The writer class, imported on first use."""
        return cast("type[FormatWriter]", self._part(self.writer_name, "summaries cannot be written in", WRITTEN))

    def start(self, name: str, contact_email: str | None = None) -> "FormatWriter":
        """Return a writer of the run `name`; `UsageError` for a contact address or name that the format cannot use."""
        if contact_email is not None and not self.contact:
            raise UsageError(f"run.contact_email is for biogen-2024 runs; {self.name} runs have no contact address")
        if contact_email is not None and not EMAIL.fullmatch(contact_email):
            raise UsageError(f"run.contact_email: expected an e-mail address, got {contact_email!r}")
        return self.writer(name, contact_email or "")

    def check(self, path: Path, *, topics: Paths | None = None, pmids: Path | None = None) -> list[Finding]:
        """Return the errors and warnings of a run in this format.

        `topics`: files of the topics to answer; `pmids`: file of the PMIDs that may be cited, one per line. Both are
        optional.

        Raises:
            InputError: the run, the topics or the PMIDs cannot be read.
            UsageError: the format has no check, or PMIDs are given but the format has no citations.
        """
        check = self._part(self.check_name, "runs cannot be checked in", CHECKED)
        if pmids is not None and not self.cites:
            raise UsageError(f"--pmids is for runs that cite PMIDs; {self.name} runs do not")
        return cast(list[Finding], check(path, topics=topics, **({"pmids": pmids} if self.cites else {})))

    def _part(self, place: str, what: str, known: Sequence[str]) -> Any:
        if not place:
            raise UsageError(f"{what} the format {self.name}; choose {', '.join(known)}")
        module, _, member = place.partition(":")
        found = import_module(module)
        return getattr(found, member) if member else found


FORMATS: Registry[Format] = Registry("format", group="ilpsum.formats")
"""All formats; readers are tried in this order. Another package registers a `Format` by an entry point."""


# How the topics of each format are recognised, for the error message.
_LOOKS = {
    "tac": "a topic folder with Annotation/ and Documents_Text/, a folder or .tar.gz of such, or `Topic ID: ...` lines",
    "scisumm": "a topic folder with Reference_XML/ and annotation/, or a folder or .tar.gz of such",
    "bioasq": '.json with "questions"',
    "biogen": '.json of topics with "question" and "narrative"',
    "duc": "*topics*.sgml beside its folders of documents",
    "jsonl": '.jsonl with "id" and "documents"',
}


def _own(name: str, reader: str = "", writer: str = "", check: str = "", words: int | None = None, **more: Any) -> None:
    """Register a format whose reader, writer and check are modules and members of modules in this package."""
    reader, writer, check = (f"{__package__}.{place}" if place else "" for place in (reader, writer, check))
    more = {"limits": FormatLimits(words=words), "looks": _LOOKS.get(name, ""), **more}
    FORMATS.add(name, Format(name, reader_name=reader, writer_name=writer, check_name=check, **more))


_own("tac", "tac.reading", "tac.runs:TacWriter", "tac.runs:check", 250, output="tac", stem=True, cut=250)
_own("scisumm", "scisumm", output="tac")
_own("bioasq", "bioasq", "bioasq:BioasqWriter", "bioasq:check", 200, output="bioasq")
_own("biogen", "biogen.reading", output="biogen-2025")
_own("biogen-2024", "", "biogen.runs:Writer2024", "biogen.runs:check_2024", limits=OF_2024, cites=True, contact=True)
_own("biogen-2025", "", "biogen.runs:Writer2025", "biogen.runs:check_2025", limits=OF_2025, cites=True)
_own("duc", "duc")
_own("jsonl", "jsonl", "jsonl:JsonlWriter")
_own("task1", check="task1:check")

READ, WRITTEN, CHECKED = (
    tuple(name for name in FORMATS.own if getattr(FORMATS[name], part))
    for part in ("reader_name", "writer_name", "check_name")
)
"""Built-in formats with a reader, a writer and a check; other packages may add some."""


def chosen(name: str, known: Sequence[str]) -> Format:
    """Return a format; `UnknownNameError` lists only `known` (READ, WRITTEN or CHECKED) and those of other packages."""
    if name in FORMATS:
        return FORMATS[name]
    names = [each for each in FORMATS if each in known or each not in (*READ, *WRITTEN, *CHECKED)]
    there = f"there are: {', '.join(names)}{suggested(name, names)}"
    raise UnknownNameError(f"unknown {FORMATS.kind} {name[:100]!r}; {there}")


def default_output(form: str) -> Format:
    """Return the default format of runs for a format of topics."""
    return FORMATS[FORMATS[form].output]
