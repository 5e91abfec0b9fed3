"""The command line: one module per verb, each with `add_arguments(parser)` and `run(options)`,
which returns the exit status.

Exit status: 0 success; 1 failure (details and topic on stderr); 2 wrong usage or unreadable input,
reported in one line; 130 or 143 interrupted by Ctrl-C or SIGTERM. Data goes to stdout, progress and
warnings to stderr.
"""

import _thread
import argparse
import errno
import importlib
import os
import re
import signal
import sys
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from types import FrameType
from typing import NoReturn

from features.registry import UnknownNameError, suggested
from ilpsum.cli.terminal import OUTPUT, escaping
from ilpsum.errors import TOO_LONG, IlpsumError, InputError, UsageError, counted, printable
from ilpsum.version import __version__, versions

# Description and example by verb. A verb's module is imported only when called, to keep --help
# fast.
VERBS = {
    "demo": ("summarise sample papers and score the summaries", "--out demo"),
    "systems": ("list the included systems, or all settings", ""),
    "ask": (
        "answer a question from texts or searched abstracts",
        '"Does mirolone heal leg ulcers?" demo/abstracts.xml --words 60',
    ),
    "fetch": (
        "save the records of a query, or of listed articles",
        "--ids dois.txt --out records.xml",
    ),
    "summarize": (
        "summarise topics into a run, or texts on the terminal",
        "demo/topics --team SYSX --out runs",
    ),
    "candidates": (
        "write the sentences that may be chosen, with features and relevance",
        "demo/topics --features -o candidates.jsonl",
    ),
    "folds": ("list the fold of each topic in runs with --folds", "demo/topics --folds 2"),
    "judge": (
        "grade a file of candidates by a language model or a reranker",
        "pool.jsonl --judge URL --judge-model NAME -o scores.jsonl",
    ),
    "serve": ("answer questions in the browser", "--documents demo/abstracts.xml"),
    "train": (
        "train the model of a system or of a Task 1 query",
        "demo/topics --system task2 --out task2.npz",
    ),
    "sweep": ("score many settings on the same topics", "lambda --topics demo/topics --out sweep"),
    "link": (
        "find the text spans that citances refer to, and their facets",
        "demo/topics --query best --out SYSX1.txt --run-id SYSX1",
    ),
    "embed": ("train word vectors and compute IDF", "abstracts.jsonl.gz --out vectors.npz"),
    "evaluate": (
        "score a run against gold summaries or annotations",
        "runs/SYSX1 demo/topics --metrics ROUGE-2,ROUGE-SU4",
    ),
    "compare": (
        "compare the scores of runs, with significance",
        "runs/SYSX1 runs/LEAD1 --gold demo/topics",
    ),
    "report": (
        "write a page that compares runs, or shows a sweep",
        "runs/SYSX1 --gold demo/topics --out report.html",
    ),
    "compress": ("shorten titles or sentences by syntactic rules", "demo/titles.txt --variant b"),
    "check": (
        "check a run against the rules of its format",
        "runs/SYSX1 --as tac --topics demo/topics",
    ),
}
# Package names of libraries whose module has another name.
_PACKAGES = {"sklearn": "scikit-learn"}
# Seconds after which an interrupt that Python dropped is repeated.
_SOON = 0.01


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit status."""
    received: list[int] = []
    # A daemon may have closed it.
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: PTH123, SIM115
    try:
        with _one_interrupt(received), escaping():
            try:
                options = _parsed(list(sys.argv[1:] if argv is None else argv))
                status = int(options.run(options))
                sys.stdout.flush()
                return status
            except Exception as error:
                # An interrupt may surface as another error from a library's cleanup.
                if received:
                    raise KeyboardInterrupt from None
                return _failed(error)
    except KeyboardInterrupt as error:
        return _complain(
            "; ".join(["interrupted", *error.args]),
            128 + (received or [signal.SIGINT])[0],
        )


def _failed(error: Exception) -> int:
    """Report a failure in one line and return the exit status; reraise unexpected errors, which are
    bugs.
    """
    if isinstance(error, InputError | UsageError | UnknownNameError):
        return _complain(error, 2)
    if isinstance(error, IlpsumError):
        return _complain(error, 1)
    if isinstance(error, BrokenPipeError):
        # The reader of stdout has exited (`ilpsum evaluate ... | head`).
        _drop_output()
        return 1
    # Without memory, or beyond the processes that a user may have, no thread begins.
    if isinstance(error, MemoryError) or str(error) == "can't start new thread":
        return _complain("out of memory; free memory, or give less at a time (fewer --jobs)", 1)
    library = str(error.name).partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if library not in ("", "ilpsum", "features"):
        # A minimal installation lacks the libraries for training and for other solvers.
        return _complain(
            f"{library} is not installed: pip install {_PACKAGES.get(library, library)}",
            1,
        )
    if isinstance(error, ImportError) and library != "ilpsum":
        # NumPy gives the reason at the end of advice.
        reason = str(error).strip().rpartition("\n")[2]
        return _complain(f"a library cannot be loaded ({reason}); free memory, or reinstall it", 1)
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        name = f"{str(error.filename)[:40]}..."
        return _complain(f"{name} {TOO_LONG}, or pass it on standard input (-)", 2)
    if isinstance(error, OSError):
        name, why = error.filename, error.strerror or error
        if name == OUTPUT:
            _drop_output()
        return _complain(f"{name}: {why}" if name else why, 1)
    raise error


def full_parser() -> argparse.ArgumentParser:
    """Return the parser with all verbs and options, for tools such as shtab."""
    return _parsers(VERBS)[0]


def _parsers(complete: Collection[str]) -> tuple["_Parser", dict[str, "_Parser"]]:
    """Return the main parser and the subparser of each verb; only verbs in `complete` get their
    options.
    """
    parser = _Parser(
        prog="ilpsum",
        description="Answer biomedical questions and summarise papers with sentences quoted word "
        "for word.",
        epilog="Start with `ilpsum demo`. `ilpsum VERB --help` lists the options of a verb.",
    )
    parser.add_argument(
        "--version",
        action=_Version,
        nargs=0,
        help="versions of ilpsum, its libraries and models",
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb, (what, example) in VERBS.items():
        sub = verbs.add_parser(
            verb,
            help=what,
            description=what[0].upper() + what[1:] + ".",
            epilog=f"example:\n  ilpsum {verb} {example}".rstrip(),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if verb in complete:
            module = importlib.import_module(f"ilpsum.cli.{verb}")
            module.add_arguments(sub)
            sub.usage = _usage(sub)
            sub.set_defaults(run=module.run, verb=verb)
    return parser, verbs.choices


def _usage(parser: argparse.ArgumentParser) -> str:
    """Return the usage line of a verb: its positional arguments and required options."""
    files = {None: "{0}", "?": "[{0}]", "*": "[{0} ...]", "+": "{0} [{0} ...]", 1: "{0}"}
    named, needed = [], []
    for action in parser._actions:
        if not action.option_strings:
            named.append(files[action.nargs].format(action.metavar))
        elif action.required:
            needed.append(f"{action.option_strings[-1]} {action.metavar}")
    return " ".join([parser.prog, *named, *needed, "[options]"])


def _parsed(arguments: list[str]) -> argparse.Namespace:
    """Parse arguments; options may be mixed with positional arguments."""
    parser, verbs = _parsers(arguments[:1])
    if not arguments or arguments[0].startswith("-"):
        return parser.parse_args(arguments)  # ends the program: help, versions, or an error
    verb = arguments[0]
    if verb not in verbs:
        parser.error(f"there is no verb {verb!r}{suggested(verb, VERBS)}")
    parser = verbs[verb]
    flags = [flag for action in parser._actions for flag in action.option_strings]
    # Report unknown options before missing ones, which may only be misspelt.
    for word in takewhile("--".__ne__, arguments[1:]):
        name = word.partition("=")[0]
        if name.startswith("--") and not any(flag.startswith(name) for flag in flags):
            near = _as_setting(name, parser) if "--set" in flags else ""
            parser.error(f"there is no option {name}{near or suggested(name, flags)}")
        # Python 3.11 would take it for no value at all.
        if re.fullmatch(r"(-\w|--[\w-]+=)--", word):
            parser.error(f"argument {name.removesuffix('--')}: expected one argument")
    options, unknown = parser.parse_known_intermixed_args(arguments[1:])
    if unknown:
        what = "option" if unknown[0].startswith("-") else "argument"
        parser.error(f"there is no {what} {unknown[0]}")
    return options


def _as_setting(option: str, parser: argparse.ArgumentParser) -> str:
    """Return how a verb takes a setting that has no option of its own; empty if it has none."""
    from ilpsum.pipeline.settings import key_named

    key = key_named(option.removeprefix("--").replace("-", "_"))
    if not key or key.partition(".")[0] in parser.get_default("not_settable"):
        return ""
    return f" (did you mean --set {key}=VALUE?)"


def _drop_output() -> None:
    """Discard unwritten stdout, to avoid an error message from Python at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _one_interrupt(received: list[int]) -> Iterator[None]:
    """Interrupt at the first Ctrl-C or SIGTERM; ignore others, which would interrupt the cleanup.

    Appends the signal to `received`.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # Keep the handlers of a calling program, and the signals that it ignores.
    usual = (signal.default_int_handler, signal.SIG_DFL)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    ours = [number for number, handler in handlers.items() if handler in usual]

    def interrupt(number: int, _frame: FrameType | None) -> None:
        for ignored in ours:
            signal.signal(ignored, signal.SIG_IGN)
        received.append(number)
        raise KeyboardInterrupt

    def dropped(what: "sys.UnraisableHookArgs") -> None:
        if not received or what.exc_type is not KeyboardInterrupt:
            usual_hook(what)
            return
        # Python drops what a finalizer or a callback raises: interrupt once more, soon after it.
        signal.signal(received[0], interrupt)
        threading.Timer(_SOON, _thread.interrupt_main, received[:1]).start()

    for number in ours:
        signal.signal(number, interrupt)
    usual_hook, sys.unraisablehook = sys.unraisablehook, dropped
    try:
        yield
    finally:
        sys.unraisablehook = usual_hook
        if not received:
            for number in ours:
                signal.signal(number, handlers[number])


class _Version(argparse.Action):
    """Prints the versions of the software, libraries and models that affect summaries."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from ilpsum.pipeline.summarizer import shipped_metadata

        for name, version in {"ilpsum": __version__, **versions()}.items():
            print(f"{name} {version}")
        for name, model in shipped_metadata():
            print(
                f"model {name}: {counted(model.topics, 'topic')} ({model.kind}), digest "
                f"{model.digest}"
            )
        parser.exit()


class _Parser(argparse.ArgumentParser):
    """Reports usage errors in one line, without listing the options."""

    def error(self, message: str) -> NoReturn:
        """Print a line on stderr and exit with status 2."""
        message = re.sub(r"^the following arguments are required: (.*)", r"\1 is missing", message)
        message = re.sub(r"^argument (.*): is empty", r"\1 is empty", message)
        message = re.sub(
            r"^argument (.*): ignored explicit argument",
            r"\1 takes no value, but got",
            message,
        )
        print(printable(f"{self.prog}: {message}; see `{self.prog} --help`"), file=sys.stderr)
        raise SystemExit(2)


def _complain(error: object, status: int) -> int:
    print(printable(f"ilpsum: {error}"), file=sys.stderr)
    return status
