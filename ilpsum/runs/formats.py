"""The formats of runs: one record each, with its limits, its writer and its check."""

import importlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from features.registry import Registry
from ilpsum.errors import UsageError
from ilpsum.pipeline.citing import is_sentence
from ilpsum.pipeline.limits import FormatLimits
from ilpsum.runs.biogen_rules import EMAIL, SAFE_SENTENCES_2024, WORDS_2024, WORDS_2025, allows_2024, words_2024

if TYPE_CHECKING:
    from ilpsum.runs.writer import RunWriter

Paths = Path | Sequence[Path]
"""A file or folder, or several."""

DEFAULT_SYSTEM = "concepts"
"""The system unless another is named."""
RUN_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]*[1-5]")
"""The name of a run of TAC: a team id followed by a run number."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An error or a warning of a check: its place, what is wrong and what is expected. With warnings a run is valid."""

    place: str
    message: str
    warning: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {'warning: ' if self.warning else ''}{self.message}"


@dataclass(frozen=True)
class Format:
    """A format of runs.

    Attributes:
        name: the value of `--to` and `--as`.
        limits: what the format allows; constraints of the selection.
        default_words: the word limit unless another is given, if the format has none.
        cites: whether answers cite PMIDs and are cleaned for a reader.
        contact: whether a run names a contact address.
        stem, cut: how its summaries are scored unless options say otherwise: by stems, and only so many words of each
            text (None: whole texts).
        writer_name, check_name: `module:name` of a `RunWriter` and of a check, or empty if there is none.
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
        """The word limit unless another is given: the most that the format allows."""
        return self.limits.words or self.default_words

    @property
    def writer(self) -> "type[RunWriter]":
        """The writer; imported on first use."""
        if not self.writer_name:
            raise UsageError(f"summaries cannot be written in the format {self.name}; choose {', '.join(WRITTEN)}")
        writer: type[RunWriter] = _load(self.writer_name)
        return writer

    def start(self, out: str | Path, name: str, *, contact_email: str | None = None, **options: Any) -> "RunWriter":
        """Return the writer of a run; arguments as for `RunWriter`, and the contact address if the run names one.

        Raises:
            UsageError: the address is not an e-mail address, or runs of this format have none; and as for `RunWriter`.
        """
        if contact_email is not None:
            if not self.contact:
                raise UsageError(f"--contact-email is for biogen-2024 runs; {self.name} runs have no contact address")
            if not EMAIL.fullmatch(contact_email):
                raise UsageError(f"--contact-email: expected an e-mail address, got {contact_email!r}")
            options["contact_email"] = contact_email
        return self.writer(out, name, **options)

    def check(self, path: Path, *, topics: Paths | None = None, pmids: Path | None = None) -> list[Finding]:
        """Return the errors and warnings of a run in this format, in the order of their places.

        `topics` are those that the run answers, in one file or several, and `pmids` has the PMIDs that it may cite, one
        a line, if known.

        Raises:
            InputError: the run, the topics or the PMIDs cannot be read.
            UsageError: PMIDs were given and answers in this format cite none.
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
_own("mediqa", "mediqa:MediqaWriter", "mediqa:check", default_words=500)
_own("jsonl", "jsonl:JsonlWriter")
_own("task1", check="task1:check")

WRITTEN = tuple(name for name in FORMATS.own if FORMATS[name].writer_name)
"""The formats of ilpsum that summaries can be written in; other packages may add some."""
CHECKED = tuple(name for name in FORMATS.own if FORMATS[name].check_name)
"""The formats of ilpsum that runs can be checked for; other packages may add some."""

# The format of a run unless another is named, by the format of its topics.
_OUTPUT_OF = {"tac": "tac", "scisumm": "tac", "bioasq": "bioasq", "biogen": "biogen-2025", "mediqa": "mediqa"}


def default_output(form: str) -> Format:
    """Return the output format for topics of a format."""
    return FORMATS[_OUTPUT_OF.get(form, "jsonl")]


def _load(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)
