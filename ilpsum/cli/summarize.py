"""`ilpsum summarize`: summarise topics into a run, or texts to standard output."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from ilpsum.answers.steps import Summarizer
from ilpsum.api.asking import WORDS, summarize
from ilpsum.api.inputs import Inputs
from ilpsum.cli.answer import Output, add_output
from ilpsum.cli.options import SEARCH, add_common, add_input, engine, need, pending, positive, topics_of
from ilpsum.cli.settings import add_set, add_settings, add_system, load, settings_of
from ilpsum.cli.terminal import list_damaged, notify, progress
from ilpsum.errors import InputError, SecondTopicError, UsageError, counted, listed
from ilpsum.formats import guess
from ilpsum.formats.abstracts import Damaged
from ilpsum.pipeline.citing import SUPPORT
from ilpsum.pipeline.explanation import NO_DOCUMENT
from ilpsum.pipeline.pipeline import FOR_ANOTHER_KIND
from ilpsum.pipeline.settings import RunTable, SourceTable, changed
from ilpsum.records import BrokenTopic, InputSettings, RunSettings, SourceFilter
from ilpsum.runs.formats import WRITTEN, Format, chosen, default_output
from ilpsum.runs.settings import configuration_digest, file_digests
from ilpsum.runs.summarising import Composed, Job
from ilpsum.runs.writer import RunWriter

# Options for topics only, and options for texts only.
_OF_TOPICS = ("resume", "force", "pool", "answers", "documents", "index", "pmids", "found", "coverage")
_OF_TEXTS = {"output": "-o", "json": "--json"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, the most used first."""
    group = parser.add_argument_group("run")
    add = group.add_argument
    add("--out", metavar="DIR", help="folder for a run of topics; without it, texts are summarised on stdout")
    add_system(group)
    add("--words", type=positive, metavar="N", help="word limit (default: that of the format)")
    runs = f"{', '.join(WRITTEN)} (default: depends on the input)"
    add("--to", metavar="FORMAT", help=f"format of a run: {runs}; of a summary of texts, as for `ilpsum ask`")
    add("--team", metavar="ID", default="SYS", help="team id; the run is named ID and N (default: SYS)")
    add("--run", dest="number", type=_run_number, default=1, metavar="N", help="run number, 1-5 (default: 1)")
    add("--resume", action="store_true", help="continue a run: retry failed topics, append new ones")
    add("--force", action="store_true", help="replace an existing run")
    add_common(parser.add_argument_group("execution"), "--jobs", "--engine", "--quiet")
    add_input(parser, "--pool", "--answers", *SEARCH, texts=True)
    own = parser.add_argument_group("settings (default: as the system's file says)")
    add_settings(own, "--method", "--lambda", "--solver", "--order", "--coherence")
    add_set(own)
    add_output(parser, "output of a summary of texts (default: text, with the sources)", to=False)


def _run_number(text: str) -> int:
    if text.strip() not in ("1", "2", "3", "4", "5"):
        raise argparse.ArgumentTypeError(f"{text} is not a run number from 1 to 5; use --team to distinguish more runs")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Write the run, or print the summary of texts; exit status 1 if a topic failed."""
    if not options.input:
        raise UsageError("nothing to summarise: give topics, or texts")
    if options.out is None and not (options.to in WRITTEN or options.form or any(map(_is_topics, options.input))):
        return _summarise_texts(options)
    for name, option in _OF_TEXTS.items():
        if getattr(options, name):
            raise UsageError(f"{option} is for texts; a run has its own files, see --to and `ilpsum report`")
    if need(options.out, "--out DIR", "for a run of topics") == "-":
        raise UsageError("--out -: a run is several files; name a folder")
    if options.resume and options.force:
        raise UsageError("--resume continues a run and --force replaces it: choose one")
    return _summarise_topics(options)


def _is_topics(path: str) -> bool:
    try:
        return bool(guess(path))
    except InputError:
        return False


def _summarise_texts(options: argparse.Namespace) -> int:
    """Print one summary of all texts; if there are too many, of those nearest to their centroid."""
    for name in _OF_TOPICS:
        if getattr(options, name) is not None and getattr(options, name) is not False:
            raise UsageError(
                f"--{name.replace('_', '-')} is for topics, not for texts; `ilpsum ask` searches abstracts"
            )
    output = Output(options)
    output.require_other(options.input)
    summarizer = load(options, None, searched=False, explained=output.explained)
    damaged, words = Damaged(), options.words or WORDS
    retracted = changed(SourceTable(), "source", settings_of(options)).retracted
    output.write(summarize(options.input, words=words, system=summarizer, retracted=retracted, damaged=damaged))
    return list_damaged(damaged)


def _summarise_topics(options: argparse.Namespace) -> int:
    """Resolve the options before any work, and write the run; return the exit status."""
    topics = _topics(options)
    form, searched = topics.input.form, topics.search is not None
    own = changed(RunTable(), "run", settings_of(options))
    target = chosen(options.to, WRITTEN) if options.to else default_output(form)
    _ = target.writer  # fails before any work if there is none
    if own.bytes:
        if target.cites:
            raise UsageError(f"run.bytes limits texts without citations; --words limits answers of {target.name}")
        target = replace(target, limits=replace(target.limits, bytes=own.bytes))
    if form == "biogen" and target.cites and topics.search and topics.search.coverage is None:
        # The track expects an answer to every topic.
        topics = replace(topics, search=replace(topics.search, coverage=0.0))
    summarizer = load(options, target, searched=searched)
    if form == "biogen" and not target.cites:
        notify(f"--to {target.name} has no citations: use --to biogen-2025 for answers that cite PMIDs", options.quiet)
    words, most = options.words or target.words, target.limits.words
    if most and words > most:
        told = f"--words is {most}, not {words}: --to {target.name} allows no more (--to jsonl does)"
        notify(told, options.quiet)
        words = most
    job = Job(summarizer, words, _settings(options, topics, target, summarizer, own.bytes))
    name = f"{options.team}{options.number}"
    given, complete = pending(topics, options)
    failed, done, unfit, without = list[BrokenTopic](), 0, set[str](), 0
    kwargs = {"force": options.force, "resume": options.resume, "settings": job.of_kind}
    start = partial(target.start, options.out, name, contact_email=own.contact_email, **kwargs)
    with engine(options) as workers, start() as writer, _interruptible(writer):
        _list_lost(writer, options.quiet)
        for result in progress(job.run(given, complete, writer, workers), "topics", quiet=options.quiet):
            if isinstance(result, BrokenTopic):
                failed.append(result)
                continue
            done += 1
            without += NO_DOCUMENT in result.warnings
            _list_warnings(result, unfit, options.quiet)
        _list_unasked(writer, options.quiet)
    notify(_total(done, writer, job.summarizer.system.name), options.quiet)
    if without and options.pool == "abstracts":
        what = "no quotable abstract in --documents has a PMID that the question names"
        notify(f"{without} of {done} answers are empty: {what}", options.quiet)
    return max(_list_failed(failed), list_damaged(topics.damaged))


def _list_warnings(result: Composed, unfit: set[str], quiet: bool) -> None:
    """List a topic's warnings, but only once that the model is for another kind of topic."""
    for line in result.warnings:
        if line not in unfit:
            notify(f"{result.entry.topic}: {line}", quiet)
    unfit |= {line for line in result.warnings if line.startswith(FOR_ANOTHER_KIND)}


def _topics(options: argparse.Namespace) -> Inputs:
    try:
        return topics_of(options)
    except InputError as error:
        if Path(options.input[0]).suffix != ".txt":
            raise
        raise InputError(f"{error.message}; to summarise texts, leave out --out", error.file, error.line) from None


def _settings(
    options: argparse.Namespace, topics: Inputs, target: Format, summarizer: Summarizer, most_bytes: int | None
) -> RunSettings:
    """Return the settings of the run that are not the summarizer's, with digests of its files."""
    from ilpsum.answers.attaching import FOUND
    from ilpsum.answers.indexing import known_digests

    search, digests = topics.search, known_digests(options.index)
    given = InputSettings(
        pool=(options.pool or "snippets") if topics.input.form == "bioasq" else "",
        documents=file_digests(topics.documents, digests),
        answers=file_digests(options.answers and [options.answers], digests),
        pmids=file_digests(options.pmids and [options.pmids], digests),
        found=(search.found or FOUND) if search else None,
        coverage=search.coverage if search else None,
        exact=search.exact if search else None,
        sources=search.wanted if search else SourceFilter(retracted=topics.input.options.retracted),
    )
    digests.save()
    return RunSettings(
        format=target.name,
        support=SUPPORT if target.cites else None,
        configuration=configuration_digest(summarizer.system),
        bytes=most_bytes,
        input=given,
    )


def _list_failed(failed: list[BrokenTopic]) -> int:
    """List failed and duplicate topics; return the exit status."""
    for topic in failed:
        if isinstance(topic.error, SecondTopicError):
            notify(f"skipped duplicate topic {topic.id}: {topic.error}")
        else:
            notify(f"topic {topic.id} failed, its answer is empty: {topic.error}")
    return 1 if failed else 0


@contextmanager
def _interruptible(writer: RunWriter) -> Iterator[None]:
    """Add to an interrupt or input error that finished topics are kept."""
    what = "finished topics are kept; continue with --resume"
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(*[what] * bool(writer.finished)) from None
    except InputError as error:
        if not writer.finished:
            raise
        raise InputError(f"{error.message}; {what}", error.file, error.line) from None


def _total(count: int, writer: RunWriter, system: str) -> str:
    total = count + writer.kept
    summaries = counted(total, "summary", "summaries")
    before = f", {writer.kept} of them from before" if writer.kept else ""
    return f"{summaries} by {system} in {writer.out / writer.targets[0]}{before}"


def _list_lost(writer: RunWriter, quiet: bool) -> None:
    """Report that damaged topics of a resumed run are summarised again."""
    if writer.lost:
        more = f"; {len(writer.lost) - 1} more" if len(writer.lost) > 1 else ""
        what = "damaged topics will be redone"
        notify(f"the run {writer.name}: {writer.lost[0]}{more}; {what}", quiet)


def _list_unasked(writer: RunWriter, quiet: bool) -> None:
    """List the topics of a resumed run that are no longer in the input."""
    count, names = writer.unasked()
    if not count or quiet:
        return
    topics, what = counted(count, "topic"), "their answers are kept; --force starts over without them"
    notify(f"the run {writer.name} has {topics} no longer in the input ({listed(list(islice(names, 6)))}); {what}")
