"""Trains models, and links citances (TAC 2014, Task 1)."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ilpsum.api.inputs import Topics, pending, read, resolved
from ilpsum.api.runs import require_model_or_folds
from ilpsum.api.tables import Table
from ilpsum.errors import IlpsumError, InputError, UsageError, listed
from ilpsum.files.arguments import checked
from ilpsum.files.atomic import require_place, write_errors, write_file
from ilpsum.files.processes import Executor
from ilpsum.files.records import Natural, Whole
from ilpsum.files.work import Progress, Warn, Work, no_progress, silent
from ilpsum.learning import embedding_training as training
from ilpsum.learning import embeddings
from ilpsum.learning.models import SystemModel
from ilpsum.learning.seen import has_seen, topic_key, without_folds
from ilpsum.literature.identity import topic_digest
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training import fitting
from ilpsum.pipeline.training.folds import fold_by_topic
from ilpsum.records import BrokenTopic, Incoming, RunSettings, Summary, SystemSettings, Topic
from ilpsum.runs.provenance import summary_line
from ilpsum.runs.reading import link_provenance_path
from ilpsum.runs.seen import training_lines
from ilpsum.runs.summarising import Complete, broken_by
from ilpsum.task1.linker import Linker, LinkModel, Query
from ilpsum.task1.linker import train as train_linker
from ilpsum.task1.reformulation import Background
from ilpsum.tasks import task1
from ilpsum.tasks.registry import FORMATS, RUN_ID
from ilpsum.tasks.task1 import Link

WARN = partial(warnings.warn, stacklevel=4)


@checked
def train(
    topics: Topics,
    system: str | Path | System,
    *,
    words: Natural = FORMATS["tac"].words,
    jobs: Natural | Executor = 1,
    progress: Progress = no_progress,
    warn: Warn = WARN,
) -> SystemModel:
    """Train the model of a system on topics with gold summaries.

    Args:
        topics: the topics, or paths; topics without gold summaries are skipped and counted in the
            model's metadata.
        system: a name, .toml file or system; if it has a system for each kind of topic, the
            matching one is trained.
        words: word limit of the summaries compared in tuning.
        jobs: number of processes, or an executor such as a cluster
            (`ilpsum.files.processes.connect`).
        progress: wraps each iteration; gets a description.
        warn: called with a line if the model predicts the same relevance for all sentences; by
            default a `UserWarning`.

    Returns:
        A model with `save` and `describe`; `Summarizer.load(system, model)` takes it, or its file.

    Raises:
        UsageError: the system does not exist or has no model.
        InputError: a file cannot be read, or no topic has gold summaries and candidates.
    """
    named = system if isinstance(system, System) else System.load(system)
    return fitting.train(named, read(topics), words=words, work=Work.of(jobs, progress, warn))


@checked
def train_links(topics: Topics, query: str | Path) -> LinkModel:
    """Train the models of a Task 1 query on topics with annotated citances; pass the saved file to
    `link`.

    Raises:
        UsageError: the query does not exist.
        InputError: a file cannot be read, or no citance is annotated.
    """
    return train_linker(Query.load(query), read(topics))


@checked
def link(
    topics: Topics,
    query: str | Path = "best",
    model: str | Path | None = None,
    *,
    folds: Whole | None = None,
    run: str = "SYS1",
    background: Background | None = None,
    out: str | Path | None = None,
    force: bool = False,
    jobs: Natural | Executor = 1,
    progress: Progress = no_progress,
    warn: Warn = silent,
    failed: Callable[[BrokenTopic], object] | None = None,
) -> Table[Link]:
    """Predict the cited spans and the facet of every citance of a paper (TAC 2014, Task 1).

    Args:
        topics: the topics, or paths.
        query: name or .toml file of a query.
        model: a model file; default: the query's bundled model.
        folds: number of folds of a held-out run: a topic's model is trained on the other folds.
        run: the run id, a team and a number from 1 to 5.
        background: thesauri and word lists, which some queries need (`Background.read`).
        out: file to write the run to, with its provenance, unless every topic failed.
        force: whether to replace an existing file.
        jobs: number of processes, or an executor such as a cluster.
        progress: wraps the topics; gets a description.
        warn: called with a line if topics were in the training of the model, or if folds are not
            needed since none was.
        failed: called with each topic that failed; by default its error is raised.

    Raises:
        UsageError: the query does not exist, the run id is invalid, or `out` exists and `force` is
            not given.
        ModelError: the model cannot be read or does not fit.
        InputError: a topic cannot be read, or has no reference paper.
    """
    require_model_or_folds(model, folds)
    if not RUN_ID.fullmatch(run):
        raise UsageError(
            f"--run-id {run}: expected a team name followed by a number 1-5, such as SYSX1"
        )
    if out:
        require_place(Path(out), force=force)
    work, inputs = Work.of(jobs, progress, warn), resolved(topics)
    if folds is None:
        linkers = _Linkers((Linker.load(query, model, background),))
    incoming, complete = pending(inputs, work.engine, whole=folds is not None)
    if folds is not None:
        readable = [topic for topic in incoming if isinstance(topic, Topic)]
        linkers = _held_out(readable, Query.load(query), folds, background, work)
    link_topic = partial(_linked, complete, linkers, run)
    results = work.progress(work.engine.map(link_topic, incoming), "topics")
    linked, any_failed = _without_failed(results, failed)
    links = [link for one in linked for link in one.links]
    provenance = [one.provenance for one in linked]
    if out and (links or not any_failed):
        task1.write(out, links, force=force)
        write_file(link_provenance_path(out), b"".join(map(summary_line, provenance)))
    for line in training_lines({summary.topic: summary.seen for summary in provenance}):
        warn(line)
    return Table(Link, links)


@dataclass(frozen=True)
class _Linkers:
    """One linker for all topics, or one for each fold of topics."""

    linkers: tuple[Linker, ...]
    fold_of: Mapping[str, int] = field(default_factory=dict)

    def of(self, topic: Topic) -> tuple[Linker, str]:
        """Return the linker of a topic, and the name of its fold."""
        if not self.fold_of:
            return self.linkers[0], ""
        fold = self.fold_of[topic.id]
        return self.linkers[fold], f"{fold + 1}/{len(self.linkers)}"


def _held_out(
    topics: Sequence[Topic],
    query: Query,
    folds: int,
    background: Background | None,
    work: Work,
) -> _Linkers:
    """Train a linker for each fold of the topics, on those of the other folds."""
    if advice := without_folds(query.model, map(topic_key, topics)):
        work.warn(advice)
    fold_of = fold_by_topic(topics, folds)
    linkers = list[Linker]()
    for fold in work.progress(range(folds), "training"):
        model = train_linker(query, [topic for topic in topics if fold_of[topic.id] != fold])
        linkers.append(Linker(query, model, background))
    return _Linkers(tuple(linkers), fold_of)


@dataclass(frozen=True, slots=True)
class _Linked:
    """The links of a topic, and what the provenance says of them."""

    links: list[Link]
    provenance: Summary


def _linked(
    complete: Complete,
    linkers: _Linkers,
    run: str,
    topic: Incoming,
) -> _Linked | BrokenTopic:
    """Return the links of a topic; a failure affects only its topic."""
    topic = complete(topic)
    if isinstance(topic, BrokenTopic):
        return broken_by(topic.id, topic.error)
    linker, fold = linkers.of(topic)
    try:
        links = linker(topic, run)
    except UsageError:
        raise
    except IlpsumError as error:
        return broken_by(topic.id, error)
    query = linker.query
    settings = SystemSettings(
        name=query.name,
        method=query.spans.method,
        fold=fold,
    )
    provenance = Summary(
        topic.id,
        (),
        "",
        system=query.name,
        settings=RunSettings(system=settings),
        topic_digest=topic_digest(topic),
        seen={linker.model.name: has_seen(linker.model.topics, topic)},
    )
    return _Linked(links, provenance)


def _without_failed(
    results: Iterable[_Linked | BrokenTopic],
    failed: Callable[[BrokenTopic], object] | None,
) -> tuple[list[_Linked], bool]:
    """Return the links of the topics that did not fail, and whether any did; without `failed`, the
    first error is raised.
    """
    linked = list[_Linked]()
    any_failed = False
    for result in results:
        if isinstance(result, _Linked):
            linked.append(result)
        elif failed is None:
            raise InputError(str(result.error))
        else:
            failed(result)
            any_failed = True
    return linked, any_failed


@dataclass(frozen=True, slots=True)
class Embedded:
    """Size of a vector file: its words, and the documents and tokens over which its IDF was
    computed.
    """

    words: int
    documents: int
    tokens: int


@checked
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
        vectors: existing vectors to add IDF to, instead of training. Features look words up in
            lower case, so that is how they are written.
        progress: wraps each iteration; gets a description.
        options: fields of `EmbeddingOptions`, such as `dimensions`.

    Raises:
        InputError: a file cannot be read.
        UsageError: the texts contain no words, or `out` cannot be written.
    """
    require_place(Path(out))
    read, chosen = training.Texts(texts), training.EmbeddingOptions(**options)
    counts = training.count(progress(read, "documents counted"))
    if not counts.documents:
        raise UsageError(f"no words in {listed([str(text) for text in texts])}")
    if vectors:
        words, table = embeddings.as_looked_up(*embeddings.read_vectors(vectors))
        source = {"vectors": Path(vectors).name}
    else:
        words, table = training.train(read, chosen, progress)
        source = training.metadata(chosen, counts, texts)
    with write_errors(Path(out)):
        embeddings.save(Path(out), words, table, counts, source)
    return Embedded(len(words), counts.documents, counts.tokens)
