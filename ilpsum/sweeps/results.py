"""The results of a sweep: its rows, their ranking, and the table of its lambda paths at any lambda."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ilpsum.errors import InputError, UsageError
from ilpsum.metrics.rouge import Score, mean
from ilpsum.sweeps.curve import Outcome, TopicPath, mean_objective, places, unlisted
from ilpsum.sweeps.journal import read_rows
from ilpsum.sweeps.rows import PathRow, ResultRow, TopicRow, require

ROWS, PATHS, TOPICS = "rows.jsonl", "path.jsonl", "topics.jsonl"


@dataclass(frozen=True)
class Result:
    """A row of rows.jsonl; `run` is the key of configuration, data and settings, equal ones of which run once."""

    run: str
    row: Mapping[str, Any]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "Result":
        """Return the result of a row.

        Raises:
            InputError: this is not a row of a sweep.
        """
        require(row, ResultRow, ROWS)
        return cls(row["run"], row)

    @property
    def score(self) -> float:
        """The mean over topics and metrics that ranks configurations."""
        return float(self.row["score"])

    @property
    def lambda_(self) -> float | None:
        """The lambda of the scores; the best of an exact path; None if the system kept its own or has none."""
        value = self.row["best"]["lambda"] if "best" in self.row else self.row["config"].get("lambda")
        return None if value is None else float(value)

    def values(self) -> dict[str, str]:
        """Return the configuration as cells of a table."""
        config = self.row["config"]
        selection, relevance = config["system"]["selection"], config["system"].get("relevance")
        recipe = config["system"]["recipe"] if relevance else {}
        cells = {"system": config["system"]["name"], "words": str(config["words"])}
        cells["lambda"] = "-" if self.lambda_ is None else f"{self.lambda_:.6g}"
        if "best" in self.row:
            cells["lambda"] += " ({from:.6g}..{to:.6g})".format(**self.row["best"])
        method = cells["method"] = selection["method"]
        cells["alpha"] = selection["alpha"] if method in ("ilp", "gain") else "-"
        cells["threshold"] = f"{selection['threshold']:g}" if method == "greedy" else "-"
        cells["features"] = relevance["features"] if relevance else "-"
        cells |= {name: recipe.get(name, "-") for name in ("target", "scaling")}
        lists = {name: ",".join(f"{value:g}" for value in recipe.get(name, ())) for name in ("C", "gamma", "epsilon")}
        return cells | {name: values or "-" for name, values in lists.items()}


def best(results: Sequence[Result]) -> Result:
    """Return the result with the best score; of equal ones the first."""
    return max(results, key=lambda result: result.score)


def by_method(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Return the results of each selector, in their order."""
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.row["config"]["system"]["selection"]["method"], []).append(result)
    return found


def table(results: Sequence[Result]) -> list[list[str]]:
    """Return the rows as a table with a head; columns that never vary are left out, except system, words and lambda."""
    values = [result.values() for result in results]
    always = ("system", "words", "lambda")
    columns = [name for name in values[0] if name in always or len({v[name] for v in values}) > 1]
    metrics = list(results[0].row["scores"])
    lines = [[*columns, "score", *_heads(metrics)]]
    for result, cells in zip(results, values, strict=True):
        scores = [f"{value:.6f}" for metric in metrics for value in result.row["scores"][metric]]
        lines.append([*(cells[name] for name in columns), f"{result.score:.6f}", *scores])
    return lines


def require_all(found: Collection[str], result: Result, file: str) -> None:
    """Raise an `InputError` if a file of the sweep lacks a topic of a run."""
    if not found or not set(result.row["topics"]) <= set(found):
        reason = f"{file} lacks topics of the run {result.run}"
        raise InputError(f"{reason}; delete its row in {ROWS} and sweep again")


def table_at(folder: str | Path, lambda_: float) -> list[list[str]]:
    """Return the scores at any lambda of the exact paths of a finished sweep: a head, a row per topic, and the mean.

    Raises:
        UsageError: the sweep has no exact path.
        InputError: the folder has no sweep, or a row is damaged.
    """
    results = [Result.of(row) for row in read_rows(Path(folder) / ROWS)]
    results = [result for result in results if "best" in result.row]
    if not results:
        raise UsageError(f'{folder} has no exact path over lambda: sweep with lambda = "path"')
    paths = read_paths(read_rows(Path(folder) / PATHS))
    metrics = list(results[0].row["scores"])
    lines = [["run", "system", "words", "topic", "objective", "sentences", *_heads(metrics)]]
    for result in results:
        config = result.row["config"]
        named = [result.run, config["system"]["name"], str(config["words"])]
        own = paths.get(result.run, [])
        require_all({path.topic for path in own}, result, PATHS)
        stretches = [path.at(lambda_) for path in own]
        for path, s in zip(own, stretches, strict=True):
            numbers = _numbers([s.scores[metric] for metric in metrics])
            lines.append([*named, path.topic, f"{s.objective(lambda_):.6f}", str(len(s.chosen)), *numbers])
        means = _numbers([mean([s.scores[metric] for s in stretches]) for metric in metrics])
        sentences = sum(len(s.chosen) for s in stretches) / len(stretches)
        lines.append([*named, "all", f"{mean_objective(own, lambda_):.6f}", f"{sentences:.2f}", *means])
    return lines


def read_paths(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[TopicPath]]:
    """Return the paths in the rows of path.jsonl, by run and in their order.

    Raises:
        InputError: a row is not a path.
    """
    paths: dict[str, list[TopicPath]] = {}
    for number, row in enumerate(rows, start=1):
        require(row, PathRow, PATHS, number)
        paths.setdefault(row["run"], []).append(TopicPath.from_row(row))
    return paths


def read_outcomes(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], Outcome]:
    """Return the outcomes in the rows of topics.jsonl, by run and topic.

    Raises:
        InputError: a row has no scores.
    """
    by_run: dict[tuple[str, str], Outcome] = {}
    for number, row in enumerate(rows, start=1):
        require(row, TopicRow, TOPICS, number)
        for run, scores in row["scores"].items():
            chosen, seconds = places(row["chosen"][run]), float(row["seconds"][run])
            by_run[run, row["topic"]] = Outcome(unlisted(scores), chosen, seconds)
    return by_run


def _heads(metrics: Sequence[str]) -> list[str]:
    return [f"{metric} {measure}" for metric in metrics for measure in ("R", "P", "F1")]


def _numbers(scores: Sequence[Score]) -> list[str]:
    return [f"{value:.6f}" for s in scores for value in (s.recall, s.precision, s.f1)]
