"""Models of one's own, and the links of Task 1."""

from collections.abc import Iterator
from pathlib import Path

from ilpsum.api.inputs import Topics, topics_of
from ilpsum.api.tables import Table
from ilpsum.citances.linker import Linker
from ilpsum.learning.models import SystemModel
from ilpsum.parallel.executor import Processes
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
) -> SystemModel:
    """Train the model of a system on topics with gold summaries.

    Args:
        topics: the topics, or paths; those without gold summaries are left out and counted in the model's metadata.
        system: a name or .toml file; of one with a system for each kind of topic, that of the topics is trained.
        words: word limit of the summaries that tuning compares.
        jobs: number of processes.
        cache: a folder for features, targets and trained parts; an interrupted training resumes.

    Returns:
        A model with `save` and `describe`; `Summarizer.load(system, model)` takes it, or its file.

    Raises:
        UsageError: no such system, or it has no model.
        InputError: a file cannot be read, or no topic has gold summaries and candidates.
    """
    loaded = system if isinstance(system, System) else System.load(system)
    kept = Cache(cache) if cache else None
    return fitting.train(loaded, topics_of(topics), words=words, engine=Processes(jobs), cache=kept)


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
        for topic in topics_of(topics):
            yield from linker(topic, run)

    return Table(Link, links())
