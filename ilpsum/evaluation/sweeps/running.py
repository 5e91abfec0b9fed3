"""Runs a sweep by group and topic, skipping results in the cache."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import msgspec
import numpy as np

from ilpsum.answers.steps import STEPS
from ilpsum.errors import SolverError, UsageError, counted
from ilpsum.evaluation.comparison import Place
from ilpsum.evaluation.sweeps.cache import Cache, digest
from ilpsum.evaluation.sweeps.curve import Stretch, TopicPath
from ilpsum.evaluation.sweeps.plan import Configuration, Data, Group, Sweep
from ilpsum.evaluation.sweeps.rows import Result, read_rows, write_rows
from ilpsum.files.atomic import Lock, require_folder, write_errors
from ilpsum.files.processes import HERE, Executor
from ilpsum.files.progress import Progress, no_progress
from ilpsum.formats.identity import topic_digest
from ilpsum.learning.models import SystemModel
from ilpsum.metrics.rouge import References
from ilpsum.pipeline import ordering
from ilpsum.pipeline.loading import load_model
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.prepared import Prepared
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training import fitting as training
from ilpsum.pipeline.training.examples import Example, prepare
from ilpsum.pipeline.training.fitting import training_settings
from ilpsum.records import Topic
from ilpsum.selection import Problem, lambda_path
from ilpsum.version import __version__

# Trainings whose models stay in memory, since systems that differ only in their selection share models.
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
) -> list[Result]:
    """Run a sweep and return the results of its configurations in order; writes its rows even if interrupted.

    Creates the folder `out` if needed. The folder `cache` (default: `cache` in `out`) stores the summaries of each
    topic as soon as they are computed. `progress` wraps each iteration; its second argument is a description.

    Raises:
        UsageError: another process uses the folder, it contains another sweep, or there are too few topics.
        ModelError: a system has no bundled model, or the given model does not fit.
        SolverError: the solver reached its limit.
        IlpsumError: the folder cannot be written.
    """
    if sweep.folds > len(data.topics):
        raise UsageError(f"folds is {sweep.folds}, for {counted(len(data.topics), 'topic')} with gold: choose fewer")
    folder, results = Path(out), list[Result]()
    with _locked(folder):
        runner = Runner(sweep, data, Cache(cache or folder / "cache"), engine, progress)
        own = {runner.key(c) for group in groups for c in group.configurations}
        if any(row.run not in own for row in read_rows(folder)):
            other = "another sweep (other settings, topics or version)"
            raise UsageError(f"{folder} holds rows of {other}; choose another --out")
        try:
            for result in runner.run(groups):
                results.append(result)
        finally:
            if results:
                write_rows(folder, results, sweep, data)
    return results


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Create and lock a sweep's folder; write errors become one-line messages."""
    with write_errors(folder):
        require_folder(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with Lock(folder / ".sweep.lock", "is running a sweep in this folder"):
            yield


class Runner:
    """Computes the results of a sweep, sharing examples and models between groups."""

    def __init__(self, sweep: Sweep, data: Data, cache: Cache, engine: Executor, progress: Progress) -> None:
        self._sweep, self._data, self._cache, self._engine, self._progress = sweep, data, cache, engine, progress
        self._examples: dict[bytes, dict[str, Example]] = {}
        self._models: dict[bytes, tuple[SystemModel | None, ...]] = {}

    def run(self, groups: Sequence[Group]) -> Iterator[Result]:
        """Yield the results of all configurations, in order."""
        for number, group in enumerate(groups, start=1):
            what = f"{group.system.name} {number}/{len(groups)}"
            runs = [self.key(c) for c in group.configurations]
            lambdas = [value for value in group.lambdas if value != "path"]
            make = partial(self._summarizers, group)
            by_topic = self._summarised(runs, self._data.topics, make, group, lambdas, what)
            for run, configuration, paths in zip(runs, group.configurations, zip(*by_topic, strict=True), strict=True):
                yield Result(run, configuration, self._sweep.measure, paths)

    def tested(self, result: Result, group: Group, topics: Sequence[Topic]) -> dict[str, Stretch]:
        """Summarise other topics at a result's lambda, with a model trained on all topics of the sweep."""
        make = partial(self._summarizers, group, folds=0)
        paths = self._summarised([result.run, "tested"], topics, make, group, [result.lambda_], "outer fold")
        return {path.topic: path.stretches[0] for (path,) in paths}

    def key(self, configuration: Configuration) -> str:
        """Return a configuration's digest of everything that affects its scores."""
        sweep = self._sweep
        content = configuration.content() | {
            "data": self._data.digest,
            "folds": sweep.folds,
            "seed": sweep.seed,
            "metrics": sweep.metrics,
            "measure": sweep.measure,
            "stem": bool(sweep.stem),
            "ilpsum": __version__,
            "models": "" if sweep.folds else _given_digest(configuration.system, sweep.model),
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    def _summarised(
        self,
        runs: Sequence[str],
        topics: Sequence[Topic],
        make: Callable[[], list[Pipeline]],
        group: Group,
        lambdas: Sequence[float | None],
        what: str,
    ) -> list[tuple[TopicPath, ...]]:
        """Return the summaries of each topic for each run of a group; without lambdas, the exact path."""
        keys = [digest(runs, lambdas, topic_digest(topic, gold=True)) for topic in topics]
        known = [self._cache.get(key, tuple[TopicPath, ...]) for key in keys]
        # Topics with equal content share an entry, even across sweeps.
        found = [
            paths and tuple(TopicPath(topic.id, path.stretches) for path in paths)
            for topic, paths in zip(topics, known, strict=True)
        ]
        missing = [i for i, paths in enumerate(found) if paths is None]
        if missing:
            worker = Worker(make(), group.words, lambdas, self._sweep.metrics, stem=bool(self._sweep.stem))
            examples = self._prepared(group.system, topics)
            items = [SweepItem(i, topics[i], examples.get(topics[i].id)) for i in missing]
            for i, paths in zip(missing, self._engine.map(worker, self._progress(items, what)), strict=True):
                self._cache.put(keys[i], paths)
                found[i] = paths
        return [paths for paths in found if paths is not None]

    def _prepared(self, system: System, topics: Sequence[Topic]) -> dict[str, Example]:
        """Return a system's examples by topic, keeping the latest in memory."""
        if system.relevance is None:
            return {}
        settings = (system.candidates, system.relevance, system.recipe.target, system.selection.stems)
        key = msgspec.json.encode((settings, [topic.id for topic in topics]))
        if key not in self._examples:
            examples, _ = prepare(system, self._progress(topics, "features"), engine=self._engine)
            self._examples = {key: {example.topic: example for example in examples}}
        return self._examples[key]

    def _summarizers(self, group: Group, folds: int | None = None) -> list[Pipeline]:
        """Return one summarizer per fold, trained on the other folds; without folds, one for all topics."""
        models = self._trained(group, self._sweep.folds if folds is None else folds)
        return [Pipeline(group.system, model, seed=self._sweep.seed, question=STEPS) for model in models]

    def _trained(self, group: Group, folds: int) -> tuple[SystemModel | None, ...]:
        system = group.system
        if not self._sweep.folds or system.relevance is None:
            return (load_model(system, self._sweep.model or None),)
        key = training_settings(system, group.words) + bytes([folds > 0])
        if key not in self._models:
            examples = self._prepared(system, self._data.topics)
            models = []
            for fold in self._progress(range(max(folds, 1)), "training"):
                outside = [t.id for i, t in enumerate(self._data.topics) if not folds or i % folds != fold]
                others = [examples[topic] for topic in outside if topic in examples]
                if not others:
                    raise UsageError(f"no sentences to train fold {fold + 1} on: add topics or choose other folds")
                fit = partial(training.fit, words=group.words, engine=self._engine)
                models.append(fit(system, others))
            if len(self._models) >= _MODELS_KEPT:
                del self._models[next(iter(self._models))]
            self._models[key] = tuple(models)
        return self._models[key]


@lru_cache(maxsize=_MODELS_KEPT)
def _given_digest(system: System, file: str) -> str:
    """Return a digest of a system's model, from a file or bundled; empty if it has none."""
    model = load_model(system, file or None)
    if model is None:
        return ""
    arrays = model.relevance.state()[1] | (model.weights.arrays() if model.weights else {})
    digest = hashlib.sha256(f"{model.lambda_} {model.word_cost}".encode())
    for name in sorted(arrays):
        digest.update(np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class SweepItem:
    """A topic with its index, which determines its fold, and its example (candidates and features).

    The example is None if the system has no relevance model or the topic no candidates.
    """

    number: int
    topic: Topic
    example: Example | None


@dataclass(frozen=True)
class Worker:
    """Summarises topics under a word limit and scores the summaries with ROUGE under the same limit.

    There is one summarizer per fold; topic i is summarised by summarizer i modulo their number. A lambda of None is
    the system's own; without lambdas, the exact path is computed.
    """

    summarizers: Sequence[Pipeline]
    words: int
    lambdas: Sequence[float | None]
    metrics: Sequence[str]
    stem: bool

    def __call__(self, item: SweepItem) -> tuple[TopicPath, ...]:
        """Return a topic's summaries at each lambda, or the exact path; `SolverError` if the solver fails."""
        references = References(item.topic.summaries, self.metrics, stem=self.stem, words=self.words)
        summarizer = self.summarizers[item.number % len(self.summarizers)]
        if not self.lambdas:
            return (self._path(summarizer, item, references),)
        paths = []
        prepared: Prepared | None = None
        problem: Problem | None = None
        for value in self.lambdas:
            if summarizer.system.relevance is None:
                summary = summarizer(item.topic, self.words)
                places, text = tuple(s.place for s in summary), summary.text
            elif item.example is None:
                places, text = (), ""
            else:
                prepared = prepared or _prepared(summarizer, item.topic, item.example)
                if summarizer.selector.has_objective:
                    problem = problem or self._problem(summarizer, prepared)
                    chosen = summarizer.solve(problem if value is None else problem.at(value)).chosen
                else:
                    chosen = summarizer.select(prepared, self.words).chosen
                places, text = _text(summarizer, prepared, chosen)
            paths.append(TopicPath(item.topic.id, (Stretch(0.0, 1.0, places, 0.0, 0.0, 0.0, references.score(text)),)))
        return tuple(paths)

    def _path(self, summarizer: Pipeline, item: SweepItem, references: References) -> TopicPath:
        if item.example is None:
            return TopicPath(item.topic.id, (Stretch(0.0, 1.0, (), 0.0, 0.0, 0.0, references.score("")),))
        prepared = _prepared(summarizer, item.topic, item.example)
        try:
            segments = lambda_path(self._problem(summarizer, prepared))
        except SolverError as error:
            raise SolverError(f"topic {item.topic.id}: {error}") from None
        stretches = []
        for s in segments:
            places, text = _text(summarizer, prepared, s.chosen)
            scores = references.score(text)
            stretches.append(Stretch(s.start, s.end, places, s.relevance, s.coverage, s.costs, scores))
        return TopicPath(item.topic.id, tuple(stretches))

    def _problem(self, summarizer: Pipeline, prepared: Prepared) -> Problem:
        return summarizer.problem(prepared, self.words - len(ordering.labels_of(summarizer.system.order)))


def _prepared(summarizer: Pipeline, topic: Topic, example: Example) -> Prepared:
    return summarizer.prepare(topic, (example.sentences, example.around, example.matrix))


def _text(summarizer: Pipeline, prepared: Prepared, chosen: Sequence[int]) -> tuple[tuple[Place, ...], str]:
    """Return the places of the selected sentences in text order, and the text as `summarize` writes it."""
    sentences = summarizer.arrange(prepared, chosen, [prepared.sentences[i] for i in chosen])
    return tuple(s.place for s in sentences), ordering.render(sentences, summarizer.system.order)
