"""Output of `ask` and `summarize`: prints an answer, and writes its page and provenance."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from ilpsum.api.asking import PRINTED, Answered, Form
from ilpsum.cli.terminal import notify
from ilpsum.errors import UsageError
from ilpsum.files.atomic import require_place, write_errors, write_file
from ilpsum.files.reading import real


def add_output(parser: argparse.ArgumentParser, title: str) -> None:
    """Add the output options of an answer."""
    group = parser.add_argument_group(title)
    one = group.add_mutually_exclusive_group().add_argument
    one("--html", metavar="FILE", help="also write a page with the text, its sources and the sentences left out")
    one("--json", action="store_true", help="print one JSON object")
    one("--markdown", action="store_true", help="print Markdown")
    for form, name in (("ris", "RIS"), ("bibtex", "BibTeX"), ("csl", "CSL JSON")):
        one(f"--{form}", action="store_true", help=f"print the quoted sources as {name}, for a reference manager")
    group.add_argument("--provenance", metavar="FILE", help="also write the provenance")


class Output:
    """Destination and format of an answer, from options; `UsageError` if a file cannot be written."""

    def __init__(self, options: argparse.Namespace) -> None:
        html, provenance = (Path(name) if name else None for name in (options.html, options.provenance))
        if html and provenance and real(html) == real(provenance):
            raise UsageError(f"--html and --provenance both name {html}; name two files")
        if html:
            require_place(html, "--html")
        if provenance:
            require_place(provenance, "--provenance", "provenance")
        self._form: Form = next((form for form in PRINTED[1:] if getattr(options, form)), PRINTED[0])
        self._quiet = options.quiet
        self._html, self._provenance = html, provenance

    def require_no_name(self, files: Sequence[str]) -> None:
        """Refuse a missing input that looks like the intended output file of a format option."""
        absent = next((name for name in files if name != "-" and not Path(name).exists()), None)
        if absent and self._form in PRINTED[1:]:
            raise UsageError(
                f"{absent}: no such file; --{self._form} prints, so to write a file: --{self._form} > {absent}"
            )

    @property
    def explained(self) -> bool:
        """Whether the output includes the reasons for each sentence."""
        return self._form == "json" or self._html is not None or self._provenance is not None

    def write(self, answered: Answered) -> None:
        """Print the answer and write its files."""
        for line in answered.summary.warnings:
            notify(line, self._quiet)
        print(answered.printed(self._form), end="")
        files = [(self._html, answered.page().encode())] if self._html else []
        files += [(self._provenance, answered.provenance())] if self._provenance else []
        for path, data in files:
            with write_errors(path):
                write_file(path, data)
