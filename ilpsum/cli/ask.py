"""`ilpsum ask`: answer a question from texts or searched abstracts, with the sources."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ilpsum.api.asking import FORMS, WORDS, Answered, ask, form_of
from ilpsum.cli.options import ABSTRACTS, SEARCH, SERVICES, SOURCES, add_common, positive, sources_of
from ilpsum.cli.settings import add_set, add_settings, add_system, load
from ilpsum.cli.terminal import escaped, list_damaged, notify
from ilpsum.errors import UsageError
from ilpsum.files.atomic import require_place, write_errors, write_file
from ilpsum.files.reading import real


def add_output(parser: argparse.ArgumentParser, title: str, *, to: bool = True) -> None:
    """Add the output options of an answer; without `to`, the verb has a `--to` of its own."""
    add = parser.add_argument_group(title).add_argument
    endings = ", ".join(form.suffix for form in FORMS.values())
    add("-o", dest="output", metavar="FILE", help=f"write the answer to a file, in the form of its suffix: {endings}")
    if to:
        add("--to", metavar="FORM", help=f"form of the answer: {', '.join(FORMS)} (default: text, or that of -o)")
    add("--json", action="store_true", help="the same as --to json")


class Output:
    """Where an answer goes, and in which form; `UsageError` if there is no such form or FILE cannot be written."""

    def __init__(self, options: argparse.Namespace) -> None:
        if options.json and options.to not in (None, "json"):
            raise UsageError(f"--json and --to {options.to}: choose one")
        self._file, self._quiet = Path(options.output) if options.output else None, options.quiet
        self._name = "json" if options.json else form_of(options.to, self._file)
        if self._name == "docx" and not self._file:
            raise UsageError("Word documents are binary; name a file with -o FILE.docx")
        if self._file:
            require_place(self._file, "-o", self._name)

    def require_other(self, files: Sequence[str]) -> None:
        """Refuse an output file that is also an input, and a missing input that looks like the output file."""
        if self._file and any(real(name) == real(self._file) for name in files if name != "-"):
            raise UsageError(f"-o {self._file}: is also read; name another file")
        absent = next((name for name in files if name != "-" and not Path(name).exists()), None)
        if absent and self._name != "text" and not self._file:
            raise UsageError(f"{absent}: no such file; to write the answer to it: -o {absent}")

    @property
    def explained(self) -> bool:
        """Whether the output includes the reasons for each sentence."""
        return FORMS[self._name].explains

    def write(self, answered: Answered) -> None:
        """Print the answer, or write its file."""
        for line in answered.summary.warnings:
            notify(line, self._quiet)
        data = answered.written(self._name)
        if self._file:
            with write_errors(self._file):
                write_file(self._file, data)
        elif FORMS[self._name].is_utf8 and hasattr(sys.stdout, "buffer"):
            sys.stdout.flush()
            sys.stdout.buffer.write(escaped(data.decode()).encode())
        else:
            sys.stdout.write(data.decode())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb."""
    parser.add_argument("question", metavar="QUESTION", help="in quotes")
    texts = f"texts: {ABSTRACTS}, plain texts, folders, - for stdin (default: -)"
    parser.add_argument("files", nargs="*", default=[], metavar="FILE", help=texts)
    add_common(parser.add_argument_group("a collection of abstracts, instead of FILE"), *SEARCH)
    literature = parser.add_argument_group("the literature, alone or beside FILE and --documents")
    add_common(literature, *SERVICES, "--query")
    quotable = parser.add_argument_group("sources that may be quoted (default: all but retracted ones)")
    add_settings(quotable, *SOURCES, "--exact")
    group = parser.add_argument_group("answer")
    add = group.add_argument
    add("--words", type=positive, default=WORDS, metavar="N", help="word limit (default: %(default)s)")
    add("--fill", action="store_true", help="fill the word limit, even with less relevant sentences")
    add_system(group)
    add_settings(group, "--lambda", "--coherence")
    add_set(parser)
    add_output(parser, "output (default: text, with the sources)")
    add_common(parser, "--quiet")


def run(options: argparse.Namespace) -> int:
    """Print the answer; exit status 1 for a damaged file in a folder, not for an unanswered question."""
    sources = replace(sources_of(options), texts=options.files)
    if not (sources.texts or sources.documents or sources.services or sys.stdin.isatty()):
        sources = replace(sources, texts=["-"])
    output = Output(options)
    output.require_other(options.files)
    summarizer = load(options, searched=True, explained=output.explained, may_stop_early=not options.fill)
    output.write(ask(options.question, sources, words=options.words, system=summarizer))
    return list_damaged(sources.damaged)
