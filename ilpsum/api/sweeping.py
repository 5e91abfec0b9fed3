"""Parameter sweeps of systems over the same topics, with exact paths over lambda."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from ilpsum.api.inputs import Topics, topics_of
from ilpsum.api.tables import Table
from ilpsum.errors import counted
from ilpsum.evaluation.comparison import Pair
from ilpsum.evaluation.gold import has_no_word, told_uncounted
from ilpsum.evaluation.sweeps.nested import GIVEN, TRAINED, Estimate, selector_pairs
from ilpsum.evaluation.sweeps.paths import mean_objective, score_steps
from ilpsum.evaluation.sweeps.plan import Data, Group, Sweep, plan
from ilpsum.evaluation.sweeps.results import Result, best, by_words, system_toml
from ilpsum.evaluation.sweeps.running import Runner
from ilpsum.evaluation.sweeps.table import read_sweep
from ilpsum.files.arguments import checked
from ilpsum.files.atomic import write_file
from ilpsum.files.processes import Executor
from ilpsum.files.records import Natural, Whole
from ilpsum.files.work import Progress, Work, no_progress
from ilpsum.metrics.rouge import DEFAULT_METRICS
from ilpsum.pages.sweeping import lambda_figure
from ilpsum.records import Topic
from ilpsum.runs.seen import training_lines
from ilpsum.tasks import form_of
from ilpsum.tasks.registry import default_output

_REMEDY = "`folds = 5` in the sweep trains on the other topics"


@dataclass(frozen=True, slots=True)
class Optimum:
    """An interval of lambda with constant scores for all topics.

    Attributes:
        start, end: the interval.
        score: the sweep's measure, averaged over topics and metrics.
        objective: optimal objective at the middle of the interval, averaged over topics.
    """

    start: float
    end: float
    score: float
    objective: float


@dataclass(frozen=True, slots=True)
class Swept:
    """The result of one configuration.

    Attributes:
        system: the system's name.
        words: the word limit.
        lambda_: weight of relevance, the best one for an exact path; None if the system keeps its
            own or has none.
        method: the selector.
        threshold: redundancy threshold of the selector `greedy`.
        score: the sweep's measure, averaged over topics and metrics.
        scores: `recall`, `precision` and `f1` by metric.
        path: scores of the exact optima over lambda; empty unless the sweep's lambda is `path`.
        run: the name of its run in the folder `out`.
        toml: system file with the sweep's model, with folds and `out` that of the best
            configuration under its word limit; saved to disk, it works with `Summarizer.load` and
            `--system`.
    """

    system: str
    words: int
    lambda_: float | None
    method: str
    threshold: float
    score: float
    scores: Mapping[str, Mapping[str, float]]
    path: tuple[Optimum, ...]
    run: str
    toml: str


@dataclass(frozen=True, slots=True)
class Nested:
    """The score of a whole procedure of tuning: each topic by the choice on the other folds.

    Attributes:
        method: the selector that was tuned; empty for the best of all.
        words: the word limit.
        score: the sweep's measure, averaged over topics and metrics.
        topics: the same for each topic.
        run: the name of its run in the folder `out`.
        models: whether the models are nested, too, in words.
    """

    method: str
    words: int
    score: float
    topics: Mapping[str, float]
    run: str
    models: str


class SweptTable(Table[Swept]):
    """The results of a sweep, a row per configuration, with its nested estimates."""

    nested: Table[Nested]


@checked
def sweep(
    systems: str | Path | Sequence[str | Path],
    topics: Topics,
    grid: Mapping[str, Any],
    *,
    folds: Whole = 0,
    nested: Whole = 0,
    model: str | Path | None = None,
    metrics: Sequence[str] = (),
    measure: str = "recall",
    stem: bool | None = None,
    out: str | Path | None = None,
    jobs: Natural | Executor = 1,
    form: str | None = None,
    progress: Progress = no_progress,
) -> SweptTable:
    """Score every combination of parameter values in a grid on topics with gold summaries.

    Args:
        systems: names or .toml files of one or more systems.
        topics: the topics, or paths.
        grid: values by parameter, as in `[parameters]` of a sweep file, such as
            `{"lambda": "path"}`, or by any key of a system.
        folds: number of cross-validation folds; 0 uses the bundled models, or `model`.
        nested: number of outer folds of the nested estimates (`nested` of the table); 0 for none.
        model: a model file.
        metrics: names of ROUGE metrics; default: ROUGE-2 and ROUGE-SU4.
        measure: measure to rank by: `recall`, `precision` or `f1`.
        stem: whether ROUGE stems words; default: only for topics with a paper.
        out: folder for the runs, their table `sweep.jsonl`, `best.toml` (with folds also its model
            `best.npz`, trained on all topics; under several word limits `best-WORDS.toml`) and a
            cache; an interrupted sweep resumes from it.
        jobs: number of processes, or an executor such as a cluster.
        form: as in `topics_of`; its run format provides the word limit if the grid has none.
        progress: wraps each iteration; gets a description, like `tqdm.tqdm`.

    Raises:
        UsageError: an unknown parameter, a training parameter without folds, or too few topics.
        InputError: a file cannot be read, or no topic has gold summaries.
    """
    names = [systems] if isinstance(systems, str | Path) else systems
    table: dict[str, Any] = {
        "system": [str(name) for name in names],
        "parameters": {name.rstrip("_"): values for name, values in grid.items()},
        "folds": folds,
        "nested": nested,
        "model": str(model or ""),
        "measure": measure,
        "stem": stem,
        "metrics": list(metrics) or DEFAULT_METRICS,
    }
    asked = Sweep.of(table)
    read, work = topics_of(topics, form), Work.of(jobs, progress)
    of_form = form or (form_of(read[0]) if read else "jsonl")
    with nullcontext(out) if out else TemporaryDirectory() as folder:
        return run_sweep(asked, read, of_form, Path(folder), work, keep=bool(out)).table


@dataclass(frozen=True)
class SweepRun:
    """A completed sweep.

    Attributes:
        sweep: the sweep with the format's defaults filled in.
        data: its topics.
        results: a result per configuration, in order.
        estimates: the nested estimates.
        models: by word limit, the name or file of the model of the best configuration; default:
            that of the sweep.
    """

    sweep: Sweep
    data: Data
    results: Sequence[Result]
    estimates: Sequence[Estimate]
    models: Mapping[int, str] = field(default_factory=dict)

    @property
    def best(self) -> dict[int, Result]:
        """The best configuration under each word limit."""
        return {words: best(of_limit) for words, of_limit in by_words(self.results).items()}

    def files(self, out: Path) -> dict[int, Path]:
        """Return the system file of the best configuration under each word limit."""
        limits = [*self.best]
        if len(limits) == 1:
            return {limits[0]: out / "best.toml"}
        return {words: out / f"best-{words}.toml" for words in limits}

    @property
    def table(self) -> SweptTable:
        """The results as records."""
        tops = self.best
        rows = []
        for result in self.results:
            model = self.sweep.model
            if result is tops[result.words]:
                model = self.models.get(result.words, model)
            rows.append(_swept(result, self.data.topics, model))
        table = SweptTable(Swept, rows)
        models = TRAINED if self.sweep.folds else GIVEN
        table.nested = Table(
            Nested,
            (Nested(e.method, e.words, e.score, e.topics, e.run, models) for e in self.estimates),
        )
        return table

    @property
    def pairs(self) -> Mapping[int, Sequence[Pair]]:
        """Paired comparisons of the selectors under each word limit."""
        return selector_pairs(self.results, self.estimates)


def run_sweep(
    asked: Sweep,
    topics: Iterable[Topic],
    form: str,
    out: Path,
    work: Work,
    *,
    cache: str | Path | None = None,
    keep: bool = True,
) -> SweepRun:
    """Run or resume a sweep; arguments and exceptions as for `sweep`.

    `keep` writes the best system, and its model if the sweep trains.
    """
    data = Data.of(topics)
    if asked.stem is None:
        asked = msgspec.structs.replace(asked, stem=default_output(form).stem)
    groups = plan(asked, form, data.kind)
    _warn_of_gold(data, work)
    runner = Runner(asked, data, Path(cache or out / "cache"), work)
    if not asked.folds:
        _warn_of_kinds(runner, groups)
    results, nested = runner.run(groups, out)
    _warn_of_training(results, work)
    swept = SweepRun(asked, data, results, nested)
    if keep:
        models = {}
        for words, file in swept.files(out).items():
            models[words] = _write_best(swept.best[words], runner, file)
        swept = replace(swept, models=models)
    figure = lambda_figure(read_sweep(out))
    if figure:
        write_file(out / "lambda.svg", figure.encode())
        work.warn(f"the plot over lambda is {out / 'lambda.svg'}")
    return swept


def _warn_of_gold(data: Data, work: Work) -> None:
    """Warn of topics without gold summaries, and of gold summaries without a word."""
    if data.without_gold:
        work.warn(f"left out, without gold summaries: {counted(data.without_gold, 'topic')}")
    uncounted = [topic.id for topic in data.topics if has_no_word(topic.summaries)]
    if uncounted:
        work.warn(told_uncounted("gold summaries", uncounted))


def _warn_of_training(results: Sequence[Result], work: Work) -> None:
    """Warn of topics that a model has seen in training, once for systems that share it."""
    warned = set[str]()
    for result in results:
        for line in training_lines(result.overlaps, remedy=_REMEDY):
            if line not in warned:
                work.warn(line)
            warned.add(line)


def _warn_of_kinds(runner: Runner, groups: Sequence[Group]) -> None:
    """Warn of models that were trained for topics of another kind."""
    systems = {group[0].system.model or group[0].system.name: group[0].system for group in groups}
    expected = runner.data.kind
    for name, system in systems.items():
        model = runner.given_model(system)
        kind = model.metadata.kind if model else ""
        if kind not in ("", expected):
            runner.work.warn(f"{name}: the model is for topics of the kind {kind}, not {expected}")


def _write_best(top: Result, runner: Runner, file: Path) -> str:
    """Write the best system, with folds also its model beside it, trained on all topics; return the
    model's file or name.
    """
    model = runner.sweep.model
    trains = bool(runner.sweep.folds and top.configuration.system.relevance)
    if trains:
        model = str(file.with_suffix(".npz"))
    text = system_toml(top, runner.data.topics, model).encode()
    # The same choice of an earlier call has its model.
    if trains and not (Path(model).exists() and file.exists() and file.read_bytes() == text):
        runner.trained_on_all(top.configuration).save(model)
    write_file(file, text)
    return model


def _swept(result: Result, topics: Sequence[Topic], model: str) -> Swept:
    path = []
    for step in score_steps(result.paths, result.measure) if result.best else ():
        objective = mean_objective(result.paths, (step.start + step.end) / 2)
        path.append(Optimum(step.start, step.end, step.score, objective))
    system = result.configuration.system
    return Swept(
        system=system.name,
        words=result.configuration.words,
        lambda_=result.lambda_,
        method=result.method,
        threshold=system.selection.threshold,
        score=result.score,
        scores={name: asdict(score) for name, score in result.scores.items()},
        path=tuple(path),
        run=result.run,
        toml=system_toml(result, topics, model),
    )
