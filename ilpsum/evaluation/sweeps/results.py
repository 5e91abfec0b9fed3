"""Results of a sweep: a topic's summaries as a function of lambda, their means, and the rows that
store them.

`topics.jsonl` has one row per configuration and topic, `rows.jsonl` one per configuration with its
scores, then one per nested estimate.
"""

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from ilpsum.errors import InputError, counted
from ilpsum.evaluation.steering import Step, mean_steps
from ilpsum.evaluation.sweeps.plan import SHORT, SWEEP, Configuration, Data, Sweep
from ilpsum.files.atomic import write_atomically
from ilpsum.files.reading import read_lines
from ilpsum.files.records import Count, Number, Share, decode, encode
from ilpsum.learning.seen import choosing
from ilpsum.metrics.rouge import RougeOptions, Score, mean
from ilpsum.metrics.signature import rouge_signature
from ilpsum.pipeline.settings import value_of
from ilpsum.pipeline.system import TUNABLE, System, plain
from ilpsum.records import Topic
from ilpsum.version import __version__, library_versions

ROWS, TOPICS = "rows.jsonl", "topics.jsonl"
_EXPECTED = "a row of a sweep", "delete the file and sweep again"


@dataclass(frozen=True)
class LambdaInterval:
    """A summary of a topic with the interval of lambda in which it is optimal; [0,1] without an
    exact path.

    Attributes:
        chosen: the places of its sentences, in text order.
        relevance, coverage, costs: terms of its objective; 0 without an exact path.
    """

    start: Share
    end: Share
    chosen: tuple[tuple[str, Count, Count], ...]
    relevance: Number
    coverage: Number
    costs: Number
    scores: Mapping[str, Score]

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
        ends = [0.0, *(interval.end for interval in self.intervals)]
        if (
            [i.start for i in self.intervals] != ends[:-1]
            or ends != sorted(set(ends))
            or ends[-1] != 1.0
        ):
            raise ValueError(
                "expected stretches of lambda from 0 to 1, each beginning where another ends"
            )
        if any(
            not i.scores or i.scores.keys() != self.intervals[0].scores.keys()
            for i in self.intervals
        ):
            raise ValueError("expected scores in all stretches, in the same metrics")

    def at(self, lambda_: float) -> LambdaInterval:
        """Return the summary at a lambda; at a breakpoint, the one whose interval ends there."""
        return next(interval for interval in self.intervals if lambda_ <= interval.end)


def score_steps(paths: Sequence[TopicPath], measure: str) -> list[Step]:
    """Return the ranking score, averaged over topics, as steps over lambda from 0 to 1; equal
    neighbours are merged.
    """
    return mean_steps(
        [[(s.start, rank_score(s.scores, measure)) for s in path.intervals] for path in paths]
    )


def best_step(steps: Sequence[Step]) -> Step:
    """Return the step with the best score; ties go to the widest step, where lambda may vary
    most.
    """
    return max(steps, key=lambda step: (step.score, step.end - step.start, -step.start))


def rank_score(scores: Mapping[str, Score], measure: str) -> float:
    """Return the ranking score of configurations: one measure, averaged over metrics."""
    return sum(float(getattr(score, measure)) for score in scores.values()) / len(scores)


def means(summaries: Iterable[LambdaInterval]) -> dict[str, Score]:
    """Return the mean scores of summaries, by metric."""
    scores = [summary.scores for summary in summaries]
    return {metric: mean([own[metric] for own in scores]) for metric in scores[0]}


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
        trained: the field of a signature that tells how many topics were in the training of a
            model; see `ilpsum.runs.seen.training_field`.
    """

    run: str
    configuration: Configuration
    measure: str
    paths: tuple[TopicPath, ...]
    asked: str = ""
    trained: Mapping[str, str] = field(default_factory=dict)

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

    def values(self) -> dict[str, str]:
        """Return the configuration as table cells by column."""
        system = self.configuration.system
        selection, recipe = system.selection, system.recipe if system.relevance else None
        cells = {"system": system.name, "words": str(self.configuration.words)}
        cells["lambda"] = "-" if self.lambda_ is None else f"{self.lambda_:.6g}"
        if self.best:
            cells["lambda"] += f" ({self.best.start:.6g}..{self.best.end:.6g})"
        cells["method"], selector = self.method, system.selector
        cells["alpha"] = selection.alpha if selector.has_objective else "-"
        cells["threshold"] = f"{selection.threshold:g}" if selector.tunes == "threshold" else "-"
        cells["features"] = system.relevance.features if system.relevance else "-"
        cells |= {name: getattr(recipe, name, "-") for name in ("target", "scaling")}
        lists = {name: getattr(recipe, name, ()) for name in ("C", "gamma", "epsilon")}
        cells |= {
            name: ",".join(f"{value:g}" for value in values) or "-"
            for name, values in lists.items()
        }
        swept = {key for key, source in system.origins if source == SWEEP}
        others = sorted(swept.difference(SHORT))
        return cells | {key: _written(value_of(system, key)) for key in others}


def _written(value: Any) -> str:
    """Return the value of a setting as `--set` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _cells(results: Sequence[Result]) -> list[dict[str, str]]:
    """Return the table cells of each result, all with the same columns."""
    rows = [result.values() for result in results]
    columns = dict.fromkeys(name for row in rows for name in row)
    return [{name: row.get(name, "-") for name in columns} for row in rows]


def labels(results: Sequence[Result]) -> list[str]:
    """Return a name for each result: the values that tell it from others, without the lambda, which
    is that of the best score.

    A value that follows from those before it, such as the features of a system, is left out.
    """
    cells = [{**row, "lambda": "-"} for row in _cells(results)]
    varied = list[str]()
    parts_told = 1
    for name in cells[0]:
        told = {tuple(own[column] for column in (*varied, name)) for own in cells}
        if len(told) > parts_told:
            varied.append(name)
            parts_told = len(told)
    bare = ("system", "method")
    names = []
    for own in cells:
        parts = [
            own[name] if name in bare else f"{name} {own[name]}"
            for name in varied
            if own[name] != "-"
        ]
        names.append(", ".join(parts) or own["system"])
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
    return {
        m: [r for r in results if r.method == m]
        for m in dict.fromkeys(result.method for result in results)
    }


def table(results: Sequence[Result]) -> list[list[str]]:
    """Return the results as a table with a header, omitting constant columns other than system,
    words and lambda.
    """
    values = _cells(results)
    always = ("system", "words", "lambda")
    columns = [name for name in values[0] if name in always or len({v[name] for v in values}) > 1]
    lines = [[*columns, "score", *_numbers(results[0].scores), "run"]]
    for result, cells in zip(results, values, strict=True):
        numbers = result.score, *_numbers(result.scores).values()
        shown = [f"{number:.6f}" for number in numbers]
        lines.append([*(cells[name] for name in columns), *shown, result.run])
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


def read_rows(folder: Path) -> list[Row]:
    """Read `topics.jsonl` from a folder, if it exists; `InputError` if a line is not a row."""
    path = folder / TOPICS
    if not path.exists():
        return []
    rows = [decode(data, Row, _EXPECTED, path, number) for number, data in read_lines(path)]
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
            topics.writelines(
                encode(Row(result.run, c.system.name, c.words, c.lambda_, path)) + b"\n"
                for path in result.paths
            )
            rows.write(encode(_record(result, sweep, data)) + b"\n")
        rows.writelines(encode(row) + b"\n" for row in nested)
        topics.flush()


def _record(result: Result, sweep: Sweep, data: Data) -> dict[str, Any]:
    """Return a line of `rows.jsonl`."""
    options, top = RougeOptions(bool(sweep.stem), result.configuration.words), result.best
    signatures = {}
    for metric in sweep.metrics:
        signatures[metric] = str(rouge_signature(metric, options).adding(result.trained))
    libraries = library_versions("highspy", "numpy", "scikit-learn")
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
        "data": {
            "digest": data.digest,
            "topics": len(data.topics),
            "without_gold": data.without_gold,
        },
        "folds": sweep.folds,
        "seed": sweep.seed,
        "signatures": signatures,
        "versions": {"ilpsum": __version__, "python": platform.python_version(), **libraries},
    }


def listed(scores: Mapping[str, Score]) -> dict[str, tuple[float, ...]]:
    """Return recall, precision and F1 by metric."""
    return {metric: (score.recall, score.precision, score.f1) for metric, score in scores.items()}


def _numbers(scores: Mapping[str, Score]) -> dict[str, float]:
    """Return scores by column name."""
    named = (("R", "recall"), ("P", "precision"), ("F1", "f1"))
    return {
        f"{metric} {short}": getattr(score, name)
        for metric, score in scores.items()
        for short, name in named
    }


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
        if not result.configuration.system.writes(key):
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
    # Strings, numbers and lists of them look the same in JSON and TOML.
    plain = {k: v for k, v in values.items() if v is not None and not isinstance(v, Mapping)}
    lines = "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in plain.items()
    )
    tables = {prefix + key: value for key, value in values.items() if isinstance(value, Mapping)}
    return lines + "".join(
        f"\n[{name}]\n{_toml(table, f'{name}.')}" for name, table in tables.items()
    )
