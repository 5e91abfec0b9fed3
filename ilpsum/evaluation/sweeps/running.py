"""Runs a sweep by group and topic, keeping each topic's summaries as they are computed, and estimates its gain.

Nested cross-validation estimates the score of the tuned system on topics not used in tuning, since that of the best
configuration on the tuning topics is too high: the choice is partly luck. Topics are split into outer folds (topic i is
in fold i modulo their number). For each fold, the best configuration and lambda are chosen on the other topics alone
and scored on the fold. The mean of these scores is an unbiased estimate for the whole procedure (Stone 1974; Varma and
Simon 2006), not for one configuration, since folds may choose differently.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import msgspec
import numpy as np

from ilpsum.answers.steps import STEPS
from ilpsum.errors import SolverError, UsageError, counted
from ilpsum.evaluation.comparison import Pair, compare
from ilpsum.evaluation.scoring import Evaluation
from ilpsum.evaluation.sweeps.kept import write_texts
from ilpsum.evaluation.sweeps.plan import Configuration, Data, Group, Lambda, Sweep
from ilpsum.evaluation.sweeps.results import (
    LambdaInterval,
    Result,
    TopicPath,
    best,
    by_method,
    means,
    rank_score,
    read_rows,
    write_rows,
)  # fmt: skip
from ilpsum.files.atomic import Lock, require_folder, write_errors, write_file
from ilpsum.files.processes import HERE, Executor
from ilpsum.files.progress import Progress, no_progress
from ilpsum.files.records import UNFIT, encode
from ilpsum.formats.identity import topic_digest
from ilpsum.learning.models import SystemModel
from ilpsum.metrics.rouge import References, mean
from ilpsum.metrics.signature import Signature
from ilpsum.pipeline.loading import load_model
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.prepared import Prepared
from ilpsum.pipeline.system import System
from ilpsum.pipeline.training import fitting as training
from ilpsum.pipeline.training.examples import Example, prepare
from ilpsum.pipeline.training.fitting import training_settings
from ilpsum.records import Sentence, Topic
from ilpsum.selection import SELECTORS, Segment, lambda_path
from ilpsum.version import __version__, library_versions

# Trainings whose models stay in memory, since systems that differ only in their selection share models.
_MODELS_KEPT = 8
# The selection of a topic at a single lambda; its terms are not computed.
_WHOLE = Segment((), 0.0, 0.0, 0.0, 0.0, 1.0)
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "nltk", "python-Levenshtein", "highspy")


@dataclass(frozen=True)
class Estimate:
    """The nested estimate of a tuned selector, or of the best selector if `method` is empty.

    Attributes:
        chosen: by outer fold, the best result on the other topics.
        summaries: the summary of each topic, by the result chosen on the other folds.
    """

    method: str
    chosen: tuple[Result, ...]
    summaries: dict[str, LambdaInterval]

    @property
    def score(self) -> float:
        """The ranking score, averaged over topics."""
        return rank_score(means(self.summaries.values()), self.chosen[0].measure)


@dataclass(frozen=True)
class Runner:
    """Computes the results of a sweep, sharing examples and models between groups.

    The folder `cache` keeps the summaries of each topic as soon as they are computed; several sweeps may share it, and
    it can be deleted at any time. `progress` wraps each iteration and gets a description as its second argument.
    """

    sweep: Sweep
    data: Data
    cache: Path
    engine: Executor = HERE
    progress: Progress = no_progress
    _examples: dict[bytes, dict[str, Example]] = field(default_factory=dict)
    _models: dict[bytes, tuple[SystemModel | None, ...]] = field(default_factory=dict)

    def run(self, groups: Sequence[Group], out: str | Path) -> list[Result]:
        """Run or resume the sweep in a folder, and return the results of its configurations in order.

        Creates the folder if needed, and writes the rows even if interrupted.

        Raises:
            UsageError: another process uses the folder, it contains another sweep, or there are too few topics.
            ModelError: a system has no bundled model, or the given model does not fit.
            SolverError: the solver reached its limit.
            IlpsumError: the folder cannot be written.
        """
        if self.sweep.folds > (topics := len(self.data.topics)):
            raise UsageError(f"folds is {self.sweep.folds}, for {counted(topics, 'topic')} with gold: choose fewer")
        folder, results = Path(out), list[Result]()
        with write_errors(folder):
            require_folder(folder)
            folder.mkdir(parents=True, exist_ok=True)
        with write_errors(folder), Lock(folder / ".sweep.lock", "is running a sweep in this folder"):
            own = {self.key(c) for group in groups for c in group}
            if any(row.run not in own for row in read_rows(folder)):
                other = "another sweep (other settings, topics or version)"
                raise UsageError(f"{folder} holds rows of {other}; choose another --out")
            try:
                for result in self.results(groups):
                    results.append(result)
            finally:
                if results:
                    write_rows(folder, results, self.sweep, self.data)
                    write_texts(folder, results, self.data.topics)
        return results

    def results(self, groups: Sequence[Group]) -> Iterator[Result]:
        """Yield the results of all configurations, in order."""
        for number, group in enumerate(groups, start=1):
            runs, what = [self.key(c) for c in group], f"{group[0].system.name} {number}/{len(groups)}"
            by_topic = self._summarised(runs, self.data.topics, group, self.sweep.folds, what)
            for run, configuration, paths in zip(runs, group, zip(*by_topic, strict=True), strict=True):
                yield Result(run, configuration, self.sweep.measure, paths)

    def tested(self, result: Result, topics: Sequence[Topic]) -> dict[str, LambdaInterval]:
        """Summarise other topics at a result's lambda, with a model trained on all topics of the sweep."""
        group = (msgspec.structs.replace(result.configuration, lambda_=result.lambda_),)
        paths = self._summarised([result.run, "tested"], topics, group, 0, "outer fold")
        return {path.topic: path.intervals[0] for (path,) in paths}

    def estimates(self, groups: Sequence[Group], results: Sequence[Result]) -> tuple[Estimate, ...]:
        """Return the nested estimate of a finished sweep and, if it has several selectors, one for each.

        If the sweep trains models, each outer fold runs a sweep over the other topics, whose best systems are then
        trained on all of these. With given models, the results of the sweep suffice. `sweep.nested` is at least 2.

        Raises:
            UsageError: there are more outer folds than topics, or more inner folds than topics outside an outer fold.
        """
        if (number := self.sweep.nested) > (topics := len(self.data.topics)):
            raise UsageError(f"nested is {number}, for {counted(topics, 'topic')} with gold: choose fewer")
        folds = [self._chosen(groups, results, fold) for fold in self.progress(range(number), "outer folds")]
        overall = [max(fold.values(), key=lambda choice: choice[0].score) for fold in folds]
        found = {"": overall, **{method: [fold[method] for fold in folds] for method in folds[0]}}
        return tuple(
            Estimate(method, tuple(top for top, _ in choices), {t: s for _, own in choices for t, s in own.items()})
            for method, choices in found.items()
            if len(found) > 2 or not method
        )

    def _chosen(
        self, groups: Sequence[Group], results: Sequence[Result], fold: int
    ) -> dict[str, tuple[Result, dict[str, LambdaInterval]]]:
        """Return for each selector the best result outside an outer fold, and its summaries of the fold's topics."""
        held = self.data.topics[fold :: self.sweep.nested]
        others = [t for i, t in enumerate(self.data.topics) if i % self.sweep.nested != fold]
        if self.sweep.folds:
            if self.sweep.folds > len(others):
                outside = counted(len(others), "topic")
                raise UsageError(f"folds is {self.sweep.folds}, for {outside} outside an outer fold")
            inner = Runner(self.sweep, Data.of(others), self.cache, self.engine, self.progress)
            tops = [best(own) for own in by_method(list(inner.results(groups))).values()]
            return {top.method: (top, inner.tested(top, held)) for top in tops}
        chosen, ids = {}, {topic.id for topic in held}
        for method, own in by_method(results).items():
            top = best([replace(r, paths=tuple(p for p in r.paths if p.topic not in ids)) for r in own])
            inside = (path for result in own if result.run == top.run for path in result.paths if path.topic in ids)
            chosen[method] = top, {path.topic: path.at(top.lambda_ or 0.0) for path in inside}
        return chosen

    def key(self, configuration: Configuration) -> str:
        """Return a configuration's digest of everything that affects its scores."""
        sweep, content = self.sweep, msgspec.to_builtins(configuration)
        # Without a lambda of the sweep the system's has its effect, and only then.
        del (content if configuration.lambda_ is None else content["system"]["selection"])["lambda"]
        content |= {
            "data": self.data.digest,
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
        self, runs: Sequence[str], topics: Sequence[Topic], group: Group, folds: int, what: str
    ) -> list[tuple[TopicPath, ...]]:
        """Return the summaries of each topic by each configuration of a group; topics of a fold by models of others."""
        lambdas, libraries = [c.lambda_ for c in group], library_versions(*_LIBRARIES)
        # Topics with equal content share a file, even across sweeps.
        keys = (msgspec.json.encode((runs, lambdas, libraries, topic_digest(t, gold=True))) for t in topics)
        files = [self.cache / f"{hashlib.sha256(key).hexdigest()}.json" for key in keys]
        found = [
            _kept(file, topic.id, len(group), self.sweep.metrics) for file, topic in zip(files, topics, strict=True)
        ]
        if missing := [i for i, paths in enumerate(found) if paths is None]:
            system, words, seed = group[0].system, group[0].words, self.sweep.seed
            models = self._trained(system, words, folds)
            pipelines = [Pipeline(system, model, seed=seed, question=STEPS) for model in models]
            worker = Worker(pipelines, words, lambdas, self.sweep.metrics, stem=bool(self.sweep.stem))
            examples = self._prepared(system, topics)
            items = [(i, topics[i], examples.get(topics[i].id)) for i in missing]
            self.cache.mkdir(parents=True, exist_ok=True)
            for i, paths in zip(missing, self.engine.map(worker, self.progress(items, what)), strict=True):
                write_file(files[i], encode(paths))
                found[i] = paths
        return [paths for paths in found if paths is not None]

    def _prepared(self, system: System, topics: Sequence[Topic]) -> dict[str, Example]:
        """Return a system's examples by topic, keeping the latest in memory."""
        if system.relevance is None:
            return {}
        settings = (system.candidates, system.relevance, system.recipe.target, system.selection.stems)
        key = msgspec.json.encode((settings, [topic.id for topic in topics]))
        if key not in self._examples:
            examples, _ = prepare(system, self.progress(topics, "features"), engine=self.engine)
            self._examples.clear()
            self._examples[key] = {example.topic: example for example in examples}
        return self._examples[key]

    def _trained(self, system: System, words: int, folds: int) -> tuple[SystemModel | None, ...]:
        """Return one model per fold, trained on the other folds; without folds, one for all topics."""
        if not self.sweep.folds or system.relevance is None:
            return (load_model(system, self.sweep.model or None),)
        key = training_settings(system, words) + bytes([folds > 0])
        if key not in self._models:
            examples, models = self._prepared(system, self.data.topics), list[SystemModel]()
            for fold in self.progress(range(max(folds, 1)), "training"):
                outside = [t.id for i, t in enumerate(self.data.topics) if not folds or i % folds != fold]
                others = [examples[topic] for topic in outside if topic in examples]
                if not others:
                    raise UsageError(f"no sentences to train fold {fold + 1} on: add topics or choose other folds")
                models.append(training.fit(system, others, words=words, engine=self.engine))
            if len(self._models) >= _MODELS_KEPT:
                del self._models[next(iter(self._models))]
            self._models[key] = tuple(models)
        return self._models[key]


def _kept(file: Path, topic: str, number: int, metrics: Sequence[str]) -> tuple[TopicPath, ...] | None:
    """Return the summaries in a file of the cache, as those of a topic; None if it is missing or damaged.

    Args:
        file: where they would be.
        topic: its id here.
        number: of the configurations of the group, each of which has an entry.
        metrics: those of all scores.
    """
    try:
        paths = msgspec.json.decode(file.read_bytes(), type=tuple[TopicPath, ...])
    except (OSError, *UNFIT):
        return None
    if len(paths) != number or any(path.intervals[0].scores.keys() != set(metrics) for path in paths):
        return None
    return tuple(msgspec.structs.replace(path, topic=topic) for path in paths)


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
class Worker:
    """Summarises topics under a word limit and scores the summaries with ROUGE under the same limit.

    There is one pipeline per fold; topic i is summarised by pipeline i modulo their number.
    """

    pipelines: Sequence[Pipeline]
    words: int
    lambdas: Sequence[Lambda]
    metrics: Sequence[str]
    stem: bool

    def __call__(self, item: tuple[int, Topic, Example | None]) -> tuple[TopicPath, ...]:
        """Return a topic's summaries at each lambda, given its index, the topic and its example.

        The example is None if the system has no relevance model or the topic no candidates.

        Raises:
            SolverError: the solver fails.
        """
        number, topic, example = item
        pipeline = self.pipelines[number % len(self.pipelines)]
        references = References(topic.summaries, self.metrics, stem=self.stem, words=self.words)

        def scored(sentences: Sequence[Sentence], s: Segment = _WHOLE) -> LambdaInterval:
            places = tuple(sentence.place for sentence in sentences)
            scores = references.score("\n".join(sentence.text for sentence in sentences))
            return LambdaInterval(s.start, s.end, places, s.relevance, s.coverage, s.costs, scores)

        if example is None:
            known = pipeline(topic, self.words).sentences if pipeline.system.relevance is None else ()
            return (TopicPath(topic.id, (scored(known),)),) * len(self.lambdas)
        prepared = pipeline.prepare(topic, (example.sentences, example.around, example.matrix))
        paths = []
        for segments in self._selected(pipeline, prepared):
            chosen = [[prepared.sentences[i] for i in s.chosen] for s in segments]
            arranged = (pipeline.arrange(prepared, s.chosen, own) for s, own in zip(segments, chosen, strict=True))
            paths.append(TopicPath(topic.id, tuple(map(scored, arranged, segments))))
        return tuple(paths)

    def _selected(self, pipeline: Pipeline, prepared: Prepared) -> Iterator[Sequence[Segment]]:
        """Yield the selections at each lambda; only an exact path has several."""
        problem = pipeline.problem(prepared, self.words)
        for value in self.lambdas:
            if value == "path":
                try:
                    yield lambda_path(problem)
                except SolverError as error:
                    raise SolverError(f"topic {prepared.topic.id}: {error}") from None
            elif pipeline.selector.has_objective:
                selection = pipeline.solve(problem if value is None else problem.at(value))
                yield [replace(_WHOLE, chosen=selection.chosen)]
            else:
                yield [replace(_WHOLE, chosen=pipeline.select(prepared, self.words).chosen)]


def selector_pairs(sweep: Sweep, data: Data, results: Sequence[Result], estimates: Sequence[Estimate]) -> list[Pair]:
    """Compare every pair of a sweep's tunable selectors by the mean of its metrics; see `compare`.

    A nested sweep compares the summaries of the outer folds; other sweeps compare the best results on the tuning
    topics, which favours the selector with more parameter values.
    """
    nested = {estimate.method: estimate.summaries for estimate in estimates}
    evaluations = []
    for method, own in by_method(results).items():
        if method in SELECTORS and SELECTORS[method].tunes:
            summaries = nested.get(method) or best(own).summaries
            scores = [(t.id, mean([summaries[t.id].scores[m] for m in sweep.metrics])) for t in data.topics]
            evaluations.append(Evaluation(method, Signature(" and ".join(sweep.metrics), {}), scores))
    return compare(evaluations, sweep.measure)
