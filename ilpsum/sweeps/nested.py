"""Nested cross-validation: estimates the score of a tuned system on topics that had no part in tuning.

The best of many configurations is partly the luckiest one, so its score on the topics that chose it is too high. Here
the topics are split into outer folds (topic i is in fold i modulo their number). For each fold, the best configuration
and lambda are chosen on the other topics alone and scored on the fold. The mean of those scores is an unbiased estimate
of the whole procedure (Stone 1974; Varma and Simon 2006), not of one configuration: folds may choose differently.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ilpsum.errors import InputError, UsageError
from ilpsum.metrics.rouge import Score, mean
from ilpsum.parallel.executor import HERE, Executor
from ilpsum.records import Topic
from ilpsum.sweeps.curve import TopicPath, best_step, listed, rank_score, score_steps, unlisted
from ilpsum.sweeps.data import Data
from ilpsum.sweeps.journal import Journal, read_rows
from ilpsum.sweeps.plan import Group, Sweep
from ilpsum.sweeps.results import PATHS, Result, best, read_paths
from ilpsum.sweeps.running import Runner, locked
from ilpsum.training.cache import Cache
from ilpsum.training.fitting import Progress, no_progress

NESTED = "nested.jsonl"

_Scores = dict[str, dict[str, Score]]


@dataclass(frozen=True)
class Choice:
    """The choice of one outer fold.

    Attributes:
        run: the key of the configuration chosen on the other topics.
        lambda_: the lambda chosen with it; None if it has none or keeps the model's.
        score: its score on those other topics.
        topics: the scores of the fold's own topics by metric.
    """

    run: str
    lambda_: float | None
    score: float
    topics: _Scores

    def row(self) -> dict[str, Any]:
        """Return the choice as part of a row of nested.jsonl."""
        topics = {topic: listed(scores) for topic, scores in self.topics.items()}
        return {"run": self.run, "lambda": self.lambda_, "score": self.score, "topics": topics}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Choice":
        """Return the choice of a row.

        Raises:
            InputError: this is not the row of an outer fold.
        """
        try:
            topics = {topic: unlisted(scores) for topic, scores in row["topics"].items()}
            return cls(row["run"], row["lambda"], row["score"], topics)
        except (KeyError, TypeError, AttributeError):
            raise InputError("not an outer fold; delete the line to compute it again", NESTED) from None


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
) -> tuple[float, tuple[Choice, ...]]:
    """Return the nested score of a finished sweep, and the choices of its outer folds.

    If the sweep trains models, each outer fold is a sweep over the other topics (in `nested/FOLD`), whose best system
    is then trained on all of them. If it uses given models, the rows and paths of the sweep suffice. Folds that are in
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
        rows = Journal(folder / NESTED)
        done = {row.get("key"): row for row in rows.rows}
        choices = []
        for fold in progress(range(sweep.nested), "outer folds"):
            key = _key(results, sweep.nested, fold)
            if key not in done:
                held = data.topics[fold :: sweep.nested]
                if sweep.folds:
                    others = Data.of(t for i, t in enumerate(data.topics) if i % sweep.nested != fold)
                    if sweep.folds > (left := len(others.topics)):
                        raise UsageError(f"folds is {sweep.folds}, but outside an outer fold there are {left} topics")
                    at = folder / "nested" / str(fold)
                    at.mkdir(parents=True, exist_ok=True)
                    store = Cache(folder / "cache" if cache is None else cache)
                    choice = _trained(Runner(sweep, others, at, engine, store, progress), groups, held)
                else:
                    choice = _read(results, folder, sweep.measure, {t.id for t in held})
                done[key] = {"key": key, "fold": fold, **choice.row()}
                rows.append(done[key])
            choices.append(Choice.from_row(done[key]))
        rows.close()
    by_topic = {topic: scores for choice in choices for topic, scores in choice.topics.items()}
    ordered = [by_topic[topic.id] for topic in data.topics]
    means = {metric: mean([scores[metric] for scores in ordered]) for metric in sweep.metrics}
    return rank_score(means, sweep.measure), tuple(choices)


def _key(results: Sequence[Result], folds: int, fold: int) -> str:
    content = json.dumps([[result.run for result in results], folds, fold])
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _trained(runner: Runner, groups: Sequence[Group], held: Sequence[Topic]) -> Choice:
    """Score the fold's topics by the best system of a sweep over the others, trained on all of those."""
    result = best(runner.run(groups))
    chosen = next(c for group in groups for c in group.configurations if runner.key(c) == result.run)
    return Choice(result.run, result.lambda_, result.score, runner.tested(chosen, result.lambda_, held))


def _read(results: Sequence[Result], folder: Path, measure: str, held: Collection[str]) -> Choice:
    """Choose and score from the rows and paths of the sweep, since no model depends on the topics."""
    paths = read_paths(read_rows(folder / PATHS)) if (folder / PATHS).exists() else {}
    choices = [
        _on_path(result, paths[result.run], measure, held) if "best" in result.row else _on_row(result, measure, held)
        for result in results
    ]
    return max(choices, key=lambda choice: choice.score)


def _on_path(result: Result, paths: Sequence[TopicPath], measure: str, held: Collection[str]) -> Choice:
    others = [path for path in paths if path.topic not in held]
    step = best_step(score_steps(others, measure))
    topics = {path.topic: dict(path.at(step.inside).scores) for path in paths if path.topic in held}
    return Choice(result.run, step.inside, step.score, topics)


def _on_row(result: Result, measure: str, held: Collection[str]) -> Choice:
    topics = {topic: unlisted(scores) for topic, scores in result.row["topics"].items()}
    others = [scores for topic, scores in topics.items() if topic not in held]
    means = {metric: mean([scores[metric] for scores in others]) for metric in others[0]}
    own = {topic: scores for topic, scores in topics.items() if topic in held}
    return Choice(result.run, result.lambda_, rank_score(means, measure), own)
