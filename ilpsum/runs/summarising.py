"""Creates a run from topics: reads and summarises each, in worker processes if there are any."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import TypeAlias

from ilpsum.errors import IlpsumError, ModelError, ScoresError, SkippedTopicError
from ilpsum.files.processes import Executor
from ilpsum.literature.identity import topic_digest
from ilpsum.pipeline.summarizer import Summarizer
from ilpsum.pipeline.text import with_citations
from ilpsum.records import BrokenTopic, Incoming, RunSettings, Topic
from ilpsum.runs.held_out import HeldOut
from ilpsum.runs.run_settings import completed, require_same
from ilpsum.runs.writer import Entry, RunWriter, entry_of
from ilpsum.tasks.submissions import FormatWriter

Complete: TypeAlias = Callable[[Incoming], Topic | BrokenTopic]
"""Completes a topic: reads it, and searches for its documents."""


@dataclass(frozen=True, slots=True)
class Job:
    """The summarizer, word limit and run settings for a run.

    If `settings.support` is set, summaries cite abstracts.
    """

    summarizer: Summarizer | HeldOut
    words: int
    settings: RunSettings

    def run(
        self,
        topics: Iterable[Incoming],
        complete: Complete,
        writer: RunWriter,
        workers: Executor,
    ) -> Iterator[Entry | BrokenTopic]:
        """Add every unfinished topic to the run; yield its entry, or the failed topic.

        A topic whose error is a `SkippedTopicError` is not added.

        Raises:
            UsageError: the run was started with other settings, or with other texts of a topic.
        """
        for earlier in writer.settings:
            now = self.summarizer.settings(self.words, earlier.system)
            require_same(writer.name, earlier, completed(now, self.settings))
        work = partial(summarise, self, complete, writer.files)
        for result in workers.map(work, _unfinished(topics, complete, writer)):
            if isinstance(result, Entry):
                writer.add(result)
            elif not result.is_skipped:
                writer.fail(result.id, result.error)
            yield result


def summarise(
    job: Job,
    complete: Complete,
    files: FormatWriter,
    incoming: Incoming,
) -> Entry | BrokenTopic:
    """Complete and summarise one topic and return its entry; a failure affects only this topic."""
    start = perf_counter()
    topic = complete(incoming)
    reading = perf_counter() - start
    if isinstance(topic, BrokenTopic):
        return broken_by(topic.id, topic.error)
    try:
        summary = job.summarizer(topic, job.words)
        if job.settings.support is not None:
            summary = with_citations(summary, topic, job.settings.support)
        summary = replace(
            summary,
            settings=completed(summary.settings, job.settings),
            seconds={"reading": reading, **summary.seconds},
            topic_digest=topic_digest(topic),
        )
        entry = entry_of(files, summary)
        search = summary.search
        if search and search.unanswered:
            outcome = search.outcome.describe(search.unanswered)
            entry = replace(entry, warnings=(outcome, *entry.warnings))
        return entry
    except (ModelError, ScoresError):  # it fits no topic of this kind
        raise
    except IlpsumError as error:
        return broken_by(topic.id, error)
    except Exception as error:  # a bug must not cost the other topics their summaries
        return broken_by(
            topic.id,
            f"a bug in ilpsum, please report it: {type(error).__name__}: {error}",
        )


def broken_by(topic: str, error: object) -> BrokenTopic:
    """Return a failed topic, dropping the traceback, which would keep the topic's data in
    memory.
    """
    if isinstance(error, SkippedTopicError):
        return BrokenTopic(topic, error)
    return BrokenTopic(topic, IlpsumError(str(error)))


def _unfinished(
    topics: Iterable[Incoming],
    complete: Complete,
    writer: RunWriter,
) -> Iterator[Incoming]:
    """Yield the topics that the run lacks."""
    for topic in topics:
        if topic.id not in writer.finished:
            yield topic
            continue
        # Comparing the texts with the finished topic needs the complete topic.
        completed = complete(topic)
        if isinstance(completed, Topic):
            writer.require_same(completed)
        else:
            yield completed
