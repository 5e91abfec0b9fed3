"""`ilpsum summarize`: from topics to a run, or from a question and texts to an answer on stdout."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import get_args, get_type_hints

from ilpsum.cli.options import (
    add_input,
    add_jobs,
    engine,
    input_form,
    input_topics,
    need,
    notify,
    positive,
    progress,
    seconds,
    share,
    topics_in,
)
from ilpsum.corpora.identity import topic_digest
from ilpsum.errors import IlpsumError, InputError, SecondTopicError, UsageError
from ilpsum.pipeline.citing import SUPPORT, clean, with_citations
from ilpsum.pipeline.summarizer import UNFIT, Summarizer
from ilpsum.pipeline.system import COMPRESSING, RULES, CompressionTable, OrderTable, System
from ilpsum.records import BrokenTopic, RunSettings, Summary, Topic
from ilpsum.runs.formats import DEFAULT_SYSTEM, FORMATS, WRITTEN, Format, default_output
from ilpsum.runs.settings import configuration_digest, file_digests
from ilpsum.runs.writer import Entry, RunWriter

# Ids listed in a message; further ones are only counted.
_MAX_LISTED = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, the most used first."""
    add = parser.add_argument_group("most used").add_argument
    add("--out", metavar="DIR", help="folder for the run")
    add("--question", metavar="TEXT", help="answer one question on stdout, from INPUT or --documents")
    add("--system", metavar="NAME|FILE.toml", help=f"see `ilpsum systems` (default: {DEFAULT_SYSTEM})")
    add("--words", type=positive, metavar="N", help="word limit (default: that of the format)")
    add("--to", metavar="FORMAT", help=f"format of the run: {', '.join(WRITTEN)} (default: depends on the input)")
    add("--team", metavar="ID", default="SYS", help="team id; the run is called IDN (default: SYS)")
    add("--run", dest="number", type=_run_number, default=1, metavar="N", help="run number, 1-5 (default: 1)")
    add("--resume", action="store_true", help="continue a run: retry failed topics, append new ones")
    add("--force", action="store_true", help="replace an existing run")
    add_jobs(parser)
    add_input(parser, nargs="*")
    _add_selection(parser.add_argument_group("selection").add_argument)
    _add_text(parser.add_argument_group("text of the summary").add_argument)


def _add_selection(add: Callable[..., argparse.Action]) -> None:
    add("--model", metavar="NAME|FILE", help="a model that ships, or a file (default: the system's own)")
    add("--method", choices=COMPRESSING, help="selector: ilp or greedy, with the same model (default: the system's)")
    add("--lambda", dest="lambda_", type=share, metavar="X", help="weight of relevance, 0 to 1")
    add("--solver", default="highs", metavar="NAME", help="highs (default); as published: highs-paper, glpk, cbc")
    add("--node-limit", type=positive, metavar="N", help="stop the proof after N nodes")
    add("--time-limit", type=seconds, metavar="SECONDS", help="stop the proof after this time (machine-dependent)")
    add("--fallback", action="store_true", help="select greedily if the solver is missing or fails, with a warning")
    add("--seed", type=int, default=1, help="random seed of the baseline `random`")


def _add_text(add: Callable[..., argparse.Action]) -> None:
    add(
        "--order",
        choices=get_args(get_type_hints(OrderTable)["by"]),
        help="order of the sentences (default: the system's, usually document)",
    )
    add("--labels", action="store_true", help="begin each facet with its name (with --order facet)")
    add(
        "--coherence",
        metavar="RULE,...",
        help=f"rules of coherence: {', '.join(RULES)}; all or none (default: all for searched documents and BioGen)",
    )
    add(
        "--overlap",
        type=share,
        metavar="X",
        help="overlap above which a sentence is redundant (default: 0.75 for searched documents, otherwise 0.95)",
    )
    add(
        "--support",
        type=share,
        default=SUPPORT,
        metavar="X",
        help="BioGen: similarity above which a sentence cites another abstract too (default: %(default)s)",
    )
    add("--compress", action="store_true", help="allow compressed variants of sentences (see `ilpsum compress`)")


@dataclass(frozen=True)
class Read:
    """A topic, or the error of reading it, and the seconds that reading took."""

    topic: Topic | BrokenTopic
    seconds: float


@dataclass(frozen=True)
class Composed:
    """The entry of a topic in a run, and its warnings."""

    entry: Entry
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Failed:
    """A topic without a summary, and the error."""

    topic: str
    error: str


def _run_number(text: str) -> int:
    if text.strip() not in ("1", "2", "3", "4", "5"):
        raise argparse.ArgumentTypeError(f"{text} is not a run number from 1 to 5; use --team to distinguish more runs")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Write the run; exit status 1 if a topic failed."""
    if options.question is not None:
        return _answer(options)
    if not options.input:
        raise UsageError("nothing to summarise: give topics, or a --question and texts")
    need(options.out, "--out DIR", "for a run of topics; to answer from texts, add --question TEXT instead")
    if options.resume and options.force:
        raise UsageError("--resume continues a run and --force replaces it: choose one")
    form = _form(options)
    if form == "biogen":
        need(options.documents, "--documents FILE...", "for BioGen topics: abstracts to search for each question")
    target = FORMATS[options.to] if options.to else default_output(form)
    _ = target.writer  # fails before any work if there is none
    summarizer = _summarizer(options, target, searched=form == "biogen")
    if form == "biogen" and not target.cites:
        notify(f"--to {target.name} has no citations: use --to biogen-2025 for answers that cite PMIDs", options.quiet)
    words = options.words or target.words
    if target.limits.words and words > target.limits.words:
        notify(
            f"--to {target.name} allows {target.limits.words} words, not {words} (--to jsonl allows any)", options.quiet
        )
        words = target.limits.words
    topics = input_topics(options)
    failed, duplicates, count, unfit = list[Failed](), list[BrokenTopic](), 0, set[str]()
    settings = tuple(_settings(options, each, words, form, target) for each in summarizer.each_kind())
    with engine(options) as workers, _writer(options, target, settings) as writer, _interruptible(writer):
        unfinished = _unfinished(topics, writer, duplicates)
        work = partial(summarise, summarizer, words, writer.composer, options.support if target.cites else None)
        results = workers.map(work, _timed(unfinished), lost=lambda read, why: Failed(read.topic.id, why))
        total = topics_in(options)
        left = None if total is None else max(total - len(writer.finished), 0)
        for outcome in progress(results, "topics", options.quiet, left):
            result = _add(outcome, writer)
            if isinstance(result, Failed):
                failed.append(result)
                continue
            count += 1
            _list_warnings(result, unfit, options.quiet)
        _list_unasked(writer, options.quiet)
    notify(_total(count, writer, summarizer.system.name), options.quiet)
    return _list_failed(failed, duplicates)


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
        hint = f"{error.message}; to answer from texts, add --question TEXT and leave out --out"
        raise InputError(hint, error.file, error.line) from None


def _settings(
    options: argparse.Namespace, summarizer: Summarizer, words: int, form: str, target: Format
) -> RunSettings:
    from ilpsum.retrieval import FOUND, known_digests

    searched = form == "biogen"
    digests = known_digests(options.index)
    documents = file_digests(options.documents, digests)
    answers = file_digests(options.answers and [options.answers], digests)
    digests.save()
    return replace(
        summarizer.settings(words),
        format=target.name,
        node_limit=options.node_limit,
        time_limit=options.time_limit,
        fallback=options.fallback,
        found=(options.found or FOUND) if searched else None,
        coverage=(options.coverage or 0.0) if searched else None,
        pool=(options.pool or "snippets") if form == "bioasq" else "",
        support=options.support if target.cites else None,
        documents=documents,
        answers=answers,
        configuration=configuration_digest(summarizer.system),
    )


def _list_failed(failed: list[Failed], duplicates: list[BrokenTopic]) -> int:
    """List the topics without an answer of their own; return the exit status."""
    for failure in failed:
        notify(f"topic {failure.topic} failed, its answer is empty: {failure.error}")
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
    topics: Iterator[Topic | BrokenTopic], writer: RunWriter, duplicates: list[BrokenTopic]
) -> Iterator[Topic | BrokenTopic]:
    """Yield the unfinished topics; those with the id of an earlier one go to `duplicates`."""
    for topic in topics:
        if isinstance(topic, BrokenTopic) and isinstance(topic.error, SecondTopicError):
            duplicates.append(topic)
        elif isinstance(topic, BrokenTopic) or not writer.has(topic):
            yield topic


def _total(count: int, writer: RunWriter, system: str) -> str:
    total = count + writer.kept
    summaries = "1 summary" if total == 1 else f"{total} summaries"
    before = f", {writer.kept} of them from before" if writer.kept else ""
    return f"{summaries} by {system} in {writer.out / writer.targets[0]}{before}"


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
    return target.writer(options.out, name, force=options.force, resume=options.resume, settings=settings)


def _add(result: Composed | Failed, run: RunWriter) -> Composed | Failed:
    """Add a result to the run; a summary that the format cannot hold is a failure."""
    if isinstance(result, Composed):
        try:
            run.add(result.entry)
        except InputError as error:
            result = Failed(result.entry.topic, str(error))
    if isinstance(result, Failed):
        run.fail(result.topic, result.error)
    return result


def summarise(
    summarizer: Summarizer, words: int, compose: Callable[[Summary], Entry], support: float | None, read: Read
) -> Composed | Failed:
    """Summarise one topic and compose its entry; a failure affects only this topic.

    With `support`, the summary cites abstracts, also others above this similarity.
    """
    topic = read.topic
    if isinstance(topic, BrokenTopic):
        return Failed(topic.id, str(topic.error))
    try:
        summary = summarizer(topic, words)
        if support is not None:
            summary = with_citations(summary, topic, support)
        times = {"reading": read.seconds, **summary.seconds}
        summary = replace(summary, seconds=times, topic_digest=topic_digest(topic))
        return Composed(compose(summary), summary.warnings)
    except IlpsumError as error:
        return Failed(topic.id, str(error))
    except Exception as error:  # a bug must not cost the other topics their summaries
        return Failed(topic.id, f"a bug in ilpsum, please report it: {type(error).__name__}: {error}")


def _timed(topics: Iterator[Topic | BrokenTopic]) -> Iterator[Read]:
    while True:
        start = perf_counter()
        if (topic := next(topics, None)) is None:
            return
        yield Read(topic, perf_counter() - start)


def _summarizer(options: argparse.Namespace, target: Format | None, *, searched: bool) -> Summarizer:
    from ilpsum.selection import Limits

    system = System.load(options.system or DEFAULT_SYSTEM)
    if options.method:
        system = system.with_method(options.method)
    if options.labels and options.order != "facet":
        raise UsageError("--labels requires --order facet")
    if options.labels and target is not None and target.cites:
        raise UsageError(f"answers of the format {target.name} have no labels; leave out --labels")
    if options.model and not system.learns:
        raise UsageError(f"the system {system.name} has no model; leave out --model")
    if options.lambda_ is not None and system.selection.method != "ilp":
        raise UsageError(f"the system {system.name} has no lambda; leave out --lambda")
    system = _changed(system, options, for_reader=searched or (target is not None and target.cites), searched=searched)
    limits = Limits(**({"nodes": options.node_limit} if options.node_limit else {}), seconds=options.time_limit)
    return Summarizer.load(
        system,
        options.model,
        lambda_=options.lambda_,
        solver=options.solver,
        limits=limits,
        fallback=options.fallback,
        seed=options.seed,
        format_limits=target.limits if target else None,
    )


def _changed(system: System, options: argparse.Namespace, *, for_reader: bool, searched: bool) -> System:
    """Return the system with the coherence, order and compression of the options."""
    import msgspec

    if for_reader:
        system = system.for_reader(strict=searched)
    changed: dict[str, object] = {}
    if options.coherence is not None:
        changed |= _rules(options.coherence)
    if options.overlap is not None:
        if not options.overlap:
            raise UsageError("--overlap 0 would make any two sentences redundant; give a value above 0")
        changed["overlap"] = options.overlap
    system = msgspec.structs.replace(system, coherence=msgspec.structs.replace(system.coherence, **changed))
    if options.order:
        order = msgspec.structs.replace(system.order, by=options.order, labels=options.labels)
        system = msgspec.structs.replace(system, order=order)
    if options.compress:
        if system.selection.method not in COMPRESSING:
            raise UsageError(f"the system {system.name} compresses no sentences; leave out --compress")
        system = msgspec.structs.replace(system, compression=system.compression or CompressionTable())
    return system


def _rules(text: str) -> dict[str, bool]:
    names = [name.strip() for name in text.split(",")]
    if unknown := [name for name in names if name not in (*RULES, "all", "none")]:
        raise UsageError(f"unknown coherence rule {unknown[0]!r}; there are: {', '.join(RULES)}; or all, none")
    if len(set(names)) > 1 and (other := {"all", "none"}.intersection(names)):
        raise UsageError(f"--coherence {min(other)} cannot be combined with rules")
    return {rule: rule in names or "all" in names for rule in RULES}


def _question_on_texts(options: argparse.Namespace) -> Topic:
    from ilpsum.corpora.text import documents

    if options.index or options.found or options.coverage:
        raise UsageError("--index, --found and --coverage belong to a search: name abstracts with --documents FILE...")
    warnings: list[str] = []
    texts = tuple(documents(options.input or ["-"], warnings))
    return Topic(id="question", query=options.question, documents=texts, warnings=tuple(warnings))


def _question_on_search(options: argparse.Namespace) -> Topic:
    from ilpsum.retrieval import FOUND, AbstractSearch, with_documents

    if options.input:
        sources = "from texts (FILE...) or from a search (--documents FILE...)"
        raise UsageError(f"a --question is answered {sources}: choose one")
    watch = partial(progress, what="abstracts indexed", quiet=options.quiet)
    search = AbstractSearch(options.documents, options.index, watch)
    query = " ".join(options.question.split())
    topic = with_documents(Topic("question", query), search, options.found or FOUND, options.coverage or 0.0)
    return replace(topic, warnings=(*search.warnings, *topic.warnings))


def _answer(options: argparse.Namespace) -> int:
    """Answer one question on stdout: the text, then the source of each sentence."""
    if not options.question.strip():
        raise UsageError("--question is empty")
    if options.out or options.to:
        raise UsageError("--question prints its answer on standard output; --out and --to are for topics")
    for name in ("resume", "force", "pool", "answers", "summaries"):
        if getattr(options, name):
            raise UsageError(f"--{name} is for topics; leave it out with --question")
    topic = _question_on_search(options) if options.documents else _question_on_texts(options)
    summarizer = _summarizer(options, None, searched=bool(options.documents))
    summary = summarizer(topic, options.words or FORMATS["bioasq"].words)
    for line in summary.warnings:
        notify(line, options.quiet)
    for sentence in summary:
        # Labels and citation lists of abstracts are removed; given texts are printed unchanged.
        print(clean(sentence.text) if options.documents else sentence.text)
    print()
    for number, sentence in enumerate(summary, start=1):
        place = f"{sentence.document}:{sentence.start}-{sentence.end}"
        if sentence.original:
            place += f" (shortened by {', '.join(dict.fromkeys(cut.rule for cut in sentence.cuts))})"
        print(f"[{number}] {place}  relevance {sentence.relevance:.4f}; {sentence.why}")
    return 0
