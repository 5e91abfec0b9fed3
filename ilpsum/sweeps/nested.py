"""Nested cross-validation: what tuning is worth on topics that had no part in it.

The best of many configurations is partly the luckiest one, so its score on the topics on which it was chosen is too
high. Here the topics are split into outer folds (topic i into fold i modulo their number); for each, the best
configuration and lambda are chosen on the other topics alone and scored on the fold. The mean of those scores is an
honest estimate of the whole procedure (Stone 1974; Varma and Simon 2006), not of one configuration: folds may choose
differently.
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
from ilpsum.sweeps.curve import TopicPath, best_step, mean_curve, rank_score
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
    """What one outer fold was summarised with.

    Attributes:
        run: the configuration chosen on the other topics, by the name of its run there.
        lambda_: the lambda chosen with it; None where it has none or keeps the model's.
        score: its score on those other topics.
        topics: the scores of the fold's own topics by metric.
    """

    run: str
    lambda_: float | None
    score: float
    topics: _Scores

    def row(self) -> dict[str, Any]:
        """The choice as a part of a row of nested.jsonl."""
        listed = {t: {m: [x.recall, x.precision, x.f1] for m, x in s.items()} for t, s in self.topics.items()}
        return {"run": self.run, "lambda": self.lambda_, "score": self.score, "topics": listed}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Choice":
        """The choice of a row.

        Raises:
            InputError: the row is none.
        """
        try:
            topics = {t: {m: Score(*v) for m, v in s.items()} for t, s in row["topics"].items()}
            return cls(row["run"], row["lambda"], row["score"], topics)
        except (KeyError, TypeError, AttributeError):
            raise InputError("not an outer fold; delete the line, and it is done again", NESTED) from None


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
    """The honest score of a finished sweep, and what each outer fold chose; what nested.jsonl has is not done again.

    Where the sweep trains models, each outer fold is a sweep of its own over the other topics (in `nested/FOLD`), and
    its winner is trained on all of them; where it takes models as they are, the rows and paths of the sweep tell all.

    Args:
        sweep: with `nested` of at least 2; the other arguments are those of `ilpsum.sweeps.run`.
        groups: its configurations.
        data: its topics.
        results: of all configurations.
        out: its folder.
        engine: what prepares and summarises the topics.
        cache: as of the sweep.
        progress: wraps what is gone through.

    Raises:
        UsageError: there are more outer folds than topics, or too few topics outside one for the inner folds.
    """
    if sweep.nested > len(data.topics):
        raise UsageError(f"nested is {sweep.nested}, but there are {len(data.topics)} topics with gold: give fewer")
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
                    others = [t for i, t in enumerate(data.topics) if i % sweep.nested != fold]
                    rest = Data.of(others, kind=data.kind)
                    kept = Cache(folder / "cache" if cache is None else cache)
                    made = _trained(sweep, groups, rest, held, folder / "nested" / str(fold), engine, kept, progress)
                else:
                    made = _read(results, folder, sweep.measure, {t.id for t in held})
                done[key] = {"key": key, "fold": fold, **made.row()}
                rows.append(done[key])
            choices.append(Choice.from_row(done[key]))
        rows.close()
    found = {topic: scores for choice in choices for topic, scores in choice.topics.items()}
    ordered = [found[topic.id] for topic in data.topics]
    means = {metric: mean([scores[metric] for scores in ordered]) for metric in sweep.metrics}
    return rank_score(means, sweep.measure), tuple(choices)


def _key(results: Sequence[Result], folds: int, fold: int) -> str:
    told = json.dumps([[result.run for result in results], folds, fold])
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def _trained(
    sweep: Sweep,
    groups: Sequence[Group],
    rest: Data,
    held: Sequence[Topic],
    folder: Path,
    engine: Executor,
    cache: Cache,
    progress: Progress,
) -> Choice:
    """The fold's topics by the best of a sweep over the others, trained on all of those."""
    if sweep.folds > len(rest.topics):
        raise UsageError(f"folds is {sweep.folds}, but outside an outer fold there are {len(rest.topics)} topics")
    folder.mkdir(parents=True, exist_ok=True)
    runner = Runner(sweep, rest, folder, engine, cache, progress)
    found = best(runner.run(groups))
    chosen = next(c for group in groups for c in group.configurations if runner.key(c) == found.run)
    return Choice(found.run, found.lambda_, found.score, runner.tested(chosen, found.lambda_, held))


def _read(results: Sequence[Result], folder: Path, measure: str, held: Collection[str]) -> Choice:
    """The same from rows and paths that are there, since no model depends on the topics."""
    paths = read_paths(read_rows(folder / PATHS)) if (folder / PATHS).exists() else {}
    choices = [
        _on_path(result, paths[result.run], measure, held) if "best" in result.row else _on_row(result, measure, held)
        for result in results
    ]
    return max(choices, key=lambda choice: choice.score)


def _on_path(result: Result, paths: Sequence[TopicPath], measure: str, held: Collection[str]) -> Choice:
    others = [path for path in paths if path.topic not in held]
    step = best_step(mean_curve(others, lambda stretch: rank_score(stretch.scores, measure)))
    topics = {path.topic: dict(path.at(step.inside).scores) for path in paths if path.topic in held}
    return Choice(result.run, step.inside, step.score, topics)


def _on_row(result: Result, measure: str, held: Collection[str]) -> Choice:
    topics = {t: {m: Score(*v) for m, v in scores.items()} for t, scores in result.row["topics"].items()}
    others = [scores for topic, scores in topics.items() if topic not in held]
    means = {metric: mean([scores[metric] for scores in others]) for metric in others[0]}
    own = {topic: scores for topic, scores in topics.items() if topic in held}
    return Choice(result.run, result.lambda_, rank_score(means, measure), own)
