"""`ilpsum summarize`: from topics to a run, or from texts, with a question or without, to an answer on stdout."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter

from ilpsum.cli.answer import add_answer_options, answer, is_answer, refuse_answer_options
from ilpsum.cli.options import (
    Complete,
    add_input,
    add_jobs,
    engine,
    input_form,
    is_searched,
    need,
    notify,
    positive,
    prepare_workers,
    progress,
    share,
    shared_input,
    topics_in,
)
from ilpsum.cli.system_options import add_system_options, load
from ilpsum.corpora.identity import topic_digest
from ilpsum.errors import IlpsumError, InputError, SecondTopicError, UsageError
from ilpsum.pipeline.citing import SUPPORT, with_citations
from ilpsum.pipeline.summarizer import UNFIT, Summarizer
from ilpsum.records import BrokenTopic, Incoming, RunSettings, Summary
from ilpsum.runs.biogen_rules import EXAMPLE_EMAIL
from ilpsum.runs.formats import DEFAULT_SYSTEM, FORMATS, WRITTEN, Format, default_output
from ilpsum.runs.reading import provenance_path
from ilpsum.runs.retrieved import require_writable, write_retrieved
from ilpsum.runs.settings import configuration_digest, file_digests
from ilpsum.runs.writer import Entry, RunWriter

# Ids listed in a message; further ones are only counted.
_MAX_LISTED = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, the most used first."""
    add = parser.add_argument_group("most used").add_argument
    add("--out", metavar="DIR", help="folder for the run")
    add(
        "--question",
        metavar="TEXT",
        help="answer one question on stdout, from texts or --documents; without it texts are summarised",
    )
    add("--system", metavar="NAME|FILE.toml", help=f"see `ilpsum systems` (default: {DEFAULT_SYSTEM})")
    add("--words", type=positive, metavar="N", help="word limit (default: that of the format)")
    add("--to", metavar="FORMAT", help=f"format of the run: {', '.join(WRITTEN)} (default: depends on the input)")
    add("--team", metavar="ID", default="SYS", help="team id; the run is called IDN (default: SYS)")
    add("--run", dest="number", type=_run_number, default=1, metavar="N", help="run number, 1-5 (default: 1)")
    add("--resume", action="store_true", help="continue a run: retry failed topics, append new ones")
    add("--force", action="store_true", help="replace an existing run")
    add_jobs(parser, shared=True)
    add_input(parser, nargs="*")
    add_system_options(parser)
    _add_biogen(parser.add_argument_group("TREC BioGen").add_argument)
    add_answer_options(parser)


def _add_biogen(add: Callable[..., argparse.Action]) -> None:
    add(
        "--support",
        type=share,
        default=SUPPORT,
        metavar="X",
        help="similarity above which a sentence cites another abstract too (default: %(default)s)",
    )
    add("--contact-email", metavar="ADDRESS", help=f"contact address of a biogen-2024 run (default: {EXAMPLE_EMAIL})")
    add("--retrieved", type=Path, metavar="FILE", help="also write the abstracts found as a TREC run file")


@dataclass(frozen=True)
class Read:
    """A topic, or the error of reading it, as far as the caller has read it, and the seconds that it took."""

    topic: Incoming
    seconds: float


@dataclass(frozen=True)
class Composed:
    """The entry of a topic in a run, and its warnings."""

    entry: Entry
    warnings: tuple[str, ...]


def _run_number(text: str) -> int:
    if text.strip() not in ("1", "2", "3", "4", "5"):
        raise argparse.ArgumentTypeError(f"{text} is not a run number from 1 to 5; use --team to distinguish more runs")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Write the run; exit status 1 if a topic failed."""
    if is_answer(options):
        return answer(options)
    _check(options)
    form = _form(options)
    require_writable(options.retrieved, searched=is_searched(options), replace=options.resume or options.force)
    target = FORMATS[options.to] if options.to else default_output(form)
    _ = target.writer  # fails before any work if there is none
    prepare_workers(options, __name__)
    options.coverage = _least_coverage(options, form, target)
    summarizer = load(options, target, searched=is_searched(options))
    if form == "biogen" and not target.cites:
        notify(f"--to {target.name} has no citations: use --to biogen-2025 for answers that cite PMIDs", options.quiet)
    words = options.words or target.words
    if target.limits.words and words > target.limits.words:
        notify(
            f"--to {target.name} allows {target.limits.words} words, not {words} (--to jsonl allows any)", options.quiet
        )
        words = target.limits.words
    topics, complete = shared_input(options)
    failed, duplicates, count, unfit = list[BrokenTopic](), list[BrokenTopic](), 0, set[str]()
    settings = tuple(_settings(options, each, words, form, target) for each in summarizer.each_kind())
    with engine(options) as workers, _writer(options, target, settings) as writer, _interruptible(writer):
        _list_lost(writer, options.quiet)
        unfinished = _unfinished(topics, complete, writer, duplicates)
        support = options.support if target.cites else None
        work = partial(summarise, complete, summarizer, words, writer.composer, support)
        results = workers.map(work, _timed(unfinished), lost=lambda read, why: _broken(read.topic.id, why))
        total = topics_in(options)
        left = None if total is None else max(total - len(writer.finished), 0)
        for outcome in progress(results, "topics", options.quiet, left):
            result = _add(outcome, writer)
            if isinstance(result, BrokenTopic):
                failed.append(result)
                continue
            count += 1
            _list_warnings(result, unfit, options.quiet)
        _list_unasked(writer, options.quiet)
    write_retrieved(options.retrieved, provenance_path(writer.out / writer.targets[0]), writer.name)
    notify(_total(count, writer, summarizer.system.name), options.quiet)
    return _list_failed(failed, duplicates)


def _check(options: argparse.Namespace) -> None:
    refuse_answer_options(options)
    if not options.input:
        raise UsageError("nothing to summarise: give topics, texts, or a --question and texts")
    if need(options.out, "--out DIR", "for a run of topics; to answer from texts, add --question TEXT instead") == "-":
        raise UsageError("--out -: a run is several files; name a folder (a --question is answered on standard output)")
    if options.resume and options.force:
        raise UsageError("--resume continues a run and --force replaces it: choose one")


def _list_warnings(result: Composed, unfit: set[str], quiet: bool) -> None:
    """List the warnings of a topic; that the model fits another kind of topic only once."""
    for line in result.warnings:
        if line not in unfit:
            notify(f"{result.entry.topic}: {line}", quiet)
    unfit |= {line for line in result.warnings if line.startswith(UNFIT)}


def _form(options: argparse.Namespace) -> str:
    try:
        return input_form(options)
    except InputError as error:
        if Path(options.input[0]).suffix != ".txt":
            raise
        hint = f"{error.message}; to summarise texts or answer a --question from them, leave out --out"
        raise InputError(hint, error.file, error.line) from None


def _settings(
    options: argparse.Namespace, summarizer: Summarizer, words: int, form: str, target: Format
) -> RunSettings:
    from ilpsum.retrieval import FOUND, known_digests

    searched = is_searched(options)
    digests = known_digests(options.index)
    documents = file_digests(options.documents, digests)
    answers = file_digests(options.answers and [options.answers], digests)
    pmids = file_digests(options.pmids and [options.pmids], digests)
    digests.save()
    return replace(
        summarizer.settings(words),
        format=target.name,
        node_limit=options.node_limit,
        time_limit=options.time_limit,
        fallback=options.fallback,
        found=(options.found or FOUND) if searched else None,
        coverage=options.coverage if searched else None,
        pool=(options.pool or "snippets") if form == "bioasq" else "",
        support=options.support if target.cites else None,
        documents=documents,
        answers=answers,
        pmids=pmids,
        configuration=configuration_digest(summarizer.system),
    )


def _least_coverage(options: argparse.Namespace, form: str, target: Format) -> float | None:
    """Return --coverage; without it 0 for BioGen's formats, since the track expects an answer to every topic."""
    return 0.0 if options.coverage is None and form == "biogen" and target.cites else options.coverage


def _list_failed(failed: list[BrokenTopic], duplicates: list[BrokenTopic]) -> int:
    """List the topics without an answer of their own; return the exit status."""
    for failure in failed:
        notify(f"topic {failure.id} failed, its answer is empty: {failure.error}")
    for second in duplicates:
        notify(f"a second topic {second.id} was skipped; the first one is answered: {second.error}")
    return 1 if failed or duplicates else 0


@contextmanager
def _interruptible(writer: RunWriter) -> Iterator[None]:
    """Say that finished topics are kept if the run is interrupted."""
    what = "finished topics are kept; continue with --resume"
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(*[what] * bool(writer.finished)) from None
    except InputError as error:
        if not writer.finished:
            raise
        raise InputError(f"{error.message}; {what}", error.file, error.line) from None


def _unfinished(
    topics: Iterator[Incoming], complete: Complete, writer: RunWriter, duplicates: list[BrokenTopic]
) -> Iterator[Incoming]:
    """Yield the unfinished topics; those with the id of an earlier one go to `duplicates`."""
    for topic in topics:
        if isinstance(topic, BrokenTopic) and isinstance(topic.error, SecondTopicError):
            duplicates.append(topic)
        elif topic.id not in writer.finished:
            yield topic
        # Whether its texts are those of the finished one, only the complete topic tells.
        elif isinstance(whole := complete(topic), BrokenTopic) or not writer.has(whole):
            yield whole


def _total(count: int, writer: RunWriter, system: str) -> str:
    total = count + writer.kept
    summaries = "1 summary" if total == 1 else f"{total} summaries"
    before = f", {writer.kept} of them from before" if writer.kept else ""
    return f"{summaries} by {system} in {writer.out / writer.targets[0]}{before}"


def _list_lost(writer: RunWriter, quiet: bool) -> None:
    """Say that topics of a resumed run are summarised again because their files are damaged."""
    if writer.lost:
        more = f"; {len(writer.lost) - 1} more" if len(writer.lost) > 1 else ""
        what = "what is damaged is summarised again"
        notify(f"the run {writer.name}: {writer.lost[0]}{more}; {what}", quiet)


def _list_unasked(writer: RunWriter, quiet: bool) -> None:
    """List the topics of a resumed run that are no longer in the input."""
    count, names = writer.unasked()
    if not count or quiet:
        return
    listed = list(islice(names, _MAX_LISTED))
    which = ", ".join(listed) + (", ..." if count > len(listed) else "")
    topics = "1 topic" if count == 1 else f"{count} topics"
    what = "their answers are kept; --force starts over without them"
    notify(f"the run {writer.name} has {topics} no longer in the input ({which}); {what}")


def _writer(options: argparse.Namespace, target: Format, settings: tuple[RunSettings, ...]) -> RunWriter:
    name = f"{options.team}{options.number}"
    how = {"force": options.force, "resume": options.resume, "settings": settings}
    return target.start(options.out, name, contact_email=options.contact_email, **how)


def _add(result: Composed | BrokenTopic, run: RunWriter) -> Composed | BrokenTopic:
    """Add a result to the run; a summary that the format cannot hold is a failure."""
    if isinstance(result, Composed):
        try:
            run.add(result.entry)
        except InputError as error:
            result = _broken(result.entry.topic, error)
    if isinstance(result, BrokenTopic):
        run.fail(result.id, result.error)
    return result


def summarise(
    complete: Complete,
    summarizer: Summarizer,
    words: int,
    compose: Callable[[Summary], Entry],
    support: float | None,
    read: Read,
) -> Composed | BrokenTopic:
    """Complete one topic, summarise it and compose its entry; a failure affects only this topic.

    With `support`, the summary cites abstracts, also others above this similarity.
    """
    start = perf_counter()
    topic = complete(read.topic)
    reading = read.seconds + perf_counter() - start
    if isinstance(topic, BrokenTopic):
        return _broken(topic.id, topic.error)
    try:
        summary = summarizer(topic, words)
        if support is not None:
            summary = with_citations(summary, topic, support)
        times = {"reading": reading, **summary.seconds}
        summary = replace(summary, seconds=times, topic_digest=topic_digest(topic))
        return Composed(compose(summary), (*_unanswered(summary), *summary.warnings))
    except IlpsumError as error:
        return _broken(topic.id, error)
    except Exception as error:  # a bug must not cost the other topics their summaries
        return _broken(topic.id, f"a bug in ilpsum, please report it: {type(error).__name__}: {error}")


def _broken(topic: str, error: object) -> BrokenTopic:
    """Return a failed topic without the traceback of its error, which would keep the topic's data in memory."""
    return BrokenTopic(topic, IlpsumError(str(error)))


def _unanswered(summary: Summary) -> tuple[str, ...]:
    """Say why a question has no answer."""
    return (f"no answer: {summary.search.unanswered}",) if summary.search and summary.search.unanswered else ()


def _timed(topics: Iterator[Incoming]) -> Iterator[Read]:
    while True:
        start = perf_counter()
        if (topic := next(topics, None)) is None:
            return
        yield Read(topic, perf_counter() - start)
