"""Registry of run formats: one record each, with its limits, its writer and its check."""

import importlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from features.registry import Registry, UnknownNameError, suggested
from ilpsum.errors import UsageError
from ilpsum.pipeline.citing import is_sentence
from ilpsum.pipeline.options import FormatLimits
from ilpsum.runs.biogen_rules import EMAIL, SAFE_SENTENCES_2024, WORDS_2024, WORDS_2025, allows_2024, words_2024

if TYPE_CHECKING:
    from ilpsum.runs.writer import RunWriter

Paths = Path | Sequence[Path]
"""A file or folder, or several."""

DEFAULT_SYSTEM = "concepts"
"""Default system."""
RUN_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]*[1-5]")
"""Name of a TAC run: a team id followed by a run number."""


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
    """A run format.

    Attributes:
        name: the value of `--to` and `--as`.
        limits: limits of the format, applied as constraints of the selection.
        default_words: default word limit for a format without its own.
        cites: whether answers cite PMIDs; their sentences are then cleaned for readers.
        contact: whether a run contains a contact address.
        stem, cut: default scoring options: whether to stem, and the number of words kept of each text (None: all).
        writer_name, check_name: `module:name` of the `RunWriter` and of the check; empty if there is none.
    """

    name: str
    limits: FormatLimits = field(default_factory=FormatLimits)
    default_words: int = 250
    cites: bool = False
    contact: bool = False
    stem: bool = False
    cut: int | None = None
    writer_name: str = ""
    check_name: str = ""

    @property
    def words(self) -> int:
        """The default word limit: the format's maximum if it has one."""
        return self.limits.words or self.default_words

    @property
    def writer(self) -> "type[RunWriter]":
        """The writer class, imported on first use."""
        if not self.writer_name:
            raise UsageError(f"summaries cannot be written in the format {self.name}; choose {', '.join(WRITTEN)}")
        writer: type[RunWriter] = _load(self.writer_name)
        return writer

    def start(self, out: str | Path, name: str, *, contact_email: str | None = None, **options: Any) -> "RunWriter":
        """Start writing a run; arguments as for `RunWriter`, plus the contact address for formats that have one.

        Raises:
            UsageError: the contact address is invalid or not part of the format; also as for `RunWriter`.
        """
        if contact_email is not None:
            if not self.contact:
                raise UsageError(f"run.contact_email is for biogen-2024 runs; {self.name} runs have no contact address")
            if not EMAIL.fullmatch(contact_email):
                raise UsageError(f"run.contact_email: expected an e-mail address, got {contact_email!r}")
            options["contact_email"] = contact_email
        return self.writer(out, name, **options)

    def check(self, path: Path, *, topics: Paths | None = None, pmids: Path | None = None) -> list[Finding]:
        """Return the errors and warnings of a run in this format.

        `topics`: files of the topics to answer; `pmids`: file of the PMIDs that may be cited, one per line. Both are
        optional.

        Raises:
            InputError: the run, the topics or the PMIDs cannot be read.
            UsageError: the format has no check, or PMIDs are given but the format has no citations.
        """
        if not self.check_name:
            raise UsageError(f"runs of the format {self.name} cannot be checked; choose {', '.join(CHECKED)}")
        options = {"topics": topics}
        if self.cites:
            options["pmids"] = pmids
        elif pmids is not None:
            raise UsageError(f"--pmids is for runs that cite PMIDs; {self.name} runs do not")
        findings: list[Finding] = _load(self.check_name)(path, **options)
        return findings


FORMATS: Registry[Format] = Registry("format of a run", group="ilpsum.writers")


def _own(name: str, writer: str = "", check: str = "", **options: Any) -> None:
    """Register a format whose writer and check are in this package."""
    writer, check = (f"ilpsum.runs.{place}" if place else "" for place in (writer, check))
    FORMATS.add(name, Format(name, writer_name=writer, check_name=check, **options))


_BIOGEN_2024 = FormatLimits(
    words=WORDS_2024, sentences=SAFE_SENTENCES_2024, count=words_2024, count_limit=WORDS_2024, allows=allows_2024
)
_BIOGEN_2025 = FormatLimits(words=WORDS_2025, allows=is_sentence)

_own("tac", "tac:TacWriter", "tac:check", limits=FormatLimits(words=250), stem=True, cut=250)
_own("bioasq", "bioasq:BioasqWriter", "bioasq:check", limits=FormatLimits(words=200))
_own("biogen-2024", "biogen:BiogenWriter2024", "biogen:check_2024", limits=_BIOGEN_2024, cites=True, contact=True)
_own("biogen-2025", "biogen:BiogenWriter2025", "biogen:check_2025", limits=_BIOGEN_2025, cites=True)
_own("jsonl", "jsonl:JsonlWriter")
_own("task1", check="task1:check")

WRITTEN = tuple(name for name in FORMATS.own if FORMATS[name].writer_name)
"""Built-in formats with a writer; other packages may add some."""
CHECKED = tuple(name for name in FORMATS.own if FORMATS[name].check_name)
"""Built-in formats with a check; other packages may add some."""

# Default run format by topic format.
_OUTPUT_OF = {"tac": "tac", "scisumm": "tac", "bioasq": "bioasq", "biogen": "biogen-2025"}


def chosen(name: str, known: Sequence[str]) -> Format:
    """Return a format; `UnknownNameError` lists only `known` (WRITTEN or CHECKED) and those of other packages."""
    if name in FORMATS:
        return FORMATS[name]
    names = [each for each in FORMATS if each in known or each not in (*WRITTEN, *CHECKED)]
    there = f"there are: {', '.join(names)}{suggested(name, names)}"
    raise UnknownNameError(f"unknown {FORMATS.kind} {name[:100]!r}; {there}")


def default_output(form: str) -> Format:
    """Return the default run format for a topic format."""
    return FORMATS[_OUTPUT_OF.get(form, "jsonl")]


def _load(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)
