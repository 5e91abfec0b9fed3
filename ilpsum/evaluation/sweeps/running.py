"""Runs a sweep by group and topic, keeping each topic's summaries as they are computed."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path

import msgspec

from ilpsum.answers.steps import QuestionPipeline
from ilpsum.errors import SolverError, UsageError
from ilpsum.evaluation.sweeps.code import code_digests
from ilpsum.evaluation.sweeps.nested import Estimate, estimates
from ilpsum.evaluation.sweeps.paths import LambdaInterval, Passage, TopicPath
from ilpsum.evaluation.sweeps.plan import Configuration, Data, Group, Lambda, Sweep
from ilpsum.evaluation.sweeps.results import Result
from ilpsum.evaluation.sweeps.table import is_sweep, read_sweep, table_of, write_sweep
from ilpsum.files.atomic import locked, require_folder, write_errors, write_file
from ilpsum.files.reading import digest_of
from ilpsum.files.records import UNFIT, encode
from ilpsum.files.work import HERE, Work
from ilpsum.learning.models import SystemModel, describe
from ilpsum.literature.identity import topic_digest
from ilpsum.metrics.rouge import References
from ilpsum.pipeline.objective import Prepared
from ilpsum.pipeline.summarizer import load_model, model_file
from ilpsum.pipeline.system import System, plain
from ilpsum.pipeline.training.examples import Example, prepare
from ilpsum.pipeline.training.fitting import train, training_settings
from ilpsum.pipeline.training.folds import fit_folds, fold_by_topic
from ilpsum.records import Sentence, Topic
from ilpsum.selection import Segment, lambda_path
from ilpsum.version import library_versions

# Trainings whose models stay in memory, since systems that differ only in their selection share
# models.
_MODELS_KEPT = 8
# The selection of a topic at a single lambda; its terms are not computed.
_WHOLE = Segment((), 0.0, 0.0, 0.0, 0.0, 1.0)
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "nltk", "python-Levenshtein", "highspy")


@dataclass(frozen=True)
class Runner:
    """Computes the results of a sweep, sharing examples and models between groups.

    The folder `cache` keeps the summaries of each topic as soon as they are computed; several
    sweeps may share it, and it can be deleted at any time.
    """

    sweep: Sweep
    data: Data
    cache: Path
    work: Work = HERE
    _examples: dict[bytes, dict[str, Example]] = field(default_factory=dict)
    _models: dict[bytes, tuple[SystemModel | None, ...]] = field(default_factory=dict)

    def run(
        self,
        groups: Sequence[Group],
        folder: Path,
    ) -> tuple[list[Result], tuple[Estimate, ...]]:
        """Run or resume the sweep in a folder, and return the results of its configurations in
        order, and the nested estimates.

        Creates the folder if needed, and writes the rows even if interrupted.

        Raises:
            UsageError: another process uses the folder, it contains another sweep, or there are too
                few topics.
            ModelError: a system has no bundled model, or the given model does not fit.
            SolverError: the solver reached its limit.
            IlpsumError: the folder cannot be written.
        """
        _ = self.fold_of, self.outer_fold_of  # fail before any work
        with write_errors(folder):
            require_folder(folder)
            folder.mkdir(parents=True, exist_ok=True)
        lock = locked(folder / ".sweep.lock", "is running a sweep in this folder")
        with write_errors(folder), lock:
            self._require_same(groups, folder)
            nested: tuple[Estimate, ...] = ()
            results = list[Result]()
            try:
                for number, group in enumerate(groups, start=1):
                    what = f"{group[0].system.name} {number}/{len(groups)}"
                    results += self._results(group, what)
                nested = estimates(results, self.outer_fold_of)
            finally:
                if results:
                    table = table_of(self.sweep, self.data, results, nested)
                    write_sweep(folder, table, results, nested)
        return results, nested

    def _require_same(self, groups: Sequence[Group], folder: Path) -> None:
        """Raise `UsageError` if a folder holds runs of another sweep."""
        asked = {self.asked(configuration) for group in groups for configuration in group}
        rows = read_sweep(folder).rows if is_sweep(folder) else ()
        if any(row.run not in asked for row in rows):
            other = "another sweep (other settings or topics)"
            raise UsageError(f"{folder} holds runs of {other}; choose another --out")

    def _results(self, group: Group, what: str) -> list[Result]:
        """Return the result of each configuration of a group."""
        by_topic = self._summarised(group, what)
        results = []
        for configuration, paths in zip(group, zip(*by_topic, strict=True), strict=True):
            run = self.asked(configuration)
            results.append(Result(run, configuration, self.sweep.measure, paths))
        return results

    @cached_property
    def given_model(self) -> Callable[[System], SystemModel | None]:
        """Load the model of a system, from a file or included."""
        return lru_cache(_MODELS_KEPT)(partial(load_model, model=self.sweep.model or None))

    @cached_property
    def fold_of(self) -> dict[str, int]:
        """The fold of each topic, by id; empty without folds."""
        return self._folds("folds", self.sweep.folds)

    @cached_property
    def outer_fold_of(self) -> dict[str, int]:
        """The outer fold of each topic, by id; empty without a nested estimate."""
        return self._folds("nested", self.sweep.nested)

    def _folds(self, key: str, folds: int) -> dict[str, int]:
        return fold_by_topic(self.data.topics, folds, key) if folds else {}

    def asked(self, configuration: Configuration) -> str:
        """Return a digest of a configuration's settings and data, but not of the code."""
        sweep = self.sweep
        system = plain(configuration.system)
        content = {"system": system, "words": configuration.words}
        # The system's own lambda has an effect only if the sweep sets none.
        if configuration.lambda_ is not None:
            del system["selection"]["lambda"]
            content["lambda"] = configuration.lambda_
        content |= {
            "data": self.data.digest,
            "folds": sweep.folds,
            "seed": sweep.seed,
            "metrics": sweep.metrics,
            "measure": sweep.measure,
            "stem": bool(sweep.stem),
            "vectors": configuration.system.vectors_digest,
        }
        if scores := configuration.system.scores:
            content["scores"] = digest_of(scores)
        if configuration.system.needs_model() and not sweep.folds:
            content["model"] = describe(model_file(configuration.system, sweep.model))
        return _digest(content)

    def key(self, configuration: Configuration) -> str:
        """Return a configuration's digest of everything that affects its scores."""
        return _digest([self.asked(configuration), code_digests()])

    def _summarised(self, group: Group, what: str) -> list[tuple[TopicPath, ...]]:
        """Return the summaries of each topic by each configuration of a group, from the cache or
        computed; the models of a fold's topics are trained on the other folds.
        """
        libraries = library_versions(*_LIBRARIES)
        runs = [self.key(configuration) for configuration in group]
        files = []
        for digest in self.data.digests:
            key = msgspec.json.encode((runs, libraries, digest))
            files.append(self.cache / f"{hashlib.sha256(key).hexdigest()}.json")
        summarised = [self._kept(file, len(group)) for file in files]
        missing = [i for i, paths in enumerate(summarised) if not paths]
        if missing:
            worker = self._worker(group)
            examples = self._prepared(group[0].system)
            topics = [self.data.topics[i] for i in missing]
            items = [(self.fold_of.get(t.id, 0), t, examples.get(t.id)) for t in topics]
            self.cache.mkdir(parents=True, exist_ok=True)
            computed = self.work.engine.map(worker, self.work.progress(items, what))
            for i, paths in zip(missing, computed, strict=True):
                write_file(files[i], encode(paths))
                summarised[i] = paths
        return summarised

    def _worker(self, group: Group) -> "Worker":
        """Return the worker that summarises topics with the models of a group."""
        system, words = group[0].system, group[0].words
        make = partial(QuestionPipeline, system, seed=self.sweep.seed, explained=False)
        pipelines = [make(model) for model in self._trained(system, words)]
        lambdas = [configuration.lambda_ for configuration in group]
        return Worker(pipelines, words, lambdas, self.sweep.metrics, bool(self.sweep.stem))

    def _kept(self, file: Path, number: int) -> tuple[TopicPath, ...]:
        """Return the summaries of a topic in a file of the cache, `number` paths; empty if it is
        missing or damaged.
        """
        try:
            paths = msgspec.json.decode(file.read_bytes(), type=tuple[TopicPath, ...])
        except (OSError, *UNFIT):
            return ()
        metrics = set(self.sweep.metrics)
        fits = all(path.intervals[0].scores.keys() == metrics for path in paths)
        return paths if fits and len(paths) == number else ()

    def _prepared(self, system: System) -> dict[str, Example]:
        """Return a system's examples by topic, keeping the latest in memory."""
        if system.relevance is None:
            return {}
        key = msgspec.json.encode(
            (system.candidates, system.relevance, system.recipe.target, system.selection.stems)
        )
        if key not in self._examples:
            examples, _ = prepare(
                system,
                self.work.progress(self.data.topics, "features"),
                engine=self.work.engine,
            )
            self._examples.clear()
            self._examples[key] = {example.topic: example for example in examples}
        return self._examples[key]

    def trained_on_all(self, configuration: Configuration) -> SystemModel:
        """Return the model of a configuration, trained on all topics."""
        return train(
            configuration.system,
            self.data.topics,
            words=configuration.words,
            work=self.work,
        )

    def _trained(self, system: System, words: int) -> tuple[SystemModel | None, ...]:
        """Return one model per fold, trained on the other folds; without folds, the given one for
        all topics.
        """
        if not self.fold_of or not system.needs_model():
            return (self.given_model(system),)
        key = training_settings(system, words)
        if key not in self._models:
            models = fit_folds(
                system,
                self._prepared(system),
                self.fold_of,
                words=words,
                work=self.work,
            )
            if len(self._models) >= _MODELS_KEPT:
                del self._models[next(iter(self._models))]
            self._models[key] = models
        return self._models[key]


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Worker:
    """Summarises topics under a word limit and scores the summaries with ROUGE under the same
    limit.

    There is one pipeline per fold, or one for all.
    """

    pipelines: Sequence[QuestionPipeline]
    words: int
    lambdas: Sequence[Lambda]
    metrics: Sequence[str]
    stem: bool

    def __call__(self, item: tuple[int, Topic, Example | None]) -> tuple[TopicPath, ...]:
        """Return a topic's summaries at each lambda, given its fold, the topic and its example.

        The example is None if the system has no relevance model or the topic no candidates.

        Raises:
            SolverError: the solver fails.
        """
        fold, topic, example = item
        pipeline = self.pipelines[fold if len(self.pipelines) > 1 else 0]
        references = References(
            topic.summaries,
            self.metrics,
            stem=self.stem,
            words=self.words,
        )
        if example is None:
            sentences: Sequence[Sentence] = ()
            if pipeline.system.relevance is None:
                sentences = pipeline(topic, self.words).sentences
            path = self._path(pipeline, topic, references, [(_WHOLE, sentences)])
            return (path,) * len(self.lambdas)
        prepared = pipeline.prepare(topic, (example.sentences, example.around, example.matrix))
        prepared = pipeline.opened(prepared, range(len(prepared.sentences)))
        paths = []
        for segments in self._selected(pipeline, prepared):
            arranged = []
            for segment in segments:
                chosen = [prepared.sentences[i] for i in segment.chosen]
                arranged.append((segment, pipeline.arrange(prepared, segment.chosen, chosen)))
            paths.append(self._path(pipeline, topic, references, arranged))
        return tuple(paths)

    def _selected(
        self, pipeline: QuestionPipeline, prepared: Prepared
    ) -> Iterator[Sequence[Segment]]:
        """Yield the selections at each lambda; only an exact path has several."""
        problem = pipeline.problem(prepared, self.words)
        for value in self.lambdas:
            if value == "path":
                try:
                    yield lambda_path(problem)
                except SolverError as error:
                    raise SolverError(f"topic {prepared.topic.id}: {error}") from None
            else:
                at_value = problem if value is None else problem.at(value)
                selection = pipeline.select(prepared, self.words, at_value)
                yield [replace(_WHOLE, chosen=selection.chosen)]

    def _path(
        self,
        pipeline: QuestionPipeline,
        topic: Topic,
        references: References,
        optima: Iterable[tuple[Segment, Sequence[Sentence]]],
    ) -> TopicPath:
        """Return a topic's selections with their scores, given their sentences in text order."""
        numbers = dict[Passage, int]()
        intervals = []
        for segment, sentences in optima:
            passages = [Passage(*sentence.place, sentence.text) for sentence in sentences]
            interval = LambdaInterval(
                segment.start,
                segment.end,
                tuple(numbers.setdefault(passage, len(numbers)) for passage in passages),
                segment.relevance,
                segment.coverage,
                segment.costs,
                references.score("\n".join(sentence.text for sentence in sentences)),
            )
            intervals.append(interval)
        return TopicPath(
            topic.id,
            tuple(intervals),
            tuple(numbers),
            replace(pipeline.settings(self.words), format="jsonl"),
            topic.written or topic.query,
            topic_digest(topic),
            pipeline.seen(topic),
        )
