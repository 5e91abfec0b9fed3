"""Models of one's own, and the links of Task 1."""

from collections.abc import Iterator
from pathlib import Path

from ilpsum.api.inputs import Topics, read
from ilpsum.api.tables import Table
from ilpsum.citances import models
from ilpsum.citances.linker import Linker
from ilpsum.citances.models import LinkModel
from ilpsum.citances.queries import Query
from ilpsum.learning.models import SystemModel
from ilpsum.parallel.executor import Executor, Processes
from ilpsum.pipeline.system import System
from ilpsum.runs.formats import FORMATS
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
    progress: fitting.Progress = fitting.no_progress,
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
    loaded = system if isinstance(system, System) else System.load(system)
    workers, kept = engine or Processes(jobs), Cache(cache) if cache else None
    return fitting.train(loaded, read(topics), words=words, engine=workers, cache=kept, progress=progress)


def train_links(topics: Topics, query: str | Path) -> LinkModel:
    """Train the models of a query of Task 1 on topics with annotated citances; `link` takes the model's file.

    Raises:
        UsageError: no such query.
        InputError: a file cannot be read, or no citance is annotated.
    """
    return models.train(Query.load(query), read(topics))


def link(
    topics: Topics, query: str | Path = "best", model: str | Path | None = None, *, run: str = "SYS1"
) -> Table[Link]:
    """Return the cited spans and the facet of every citance of topics with a reference paper (TAC 2014, Task 1).

    Args:
        topics: the topics, or paths.
        query: name or .toml file of a query; those that need a thesaurus or background texts take `Linker.load`.
        model: a model file; by default the one that ships for the query.
        run: the run's id.

    Raises:
        UsageError: no such query.
        ModelError: the model cannot be read or does not fit.
        InputError: a topic has no reference paper.
    """
    linker = Linker.load(query, model)

    def links() -> Iterator[Link]:
        for topic in read(topics):
            yield from linker(topic, run)

    return Table(Link, links())
