"""The command line: one module a verb, each with `add_arguments(parser)` and `run(arguments) -> exit status`.

Exit status 0 is done, 1 is something failed (what, and for which topic, stands on stderr), 2 is wrong usage or
unreadable input, told in one line. Data goes to stdout; progress and remarks go to stderr.
"""

import argparse
import importlib
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from features.registry import UnknownNameError
from ilpsum.errors import IlpsumError, InputError, UsageError
from ilpsum.version import __version__

# A verb's module is imported only when the verb is called, so that --help answers at once.
VERBS = {
    "demo": "summarise the topics that ship with ilpsum and score them",
    "systems": "list the named systems and what each is",
    "summarize": "write summaries of topics, or answer one question from texts",
    "train": "train the models of a system",
    "sweep": "try many settings on the same topics, and all of lambda at once",
    "link": "find the spans that citances cite, and their facets (TAC 2014, Task 1)",
    "embed": "train word vectors and count IDF",
    "evaluate": "score a run against gold summaries or annotations",
    "compare": "compare runs on the same topics: means, paired significance, shared sentences",
    "report": "show runs and their scores on a page: each sentence, its source and its reasons",
    "compress": "shorten titles or sentences by syntax",
    "check": "check that a run keeps every rule of its format",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one verb and returns the exit status."""
    with _one_interrupt():
        try:
            return _run(list(sys.argv[1:] if argv is None else argv))
        except (InputError, UsageError, UnknownNameError) as error:
            return _complain(error, 2)
        except IlpsumError as error:
            return _complain(error, 1)
        except BrokenPipeError:
            # The reader of our output went away (`ilpsum evaluate ... | head`): nothing to tell it.
            _drop_output()
            return 1
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            return _complain(f"{place}{error.strerror or error}", 1)
        except KeyboardInterrupt as error:
            return _complain("; ".join(["interrupted", *error.args]), 130)


def _run(arguments: list[str]) -> int:
    parser = _Parser(
        prog="ilpsum",
        description="Extractive summaries of biomedical papers by exact integer linear programming.",
        epilog="`ilpsum VERB --help` tells the options of a verb.",
    )
    parser.add_argument("--version", action="version", version=f"ilpsum {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    named = next((word for word in arguments if not word.startswith("-")), None)
    for verb, what in VERBS.items():
        sub = verbs.add_parser(verb, help=what, description=what[0].upper() + what[1:] + ".")
        if verb == named:
            module = importlib.import_module(f"ilpsum.cli.{verb}")
            module.add_arguments(sub)
            sub.set_defaults(run=module.run)
    options = parser.parse_args(arguments)
    try:
        status = int(options.run(options))
        sys.stdout.flush()
    except OSError as error:
        if error.errno and not error.filename:
            error.filename = _being_written(options)
        raise
    return status


def _being_written(options: argparse.Namespace) -> str | None:
    """What could not be written, of which the system gave no name; None where nobody knows."""
    try:
        # What it did not take before, it still holds.
        sys.stdout.flush()
    except OSError:
        _drop_output()
        return "standard output"
    out: str | None = getattr(options, "out", None)
    # Unless it holds nothing, as under `python -u`.
    return "standard output" if out is None and getattr(sys.stdout, "write_through", False) else out


def _drop_output() -> None:
    """Sends to nowhere what standard output still holds; Python would complain of it at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _one_interrupt() -> Iterator[None]:
    """The first Ctrl-C ends the work; a further one, which would only break the tidying up, is ignored."""
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        # Once interrupted, this process only ends.
        if signal.getsignal(signal.SIGINT) is _interrupt:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


class _Parser(argparse.ArgumentParser):
    """Tells wrong usage in one line; the options are `--help`'s to tell."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}; see `{self.prog} --help`", file=sys.stderr)
        raise SystemExit(2)


def _complain(error: object, status: int) -> int:
    print(f"ilpsum: {error}", file=sys.stderr)
    return status
