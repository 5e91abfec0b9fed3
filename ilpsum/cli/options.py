"""What several verbs share: options for input, and the progress bar."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from ilpsum.corpora import FORMATS, GoldKind, Pool, ReaderOptions, guess, read_topics
from ilpsum.errors import UsageError
from ilpsum.records import BrokenTopic, Topic

if TYPE_CHECKING:
    from ilpsum.parallel.executor import Executor

Item = TypeVar("Item")


def add_input(parser: argparse.ArgumentParser, *, nargs: str = "+") -> None:
    """INPUT... and what tells how to read it."""
    parser.add_argument("input", nargs=nargs, metavar="INPUT", help="topics: files, folders, .gz, .tar.gz, or -")
    parser.add_argument("--from", dest="form", choices=list(FORMATS), help="format of the input (default: guessed)")
    parser.add_argument("--pool", choices=get_args(Pool), help="BioASQ: what a question's documents are")
    parser.add_argument("--answers", metavar="FILE", help="BioASQ: a file whose ideal answers are joined by id")
    parser.add_argument("--summaries", choices=get_args(GoldKind), help="CL-SciSumm: which kind of gold")
    parser.add_argument(
        "--documents",
        nargs="+",
        metavar="FILE",
        help="abstracts: PubMed XML, MEDLINE, JSON; BioGen and --question: what is searched",
    )
    parser.add_argument(
        "--index", metavar="DIR", help="the folder of the search's indexes (default: ilpsum/index in the user's cache)"
    )
    parser.add_argument(
        "--found", type=positive, metavar="N", help="abstracts that a search finds for a question (default 20)"
    )
    parser.add_argument(
        "--coverage",
        type=share,
        metavar="X",
        help="of a search: answer nothing where the best abstract covers less of the question (default 0)",
    )


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """--jobs, --engine and --quiet."""
    parser.add_argument("--jobs", type=positive, metavar="N", help="processes of this machine (default 1)")
    parser.add_argument("--engine", metavar="dask://HOST:PORT", help="or a Dask cluster, by its scheduler")
    parser.add_argument("--quiet", action="store_true", help="no progress and no remarks on stderr")


@contextmanager
def engine(options: argparse.Namespace) -> "Iterator[Executor]":
    """What works on the topics: processes of this machine, or a cluster, to which it is connected at once."""
    if options.engine is None:
        from ilpsum.parallel.executor import Processes

        yield Processes(options.jobs or 1)
        return
    if options.jobs is not None:
        raise UsageError("--jobs counts processes of this machine and --engine names a cluster: choose one")
    from ilpsum.parallel.dask import connect

    with connect(options.engine, partial(notify, quiet=options.quiet)) as cluster:
        yield cluster


def input_form(options: argparse.Namespace) -> str:
    """The format of the input: as given, or as the first input looks."""
    return options.form or guess(options.input[0])


def input_topics(options: argparse.Namespace) -> Iterator[Topic | BrokenTopic]:
    """The topics of the input, lazily; the first is read at once, so that a wrong option is told before any work."""
    if options.index and Path(options.index).exists() and not Path(options.index).is_dir():
        raise UsageError(f"--index {options.index}: cannot be written: it is a file, and a folder was expected")
    searched = bool(options.documents) and input_form(options) == "biogen"
    reading = ReaderOptions.of(options)
    topics = read_topics(options.input, options.form, replace(reading, documents=()) if searched else reading)
    if searched:
        from ilpsum.retrieval import FOUND, AbstractSearch, attach

        watch = partial(progress, what="abstracts indexed", quiet=options.quiet)
        search = AbstractSearch(options.documents, options.index, watch)
        topics = attach(topics, search, options.found or FOUND, options.coverage or 0.0)
    elif options.index or options.found or options.coverage:
        raise UsageError("--index, --found and --coverage go with a search: BioGen topics, or a --question")
    for first in topics:
        return chain([first], topics)
    return iter(())


def topics_in(options: argparse.Namespace) -> int | None:
    """How many topics the input holds, where that is cheap to tell and asked for."""
    from ilpsum.corpora.counting import count_topics

    return None if options.quiet else count_topics(options.input, input_form(options))


def progress(items: Iterable[Item], what: str, quiet: bool, total: int | None = None) -> Iterable[Item]:
    """The items, with a progress bar on stderr."""
    from tqdm import tqdm

    bar: Iterable[Item] = tqdm(items, desc=what, total=total, disable=quiet, file=sys.stderr, unit="", smoothing=0.1)
    return bar


def notify(text: object, quiet: bool = False) -> None:
    """A line on stderr, above the progress bar if there is one."""
    if quiet:
        return
    if "tqdm" in sys.modules:
        sys.modules["tqdm"].tqdm.write(f"ilpsum: {text}", file=sys.stderr)
    else:
        print(f"ilpsum: {text}", file=sys.stderr)


def positive(text: str) -> int:
    """A whole number of at least 1, for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number of at least 1")
    return number


def seconds(text: str) -> float:
    """A time above 0, for argparse."""
    number = float(text)
    if not 0.0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a time above 0 in seconds")
    return number


def share(text: str) -> float:
    """A number in [0,1], for argparse."""
    number = float(text)
    if not 0.0 <= number <= 1.0:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 to 1")
    return number


def need(value: Any, name: str, why: str) -> Any:
    """The value of an option, or a usage error that says why it is needed."""
    if value is None:
        raise UsageError(f"{name} is needed {why}")
    return value
