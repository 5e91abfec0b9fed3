"""Trains models, and links citances (TAC 2014, Task 1)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ilpsum.api.inputs import Topics, pending, read, resolved
from ilpsum.api.tables import Table
from ilpsum.errors import IlpsumError, InputError, UsageError
from ilpsum.files.atomic import require_place, write_errors
from ilpsum.files.processes import Executor, Processes
from ilpsum.files.progress import Progress, no_progress
from ilpsum.learning import embedding_training as training
from ilpsum.learning import embeddings
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training import fitting
from ilpsum.records import BrokenTopic, Document, Incoming
from ilpsum.runs.summarising import Complete, broken_by
from ilpsum.task1 import linker
from ilpsum.task1.linker import Linker, LinkModel, Query
from ilpsum.task1.reformulation import Background
from ilpsum.tasks import task1
from ilpsum.tasks.registry import FORMATS, RUN_ID
from ilpsum.tasks.task1 import Link


def train(
    topics: Topics,
    system: str | Path | System,
    *,
    words: int = FORMATS["tac"].words,
    jobs: int = 1,
    engine: Executor | None = None,
    progress: Progress = no_progress,
) -> SystemModel:
    """Train the model of a system on topics with gold summaries.

    Args:
        topics: the topics, or paths; topics without gold summaries are skipped and counted in the
            model's metadata.
        system: a name, .toml file or system; if it has a system for each kind of topic, the
            matching one is trained.
        words: word limit of the summaries compared in tuning.
        jobs: number of processes.
        engine: executor to use instead of `jobs`, such as a cluster
            (`ilpsum.files.processes.connect`).
        progress: wraps each iteration; gets a description.

    Returns:
        A model with `save` and `describe`; pass it, or its file, to `Summarizer.load(system,
            model)`.

    Raises:
        UsageError: the system does not exist or has no model.
        InputError: a file cannot be read, or no topic has gold summaries and candidates.
    """
    own = system if isinstance(system, System) else System.load(system)
    return fitting.train(
        own, read(topics), words=words, engine=engine or Processes(jobs), progress=progress
    )


def train_links(topics: Topics, query: str | Path) -> LinkModel:
    """Train the models of a Task 1 query on topics with annotated citances; pass the saved file to
    `link`.

    Raises:
        UsageError: the query does not exist.
        InputError: a file cannot be read, or no citance is annotated.
    """
    return linker.train(Query.load(query), read(topics))


def link(
    topics: Topics,
    query: str | Path = "best",
    model: str | Path | None = None,
    *,
    run: str = "SYS1",
    background: Background | None = None,
    jobs: int = 1,
    engine: Executor | None = None,
    out: str | Path | None = None,
    force: bool = False,
    progress: Progress = no_progress,
    failed: Callable[[BrokenTopic], object] | None = None,
) -> Table[Link]:
    """Predict the cited spans and the facet of every citance in topics with a reference paper (TAC
    2014, Task 1).

    Args:
        topics: the topics, or paths.
        query: name or .toml file of a query.
        model: a model file; default: the query's bundled model.
        run: the run id, a team and a number from 1 to 5.
        background: thesauri and word lists, which some queries need (`Background.read`).
        jobs: number of processes.
        engine: executor to use instead of `jobs`, such as a cluster.
        out: file to write the run to, unless every topic failed.
        force: whether to replace an existing file.
        progress: wraps the topics; gets a description.
        failed: called with each topic that failed; by default its error is raised.

    Raises:
        UsageError: the query does not exist, the run id is invalid, or `out` exists and `force` is
            not given.
        ModelError: the model cannot be read or does not fit.
        InputError: a topic cannot be read, or has no reference paper.
    """
    if not RUN_ID.fullmatch(run):
        raise UsageError(
            f"--run-id {run}: expected a team name followed by a number 1-5, such as SYSX1"
        )
    if out:
        with write_errors(Path(out)):
            Path(out).parent.mkdir(parents=True, exist_ok=True)
        require_place(Path(out), force=force)
    linker, workers = Linker.load(query, model, background), engine or Processes(jobs)
    incoming, complete = pending(resolved(topics), workers)
    results = workers.map(partial(_linked, complete, linker, run), incoming)
    found, failures = list[tuple[Link, Document]](), 0
    for result in progress(results, "topics"):
        if not isinstance(result, BrokenTopic):
            found += result
        elif failed is None:
            raise InputError(str(result.error))
        else:
            failed(result)
            failures += 1
    if out and (found or not failures):
        task1.write(out, found, force=force)
    return Table(Link, (link for link, _ in found))


def _linked(
    complete: Complete, linker: Linker, run: str, topic: Incoming
) -> list[tuple[Link, Document]] | BrokenTopic:
    """Return the links of a topic, each with its reference paper; a failure affects only its
    topic.
    """
    topic = complete(topic)
    if isinstance(topic, BrokenTopic):
        return broken_by(topic.id, topic.error)
    try:
        return [(link, topic.reference) for link in linker(topic, run) if topic.reference]
    except UsageError:
        raise
    except IlpsumError as error:
        return broken_by(topic.id, error)


@dataclass(frozen=True, slots=True)
class Embedded:
    """Size of a vector file: its words, and the documents and tokens over which its IDF was
    computed.
    """

    words: int
    documents: int
    tokens: int


def embed(
    texts: Sequence[str | Path],
    out: str | Path,
    *,
    vectors: str | Path | None = None,
    progress: Progress = no_progress,
    **options: Any,
) -> Embedded:
    """Train word vectors, count IDF, and write both to an .npz file.

    Args:
        texts: text files with one document per line; PubMed XML, MEDLINE, JSON lines.
        out: the output file.
        vectors: existing vectors to add IDF to, instead of training.
        progress: wraps each iteration; gets a description.
        options: fields of `EmbeddingOptions`, such as `dimensions`.

    Raises:
        InputError: a file cannot be read.
        UsageError: the texts contain no words.
    """
    read, chosen = training.Texts(texts), training.EmbeddingOptions(**options)
    counts = training.count(progress(read, "documents counted"))
    if not counts.documents:
        raise UsageError("no words in the texts")
    if vectors:
        words, table = embeddings.read_vectors(vectors)
        source = {"vectors": Path(vectors).name}
    else:
        words, table = training.train(read, chosen, progress)
        source = training.metadata(chosen, counts, texts)
    with write_errors(Path(out)):
        embeddings.save(Path(out), words, table, counts, source)
    return Embedded(len(words), counts.documents, counts.tokens)
