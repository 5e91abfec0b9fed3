"""Writes a run: a summary of each topic in the files of a format, with the provenance."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ilpsum.answers.steps import Summarizer
from ilpsum.api.inputs import Inputs, Topics, pending, resolved
from ilpsum.api.systems import configured, loaded
from ilpsum.errors import InputError, UsageError
from ilpsum.files.arguments import checked
from ilpsum.files.processes import Executor
from ilpsum.files.records import Natural, Whole
from ilpsum.files.work import Progress, Warn, Work, no_progress, silent
from ilpsum.learning.models import SystemModel
from ilpsum.learning.seen import needless_folds
from ilpsum.pipeline.settings import RunTable, Values, changed
from ilpsum.pipeline.system import System
from ilpsum.pipeline.text import SUPPORT
from ilpsum.records import BrokenTopic, InputSettings, RunSettings, SourceFilter, Topic
from ilpsum.records.notices import AnotherKind, LeftOut, NoDocument, Unscored
from ilpsum.runs import DEFAULT_SYSTEM
from ilpsum.runs.held_out import HeldOut, held_out, needs_folds
from ilpsum.runs.run_settings import configuration_digest, file_digests
from ilpsum.runs.seen import training_lines
from ilpsum.runs.summarising import Job
from ilpsum.runs.writer import Entry, RunWriter
from ilpsum.tasks.registry import WRITTEN, Format, chosen, default_output

_HOLD_OUT = (
    "--folds does not train whoever made the scores: they must hold out each fold; `ilpsum folds "
    "TOPICS --folds K` lists the folds"
)

_NO_ABSTRACT = "no quotable abstract in --documents has a PMID that the question names"


@dataclass(frozen=True, slots=True)
class WrittenRun:
    """A run on disk.

    Attributes:
        path: its first file or folder; its provenance is beside it, `NAME.provenance.jsonl`.
        system: name of the system.
        summaries: number of its summaries.
        kept: number of those that a resumed run had before.
        failed: topics without a summary, with their errors.
        left_out: number of files of folders that could not be read.
        unscored: how many candidates have no score in the file of scores; empty if none.
    """

    path: Path
    system: str
    summaries: int
    kept: int
    failed: tuple[BrokenTopic, ...]
    left_out: int = 0
    unscored: str = ""


@checked
def write_run(
    topics: Topics,
    system: str | Path | System = DEFAULT_SYSTEM,
    out: str | Path = ".",
    *,
    to: str = "",
    team: str = "SYS",
    run: Natural = 1,
    model: str | Path | SystemModel | None = None,
    folds: Whole | None = None,
    words: Natural | None = None,
    settings: Values | None = None,
    resume: bool = False,
    force: bool = False,
    jobs: Natural | Executor = 1,
    progress: Progress = no_progress,
    warn: Warn = silent,
) -> WrittenRun:
    """Summarise topics and write them as a run; a failed topic does not affect others.

    Args:
        topics: the topics, or paths; `ilpsum.api.inputs.Inputs.of` takes reader options.
        system: a name, a .toml file, or a system.
        out: folder of the run.
        to: format of the run; default: by that of the topics (`ilpsum.tasks.form_of` in memory).
        team: team id; the run is named by it and its number.
        run: number of the run.
        model: a model, its file, or the name of a bundled model; default: the system's.
        folds: number of folds of a held-out run: a topic's model is trained on the other folds.
        words: word limit of a text; default: that of the format.
        settings: values that override the system's and the run's, by key; see `ilpsum.ask`.
        resume: continue a run: retry failed topics, append new ones.
        force: replace an existing run.
        jobs: number of processes, or an executor such as a cluster.
        progress: wraps the topics; gets a description.
        warn: called with each warning, a text.

    Raises:
        UsageError: settings are unknown or conflict; the run exists, or had other settings.
        InputError: a file cannot be read.
    """
    if resume and force:
        raise UsageError("--resume continues a run and --force replaces it: choose one")
    require_model_or_folds(model, folds)
    work = Work.of(jobs, progress, warn)
    values = settings or {}
    table = changed(RunTable(), "run", values)
    inputs, target = _placed(resolved(topics), to, table.bytes, warn)
    limit = _limit(words or target.words, target, warn)
    final, options = configured(
        system,
        target,
        searched=inputs.search is not None,
        settings={key: value for key, value in values.items() if not key.startswith("run.")},
    )
    of_run = _settings(inputs, target, final)
    summarizer: Summarizer | HeldOut
    if folds is None:
        summarizer = loaded(final, model, options)
    incoming, complete = pending(inputs, work.engine, whole=folds is not None)
    files = target.writer(f"{team}{run}", table.contact_email)
    writer = RunWriter(out, files, force=force, resume=resume)
    with writer, _interruptible(writer):
        if folds is not None:
            # Trains only once the run can be written.
            readable = [topic for topic in incoming if isinstance(topic, Topic)]
            _advise(final, readable, warn)
            summarizer = held_out(final, readable, folds, words=limit, options=options, work=work)
        results = Job(summarizer, limit, of_run).run(incoming, complete, writer, work.engine)
        failed, lacking, lost, unscored = _tallied(progress(results, "topics"), warn)
    number = len(writer.finished)
    if lacking and inputs.input.options.pool == "abstracts":
        warn(f"{lacking} of {number - writer.kept} answers are empty: {_NO_ABSTRACT}")
    for line in training_lines(writer.seen):
        warn(line)
    path = writer.out / files.targets[0]
    return WrittenRun(path, final.name, number, writer.kept, failed, lost, unscored)


def _advise(system: System, topics: Sequence[Topic], warn: Warn) -> None:
    """Warn if a held-out run of the topics needs no folds, or more than folds."""
    if system.learns and not needs_folds(system, topics):
        warn(needless_folds(f"of {system.name}"))
    if any(part.scores for part in system.parts):
        warn(_HOLD_OUT)


def require_model_or_folds(model: object, folds: int | None) -> None:
    """Raise `UsageError` if a model is given for a run whose folds train theirs."""
    if model is not None and folds is not None:
        raise UsageError("--folds trains models and --model names one: choose one")


def _tallied(
    results: Iterable[Entry | BrokenTopic],
    warn: Warn,
) -> tuple[tuple[BrokenTopic, ...], int, int, str]:
    """Return the failed topics, the number of those without a document, and that of files that
    were left out.

    Passes on the warnings of the others; that on the model's kind only once.
    """
    failed = list[BrokenTopic]()
    lacking = left_out = 0
    unscored = Unscored(0, "")
    warned = set[str]()
    for result in results:
        if isinstance(result, BrokenTopic):
            failed.append(result)
            continue
        for warning in result.warnings:
            lacking += isinstance(warning, NoDocument)
            left_out += isinstance(warning, LeftOut)
            if isinstance(warning, Unscored):
                unscored = Unscored(unscored.number + warning.number, warning.name)
            elif warning not in warned:
                warn(f"{result.topic}: {warning}")
            if isinstance(warning, AnotherKind):
                warned.add(warning)
    return tuple(failed), lacking, left_out, str(unscored) if unscored.number else ""


def _placed(inputs: Inputs, to: str, most_bytes: int | None, warn: Warn) -> tuple[Inputs, Format]:
    """Return the format of a run, and inputs whose every topic is answered if their track expects
    it; `UsageError` before any work if the run cannot be written.
    """
    usual = default_output(inputs.input.form)
    target = chosen(to, WRITTEN) if to else usual
    for path, form in zip(inputs.input.files, inputs.input.forms, strict=False):
        # Such a run would be handed in with the topics of another task.
        if not to and default_output(form) is not usual:
            mixed = f"{path} has topics of {form}, {inputs.input.files[0]} of {inputs.input.form}"
            raise UsageError(
                f"{mixed}: summarise them separately, or name one format for both with --to"
            )
    if most_bytes:
        if target.cites:
            raise UsageError(
                f"run.bytes limits texts without citations; --words limits answers of {target.name}"
            )
        target = replace(target, limits=replace(target.limits, bytes=most_bytes))
    search = inputs.search
    if usual.cites and not target.cites:
        warn(
            f"--to {target.name} has no citations: use --to biogen-2025 for answers that cite PMIDs"
        )
    elif usual.cites and search and search.coverage is None:
        inputs = replace(inputs, search=replace(search, coverage=0.0))
    return inputs, target


def _limit(words: int, target: Format, warn: Warn) -> int:
    """Return the word limit of a text, at most that of the format."""
    most = target.limits.words or words
    if most < words:
        allowed = f"--to {target.name} allows no more (--to jsonl does)"
        warn(f"--words is {most}, not {words}: {allowed}")
    return min(words, most)


def _settings(inputs: Inputs, target: Format, system: System) -> RunSettings:
    """Return the settings of the run that are not the summarizer's, with digests of its files."""
    reading = inputs.input.options
    is_read = inputs.input.form == "bioasq" and inputs.in_memory is None
    pool = (reading.pool or "snippets") if is_read else ""
    search = inputs.search
    files = InputSettings(
        pool=pool,
        sources=SourceFilter(retracted=reading.retracted),
        documents=file_digests(inputs.documents),
        answers=file_digests(reading.answers),
    )
    if search:
        from ilpsum.answers.attaching import FOUND

        files = replace(
            files,
            pmids=file_digests([search.pmids] if search.pmids else []),
            found=search.found or FOUND,
            coverage=search.coverage,
            exact=search.exact,
            sources=search.wanted,
        )
    return RunSettings(
        format=target.name,
        support=SUPPORT if target.cites else None,
        configuration=configuration_digest(system),
        bytes=target.limits.bytes,
        input=files,
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
