"""Writes a run: a summary of each topic in the files of a format, with the provenance."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from pathlib import Path

from ilpsum.answers.sources import Sources
from ilpsum.answers.steps import Summarizer
from ilpsum.api.inputs import NONE, READ, Inputs, Topics, pending, resolved
from ilpsum.api.systems import configured, summarizer
from ilpsum.errors import InputError, UsageError, counted, listed
from ilpsum.files.processes import Executor, Processes
from ilpsum.files.progress import Progress, no_progress
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline.settings import RunTable, Values, changed
from ilpsum.pipeline.system import System
from ilpsum.pipeline.text import SUPPORT
from ilpsum.records import (
    BrokenTopic,
    InputSettings,
    RunSettings,
    SourceFilter,
    SystemSettings,
    Topic,
)
from ilpsum.records.notices import AnotherKind, NoDocument
from ilpsum.runs import DEFAULT_SYSTEM
from ilpsum.runs.held_out import HeldOut, held_out
from ilpsum.runs.reading import provenance_path
from ilpsum.runs.seen import read_marks, training_lines
from ilpsum.runs.settings import configuration_digest, file_digests
from ilpsum.runs.summarising import Composed, Job
from ilpsum.runs.writer import RunWriter
from ilpsum.tasks import ReaderOptions, loaded
from ilpsum.tasks.registry import WRITTEN, Format, chosen, default_output


@dataclass(frozen=True, slots=True)
class WrittenRun:
    """A run on disk.

    Attributes:
        path: its first file or folder; its provenance is beside it, `NAME.provenance.jsonl`.
        system: name of the system.
        summaries: number of its summaries.
        kept: number of those that a resumed run had before.
        failed: topics without a summary, with their errors.
    """

    path: Path
    system: str
    summaries: int
    kept: int
    failed: tuple[BrokenTopic, ...]


def write_run(
    topics: Topics,
    system: str | Path | System = DEFAULT_SYSTEM,
    out: str | Path = ".",
    *,
    to: str = "",
    team: str = "SYS",
    run: int = 1,
    model: str | Path | SystemModel | None = None,
    folds: int | None = None,
    words: int | None = None,
    settings: Values | None = None,
    form: str | None = None,
    options: ReaderOptions = READ,
    sources: Sources = NONE,
    resume: bool = False,
    force: bool = False,
    jobs: int = 1,
    engine: Executor | None = None,
    progress: Progress = no_progress,
    warn: Callable[[str], object] = lambda _: None,
) -> WrittenRun:
    """Summarise topics and write them as a run, as `ilpsum summarize` does; a failed topic does not
    affect others.

    Args:
        topics: the topics, or paths.
        system: a name, a .toml file, or a system.
        out: folder of the run.
        to: format of the run; default: by the format of the topics.
        team: team id; the run is named by it and its number.
        run: number of the run.
        model: a model, its file, or the name of a bundled model; default: the system's.
        folds: number of folds of a held-out run: each topic is summarised by a model trained on
            the topics of the other folds (`ilpsum.pipeline.training.folds`).
        words: word limit of a text; default: that of the format.
        settings: values that override the system's and the run's, by key or short name; see
            `ilpsum.ask`.
        form: format of the files, as in `ilpsum.topics_of`.
        options: reader options, as in `ilpsum.topics_of`.
        sources: abstracts to search, as in `ilpsum.topics_of`.
        resume: continue a run: retry failed topics, append new ones.
        force: replace an existing run.
        jobs: number of processes.
        engine: executor to use instead of `jobs`, such as a cluster.
        progress: wraps the topics; gets a description.
        warn: called with each warning, a text.

    Raises:
        UsageError: settings are unknown or conflict; the run exists; a resumed run had other
            settings.
        InputError: a file cannot be read.
    """
    _require_one("--resume continues a run and --force replaces it", resume, force)
    _require_one(
        "--folds trains models and --model names one", folds is not None, model is not None
    )
    table, workers = changed(RunTable(), "run", settings or {}), engine or Processes(jobs)
    inputs = resolved(topics, form, options, sources)
    usual = default_output(inputs.input.form)
    target = _target(chosen(to, WRITTEN) if to else usual, table.bytes)
    inputs = _as_expected(inputs, usual, target, warn)
    limit = _limit(words or target.words, target, warn)
    of_system = {
        key: value for key, value in (settings or {}).items() if not key.startswith("run.")
    }
    searched = inputs.search is not None
    incoming, complete = pending(inputs, workers)
    summarizes: Callable[[], Summarizer | HeldOut]
    if folds is None:
        made = summarizer(system, model, target, searched=searched, settings=of_system)
        final, summarizes = made.system, lambda: made
    else:
        final, chosen_options = configured(system, target, searched=searched, settings=of_system)
        every = list(workers.map(complete, incoming))
        incoming, complete = iter(every), loaded
        summarizes = partial(
            held_out,
            final,
            [topic for topic in every if isinstance(topic, Topic)],
            folds,
            words=limit,
            options=chosen_options,
            engine=workers,
            progress=progress,
        )
    shared = _settings(inputs, target, final, table.bytes)

    @cache
    def job() -> Job:
        """Return the job; with folds, this trains its models."""
        return Job(summarizes(), limit, shared)

    def now(earlier: SystemSettings) -> RunSettings:
        return job().settings_like(earlier)

    files = target.writer(f"{team}{run}", table.contact_email)
    failed, composed = list[BrokenTopic](), _Composed(warn)
    with (
        RunWriter(out, files, force=force, resume=resume, settings=now) as writer,
        _interruptible(writer),
    ):
        if writer.lost:
            more = f"; {len(writer.lost) - 1} more" if len(writer.lost) > 1 else ""
            damage = f"{writer.lost[0]}{more}"
            warn(f"the run {writer.name}: {damage}; damaged topics will be redone")
        for result in progress(job().run(incoming, complete, writer, workers), "topics"):
            if isinstance(result, BrokenTopic):
                failed.append(result)
            else:
                composed.add(result)
        gone, names = writer.unasked()
        if gone:
            first_names = listed(list(islice(names, 6)))
            warn(
                f"the run {writer.name} has {counted(gone, 'topic')} no longer in the input "
                f"({first_names}); their answers are kept; --force starts over without them"
            )
    if composed.empty and options.pool == "abstracts":
        warn(
            f"{composed.empty} of {composed.number} answers are empty: no quotable abstract in "
            "--documents has a PMID that the question names"
        )
    path, total = writer.out / writer.targets[0], composed.number + writer.kept
    _warn_of_training(path, warn)
    return WrittenRun(path, final.name, total, writer.kept, tuple(failed))


def _require_one(what: str, *given: bool) -> None:
    if all(given):
        raise UsageError(f"{what}: choose one")


def _as_expected(
    inputs: Inputs, usual: Format, target: Format, warn: Callable[[str], object]
) -> Inputs:
    """Return inputs whose every topic is answered, if their track expects it."""
    if usual.cites and not target.cites:
        warn(
            f"--to {target.name} has no citations: use --to biogen-2025 for answers that cite PMIDs"
        )
    elif usual.cites and inputs.search and inputs.search.coverage is None:
        return replace(inputs, search=replace(inputs.search, coverage=0.0))
    return inputs


def _limit(words: int, target: Format, warn: Callable[[str], object]) -> int:
    """Return the word limit of a text, at most that of the format."""
    most = target.limits.words or words
    if most < words:
        allowed = f"--to {target.name} allows no more (--to jsonl does)"
        warn(f"--words is {most}, not {words}: {allowed}")
    return min(words, most)


def _warn_of_training(run: Path, warn: Callable[[str], object]) -> None:
    """Warn if topics of a run were in the training of its models."""
    for line in training_lines(read_marks(provenance_path(run))):
        warn(line)


class _Composed:
    """Counts entries, and those without a document; passes on their warnings, that on the model's
    kind only once.
    """

    def __init__(self, warn: Callable[[str], object]) -> None:
        self._warn, self._said = warn, set[str]()
        self.number = self.empty = 0

    def add(self, result: Composed) -> None:
        self.number += 1
        for notice in result.warnings:
            self.empty += isinstance(notice, NoDocument)
            if notice not in self._said:
                self._warn(f"{result.entry.topic}: {notice}")
        self._said.update(each for each in result.warnings if isinstance(each, AnotherKind))


def _target(target: Format, most_bytes: int | None) -> Format:
    """Return the format with a byte limit; fails before any work if it cannot be written."""
    if not most_bytes:
        return target
    if target.cites:
        raise UsageError(
            f"run.bytes limits texts without citations; --words limits answers of {target.name}"
        )
    return replace(target, limits=replace(target.limits, bytes=most_bytes))


def _settings(
    inputs: Inputs, target: Format, system: System, most_bytes: int | None
) -> RunSettings:
    """Return the settings of the run that are not the summarizer's, with digests of its files."""
    from ilpsum.answers.attaching import FOUND
    from ilpsum.answers.indexing import known_digests

    search, reading = inputs.search, inputs.input.options
    digests = known_digests(search.index if search else None)
    of_input = InputSettings(
        pool=(reading.pool or "snippets") if inputs.input.form == "bioasq" else "",
        documents=file_digests(inputs.documents, digests),
        answers=file_digests(list(map(str, reading.answers)), digests),
        pmids=file_digests([str(search.pmids)] if search and search.pmids else (), digests),
        found=(search.found or FOUND) if search else None,
        coverage=search.coverage if search else None,
        exact=search.exact if search else None,
        sources=search.wanted if search else SourceFilter(retracted=reading.retracted),
    )
    digests.save()
    support, configuration = SUPPORT if target.cites else None, configuration_digest(system)
    return RunSettings(
        format=target.name,
        support=support,
        configuration=configuration,
        bytes=most_bytes,
        input=of_input,
    )


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
