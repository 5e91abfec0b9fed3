"""`ilpsum ask`: answer a question from texts or searched abstracts, with the sources."""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ilpsum.api.asking import FORMS, WORDS, Answered, ask, form_of
from ilpsum.cli.options import ABSTRACTS, add_common, add_flag, add_value, positive, sources_of
from ilpsum.cli.setting_options import (
    add_coherence,
    add_set,
    add_settings,
    add_sources,
    add_system,
    load,
)
from ilpsum.cli.terminal import escaped, list_warnings
from ilpsum.errors import UsageError
from ilpsum.files.atomic import require_place, write_errors, write_file
from ilpsum.files.reading import real
from ilpsum.records.tables import SYSTEM


def add_output(parser: argparse.ArgumentParser, title: str, *, to: bool = True) -> None:
    """Add the output options of an answer; without `to`, the verb has a `--to` of its own."""
    group = parser.add_argument_group(title)
    endings = ", ".join(form.suffix for form in FORMS.values())
    add_value(
        group,
        "-o",
        "FILE",
        f"write the answer to a file, in the form of its suffix: {endings}",
        dest="output",
    )
    if to:
        forms = f"form: {', '.join(FORMS)} (default: text, or by the suffix of -o)"
        add_value(group, "--to", "FORM", forms)
    add_flag(group, "--json", "same as --to json")


class Output:
    """Where an answer goes, and in which form; `UsageError` if there is no such form or FILE cannot
    be written.
    """

    def __init__(self, options: argparse.Namespace, inputs: Sequence[str]) -> None:
        if options.json and options.to not in (None, "json"):
            raise UsageError(f"--json and --to {options.to}: choose one")
        self._file, self._quiet = Path(options.output) if options.output else None, options.quiet
        self._name = "json" if options.json else form_of(options.to, self._file)
        if self._name == "docx" and not self._file:
            raise UsageError("Word documents are binary; name a file with -o FILE.docx")
        if self._file:
            require_place(self._file, "-o", self._name)
            if any(real(name) == real(self._file) for name in inputs if name != "-"):
                raise UsageError(f"-o {self._file}: is also read; name another file")
        elif self._name != "text":
            for absent in (name for name in inputs if name != "-" and not Path(name).exists()):
                raise UsageError(f"{absent}: no such file; to write the answer to it: -o {absent}")

    @property
    def explained(self) -> bool:
        """Whether the output includes the reasons for each sentence."""
        return FORMS[self._name].explains

    def write(self, answered: Answered) -> int:
        """Print the answer, or write its file; return the exit status, 1 if a file of a folder was
        left out.
        """
        # An answer on the terminal opens with its doubt, or with why there is none.
        is_shown = FORMS[self._name].answers and not self._file
        opening = answered.view.opening if is_shown else ""
        warnings = [line for line in answered.summary.warnings if line not in opening]
        status = list_warnings(warnings, quiet=self._quiet)
        data = answered.written(self._name)
        if self._file:
            with write_errors(self._file):
                write_file(self._file, data)
        elif FORMS[self._name].is_utf8 and hasattr(sys.stdout, "buffer"):
            sys.stdout.flush()
            sys.stdout.buffer.write(escaped(data.decode()).encode())
        else:
            sys.stdout.write(data.decode())
        return status


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    add_value(parser, "question", "QUESTION", "the question, in quotes")
    texts = f"texts: {ABSTRACTS}, plain texts, folders, - for stdin (default)"
    add_value(parser, "files", "FILE", texts, nargs="*", default=[])
    group = parser.add_argument_group("answer")
    add_value(
        group,
        "--words",
        "N",
        "word limit (default: %(default)s)",
        type=positive,
        default=WORDS,
    )
    add_flag(group, "--fill", "use all words, even for less relevant sentences")
    add_system(group)
    add_settings(group, "--lambda")
    add_coherence(group)
    add_set(group, *SYSTEM, "solver", "source")
    add_output(parser, "output (default: text with the sources, on the terminal)")
    add_common(parser, "--quiet")
    add_sources(
        parser,
        "a collection of abstracts, instead of FILE",
        "services, alone or beside FILE and --documents",
        "--query",
    )


def run(options: argparse.Namespace) -> int:
    """Print the answer; exit status 1 for a damaged file in a folder, not for an unanswered
    question.
    """
    _require_one_question(options.question, options.files)
    sources = replace(sources_of(options), texts=options.files)
    if not (sources.texts or sources.documents or sources.services or sys.stdin.isatty()):
        sources = replace(sources, texts=["-"])
    output = Output(options, options.files)
    summarizer = load(
        options,
        searched=True,
        explained=output.explained,
        may_stop_early=not options.fill,
        tell=sources.tell,
    )
    return output.write(ask(options.question, sources, words=options.words, system=summarizer))


def _require_one_question(question: str, files: Sequence[str]) -> None:
    """Raise `UsageError` if a file stands before the question, or the question lacks quotes, so
    that its other words are taken for files.
    """
    if Path(question).suffix and os.path.lexists(question):
        raise UsageError(f'the question comes first: ilpsum ask "QUESTION" {question}')
    first = files[0] if files else "-"
    if first == "-" or " " in question or Path(first).suffix or os.path.lexists(first):
        return
    quoted = f'"{question} {first} ..."'
    raise UsageError(
        f"{first}: no such file; a question of several words needs quotes: ilpsum ask {quoted}"
    )
