"""The results of a sweep: its rows, their ranking, and the table of its lambda paths at any lambda."""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from ilpsum.errors import InputError, UsageError
from ilpsum.metrics.rouge import Score, mean
from ilpsum.sweeps.curve import Outcome, TopicPath, mean_objective, unlisted
from ilpsum.sweeps.journal import read_rows
from ilpsum.sweeps.rows import PathRow, Result, TopicRow

ROWS, PATHS, TOPICS = "rows.jsonl", "path.jsonl", "topics.jsonl"


def best(results: Sequence[Result]) -> Result:
    """Return the result with the best score; of equal ones the first."""
    return max(results, key=lambda result: result.score)


def by_method(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Return the results of each selector, in their order."""
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.config.system.selection.method, []).append(result)
    return found


def table(results: Sequence[Result]) -> list[list[str]]:
    """Return the rows as a table with a head; columns that never vary are left out, except system, words and lambda."""
    values = [result.values() for result in results]
    always = ("system", "words", "lambda")
    columns = [name for name in values[0] if name in always or len({v[name] for v in values}) > 1]
    metrics = list(results[0].scores)
    lines = [[*columns, "score", *_heads(metrics)]]
    for result, cells in zip(results, values, strict=True):
        scores = [f"{value:.6f}" for metric in metrics for value in result.scores[metric]]
        lines.append([*(cells[name] for name in columns), f"{result.score:.6f}", *scores])
    return lines


def require_all(found: Collection[str], result: Result, file: str) -> None:
    """Raise an `InputError` if a file of the sweep lacks a topic of a run."""
    if not found or not set(result.topics) <= set(found):
        reason = f"{file} lacks topics of the run {result.run}"
        raise InputError(f"{reason}; delete its row in {ROWS} and sweep again")


def table_at(folder: str | Path, lambda_: float) -> list[list[str]]:
    """Return the scores at any lambda of the exact paths of a finished sweep: a head, a row per topic, and the mean.

    Raises:
        UsageError: the sweep has no exact path.
        InputError: a row is damaged.
    """
    results = [result for result in read_rows(Path(folder) / ROWS, Result) if result.best]
    if not results:
        raise UsageError(f'{folder} has no sweep with an exact path over lambda: sweep with lambda = "path"')
    paths = read_paths(Path(folder))
    metrics = list(results[0].scores)
    lines = [["run", "system", "words", "topic", "objective", "sentences", *_heads(metrics)]]
    for result in results:
        named = [result.run, result.config.system.name, str(result.config.words)]
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


def read_paths(folder: Path) -> dict[str, list[TopicPath]]:
    """Return the paths in a folder's path.jsonl, by run and in their order; none without the file.

    Raises:
        InputError: a row is not a path.
    """
    paths: dict[str, list[TopicPath]] = {}
    for row in read_rows(folder / PATHS, PathRow):
        paths.setdefault(row.run, []).append(TopicPath.from_row(row))
    return paths


def outcomes(rows: Iterable[TopicRow]) -> dict[tuple[str, str], Outcome]:
    """Return the outcomes in the rows of topics.jsonl, by run and topic."""
    return {
        (run, row.topic): Outcome(unlisted(scores), row.chosen[run], row.seconds[run])
        for row in rows
        for run, scores in row.scores.items()
    }


def read_outcomes(folder: Path) -> dict[tuple[str, str], Outcome]:
    """Return the outcomes in a folder's topics.jsonl, by run and topic; none without the file.

    Raises:
        InputError: a row has no scores.
    """
    return outcomes(read_rows(folder / TOPICS, TopicRow))


def _heads(metrics: Sequence[str]) -> list[str]:
    return [f"{metric} {measure}" for metric in metrics for measure in ("R", "P", "F1")]


def _numbers(scores: Sequence[Score]) -> list[str]:
    return [f"{value:.6f}" for s in scores for value in (s.recall, s.precision, s.f1)]
