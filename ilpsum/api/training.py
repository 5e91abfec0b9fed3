"""Models of one's own, and the links of Task 1."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from ilpsum.api.inputs import Topics, read
from ilpsum.api.tables import Table
from ilpsum.citances import models
from ilpsum.citances.background import Background
from ilpsum.citances.linker import Linker
from ilpsum.citances.models import LinkModel
from ilpsum.citances.queries import Query
from ilpsum.corpora import loaded
from ilpsum.errors import IlpsumError, InputError, UsageError
from ilpsum.io.progress import Progress, no_progress
from ilpsum.learning.models import SystemModel
from ilpsum.parallel.executor import Executor, Processes
from ilpsum.pipeline.system import System
from ilpsum.records import BrokenTopic, Document, Incoming
from ilpsum.runs import task1
from ilpsum.runs.formats import FORMATS
from ilpsum.runs.summarising import Complete, broken_by
from ilpsum.runs.task1 import Link
from ilpsum.training import fitting
from ilpsum.training.cache import Cache


def train(
    topics: Topics,
    system: str | Path | System,
    *,
    words: int = FORMATS["tac"].words,
    jobs: int = 1,
    cache: str | Path | None = None,
    engine: Executor | None = None,
    progress: Progress = no_progress,
) -> SystemModel:
    """Train the model of a system on topics with gold summaries.

    Args:
        topics: the topics, or paths; those without gold summaries are left out and counted in the model's metadata.
        system: a name or .toml file; of one with a system for each kind of topic, that of the topics is trained.
        words: word limit of the summaries that tuning compares.
        jobs: number of processes.
        cache: a folder for features, targets and trained parts; an interrupted training resumes.
        engine: instead of `jobs`: an executor, such as a cluster (`ilpsum.parallel.dask.connect`).
        progress: wraps each iteration, given what is done.

    Returns:
        A model with `save` and `describe`; `Summarizer.load(system, model)` takes it, or its file.

    Raises:
        UsageError: no such system, or it has no model.
        InputError: a file cannot be read, or no topic has gold summaries and candidates.
    """
    own = system if isinstance(system, System) else System.load(system)
    workers, kept = engine or Processes(jobs), Cache(cache) if cache else None
    return fitting.train(own, read(topics), words=words, engine=workers, cache=kept, progress=progress)


def train_links(topics: Topics, query: str | Path) -> LinkModel:
    """Train the models of a query of Task 1 on topics with annotated citances; `link` takes the model's file.

    Raises:
        UsageError: no such query.
        InputError: a file cannot be read, or no citance is annotated.
    """
    return models.train(Query.load(query), read(topics))


def link(
    topics: Topics,
    query: str | Path = "best",
    model: str | Path | None = None,
    *,
    run: str = "SYS1",
    background: Background | None = None,
    jobs: int = 1,
    out: str | Path | None = None,
    force: bool = False,
) -> Table[Link]:
    """Return the cited spans and the facet of every citance of topics with a reference paper (TAC 2014, Task 1).

    Args:
        topics: the topics, or paths.
        query: name or .toml file of a query.
        model: a model file; by default the one that ships for the query.
        run: the run's id.
        background: thesauri and background texts, which some queries need (`Background.read`).
        jobs: number of processes.
        out: a file for the run, too.
        force: whether it may replace an earlier one.

    Raises:
        UsageError: no such query.
        ModelError: the model cannot be read or does not fit.
        InputError: a topic cannot be read, or has no reference paper.
    """
    found: list[tuple[Link, Document]] = []
    for result in linked(Linker.load(query, model, background), run, read(topics), Processes(jobs)):
        if isinstance(result, BrokenTopic):
            raise InputError(str(result.error))
        found += result
    if out:
        task1.write(out, found, force=force)
    return Table(Link, (link for link, _ in found))


Linked = list[tuple[Link, Document]] | BrokenTopic
"""The links of a topic, each with its paper, or why there are none."""


def linked(
    linker: Linker, run: str, topics: Iterable[Incoming], workers: Executor, complete: Complete = loaded
) -> Iterator[Linked]:
    """Yield the links of each topic, lazily; a failure affects only its topic."""
    work = partial(_linked, complete, linker, run)
    return workers.map(work, topics, lost=lambda topic, why: broken_by(topic.id, why))


def _linked(complete: Complete, linker: Linker, run: str, topic: Incoming) -> Linked:
    topic = complete(topic)
    if isinstance(topic, BrokenTopic):
        return broken_by(topic.id, topic.error)
    try:
        return [(link, topic.reference) for link in linker(topic, run) if topic.reference]
    except UsageError:
        raise
    except IlpsumError as error:
        return broken_by(topic.id, error)
