"""How `ask` and `summarize` print an answer or a summary, and write its page and its provenance."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ilpsum.api.asking import FORMS, STYLED, Answered, Form
from ilpsum.cli.terminal import notify
from ilpsum.errors import UsageError
from ilpsum.io.atomic import require_place, write_errors, write_file
from ilpsum.io.files import real


def add_output(parser: argparse.ArgumentParser, title: str) -> None:
    """Add the options of the form of an answer."""
    group = parser.add_argument_group(title)
    one = group.add_mutually_exclusive_group().add_argument
    one("--html", metavar="FILE", help="also write a page: the text beside its sources, and what was left out")
    one("--json", action="store_true", help="print one JSON object")
    one("--markdown", action="store_true", help="print Markdown")
    for form, name in (("ris", "RIS"), ("bibtex", "BibTeX"), ("csl", "CSL JSON")):
        one(f"--{form}", action="store_true", help=f"print the quoted sources in {name}, for a reference manager")
    group.add_argument("--references", choices=("vancouver",), help="list the sources in this style (text, Markdown)")
    group.add_argument("--provenance", metavar="FILE", help="also write the provenance")


@dataclass(frozen=True, slots=True)
class Output:
    """Where an answer goes, and in which form.

    Attributes:
        form: one of `FORMS`.
        vancouver: whether sources are listed in Vancouver style.
        html, provenance: files to write too; None for none.
        quiet: whether to leave out warnings.
    """

    form: Form
    vancouver: bool
    html: Path | None
    provenance: Path | None
    quiet: bool

    @classmethod
    def of(cls, options: argparse.Namespace) -> "Output":
        """Return the output that options ask for; `UsageError` if one of its files cannot be written."""
        html, provenance = (Path(name) if name else None for name in (options.html, options.provenance))
        if html and provenance and real(html) == real(provenance):
            raise UsageError(f"--html and --provenance both name {html}; name two files")
        if html:
            require_place(html, "--html")
        if provenance:
            require_place(provenance, "--provenance", "provenance")
        form = next((form for form in FORMS[1:] if getattr(options, form)), FORMS[0])
        if options.references and form not in STYLED:
            raise UsageError("--references is for text and Markdown; leave it out")
        return cls(form, bool(options.references), html, provenance, options.quiet)

    def require_no_name(self, files: Sequence[str]) -> None:
        """Refuse what may be the name of an output among the texts."""
        absent = next((name for name in files if name != "-" and not Path(name).exists()), None)
        if absent and self.form in FORMS[1:]:
            raise UsageError(
                f"{absent}: no such file; --{self.form} prints, so to write a file: --{self.form} > {absent}"
            )

    @property
    def explained(self) -> bool:
        """Whether a reader sees the reasons of an answer."""
        return self.form == "json" or self.html is not None or self.provenance is not None

    def write(self, answered: Answered) -> None:
        """Print the answer, and write its files."""
        for line in answered.summary.warnings:
            notify(line, self.quiet)
        print(answered.printed(self.form, vancouver=self.vancouver), end="")
        if self.html:
            _write(self.html, answered.page().encode())
        if self.provenance:
            _write(self.provenance, answered.provenance())


def _write(path: Path, data: bytes) -> None:
    with write_errors(path):
        write_file(path, data)
