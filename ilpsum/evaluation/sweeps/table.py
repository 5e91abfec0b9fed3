"""The table of a sweep, `sweep.jsonl`: its topics, and what differs between its runs.

The runs themselves are beside it: `RUN.jsonl` with its provenance for each configuration, at the
best lambda of an exact path, and one for each nested estimate.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ilpsum.errors import InputError
from ilpsum.evaluation.run_scores import Measure
from ilpsum.evaluation.sweeps.nested import GIVEN, TRAINED, Estimate
from ilpsum.evaluation.sweeps.paths import score_steps
from ilpsum.evaluation.sweeps.plan import COLUMNS, Data, Sweep
from ilpsum.evaluation.sweeps.results import Result, grouped
from ilpsum.files.atomic import write_atomically
from ilpsum.files.reading import read_lines
from ilpsum.files.records import Count, Number, Share, decode, encode
from ilpsum.metrics.rouge import Score
from ilpsum.papers.layout import title as paper_title
from ilpsum.pipeline.settings import name_of
from ilpsum.records import Topic
from ilpsum.runs.provenance import summary_line
from ilpsum.tasks.jsonl import JsonlWriter
from ilpsum.tasks.submissions import PROVENANCE
from ilpsum.version import library_versions, versions

TABLE = "sweep.jsonl"
_START = b'{"kind":"scoring"'
# What a sweep of ilpsum 0.3 wrote instead.
_EARLIER = "rows.jsonl"
RANK = "score"
"""The name of the ranking score among metrics."""
_EXPECTED = "a line of the table of a sweep", "delete the file and repeat the command of the sweep"


class _Line(msgspec.Struct, frozen=True, tag_field="kind", tag=str.lower):
    """A line of the table."""


class Scoring(_Line, frozen=True):
    """How the runs are scored, and what all of them share."""

    metrics: tuple[str, ...]
    measure: Measure
    stem: bool
    folds: Count
    nested: Count
    seed: Count
    without_gold: Count
    versions: Mapping[str, str]


class Row(_Line, frozen=True, tag="row"):
    """A configuration.

    Attributes:
        run: the name of its run.
        group: the number of its group, whose rows differ only in lambda.
        lambda_: lambda of the run; None if the system keeps its own or has none.
        values: its parameters as texts, by name.
        scores: means over topics, by metric.
        score: the mean of the metrics in the measure of the sweep.
        curve: on an exact path, by metric (and `RANK`) the lambdas where the mean score changes,
            with the score from there on.
        breakpoints: on an exact path, the lambdas where a text changes.
    """

    run: str
    group: Count
    words: Count
    lambda_: Share | None = msgspec.field(name="lambda")
    values: Mapping[str, str]
    scores: Mapping[str, Score]
    score: Number
    curve: Mapping[str, tuple[tuple[Share, Number], ...]] = {}
    breakpoints: tuple[Share, ...] = ()


class Nested(_Line, frozen=True):
    """A nested estimate.

    Attributes:
        run: the name of its run.
        method: the selector that was tuned; None for the best of all.
        folds: number of outer folds.
        fold_of: the outer fold of each topic.
        score: the mean of the metrics, as for a configuration.
        topics: the score of each topic.
        chosen: by outer fold, the run that is best on the other topics, and its lambda.
        models: whether the models are nested, too, in words.
    """

    run: str
    words: Count
    method: str | None
    folds: Count
    fold_of: Mapping[str, Count]
    score: Number
    topics: Mapping[str, Number]
    chosen: tuple[tuple[str, Share | None], ...]
    models: str


class Scored(_Line, frozen=True, tag="topic"):
    """A topic with its gold summaries, as a report shows it."""

    id: str
    query: str
    title: str
    gold: tuple[str, ...]

    @property
    def topic(self) -> Topic:
        """The topic without its documents."""
        return Topic(self.id, self.query, summaries=self.gold)


_LINE: Any = Scoring | Row | Nested | Scored


class SweepTable(msgspec.Struct, frozen=True):
    """What `sweep.jsonl` holds."""

    scoring: Scoring
    rows: tuple[Row, ...]
    nested: tuple[Nested, ...]
    topics: tuple[Scored, ...]

    def value(self, row: Row, metric: str) -> float:
        """Return the mean of a configuration in a metric or the ranking score."""
        measure = self.scoring.measure
        return row.score if metric == RANK else float(getattr(row.scores[metric], measure))


def table_of(
    sweep: Sweep,
    data: Data,
    results: Sequence[Result],
    estimates: Sequence[Estimate],
) -> SweepTable:
    """Return the table of the results of a sweep."""
    scoring = Scoring(
        metrics=sweep.metrics,
        measure=sweep.measure,
        stem=bool(sweep.stem),
        folds=sweep.folds,
        nested=sweep.nested,
        seed=sweep.seed,
        without_gold=data.without_gold,
        versions=versions() | library_versions("highspy", "numpy", "scikit-learn"),
    )
    groups = grouped(results, lambda one: (one.configuration.system, one.words)).values()
    rows = []
    for number, group in enumerate(groups):
        rows += [_row(result, number) for result in group]
    topics = []
    for topic in data.topics:
        title = paper_title(topic.reference) if topic.reference else ""
        topics.append(Scored(topic.id, topic.query, title, topic.summaries))
    return SweepTable(
        scoring,
        tuple(rows),
        tuple(_nested(estimate, sweep) for estimate in estimates),
        tuple(topics),
    )


def _row(result: Result, group: int) -> Row:
    curve = {}
    breakpoints = set[float]()
    if result.best:
        for name, metrics in {RANK: [], **{metric: [metric] for metric in result.scores}}.items():
            steps = score_steps(result.paths, result.measure, metrics)
            curve[name] = tuple((step.start, step.score) for step in steps)
        for path in result.paths:
            breakpoints.update(interval.start for interval in path.intervals[1:])
    return Row(
        run=result.run,
        group=group,
        words=result.words,
        lambda_=result.lambda_,
        values=result.values(),
        scores=result.scores,
        score=result.score,
        curve=curve,
        breakpoints=tuple(sorted(breakpoints)),
    )


def _nested(estimate: Estimate, sweep: Sweep) -> Nested:
    chosen = tuple((result.run, result.lambda_) for result in estimate.chosen)
    return Nested(
        run=estimate.run,
        words=estimate.words,
        method=estimate.method or None,
        folds=len(chosen),
        fold_of=estimate.fold_of,
        score=estimate.score,
        topics=estimate.topics,
        chosen=chosen,
        models=TRAINED if sweep.folds else GIVEN,
    )


def write_sweep(
    folder: Path,
    table: SweepTable,
    results: Iterable[Result],
    estimates: Iterable[Estimate],
) -> None:
    """Write the runs of a sweep, then its table."""
    runs: list[Result | Estimate] = [*results, *estimates]
    for run in runs:
        answers = JsonlWriter(run.run)
        files = folder / f"{run.run}{PROVENANCE}", folder / f"{run.run}{answers.suffix}"
        with write_atomically(files[0]) as provenance, write_atomically(files[1]) as texts:
            for summary in run.summaries:
                provenance.write(summary_line(summary))
                texts.write(answers.answer(summary) + b"\n")
    with write_atomically(folder / TABLE) as file:
        for line in (table.scoring, *table.rows, *table.nested, *table.topics):
            file.write(encode(line) + b"\n")


def is_sweep(folder: str | Path) -> bool:
    """Return whether a folder holds a sweep; `InputError` for one of an earlier version."""
    if Path(folder, TABLE).is_file():
        return True
    if Path(folder, _EARLIER).is_file():
        raise InputError("a sweep by an earlier version of ilpsum; run it again", folder)
    return False


def is_table(path: Path) -> bool:
    """Return whether a file is the table of a sweep."""
    with path.open("rb") as file:
        return path.name == TABLE and file.read(len(_START)) == _START


def read_sweep(folder: Path) -> SweepTable:
    """Read the table of a sweep; `InputError` if it is incomplete or a line is damaged."""
    path = folder / TABLE
    lines: list[Scoring | Row | Nested | Scored] = []
    for number, data in read_lines(path):
        lines.append(decode(data, _LINE, _EXPECTED, path, number))
    scoring = next((line for line in lines if isinstance(line, Scoring)), None)
    rows = tuple(line for line in lines if isinstance(line, Row))
    nested = tuple(line for line in lines if isinstance(line, Nested))
    topics = tuple(line for line in lines if isinstance(line, Scored))
    if not (scoring and rows and topics):
        raise InputError(f"expected scoring, rows and topics of a sweep; {_EXPECTED[1]}", path)
    if any(row.scores.keys() != {*scoring.metrics} for row in rows):
        raise InputError(f"expected the same metrics in all rows; {_EXPECTED[1]}", path)
    return SweepTable(scoring, rows, nested, topics)


def printed(rows: Sequence[Row]) -> list[list[str]]:
    """Return rows as a table with a header, omitting constant columns other than system, words and
    lambda.
    """
    cells = _cells([row.values for row in rows])
    shown = {"system", "words", "lambda"}
    shown.update(name for name in cells[0] if len({row[name] for row in cells}) > 1)
    columns = [name for name in cells[0] if name in shown]
    heads = [f"{metric} {name}" for metric in rows[0].scores for name in ("R", "P", "F1")]
    lines = [[*columns, "score", *heads, "run"]]
    for row, values in zip(rows, cells, strict=True):
        numbers = [row.score]
        for score in row.scores.values():
            numbers += [score.recall, score.precision, score.f1]
        texts = [f"{number:.6f}" for number in numbers]
        lines.append([*(values[name] for name in columns), *texts, row.run])
    return lines


def labels(rows: Sequence[Row]) -> list[str]:
    """Return a name for each row: the values that distinguish it, without lambda, which is always
    that of the best score.

    A value that follows from those before it, such as the features of a system, is left out.
    """
    cells = _cells([{**row.values, "lambda": "-"} for row in rows])
    varied = list[str]()
    parts_told = 1
    for name in cells[0]:
        told = {tuple(row[column] for column in (*varied, name)) for row in cells}
        if len(told) > parts_told:
            varied.append(name)
            parts_told = len(told)
    # Names of systems and selectors say what they are.
    heads = {name: "" if name in ("system", "method") else f"{name} " for name in varied}
    names = []
    for row in cells:
        parts = [heads[name] + row[name] for name in varied if row[name] != "-"]
        names.append(", ".join(parts) or row["system"])
    return names


def by_lambda(rows: Sequence[Row]) -> list[list[Row]]:
    """Group rows that differ only in lambda, in order; an exact path is a group of its own."""
    return [*grouped(rows, lambda row: row.group).values()]


def _cells(rows: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return the values of rows, all with the same columns."""
    named = [name for row in rows for name in row]
    columns = dict.fromkeys(("system", "words", "lambda", *map(name_of, COLUMNS), *named))
    return [{name: row.get(name, "-") for name in columns} for row in rows]
