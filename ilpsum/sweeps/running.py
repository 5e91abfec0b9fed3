"""Running a sweep: group by group, each result on the disk before the next one starts."""

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from ilpsum.errors import IlpsumError, UsageError
from ilpsum.evaluation.curves import best_step
from ilpsum.io import persistence
from ilpsum.io.atomic import Lock, require_folder
from ilpsum.learning.models import SystemModel
from ilpsum.metrics.rouge import RougeOptions, Score, mean
from ilpsum.metrics.signature import rouge_signature
from ilpsum.parallel.executor import HERE, Executor
from ilpsum.pipeline.loading import load_model
from ilpsum.pipeline.summarizer import Summarizer
from ilpsum.pipeline.system import System
from ilpsum.records import Topic
from ilpsum.sweeps.curve import Outcome, TopicPath, listed, rank_score, score_steps
from ilpsum.sweeps.data import Data
from ilpsum.sweeps.journal import Journal
from ilpsum.sweeps.plan import Configuration, Group, Sweep
from ilpsum.sweeps.results import PATHS, ROWS, TOPICS, outcomes
from ilpsum.sweeps.rows import Best, Config, PathRow, Result, Source, TopicRow
from ilpsum.sweeps.topics import Scored, SweepItem, Worker
from ilpsum.training import fitting as training
from ilpsum.training.cache import Cache, training_settings
from ilpsum.training.examples import Example, prepare
from ilpsum.training.fitting import Progress, no_progress
from ilpsum.version import __version__

# Number of trainings whose models stay in memory: systems that differ only in their selection share models.
_MODELS_KEPT = 8


def run(
    sweep: Sweep,
    groups: Sequence[Group],
    data: Data,
    out: str | Path,
    *,
    engine: Executor = HERE,
    cache: str | Path | None = None,
    progress: Progress = no_progress,
    alone: bool = False,
) -> list[Result]:
    """Run the rest of a sweep and return the results of all its configurations, in order.

    The folder `out` of rows.jsonl, topics.jsonl and path.jsonl is created if needed; existing results are kept,
    but `alone` refuses rows of another sweep. The folder of cached features, targets and models is by default `cache`
    in `out`. `progress` wraps each iteration for a progress bar; its second argument names what is being done.

    Raises:
        UsageError: another process uses the folder, it has rows of another sweep, or there are too few topics.
        ModelError: no model ships for a system, or the given one does not fit.
        SolverError: a search reached its limit.
        InputError: a file in the folder is damaged.
        IlpsumError: the folder cannot be written.
    """
    if sweep.folds > len(data.topics):
        raise UsageError(f"folds is {sweep.folds}, but there are {len(data.topics)} topics with gold: choose fewer")
    folder = Path(out)
    with locked(folder):
        store = Cache(folder / "cache" if cache is None else cache)
        runner = Runner(sweep, data, folder, engine, store, progress)
        if alone:
            runner.check_rows(groups)
        return runner.run(groups)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Create and lock the folder of a sweep; failures to write become one line."""
    try:
        require_folder(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with Lock(folder / ".sweep.lock", "is running a sweep in this folder"):
            yield
    except OSError as error:
        raise IlpsumError(f"{error.filename or folder}: cannot be written ({error.strerror or error})") from None


class Runner:
    """A running sweep: its files, and the examples and models that groups share. The arguments are those of `run`."""

    def __init__(
        self, sweep: Sweep, data: Data, folder: Path, engine: Executor, cache: Cache, progress: Progress
    ) -> None:
        self._sweep, self._data, self._engine, self._cache = sweep, data, engine, cache
        self._progress, self._folder = progress, folder
        self._rows, self._paths = Journal(folder / ROWS, Result), Journal(folder / PATHS, PathRow)
        self._topics = Journal(folder / TOPICS, TopicRow)
        self._scored = outcomes(self._topics.rows)
        self._examples: dict[bytes, dict[str, Example]] = {}
        self._models: dict[bytes, tuple[SystemModel | None, ...]] = {}

    def check_rows(self, groups: Sequence[Group]) -> None:
        """Refuse a folder with rows of another sweep, which would mix up the tables of both.

        Raises:
            UsageError: a row belongs to no configuration of the groups on these topics.
        """
        own = {self.key(c) for group in groups for c in group.configurations}
        if any(row.run not in own for row in self._rows.rows):
            other = "another sweep (other settings, topics or version)"
            raise UsageError(f"{self._folder} holds rows of {other}; choose another --out")

    def run(self, groups: Sequence[Group]) -> list[Result]:
        """Return the results of all groups."""
        done = {row.run: row for row in self._rows.rows}
        results = []
        try:
            for number, group in enumerate(groups, start=1):
                todo = {self.key(c): c for c in group.configurations if self.key(c) not in done}
                if todo:
                    what = f"{group.system.name} {number}/{len(groups)}"
                    done |= {row.run: row for row in self._do(group, todo, what)}
                results += [done[self.key(c)] for c in group.configurations]
        finally:
            for journal in (self._rows, self._paths, self._topics):
                journal.close()
        return results

    def tested(
        self, configuration: Configuration, lambda_: float | None, topics: Sequence[Topic]
    ) -> dict[str, Outcome]:
        """Return the outcomes of other topics at a lambda, by a model trained on all topics of the sweep."""
        system, words = configuration.system, configuration.words
        model, examples = None, {}
        if system.relevance:
            model = self.fitted(system, list(self._prepared(system).values()), words)
            prepared, _ = prepare(system, topics, engine=self._engine, cache=self._cache)
            examples = {example.topic: example for example in prepared}
        summarizer = Summarizer(system, model, seed=self._sweep.seed)
        worker = Worker([summarizer], words, [lambda_], self._sweep.metrics, stem=self._sweep.stems)
        items = [SweepItem(i, topic, examples.get(topic.id)) for i, topic in enumerate(topics)]
        results = self._mapped(worker, items, "outer fold")
        return {scored.topic: scored.outcomes[0] for scored in results if isinstance(scored, Scored)}

    def _do(self, group: Group, todo: Mapping[str, Configuration], what: str) -> Iterator[Result]:
        """Yield the missing rows of a group, each after it was appended to the file."""
        began = perf_counter()
        examples = self._prepared(group.system)
        items = [SweepItem(i, topic, examples.get(topic.id)) for i, topic in enumerate(self._data.topics)]
        # No lambda: the exact path.
        lambdas = [c.lambda_ for c in todo.values() if c.lambda_ != "path"]
        worker = Worker(self._summarizers(group), group.words, lambdas, self._sweep.metrics, stem=self._sweep.stems)
        before = perf_counter() - began
        for row, seconds in (self._lambda_rows if lambdas else self._path_rows)(todo, worker, items, what):
            row = replace(row, seconds={"preparing": before, "summaries": seconds})
            self._rows.append(row)
            yield row

    def _lambda_rows(
        self, todo: Mapping[str, Configuration], worker: Worker, items: Sequence[SweepItem], what: str
    ) -> Iterator[tuple[Result, float]]:
        """Yield the rows of lambdas, each with its seconds."""
        rest = [item for item in items if any((run, item.topic.id) not in self._scored for run in todo)]
        for scored in self._mapped(worker, rest, what):
            if isinstance(scored, Scored):
                self._topics.append(scored.row(list(todo)))
                self._scored |= scored.by_run(list(todo))
        for run, configuration in todo.items():
            own = {topic.id: self._scored[run, topic.id] for topic in self._data.topics}
            row = self._row(run, configuration, {topic: outcome.scores for topic, outcome in own.items()})
            yield row, sum(outcome.seconds for outcome in own.values())

    def _path_rows(
        self, todo: Mapping[str, Configuration], worker: Worker, items: Sequence[SweepItem], what: str
    ) -> Iterator[tuple[Result, float]]:
        """Yield the row of an exact path, with its seconds."""
        began = perf_counter()
        (run, configuration), *_ = todo.items()
        known = [TopicPath.from_row(row) for row in self._paths.rows if row.run == run]
        done = {path.topic for path in known}
        rest = [item for item in items if item.topic.id not in done]
        for path in self._mapped(worker, rest, what):
            if isinstance(path, TopicPath):
                self._paths.append(path.row(run))
                known.append(path)
        places = {topic.id: i for i, topic in enumerate(self._data.topics)}
        known.sort(key=lambda path: places[path.topic])
        step = best_step(score_steps(known, self._sweep.measure))
        scores = {path.topic: path.at(step.inside).scores for path in known}
        row = self._row(run, configuration, scores, Best(step.inside, step.start, step.end))
        yield row, perf_counter() - began

    def _mapped(self, worker: Worker, items: Sequence[SweepItem], what: str) -> Iterator[Scored | TopicPath]:
        return self._engine.map(worker, self._progress(items, what))

    def _row(
        self,
        run: str,
        configuration: Configuration,
        topics: Mapping[str, Mapping[str, Score]],
        best: Best | None = None,
    ) -> Result:
        sweep, data = self._sweep, self._data
        means = {metric: mean([scores[metric] for scores in topics.values()]) for metric in sweep.metrics}
        options = RougeOptions(sweep.stems, configuration.words)
        libraries = persistence.library_versions("highspy", "numpy", "scikit-learn")
        return Result(
            run=run,
            config=Config(configuration.system, configuration.words, configuration.lambda_),
            score=rank_score(means, sweep.measure),
            scores=listed(means),
            topics={topic: listed(scores) for topic, scores in topics.items()},
            measure=sweep.measure,
            best=best,
            data=Source(data.digest, len(data.topics), data.without_gold),
            folds=sweep.folds,
            seed=sweep.seed,
            signatures={metric: str(rouge_signature(metric, options)) for metric in sweep.metrics},
            versions={"ilpsum": __version__, "python": platform.python_version(), **libraries},
        )

    def key(self, configuration: Configuration) -> str:
        """Return the name of a run: a digest of all that its scores depend on."""
        sweep = self._sweep
        content = configuration.content() | {
            "data": self._data.digest,
            "folds": sweep.folds,
            "seed": sweep.seed,
            "metrics": sweep.metrics,
            "measure": sweep.measure,
            "stem": sweep.stems,
            "ilpsum": __version__,
            "models": "" if sweep.folds else self._shipped_digest(configuration.system),
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    def _prepared(self, system: System) -> dict[str, Example]:
        """Return the examples of a system by topic; the last ones computed stay in memory."""
        if system.relevance is None:
            return {}
        key = _bytes(system.candidates, system.relevance, system.recipe.target, system.selection.stems)
        if key not in self._examples:
            topics = self._progress(self._data.topics, "features")
            examples, _ = prepare(system, topics, engine=self._engine, cache=self._cache)
            self._examples = {key: {example.topic: example for example in examples}}
        return self._examples[key]

    def _summarizers(self, group: Group) -> list[Summarizer]:
        """Return one summarizer per fold, trained on the other folds; a single one if nothing is trained."""
        system, seed = group.system, self._sweep.seed
        models = self._trained(group) if self._sweep.folds and system.relevance else (self._shipped(system),)
        return [Summarizer(system, model, seed=seed) for model in models]

    def _trained(self, group: Group) -> tuple[SystemModel | None, ...]:
        system = group.system
        key = training_settings(system, group.words)
        if key not in self._models:
            examples, folds = self._prepared(system), self._sweep.folds
            models = []
            for fold in self._progress(range(folds), "training"):
                others = [t.id for i, t in enumerate(self._data.topics) if i % folds != fold and t.id in examples]
                if not others:
                    raise UsageError(f"no sentences to train fold {fold + 1} on: add topics or choose other folds")
                models.append(self.fitted(system, [examples[topic] for topic in others], group.words))
            self._keep(key, tuple(models))
        return self._models[key]

    def fitted(self, system: System, examples: Sequence[Example], words: int) -> SystemModel:
        """Return the model of a system trained on examples, from the cache or stored there."""
        content = [part for e in examples for part in (e.digest, e.matrix, e.targets)]
        train = partial(training.fit, system, examples, words=words, engine=self._engine)
        return self._cache.model(system, words, content, train)

    def _shipped(self, system: System) -> SystemModel | None:
        key = _bytes("shipped", system)
        if key not in self._models:
            self._keep(key, (load_model(system, self._sweep.model or None),))
        return self._models[key][0]

    def _keep(self, key: bytes, models: tuple[SystemModel | None, ...]) -> None:
        if len(self._models) >= _MODELS_KEPT:
            del self._models[next(iter(self._models))]
        self._models[key] = models

    def _shipped_digest(self, system: System) -> str:
        model = self._shipped(system)
        if model is None:
            return ""
        arrays = model.relevance.state()[1] | (model.weights.arrays() if model.weights else {})
        digest = hashlib.sha256(f"{model.lambda_} {model.word_cost}".encode())
        for name in sorted(arrays):
            digest.update(np.ascontiguousarray(arrays[name]).tobytes())
        return digest.hexdigest()


def _bytes(*parts: Any) -> bytes:
    return msgspec.json.encode(parts)
