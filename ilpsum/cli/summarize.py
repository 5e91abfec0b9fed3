"""`ilpsum summarize`: topics to a run, or a question and texts to an answer on stdout."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from time import perf_counter
from typing import Any, get_args, get_type_hints

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
from ilpsum.cli.settings import settings
from ilpsum.corpora.identity import topic_digest
from ilpsum.errors import IlpsumError, InputError, SecondTopicError, UsageError
from ilpsum.pipeline.citing import SUPPORT, with_citations
from ilpsum.pipeline.summarizer import Summarizer
from ilpsum.pipeline.system import COMPRESSING, RULES, CompressionTable, OrderTable, System
from ilpsum.records import BrokenTopic, Summary, Topic
from ilpsum.runs import WRITERS, Entry, RunWriter
from ilpsum.runs.formats import DEFAULT_SYSTEM, WORD_LIMITS, default_output, for_readers, is_read, kind_of, room
from ilpsum.runs.settings import GIVEN

# So many ids are told one by one.
_FEW = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    add_input(parser, nargs="*")
    parser.add_argument(
        "--question",
        metavar="TEXT",
        help="answer one question on stdout, from texts (FILE... or -) or a search (--documents)",
    )
    parser.add_argument("--system", metavar="NAME|FILE.toml", help=f"see `ilpsum systems` (default: {DEFAULT_SYSTEM})")
    parser.add_argument("--model", metavar="MODEL", help="a model file (default: the one that ships)")
    parser.add_argument("--out", metavar="DIR", help="the folder that takes the run")
    parser.add_argument("--to", choices=list(WRITERS), help="format of the run (default: by format of the input)")
    parser.add_argument(
        "--team", metavar="ID", default="SYS", help="team id, the first part of the run's name (default: SYS)"
    )
    parser.add_argument(
        "--run", dest="number", type=_run_number, default=1, metavar="N", help="run number, 1-5 (default: 1)"
    )
    parser.add_argument("--words", type=positive, help="word limit (default: the format's)")
    parser.add_argument("--lambda", dest="lambda_", type=share, metavar="X", help="weight of relevance, 0 to 1")
    parser.add_argument(
        "--order",
        choices=get_args(get_type_hints(OrderTable)["by"]),
        help="order of the sentences (default: the system's, as a rule document: that of the documents)",
    )
    parser.add_argument(
        "--coherence",
        metavar="RULE,...",
        help=f"what the text keeps: {', '.join(RULES)}; or all, none (default: the system's; BioGen and a search: all)",
    )
    parser.add_argument(
        "--same",
        type=share,
        metavar="X",
        help="share of words from which on one sentence repeats another (default 0.75; where texts are given 0.95)",
    )
    parser.add_argument(
        "--support",
        type=share,
        default=SUPPORT,
        metavar="X",
        help="BioGen: similarity from which on a sentence of another abstract is cited too (default %(default)s)",
    )
    parser.add_argument("--labels", action="store_true", help="begin each facet with its name (with --order facet)")
    parser.add_argument(
        "--compress", action="store_true", help="sentences may be shortened by the trimming rules (see `compress`)"
    )
    parser.add_argument("--solver", default="highs", metavar="NAME", help="highs (default), glpk or cbc")
    parser.add_argument("--formulation", metavar="NAME", help="compact (default with highs) or paper (as published)")
    parser.add_argument("--node-limit", type=positive, metavar="N", help="give up a proof after N nodes")
    parser.add_argument(
        "--time-limit", type=seconds, metavar="SECONDS", help="give up a proof after so long (depends on the machine)"
    )
    parser.add_argument(
        "--fallback", action="store_true", help="where the solver is missing or fails, select greedily and say so"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the yardstick `random`")
    parser.add_argument("--resume", action="store_true", help="go on with a run that was cut, by the same settings")
    parser.add_argument("--force", action="store_true", help="replace a run of this name")
    add_jobs(parser)


@dataclass(frozen=True)
class Read:
    """A topic that was read, or could not be, and the seconds that it took."""

    topic: Topic | BrokenTopic
    seconds: float


@dataclass(frozen=True)
class Made:
    """What a run takes of a topic, and what fell back or was repaired."""

    entry: Entry
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Failed:
    """A topic that has no summary, and why."""

    topic: str
    error: str


def _run_number(text: str) -> int:
    if text.strip() not in ("1", "2", "3", "4", "5"):
        raise argparse.ArgumentTypeError(f"{text} is not a run number from 1 to 5; --team tells more runs apart")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Writes the run; exit status 1 if a topic failed."""
    if options.question is not None:
        return _answer(options)
    if not options.input:
        raise UsageError("nothing to summarise: name topics, or a --question and texts")
    need(options.out, "--out DIR", "for a run")
    if options.resume and options.force:
        raise UsageError("--resume goes on with a run and --force replaces it: choose one")
    form = input_form(options)
    if form == "biogen":
        need(options.documents, "--documents FILE...", "for BioGen: the abstracts that are searched for each question")
    to = options.to or default_output(form)
    summarizer = _summarizer(options, form, to, searched=form == "biogen")
    if form == "biogen" and not is_read(to):
        notify(
            f"--to {to} has no place for citations: the answers name no PMIDs (--to biogen-2025 does)", options.quiet
        )
    words = options.words or WORD_LIMITS[to]
    topics = input_topics(options)
    failed, again, count = list[Failed](), list[BrokenTopic](), 0
    made_with = settings(options, summarizer, words, form, to)
    with engine(options) as workers, _writer(options, to, made_with) as written, _kept(written):
        open_topics = _open(topics, written, again)
        work = partial(summarise, summarizer, words, written.composer, options.support if is_read(to) else None)
        results = workers.map(work, _timed(open_topics), lost=lambda read, why: Failed(read.topic.id, why))
        for made in progress(results, "topics", options.quiet, _left(options, written)):
            result = _written(made, written)
            if isinstance(result, Failed):
                failed.append(result)
                continue
            count += 1
            for line in result.warnings:
                notify(f"{result.entry.topic}: {line}", options.quiet)
        _tell_unasked(written, options.quiet)
    notify(_total(count, written, summarizer.system.name), options.quiet)
    return _tell_failed(failed, again)


def _tell_failed(failed: list[Failed], again: list[BrokenTopic]) -> int:
    """Tells what has no answer of its own; the exit status."""
    for failure in failed:
        notify(f"topic {failure.topic} failed, its answer is empty: {failure.error}")
    for second in again:
        notify(f"a second topic {second.id} was left out, its answer is the first one's: {second.error}")
    return 1 if failed or again else 0


@contextmanager
def _kept(written: RunWriter) -> Iterator[None]:
    """Says of what breaks a run off that it can be gone on with, where something is finished."""
    what = "what is finished is kept, and --resume goes on with it"
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(*[what] * bool(written.finished)) from None
    except InputError as error:
        if not written.finished:
            raise
        raise InputError(f"{error.message}; {what}", error.file, error.line) from None


def _open(
    topics: Iterator[Topic | BrokenTopic], written: RunWriter, again: list[BrokenTopic]
) -> Iterator[Topic | BrokenTopic]:
    """The topics that want work; `again` takes those whose id came before."""
    for topic in topics:
        if isinstance(topic, BrokenTopic):
            if isinstance(topic.error, SecondTopicError):
                again.append(topic)
            else:
                yield topic
        elif not written.has(topic):
            yield topic


def _total(count: int, written: RunWriter, system: str) -> str:
    """How many summaries the run has, and how many of them it had before."""
    total = count + written.kept
    summaries = "1 summary" if total == 1 else f"{total} summaries"
    before = f", {written.kept} of them {'was' if written.kept == 1 else 'were'} there" if written.kept else ""
    return f"{summaries} by {system} in {written.out / written.targets[0]}{before}"


def _tell_unasked(written: RunWriter, quiet: bool) -> None:
    """Tells which topics of a resumed run the input has no more."""
    count, names = written.unasked()
    if not count or quiet:
        return
    few = list(islice(names, _FEW))
    which = ", ".join(few) + (", ..." if count > len(few) else "")
    topics = "1 topic" if count == 1 else f"{count} topics"
    what = "its answers stand; --force begins anew, without them"
    notify(f"the run {written.name} has {topics} that the input has not ({which}); {what}")


def _left(options: argparse.Namespace, written: RunWriter) -> int | None:
    """How many topics are to be done, where that is cheap to tell."""
    total = topics_in(options)
    return None if total is None else max(total - len(written.finished), 0)


def _writer(options: argparse.Namespace, to: str, settings: dict[str, Any]) -> RunWriter:
    name = f"{options.team}{options.number}"
    return WRITERS[to]()(options.out, name, force=options.force, resume=options.resume, settings=settings)


def _written(result: Made | Failed, run: RunWriter) -> Made | Failed:
    """The result, put into the run; a summary that has no place in it is a failure."""
    if isinstance(result, Made):
        try:
            run.add(result.entry)
        except InputError as error:
            result = Failed(result.entry.topic, str(error))
    if isinstance(result, Failed):
        run.fail(result.topic, result.error)
    return result


def summarise(
    summarizer: Summarizer, words: int, compose: Callable[[Summary], Entry], support: float | None, read: Read
) -> Made | Failed:
    """One topic, composed where it is summarised; whatever goes wrong with it stays with it.

    Args:
        summarizer: the system.
        words: the word limit.
        compose: makes what the run takes of a summary.
        support: the least similarity of what is cited too; None for a summary without citations.
        read: the topic.
    """
    topic = read.topic
    if isinstance(topic, BrokenTopic):
        return Failed(topic.id, str(topic.error))
    try:
        summary = summarizer(topic, words)
        if support is not None:
            summary = with_citations(summary, topic, support)
        summary = replace(
            summary,
            seconds={"reading": read.seconds, **summary.seconds},
            details={**summary.details, GIVEN: topic_digest(topic)},
        )
        return Made(compose(summary), summary.warnings)
    except IlpsumError as error:
        return Failed(topic.id, str(error))
    except Exception as error:  # a fault of ours must not cost the other topics their summaries
        return Failed(topic.id, f"a fault in ilpsum, please report it: {type(error).__name__}: {error}")


def _timed(topics: Iterator[Topic | BrokenTopic]) -> Iterator[Read]:
    while True:
        start = perf_counter()
        topic = next(topics, None)
        if topic is None:
            return
        yield Read(topic, perf_counter() - start)


def _with_rules(system: System, options: argparse.Namespace) -> System:
    """The system with the rules of coherence and the order that the options name."""
    import msgspec

    changed = {}
    if options.coherence is not None:
        named = [name.strip() for name in options.coherence.split(",")]
        if unknown := [name for name in named if name not in (*RULES, "all", "none")]:
            raise UsageError(f"unknown rule {unknown[0]!r} of coherence; there are: {', '.join(RULES)}; or all, none")
        if len(set(named)) > 1 and (other := {"all", "none"}.intersection(named)):
            raise UsageError(f"--coherence {min(other)} stands alone: name it, or the rules")
        changed = {rule: rule in named or "all" in named for rule in RULES}
    if options.same is not None:
        if not options.same:
            raise UsageError("--same 0 would call any two sentences the same; give more than 0")
        changed["same"] = options.same
    if changed:
        system = msgspec.structs.replace(system, coherence=msgspec.structs.replace(system.coherence, **changed))
    if options.order:
        order = msgspec.structs.replace(system.order, by=options.order, labels=options.labels)
        system = msgspec.structs.replace(system, order=order)
    return system


def _summarizer(options: argparse.Namespace, form: str, to: str = "", *, searched: bool = False) -> Summarizer:
    from ilpsum.selection import Limits

    system = System.load(options.system or DEFAULT_SYSTEM)
    if options.labels and options.order != "facet":
        raise UsageError("--labels goes with --order facet")
    if options.model and system.relevance is None:
        raise UsageError(f"the system {system.name} has no model; leave --model out")
    if options.lambda_ is not None and system.selection.method != "ilp":
        raise UsageError(f"the system {system.name} has no lambda; leave --lambda out")
    system = _with_rules(for_readers(system) if is_read(to) or searched else system, options)
    if options.compress:
        system = _compressing(system)
    limits = Limits(**({"nodes": options.node_limit} if options.node_limit else {}), seconds=options.time_limit)
    return Summarizer.load(
        system,
        options.model,
        kind=kind_of(form, options.pool),
        lambda_=options.lambda_,
        solver=options.solver,
        # Only HiGHS solves the compact formulation; another solver is asked for by who wants the published one solved.
        formulation=options.formulation or ("compact" if options.solver == "highs" else "paper"),
        limits=limits,
        fallback=options.fallback,
        seed=options.seed,
        room=room(to),
    )


def _compressing(system: System) -> System:
    """The system with compression, by its own rules where it names any."""
    import msgspec

    if system.selection.method not in COMPRESSING:
        raise UsageError(f"the system {system.name} compresses no sentences; leave --compress out")
    return msgspec.structs.replace(system, compression=system.compression or CompressionTable())


def _given(options: argparse.Namespace) -> Topic:
    """The question with the texts of the input."""
    from ilpsum.corpora.text import documents

    if options.index or options.found or options.coverage:
        raise UsageError(
            "--index, --found and --coverage go with a search: name the abstracts with --documents FILE..."
        )
    warnings: list[str] = []
    given = tuple(documents(options.input or ["-"], warnings))
    return Topic(id="question", query=options.question, documents=given, warnings=tuple(warnings))


def _searched(options: argparse.Namespace) -> Topic:
    """The question with the abstracts that a search finds, as for a topic of a file."""
    from ilpsum.retrieval import FOUND, AbstractSearch, with_documents

    if options.input:
        raise UsageError("a --question is answered from texts (FILE...) or from a search (--documents FILE...): choose")
    search = AbstractSearch(
        options.documents, options.index, partial(progress, what="abstracts indexed", quiet=options.quiet)
    )
    query = " ".join(options.question.split())
    topic = with_documents(Topic("question", query), search, options.found or FOUND, options.coverage or 0.0)
    return replace(topic, warnings=(*search.warnings, *topic.warnings))


def _answer(options: argparse.Namespace) -> int:
    """One question, answered on stdout: the text, then each sentence's source."""
    if not options.question.strip():
        raise UsageError("--question is empty: ask something")
    if options.out or options.to:
        raise UsageError("--question is answered on standard output; --out and --to go with topics")
    for name in ("resume", "force", "pool", "answers", "summaries"):
        if getattr(options, name):
            raise UsageError(f"--{name} goes with topics; leave it out where a --question is asked")
    from ilpsum.runs.citations import clean

    topic = _searched(options) if options.documents else _given(options)
    summarizer = _summarizer(options, "text", searched=bool(options.documents))
    summary = summarizer(topic, options.words or WORD_LIMITS["bioasq"])
    for line in summary.warnings:
        notify(line, options.quiet)
    for sentence in summary:
        # An abstract's labels and lists of citations have no place in an answer; a text that was given stays as it is.
        print(clean(sentence.text) if options.documents else sentence.text)
    print()
    for number, sentence in enumerate(summary, start=1):
        place = f"{sentence.document}:{sentence.start}-{sentence.end}"
        if sentence.original:
            place += f" (shortened by {', '.join(dict.fromkeys(cut.rule for cut in sentence.cuts))})"
        print(f"[{number}] {place}  relevance {sentence.relevance:.4f}; {sentence.why}")
    return 0
