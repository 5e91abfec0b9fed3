"""Nested cross-validation: estimates the score of a tuned system on topics that had no part in tuning.

The best of many configurations is partly the luckiest one, so its score on the topics that chose it is too high. Here
the topics are split into outer folds (topic i is in fold i modulo their number). For each fold, the best configuration
and lambda are chosen on the other topics alone and scored on the fold. The mean of those scores is an unbiased estimate
of the whole procedure (Stone 1974; Varma and Simon 2006), not of one configuration: folds may choose differently. With
several selectors, such as the ILP and a greedy one, each fold also chooses for each: so each is compared at its best.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ilpsum.errors import InputError, UsageError
from ilpsum.evaluation.curves import best_step
from ilpsum.metrics.rouge import mean
from ilpsum.parallel.executor import HERE, Executor
from ilpsum.records import Topic
from ilpsum.sweeps.curve import Outcome, TopicPath, listed, rank_score, score_steps, unlisted
from ilpsum.sweeps.data import Data
from ilpsum.sweeps.journal import Journal
from ilpsum.sweeps.plan import Group, Sweep
from ilpsum.sweeps.results import PATHS, TOPICS, best, by_method, read_outcomes, read_paths, require_all
from ilpsum.sweeps.rows import ChoiceRow, FoldRow, OutcomeRow, Result
from ilpsum.sweeps.running import Runner, locked
from ilpsum.training.cache import Cache
from ilpsum.training.fitting import Progress, no_progress

NESTED = "nested.jsonl"


@dataclass(frozen=True)
class Choice:
    """The choice of one outer fold.

    Attributes:
        run: the key of the configuration chosen on the other topics.
        values: its parameters, as cells of a table (`Result.values`).
        lambda_: the lambda chosen with it; None if it has none or keeps the model's.
        score: its score on those other topics.
        topics: the summaries of the fold's own topics.
    """

    run: str
    values: dict[str, str]
    lambda_: float | None
    score: float
    topics: dict[str, Outcome]

    def row(self) -> ChoiceRow:
        """Return the choice as part of a row of nested.jsonl."""
        topics = {topic: OutcomeRow(listed(own.scores), own.chosen) for topic, own in self.topics.items()}
        return ChoiceRow(self.run, self.values, self.lambda_, self.score, topics)

    @classmethod
    def from_row(cls, row: ChoiceRow) -> "Choice":
        """Return the choice of a row."""
        topics = {topic: Outcome(unlisted(own.scores), own.chosen) for topic, own in row.topics.items()}
        return cls(row.run, row.values, row.lambda_, row.score, topics)


@dataclass(frozen=True)
class Estimate:
    """The nested score of a tuned selector, or of the best of all.

    Attributes:
        method: the selector; empty for the best of all configurations.
        score: the mean over topics and metrics that ranks configurations.
        choices: those of the outer folds.
    """

    method: str
    score: float
    choices: tuple[Choice, ...]

    @classmethod
    def of(cls, method: str, choices: Sequence[Choice], sweep: Sweep) -> "Estimate":
        """Return the estimate of choices."""
        outcomes = [outcome.scores for choice in choices for outcome in choice.topics.values()]
        means = {metric: mean([scores[metric] for scores in outcomes]) for metric in sweep.metrics}
        return cls(method, rank_score(means, sweep.measure), tuple(choices))

    @property
    def outcomes(self) -> dict[str, Outcome]:
        """The summary of each topic."""
        return {topic: outcome for choice in self.choices for topic, outcome in choice.topics.items()}


def nested(
    sweep: Sweep,
    groups: Sequence[Group],
    data: Data,
    results: Sequence[Result],
    out: str | Path,
    *,
    engine: Executor = HERE,
    cache: str | Path | None = None,
    progress: Progress = no_progress,
) -> tuple[Estimate, ...]:
    """Return the nested estimate of a finished sweep and, if it has several selectors, of each of them.

    If the sweep trains models, each outer fold is a sweep over the other topics (in `nested/FOLD`), whose best systems
    are then trained on all of them. If it uses given models, the rows and paths of the sweep suffice. Folds that are in
    nested.jsonl are not computed again.

    The sweep has `nested` of at least 2 and results of all its configurations; the other arguments are those of
    `ilpsum.sweeps.run`.

    Raises:
        UsageError: there are more outer folds than topics, or too few topics outside one for the inner folds.
    """
    if sweep.nested > len(data.topics):
        raise UsageError(f"nested is {sweep.nested}, but there are {len(data.topics)} topics with gold: choose fewer")
    folder = Path(out)
    with locked(folder):
        rows = Journal(folder / NESTED, FoldRow)
        done = {row.key: row for row in rows.rows}
        folds: list[dict[str, Choice]] = []
        for fold in progress(range(sweep.nested), "outer folds"):
            key = _key(results, sweep.nested, fold)
            held = data.topics[fold :: sweep.nested]
            if key not in done:
                if sweep.folds:
                    others = Data.of(t for i, t in enumerate(data.topics) if i % sweep.nested != fold)
                    if sweep.folds > (left := len(others.topics)):
                        raise UsageError(f"folds is {sweep.folds}, but outside an outer fold there are {left} topics")
                    at = folder / "nested" / str(fold)
                    at.mkdir(parents=True, exist_ok=True)
                    store = Cache(folder / "cache" if cache is None else cache)
                    found = _trained(Runner(sweep, others, at, engine, store, progress), groups, held)
                else:
                    found = _read(results, folder, sweep.measure, {t.id for t in held})
                done[key] = FoldRow(key, {method: choice.row() for method, choice in found.items()}, fold)
                rows.append(done[key])
            folds.append(_choices(done[key], list(by_method(results)), {topic.id for topic in held}, sweep.metrics))
        rows.close()
    overall = Estimate.of("", [max(fold.values(), key=lambda choice: choice.score) for fold in folds], sweep)
    methods = list(folds[0])
    each = [Estimate.of(method, [fold[method] for fold in folds], sweep) for method in methods]
    return (overall, *each) if len(each) > 1 else (overall,)


def _choices(
    row: FoldRow, methods: Collection[str], held: Collection[str], metrics: Collection[str]
) -> dict[str, Choice]:
    """Return the choices of an outer fold by selector, in the order of the sweep."""
    choices = {method: Choice.from_row(choice) for method, choice in row.choices.items()}
    outcomes = [outcome for choice in choices.values() for outcome in choice.topics.values()]
    fits = choices.keys() == set(methods) and all(choice.topics.keys() == set(held) for choice in choices.values())
    if not fits or any(outcome.scores.keys() != set(metrics) for outcome in outcomes):
        raise InputError("a fold of other selectors, topics or metrics; delete the line to compute it again", NESTED)
    return {method: choices[method] for method in methods}


def _key(results: Sequence[Result], folds: int, fold: int) -> str:
    content = json.dumps([[result.run for result in results], folds, fold])
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _trained(runner: Runner, groups: Sequence[Group], held: Sequence[Topic]) -> dict[str, Choice]:
    """Summarise the fold's topics by the best system of each selector of a sweep over the others, trained on those."""
    choices = {}
    for method, results in by_method(runner.run(groups)).items():
        result = best(results)
        chosen = next(c for group in groups for c in group.configurations if runner.key(c) == result.run)
        topics = runner.tested(chosen, result.lambda_, held)
        choices[method] = Choice(result.run, result.values(), result.lambda_, result.score, topics)
    return choices


def _read(results: Sequence[Result], folder: Path, measure: str, held: Collection[str]) -> dict[str, Choice]:
    """Choose and score from the rows and paths of the sweep, since no model depends on the topics."""
    paths, outcomes = read_paths(folder), read_outcomes(folder)
    choices = {}
    for method, own in by_method(results).items():
        tried = [
            _on_path(result, paths.get(result.run, ()), measure, held)
            if result.best
            else _on_row(result, outcomes, measure, held)
            for result in own
        ]
        choices[method] = max(tried, key=lambda choice: choice.score)
    return choices


def _on_path(result: Result, paths: Sequence[TopicPath], measure: str, held: Collection[str]) -> Choice:
    require_all({path.topic for path in paths}, result, PATHS)
    others = [path for path in paths if path.topic not in held]
    step = best_step(score_steps(others, measure))
    own = {path.topic: path.at(step.inside) for path in paths if path.topic in held}
    topics = {topic: Outcome(dict(stretch.scores), stretch.chosen) for topic, stretch in own.items()}
    values = result.values() | {"lambda": f"{step.inside:.6g}"}
    return Choice(result.run, values, step.inside, step.score, topics)


def _on_row(result: Result, outcomes: Mapping[tuple[str, str], Outcome], measure: str, held: Collection[str]) -> Choice:
    own = {topic: outcome for (run, topic), outcome in outcomes.items() if run == result.run}
    require_all(own, result, TOPICS)
    others = [outcome.scores for topic, outcome in own.items() if topic not in held]
    means = {metric: mean([scores[metric] for scores in others]) for metric in others[0]}
    topics = {topic: outcome for topic, outcome in own.items() if topic in held}
    return Choice(result.run, result.values(), result.lambda_, rank_score(means, measure), topics)
