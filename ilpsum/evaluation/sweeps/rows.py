"""Results of configurations, stored in `topics.jsonl` as one row per configuration and topic.

`rows.jsonl`, with the scores of a configuration per line, is for other programs; ilpsum does not read it.
"""

import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from ilpsum.errors import InputError, UsageError
from ilpsum.evaluation.sweeps.curve import Step, Stretch, TopicPath, best_step, mean_objective, rank_score, score_steps
from ilpsum.evaluation.sweeps.plan import Configuration, Data, Sweep
from ilpsum.files.atomic import write_atomically
from ilpsum.files.reading import read_lines
from ilpsum.files.records import Count, Share, decode, encode
from ilpsum.metrics.rouge import RougeOptions, Score, mean
from ilpsum.metrics.signature import rouge_signature
from ilpsum.version import __version__, library_versions

ROWS, TOPICS = "rows.jsonl", "topics.jsonl"
_EXPECTED = "a row of a sweep", "delete the file and sweep again"


class Row(msgspec.Struct, frozen=True):
    """A line of `topics.jsonl`: the summaries of a topic by the configuration with the digest `run`."""

    run: str
    system: str
    words: Count
    lambda_: Share | Literal["path"] | None = msgspec.field(name="lambda")
    summaries: TopicPath

    def __post_init__(self) -> None:
        if not self.summaries.stretches[0].scores:
            raise ValueError("expected scores")


@dataclass(frozen=True)
class Result:
    """A configuration's summaries of all topics.

    Attributes:
        run: digest of everything that affects the scores.
        measure: measure that ranks configurations: `recall`, `precision` or `f1`.
    """

    run: str
    configuration: Configuration
    measure: str
    paths: tuple[TopicPath, ...]

    @cached_property
    def best(self) -> Step | None:
        """The best-scoring interval of lambda on an exact path; None without a path."""
        exact = self.configuration.lambda_ == "path"
        return best_step(score_steps(self.paths, self.measure)) if exact else None

    @property
    def lambda_(self) -> float | None:
        """The lambda of the scores, the best one on an exact path; None if the system keeps its own or has none."""
        return self.best.inside if self.best else self.configuration.lambda_  # type: ignore[return-value]

    @cached_property
    def summaries(self) -> dict[str, Stretch]:
        """Summary by topic at `lambda_`."""
        return {path.topic: path.at(self.lambda_ or 0.0) for path in self.paths}

    @property
    def scores(self) -> dict[str, Score]:
        """Mean scores over topics, by metric."""
        return means(self.summaries.values())

    @cached_property
    def score(self) -> float:
        """The ranking score: mean over topics and metrics."""
        return rank_score(self.scores, self.measure)

    def values(self) -> dict[str, str]:
        """Return the configuration as table cells by column."""
        system = self.configuration.system
        selection, recipe = system.selection, system.recipe if system.relevance else None
        cells = {"system": system.name, "words": str(self.configuration.words)}
        cells["lambda"] = "-" if self.lambda_ is None else f"{self.lambda_:.6g}"
        if self.best:
            cells["lambda"] += f" ({self.best.start:.6g}..{self.best.end:.6g})"
        cells["method"], selector = selection.method, selection.selector
        cells["alpha"] = selection.alpha if selector.has_objective else "-"
        cells["threshold"] = f"{selection.threshold:g}" if selector.tunes == "threshold" else "-"
        cells["features"] = system.relevance.features if system.relevance else "-"
        cells |= {name: getattr(recipe, name, "-") for name in ("target", "scaling")}
        lists = {name: getattr(recipe, name, ()) for name in ("C", "gamma", "epsilon")}
        return cells | {name: ",".join(f"{value:g}" for value in values) or "-" for name, values in lists.items()}


def means(summaries: Iterable[Stretch]) -> dict[str, Score]:
    """Return the mean scores of summaries, by metric."""
    scores = [summary.scores for summary in summaries]
    return {metric: mean([own[metric] for own in scores]) for metric in scores[0]}


def best(results: Sequence[Result]) -> Result:
    """Return the result with the best score; ties go to the first."""
    return max(results, key=lambda result: result.score)


def by_method(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Group results by selector, in order."""
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.configuration.system.selection.method, []).append(result)
    return found


def table(results: Sequence[Result]) -> list[list[str]]:
    """Return the results as a table with a header, omitting constant columns other than system, words and lambda."""
    values = [result.values() for result in results]
    always = ("system", "words", "lambda")
    columns = [name for name in values[0] if name in always or len({v[name] for v in values}) > 1]
    lines = [[*columns, "score", *_numbers(results[0].scores)]]
    for result, cells in zip(results, values, strict=True):
        numbers = result.score, *_numbers(result.scores).values()
        lines.append([*(cells[name] for name in columns), *(f"{number:.6f}" for number in numbers)])
    return lines


def table_at(folder: str | Path, lambda_: float) -> list[dict[str, Any]]:
    """Return the scores of a sweep's exact paths at any lambda: a row per topic, and one for the mean, `all`.

    `UsageError` if the sweep has no exact path, `InputError` if a row is damaged.
    """
    runs: dict[tuple[str, str, int], list[TopicPath]] = {}
    for row in read_rows(Path(folder)):
        if row.lambda_ == "path":
            runs.setdefault((row.run, row.system, row.words), []).append(row.summaries)
    if not runs:
        raise UsageError(f'{folder} has no sweep with an exact path over lambda: sweep with lambda = "path"')
    rows: list[dict[str, Any]] = []
    for (run, system, words), paths in runs.items():
        named, stretches = {"run": run, "system": system, "words": words}, [path.at(lambda_) for path in paths]
        for path, s in zip(paths, stretches, strict=True):
            values = {"topic": path.topic, "objective": s.objective(lambda_), "sentences": len(s.chosen)}
            rows.append(named | values | _numbers(s.scores))
        sentences = sum(len(s.chosen) for s in stretches) / len(stretches)
        values = {"topic": "all", "objective": mean_objective(paths, lambda_), "sentences": sentences}
        rows.append(named | values | _numbers(means(stretches)))
    return rows


def read_rows(folder: Path) -> list[Row]:
    """Read `topics.jsonl` from a folder, if it exists; `InputError` if a line is not a row."""
    path = folder / TOPICS
    if not path.exists():
        return []
    rows = [decode(data, Row, _EXPECTED, path, number) for number, data in read_lines(path)]
    if len({tuple(row.summaries.stretches[0].scores) for row in rows}) > 1:
        raise InputError(f"expected the same metrics in all rows; {_EXPECTED[1]}", path)
    return rows


def write_rows(folder: Path, results: Sequence[Result], sweep: Sweep, data: Data) -> None:
    """Write `rows.jsonl` and `topics.jsonl`, publishing neither before both are complete."""
    lines = []
    for result in results:
        c = result.configuration
        named = result.run, c.system.name, c.words, c.lambda_
        lines += [encode(Row(*named, path)) + b"\n" for path in result.paths]
    with write_atomically(folder / TOPICS) as topics, write_atomically(folder / ROWS) as rows:
        topics.writelines(lines)
        topics.flush()
        rows.writelines(encode(_record(result, sweep, data)) + b"\n" for result in results)


def _record(result: Result, sweep: Sweep, data: Data) -> dict[str, Any]:
    """Return a line of `rows.jsonl`."""
    options, top = RougeOptions(bool(sweep.stem), result.configuration.words), result.best
    libraries = library_versions("highspy", "numpy", "scikit-learn")
    return {
        "run": result.run,
        "config": msgspec.to_builtins(result.configuration),
        "score": result.score,
        "scores": _listed(result.scores),
        "topics": {topic: _listed(summary.scores) for topic, summary in result.summaries.items()},
        "measure": result.measure,
        "best": top and {"lambda": top.inside, "from": top.start, "to": top.end},
        "data": {"digest": data.digest, "topics": len(data.topics), "without_gold": data.without_gold},
        "folds": sweep.folds,
        "seed": sweep.seed,
        "signatures": {metric: str(rouge_signature(metric, options)) for metric in sweep.metrics},
        "versions": {"ilpsum": __version__, "python": platform.python_version(), **libraries},
    }


def _listed(scores: Mapping[str, Score]) -> dict[str, tuple[float, ...]]:
    return {metric: (score.recall, score.precision, score.f1) for metric, score in scores.items()}


def _numbers(scores: Mapping[str, Score]) -> dict[str, float]:
    """Return scores by column name."""
    named = {metric: {"R": s.recall, "P": s.precision, "F1": s.f1} for metric, s in scores.items()}
    return {f"{metric} {measure}": value for metric, own in named.items() for measure, value in own.items()}
