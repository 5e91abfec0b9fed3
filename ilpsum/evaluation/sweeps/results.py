"""Results of a sweep: a topic's summaries as a function of lambda, their means, and the rows that
store them.

`topics.jsonl` has one row per configuration and topic, `rows.jsonl` one per configuration with its
scores, then one per nested estimate.
"""

import json
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from ilpsum.errors import InputError, counted
from ilpsum.evaluation.scoring import Measure
from ilpsum.evaluation.steps import Step, mean_steps
from ilpsum.evaluation.sweeps.plan import (
    PARAMETERS,
    SHORT,
    SWEEP,
    Configuration,
    Data,
    Sweep,
    has_parameter,
)
from ilpsum.files.atomic import write_atomically
from ilpsum.files.reading import read_lines
from ilpsum.files.records import Count, Number, Share, decode, encode
from ilpsum.learning.seen import choosing
from ilpsum.metrics.rouge import Score, mean
from ilpsum.pipeline.settings import value_of
from ilpsum.pipeline.system import TUNABLE, System, plain
from ilpsum.records import Topic
from ilpsum.version import __version__, library_versions

ROWS, TOPICS = "rows.jsonl", "topics.jsonl"
AGAIN = "repeat the command of the sweep, which takes its summaries from the cache"
_EXPECTED = "a row of a sweep", f"delete the file and {AGAIN}"


Place = tuple[str, Count, Count]
"""Where a sentence stands: its document, start and end."""


@dataclass(frozen=True)
class LambdaInterval:
    """A summary of a topic with the interval of lambda in which it is optimal; [0,1] without an
    exact path.

    Attributes:
        chosen: the places of its sentences, in text order.
        relevance, coverage, costs: terms of its objective; 0 without an exact path.
        changed: by index in `chosen`, the texts that differ from the candidates': a sentence may
            lose its opening connective.
    """

    start: Share
    end: Share
    chosen: tuple[Place, ...]
    relevance: Number
    coverage: Number
    costs: Number
    scores: Mapping[str, Score]
    changed: Mapping[int, str] = field(default_factory=dict)

    def objective(self, lambda_: float) -> float:
        """Return the summary's objective at any lambda."""
        return lambda_ * self.relevance + (1.0 - lambda_) * self.coverage - self.costs


class TopicPath(msgspec.Struct, frozen=True):
    """A topic's summaries by one configuration: all optima over lambda in [0,1], or a single
    summary.
    """

    topic: str
    intervals: tuple[LambdaInterval, ...] = msgspec.field(name="stretches")

    def __post_init__(self) -> None:
        starts = [interval.start for interval in self.intervals]
        ends = [interval.end for interval in self.intervals]
        ascending = all(interval.start < interval.end for interval in self.intervals)
        if not ascending or starts != [0.0, *ends[:-1]] or ends[-1] != 1.0:
            raise ValueError(
                "expected stretches of lambda from 0 to 1, each beginning where another ends"
            )
        metrics = {tuple(sorted(interval.scores)) for interval in self.intervals}
        if len(metrics) > 1 or () in metrics:
            raise ValueError("expected scores in all stretches, in the same metrics")

    def at(self, lambda_: float) -> LambdaInterval:
        """Return the summary at a lambda; at a breakpoint, the one whose interval ends there."""
        return next(interval for interval in self.intervals if lambda_ <= interval.end)


def score_steps(
    paths: Sequence[TopicPath],
    measure: str,
    metrics: Sequence[str] = (),
) -> list[Step]:
    """Return the ranking score, averaged over topics, as steps over lambda from 0 to 1; equal
    neighbours are merged.
    """

    def steps(path: TopicPath) -> list[tuple[float, float]]:
        return [(x.start, rank_score(x.scores, measure, metrics)) for x in path.intervals]

    return mean_steps(list(map(steps, paths)))


def best_step(steps: Sequence[Step]) -> Step:
    """Return the step with the best score; ties go to the widest step, where lambda may vary
    most.
    """
    return max(steps, key=lambda step: (step.score, step.end - step.start, -step.start))


def rank_score(scores: Mapping[str, Score], measure: str, metrics: Sequence[str] = ()) -> float:
    """Return the ranking score of configurations: one measure, averaged over some metrics, by
    default all.
    """
    values = [float(getattr(scores[metric], measure)) for metric in metrics or scores]
    return sum(values) / len(values)


def means(summaries: Iterable[LambdaInterval]) -> dict[str, Score]:
    """Return the mean scores of summaries, by metric."""
    scores = [summary.scores for summary in summaries]
    return {metric: mean([one[metric] for one in scores]) for metric in scores[0]}


def mean_objective(paths: Sequence[TopicPath], lambda_: float) -> float:
    """Return the optimal objective at a lambda, averaged over topics."""
    return sum(path.at(lambda_).objective(lambda_) for path in paths) / len(paths)


@dataclass(frozen=True)
class Result:
    """A configuration's summaries of all topics.

    Attributes:
        run: digest of everything that affects the scores.
        measure: measure that ranks configurations: `recall`, `precision` or `f1`.
        asked: as `run`, without the code that computed the scores.
        signatures: those of the scores, by metric.
    """

    run: str
    configuration: Configuration
    measure: Measure
    paths: tuple[TopicPath, ...]
    asked: str = ""
    signatures: Mapping[str, str] = field(default_factory=dict)

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

    @cached_property
    def summaries(self) -> dict[str, LambdaInterval]:
        """Summary by topic at `lambda_`."""
        return {path.topic: path.at(self.lambda_ or 0.0) for path in self.paths}

    @cached_property
    def scores(self) -> dict[str, Score]:
        """Mean scores over topics, by metric."""
        return means(self.summaries.values())

    @cached_property
    def score(self) -> float:
        """The ranking score: mean over topics and metrics."""
        return rank_score(self.scores, self.measure)

    @property
    def method(self) -> str:
        """The name of the selector."""
        return self.configuration.system.selection.method

    @property
    def tuned(self) -> str:
        """The tuned value of the selector in words, `lambda 0.4`; empty if there is none."""
        values = self.values()
        shown = [name for name in ("lambda", "threshold") if name in values]
        return ", ".join(f"{name} {values[name].split()[0]}" for name in shown)

    def values(self) -> dict[str, str]:
        """Return the parameters that the configuration has, as texts by name."""
        system = self.configuration.system
        values = {"system": system.name, "words": str(self.configuration.words)}
        if self.lambda_ is not None:
            values["lambda"] = f"{self.lambda_:.6g}"
        if self.best:
            values["lambda"] += f" ({self.best.start:.6g}..{self.best.end:.6g})"
        for name, key in PARAMETERS.items():
            table, _, field_name = key.partition(".")
            if has_parameter(system, name):
                values[name] = _shown(getattr(getattr(system, table), field_name))
        for key, source in sorted(system.origins.items()):
            if source == SWEEP and key not in SHORT:
                values[key] = _shown(value_of(system, key))
        return values


def _shown(value: Any) -> str:
    """Return the value of a parameter as a table cell."""
    if isinstance(value, tuple):
        return ",".join(map(_shown, value))
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _cells(results: Sequence[Result]) -> list[dict[str, str]]:
    """Return the table cells of each result, all with the same columns."""
    rows = [result.values() for result in results]
    swept = [name for row in rows for name in row]
    columns = dict.fromkeys(("system", "words", "lambda", *PARAMETERS, *swept))
    return [{name: row.get(name, "-") for name in columns} for row in rows]


def labels(results: Sequence[Result]) -> list[str]:
    """Return a name for each result: the values that tell it from others, without the lambda, which
    is that of the best score.

    A value that follows from those before it, such as the features of a system, is left out.
    """
    rows = [{**row, "lambda": "-"} for row in _cells(results)]
    varied = list[str]()
    parts_told = 1
    for name in rows[0]:
        told = {tuple(row[column] for column in (*varied, name)) for row in rows}
        if len(told) > parts_told:
            varied.append(name)
            parts_told = len(told)
    # Names of systems and selectors say what they are.
    heads = {name: "" if name in ("system", "method") else f"{name} " for name in varied}
    names = []
    for row in rows:
        parts = [heads[name] + row[name] for name in varied if row[name] != "-"]
        names.append(", ".join(parts) or row["system"])
    return names


def by_lambda(results: Sequence[Result]) -> list[list[Result]]:
    """Group results that differ only in lambda, in order; an exact path is a group of its own."""
    groups: dict[tuple[System, int], list[Result]] = {}
    for result in results:
        configuration = result.configuration
        groups.setdefault((configuration.system, configuration.words), []).append(result)
    return list(groups.values())


def best(results: Sequence[Result]) -> Result:
    """Return the result with the best score; ties go to the first."""
    return max(results, key=lambda result: result.score)


def by_method(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Group results by selector, in order."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.method, []).append(result)
    return groups


def table(results: Sequence[Result]) -> list[list[str]]:
    """Return the results as a table with a header, omitting constant columns other than system,
    words and lambda.
    """
    rows = _cells(results)
    shown = {"system", "words", "lambda"}
    shown.update(name for name in rows[0] if len({row[name] for row in rows}) > 1)
    columns = [name for name in rows[0] if name in shown]
    lines = [[*columns, "score", *_numbers(results[0].scores), "run"]]
    for result, row in zip(results, rows, strict=True):
        numbers = [result.score, *_numbers(result.scores).values()]
        values = [row[name] for name in columns]
        lines.append([*values, *(f"{number:.6f}" for number in numbers), result.run])
    return lines


class Row(msgspec.Struct, frozen=True):
    """A line of `topics.jsonl`: the summaries of a topic by the configuration with the digest
    `run`.
    """

    run: str
    system: str
    words: Count
    lambda_: Share | Literal["path"] | None = msgspec.field(name="lambda")
    summaries: TopicPath


def records(path: Path, kind: Any, current: Callable[[bytes], bytes] = bytes) -> list[Any]:
    """Read the lines of a file of a sweep, if it exists, once they are made `current`; `InputError`
    if one is damaged.
    """
    lines = read_lines(path) if path.exists() else ()
    return [decode(current(data), kind, _EXPECTED, path, number) for number, data in lines]


def read_rows(folder: Path) -> list[Row]:
    """Read `topics.jsonl` from a folder, if it exists; `InputError` if a line is not a row."""
    path = folder / TOPICS
    rows = records(path, Row)
    if len({tuple(row.summaries.intervals[0].scores) for row in rows}) > 1:
        raise InputError(f"expected the same metrics in all rows; {_EXPECTED[1]}", path)
    return rows


def write_rows(
    folder: Path,
    results: Sequence[Result],
    sweep: Sweep,
    data: Data,
    nested: Iterable[Mapping[str, Any]] = (),
) -> None:
    """Write `rows.jsonl`, which ends with the rows of nested estimates, and `topics.jsonl`;
    publishes neither before both are complete.
    """
    with write_atomically(folder / TOPICS) as topics, write_atomically(folder / ROWS) as rows:
        for result in results:
            c = result.configuration
            for path in result.paths:
                row = Row(result.run, c.system.name, c.words, c.lambda_, path)
                topics.write(encode(row) + b"\n")
            rows.write(encode(_record(result, sweep, data)) + b"\n")
        rows.writelines(encode(estimate) + b"\n" for estimate in nested)
        topics.flush()


def _record(result: Result, sweep: Sweep, data: Data) -> dict[str, Any]:
    """Return a line of `rows.jsonl`."""
    top = result.best
    about_data = {
        "digest": data.digest,
        "topics": len(data.topics),
        "without_gold": data.without_gold,
    }
    versions = {"ilpsum": __version__, "python": platform.python_version()}
    versions |= library_versions("highspy", "numpy", "scikit-learn")
    return {
        "kind": "row",
        "run": result.run,
        "asked": result.asked,
        "config": msgspec.to_builtins(result.configuration),
        "score": result.score,
        "scores": listed(result.scores),
        "topics": {topic: listed(summary.scores) for topic, summary in result.summaries.items()},
        "measure": result.measure,
        "best": top and {"lambda": top.inside, "from": top.start, "to": top.end},
        "data": about_data,
        "folds": sweep.folds,
        "seed": sweep.seed,
        "signatures": result.signatures,
        "versions": versions,
    }


def listed(scores: Mapping[str, Score]) -> dict[str, tuple[float, ...]]:
    """Return recall, precision and F1 by metric."""
    return {metric: (score.recall, score.precision, score.f1) for metric, score in scores.items()}


def _numbers(scores: Mapping[str, Score]) -> dict[str, float]:
    """Return scores by column name."""
    numbers = {}
    for metric, score in scores.items():
        numbers[f"{metric} R"] = score.recall
        numbers[f"{metric} P"] = score.precision
        numbers[f"{metric} F1"] = score.f1
    return numbers


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
    if model and result.configuration.system.relevance:
        system["model"] = str(Path(model).resolve()) if Path(model).suffix else model
    head = (
        f"# Run {result.run} of a sweep: {result.configuration.words} words, score "
        f"{result.score:.6f}.\n"
    )
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
