"""Options and output shared by several verbs: input, jobs, progress and messages."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain, count, islice
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, get_args

from ilpsum.cli.terminal import bare
from ilpsum.corpora import FORMATS, GoldKind, Pool, ReaderOptions, guess, loaded, pending_topics
from ilpsum.errors import InputError, UsageError, printable
from ilpsum.io.records import LARGEST
from ilpsum.records import BrokenTopic, Document, Incoming, Topic

if TYPE_CHECKING:
    from ilpsum.parallel.executor import Executor
    from ilpsum.retrieval import AbstractSearch
    from ilpsum.retrieval.indexing import Watch

Item = TypeVar("Item")
Complete: TypeAlias = Callable[[Incoming], Topic | BrokenTopic]

_SECONDS_A_LINE = 30.0
# Less time left, in seconds, is not worth a word.
_LEAST_LEFT = 30.0
# No whole number that fits is longer, and messages quote no more.
_LONGEST = 40


def number_type(kind: type[int | float], fits: Callable[[float], bool], expected: str) -> Callable[[str], Any]:
    """Return a parser of numbers for argparse."""

    def parse(text: str) -> int | float:
        try:
            fit = fits(kind(text)) and (kind is float or len(text) <= _LONGEST)
        except ValueError:
            fit = False
        if not fit:
            raise argparse.ArgumentTypeError(
                f"expected {expected}, got {text[:_LONGEST]}{'...' * (len(text) > _LONGEST)}"
            )
        return kind(text)

    return parse


positive = number_type(int, lambda value: 1 <= value <= LARGEST, f"a whole number from 1 to {LARGEST}")
seconds = number_type(float, lambda value: 0.0 < value < float("inf"), "a time above 0 in seconds")
share = number_type(float, lambda value: 0.0 <= value <= 1.0, "a number from 0 to 1")


def add_input(parser: argparse.ArgumentParser, *, nargs: str = "+", papers: bool = False) -> None:
    """Add INPUT... and the options that say how to read it; with `papers` only those for cited papers."""
    topics = "topics: files, folders, .gz, .tar.gz, or - for stdin"
    texts = "; or texts, with a --question or without: abstracts (PubMed XML, MEDLINE, RIS, CSV, JSON), plain texts, -"
    parser.add_argument("input", nargs=nargs, metavar="INPUT", help=topics + texts * (nargs == "*"))
    add = parser.add_argument_group("input").add_argument
    forms = ("tac", "scisumm") if papers else FORMATS.own
    add("--from", dest="form", metavar="FORMAT", help=f"{', '.join(forms)} (default: guessed)")
    if papers:
        add("--summaries", choices=get_args(GoldKind), help="CL-SciSumm: kind of gold summaries (default: all)")
        unused = "pool answers documents index pmids found coverage".split()
        parser.set_defaults(**dict.fromkeys(unused))
        return
    add("--pool", choices=get_args(Pool), help="BioASQ: what a question's documents are (default: snippets)")
    add("--answers", metavar="FILE", help="BioASQ: a file with ideal answers, matched by id")
    add("--summaries", choices=get_args(GoldKind), help="CL-SciSumm: kind of gold summaries (default: all)")
    add_search(add)


def add_search(add: Callable[..., argparse.Action]) -> None:
    """Add the options of a search for abstracts."""
    add(
        "--documents",
        nargs="+",
        metavar="FILE",
        help="abstracts to search: PubMed XML, MEDLINE, RIS, CSV, JSON, folders",
    )
    add("--index", metavar="DIR", help="folder of search indexes (default: ilpsum/index in the user's cache)")
    add("--pmids", metavar="FILE", type=Path, help="the PMIDs that a search may find, one a line or a JSON list")
    add("--found", type=positive, metavar="N", help="abstracts to find for each question (default: 20)")
    add(
        "--coverage",
        type=share,
        metavar="X",
        help="answer questions of which the best abstract covers this share, whatever else, and no others; 0 answers "
        "all (default: those that the abstracts can answer; 0 for runs of BioGen's formats)",
    )


def add_jobs(parser: argparse.ArgumentParser, *, shared: bool = False) -> None:
    """Add --jobs, --engine and --quiet, and --shared for a verb whose workers can read topics."""
    add = parser.add_argument_group("execution").add_argument
    add("--jobs", type=positive, metavar="N", help="number of processes (default: 1)")
    add("--engine", metavar="dask://HOST:PORT", help="work on a Dask cluster instead, given its scheduler")
    if shared:
        what = "the cluster finds INPUT and --index at the same paths; its workers read and search"
        add("--shared", action="store_true", help=f"with --engine: {what} (default: they are sent whole topics)")
    add("--quiet", action="store_true", help="no progress and no warnings on stderr")


@contextmanager
def engine(options: argparse.Namespace) -> "Iterator[Executor]":
    """Return the executor for --jobs or --engine; a cluster is connected to at once."""
    if options.engine is None:
        from ilpsum.parallel.executor import Processes

        yield Processes(options.jobs or 1)
        return
    if options.jobs is not None:
        raise UsageError("--jobs is for this machine and --engine for a cluster; choose one")
    from ilpsum.parallel.dask import connect

    with connect(options.engine, partial(notify, quiet=options.quiet)) as cluster:
        yield cluster


def prepare_workers(options: argparse.Namespace, module: str) -> None:
    """Let the processes of --jobs import a module while this one loads what they work with."""
    if options.engine is None and (options.jobs or 1) > 1:
        from ilpsum.parallel.executor import prepare

        prepare(module)


def input_form(options: argparse.Namespace) -> str:
    """Return the format of the input, as given or guessed from the first input."""
    return options.form or guess(options.input[0])


def is_searched(options: argparse.Namespace) -> bool:
    """Whether the documents of the topics come from a search of --documents."""
    return options.pool == "searched" or input_form(options) == "biogen"


def expand_documents(options: argparse.Namespace) -> None:
    """Replace each folder of --documents by its files of abstracts."""
    if options.documents:
        from ilpsum.corpora.abstracts import files_in

        warnings: list[str] = []
        options.documents = [str(path) for path in files_in(options.documents, warnings)]
        for line in warnings:
            notify(line, options.quiet)


def input_topics(options: argparse.Namespace) -> Iterator[Topic | BrokenTopic]:
    """Yield the topics of the input, lazily; the first is read at once, so that wrong options are reported first."""
    topics, complete = pending_input(options)
    return map(complete, topics)


def shared_input(options: argparse.Namespace) -> tuple[Iterator[Incoming], Complete]:
    """Return what `pending_input` does, but complete topics for a cluster whose workers do not find the files."""
    if not options.shared:
        return pending_input(options) if options.engine is None else (input_topics(options), loaded)
    if options.engine is None:
        raise UsageError("--shared says what the workers of a cluster find; add --engine, or leave it out")
    if relative := next((path for path in options.input if path != "-" and not Path(path).is_absolute()), None):
        where = Path(relative).absolute()
        raise UsageError(f"--shared: {relative}: expected the path that all machines know the input by: {where}?")
    return pending_input(options)


def pending_input(options: argparse.Namespace) -> tuple[Iterator[Incoming], Complete]:
    """Return the topics of the input, lazily, and a function that completes each: reads it, searches for its documents.

    The function can be sent to the process that needs the topic. The first topic is read at once, so that wrong options
    are reported first.
    """
    expand_documents(options)
    if options.index and Path(options.index).exists() and not Path(options.index).is_dir():
        raise UsageError(f"--index {options.index}: cannot be written; expected a folder, got a file")
    searched = is_searched(options)
    if searched:
        need(options.documents, "--documents FILE...", "for topics without documents: abstracts to search")
    reading = ReaderOptions.of(options)
    topics = pending_topics(options.input, options.form, replace(reading, documents=()) if searched else reading)
    complete: Complete = loaded
    if searched:
        from ilpsum.retrieval import FOUND, Attaching

        complete = Attaching(abstract_search(options), options.found or FOUND, options.coverage)
        topics = complete.warned(topics)
    else:
        forbid_search(options, "need a search: --documents, with BioGen topics, --pool searched or a --question")
    return chain(list(islice(topics, 1)), topics), complete


def abstract_search(options: argparse.Namespace) -> "AbstractSearch":
    """Return the search over the abstracts of --documents, of those that --pmids lists if given."""
    from ilpsum.io.pmids import Pmids
    from ilpsum.retrieval import AbstractSearch

    only = Pmids(options.pmids) if options.pmids else None
    return AbstractSearch(options.documents, options.index, _watch(options.documents, options.quiet), only)


def _watch(files: Sequence[str], quiet: bool) -> "Watch":
    """Return what reports the progress of indexing, over all files from the first that is not indexed yet."""
    from ilpsum.corpora.counting import estimate_abstracts

    ticks: list[Iterator[int]] = []

    def watch(documents: Iterable[Document | InputError], path: str | Path) -> Iterator[Document | InputError]:
        if not ticks:
            total = 0 if quiet else sum(map(estimate_abstracts, files[files.index(str(path)) :]))
            ticks.append(iter(progress(count(1), "abstracts indexed", quiet, total or None)))
        for document in documents:
            next(ticks[0])
            yield document

    return watch


def forbid_search(options: argparse.Namespace, why: str) -> None:
    """Raise a usage error that ends in `why` if an option of a search was given."""
    if options.index or options.pmids or options.found or options.coverage is not None:
        raise UsageError(f"--index, --pmids, --found and --coverage {why}")


def topics_in(options: argparse.Namespace) -> int | None:
    """Return the number of topics in the input, if it is cheap to count and progress is shown."""
    from ilpsum.corpora.counting import count_topics

    return None if options.quiet else count_topics(options.input, input_form(options))


def whole(topics: Iterable[Topic | BrokenTopic], broken: list[BrokenTopic]) -> Iterator[Topic]:
    """Yield the topics that can be read; the others go to `broken`."""
    for topic in topics:
        if isinstance(topic, BrokenTopic):
            broken.append(topic)
        else:
            yield topic


def list_broken(broken: Sequence[BrokenTopic]) -> int:
    """List on stderr the topics that could not be read, and return the exit status."""
    for topic in broken:
        notify(f"topic {topic.id} could not be read and was left out: {topic.error}")
    return 1 if broken else 0


def progress(items: Iterable[Item], what: str, quiet: bool, total: int | None = None) -> Iterable[Item]:
    """Report the progress of items on stderr: by a bar on a terminal, elsewhere by a line now and then."""
    if quiet or not sys.stderr.isatty():
        return items if quiet else _reported(items, what, total)
    from tqdm import tqdm

    shown = bare(sys.stderr)
    bar: Iterable[Item] = tqdm(items, desc=printable(what), total=total, file=shown, unit="", smoothing=0.1)
    return bar


def _reported(items: Iterable[Item], what: str, total: int | None) -> Iterator[Item]:
    """Yield items, with a line on stderr every half minute, which says how much time is left if the total is known."""
    began = said = monotonic()
    for number, item in enumerate(items, 1):
        yield item
        now = monotonic()
        if now - said >= _SECONDS_A_LINE:
            said = now
            left = (now - began) / number * (total - number) if total else 0.0
            notify(f"{number}{f' of {total}' if total else ''} {what}{_time_left(left)}")


def _time_left(seconds: float) -> str:
    """Return about how long it takes yet; empty below half a minute."""
    return f", about {max(1, round(seconds / 60))} min left" if seconds >= _LEAST_LEFT else ""


def notify(text: object, quiet: bool = False) -> None:
    """Print a line on stderr, above the progress bar if there is one."""
    if quiet:
        return
    line = printable(f"ilpsum: {text}")
    if "tqdm" in sys.modules:
        sys.modules["tqdm"].tqdm.write(line, file=bare(sys.stderr))
    else:
        print(line, file=sys.stderr)


def need(value: Any, name: str, why: str) -> Any:
    """Return the value of an option, or raise a usage error that says why it is needed."""
    if value is None:
        raise UsageError(f"{name} is needed {why}")
    return value
