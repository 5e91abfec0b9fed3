"""Results of a sweep: configurations with their summaries, ranked by their scores."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from ilpsum.errors import counted
from ilpsum.evaluation.run_scores import Measure
from ilpsum.evaluation.steps import Step
from ilpsum.evaluation.sweeps.paths import (
    LambdaInterval,
    TopicPath,
    best_step,
    means,
    rank_score,
    score_steps,
)
from ilpsum.evaluation.sweeps.plan import COLUMNS, LAMBDA, SWEEP, Configuration, has_parameter
from ilpsum.learning.seen import choosing
from ilpsum.metrics.rouge import Score
from ilpsum.pipeline.settings import name_of, value_of
from ilpsum.pipeline.system import TUNABLE, plain
from ilpsum.records import Summary, Topic
from ilpsum.runs.seen import Overlap

Item = TypeVar("Item")
Key = TypeVar("Key")


@dataclass(frozen=True)
class Result:
    """A configuration's summaries of all topics.

    Attributes:
        run: the name of its run: a digest of what is asked, whatever code computes it.
        measure: measure that ranks configurations: `recall`, `precision` or `f1`.
    """

    run: str
    configuration: Configuration
    measure: Measure
    paths: tuple[TopicPath, ...]

    @cached_property
    def best(self) -> Step | None:
        """The best-scoring interval of lambda on an exact path; None without a path."""
        exact = self.configuration.lambda_ == "path"
        return best_step(score_steps(self.paths, self.measure)) if exact else None

    @property
    def lambda_(self) -> float | None:
        """The lambda of the scores, the best one on an exact path; None if the system keeps its own
        or has none.
        """
        if self.best:
            return self.best.inside
        return self.configuration.lambda_  # type: ignore[return-value]

    @property
    def words(self) -> int:
        """The word limit."""
        return self.configuration.words

    @property
    def method(self) -> str:
        """The name of the selector."""
        return self.configuration.system.selection.method

    @cached_property
    def intervals(self) -> dict[str, LambdaInterval]:
        """Summary by topic at `lambda_`, with its scores."""
        return {path.topic: path.at(self.lambda_ or 0.0) for path in self.paths}

    @property
    def summaries(self) -> list[Summary]:
        """The summaries at `lambda_`, as its run has them."""
        return [path.summary(self.lambda_) for path in self.paths]

    @property
    def overlaps(self) -> dict[str, Overlap]:
        """Which models were trained on each topic."""
        return {path.topic: path.seen for path in self.paths}

    @cached_property
    def scores(self) -> dict[str, Score]:
        """Mean scores over topics, by metric."""
        return means(self.intervals.values())

    @cached_property
    def score(self) -> float:
        """The ranking score: mean over topics and metrics."""
        return rank_score(self.scores, self.measure)

    @property
    def tuned(self) -> str:
        """The tuned value of the selector in words, `lambda 0.4`; empty if there is none."""
        values = self.values()
        shown = [name for name in ("lambda", "threshold") if name in values]
        return ", ".join(f"{name} {values[name].split()[0]}" for name in shown)

    def values(self) -> dict[str, str]:
        """Return the parameters that the configuration has, as texts by name."""
        system = self.configuration.system
        values = {"system": system.name, "words": str(self.words)}
        if self.lambda_ is not None:
            values["lambda"] = f"{self.lambda_:.6g}"
        if self.best:
            values["lambda"] += f" ({self.best.start:.6g}..{self.best.end:.6g})"
        keys = [key for key in COLUMNS if has_parameter(system, key)]
        for key, source in sorted(system.origins.items()):
            if source == SWEEP and key not in (*COLUMNS, LAMBDA):
                keys.append(key)
        for key in keys:
            values[name_of(key)] = _shown(value_of(system, key))
        return values


def _shown(value: Any) -> str:
    """Return the value of a parameter as a table cell."""
    if isinstance(value, tuple):
        return ",".join(map(_shown, value))
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def best(results: Sequence[Result]) -> Result:
    """Return the result with the best score; ties go to the first."""
    return max(results, key=lambda result: result.score)


def by_words(results: Sequence[Result]) -> dict[int, list[Result]]:
    """Group results by word limit, in order: scores under different limits are not compared."""
    return grouped(results, lambda result: result.words)


def by_method(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Group results by selector, in order."""
    return grouped(results, lambda result: result.method)


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Group items by a key, in order."""
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def system_toml(result: Result, topics: Sequence[Topic], model: str = "") -> str:
    """Return the system file of a result, for `ilpsum summarize --system`, with the best lambda,
    the topics that chose it, and the model.
    """
    system = plain(result.configuration.system)
    del system["name"]
    on_topics = counted(len(topics), "topic")
    system["description"] = (
        f"{result.configuration.system.name} with settings that a sweep chose on {on_topics}"
    )
    system["chosen_on"] = choosing(topics)
    for key in TUNABLE:
        # A value that nobody wrote must not replace what training tunes.
        if key not in result.configuration.system.origins:
            del system["selection"][key.removeprefix("selection.")]
    if result.lambda_ is not None:
        system["selection"]["lambda"] = result.lambda_
    for key, file in (system["relevance"] or {}).items():
        # Named from the folder of the sweep, not from that of the system's file.
        if key in ("embeddings", "scores") and file:
            system["relevance"][key] = str(Path(file).resolve())
    if model and result.configuration.system.relevance:
        system["model"] = str(Path(model).resolve()) if Path(model).suffix else model
    head = f"# Run {result.run} of a sweep: {result.words} words, score {result.score:.6f}.\n"
    return head + _toml(system)


def _toml(values: Mapping[str, Any], prefix: str = "") -> str:
    """Serialise a table, then its subtables; omits tables and keys that are None."""
    lines, tables = [], []
    for key, value in values.items():
        if isinstance(value, Mapping):
            name = prefix + key
            tables.append(f"\n[{name}]\n{_toml(value, f'{name}.')}")
        elif value is not None:
            # Strings, numbers and lists of them look the same in JSON and TOML.
            lines.append(f"{key} = {json.dumps(value, ensure_ascii=False)}\n")
    return "".join([*lines, *tables])
