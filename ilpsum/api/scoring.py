"""Scores of runs, and their comparison."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Unpack, get_args

from ilpsum.api.inputs import Texts, Topics, run_of, topics_of
from ilpsum.api.tables import Table
from ilpsum.errors import InputError, UsageError
from ilpsum.evaluation import comparison, scoring
from ilpsum.evaluation.comparison import Pair
from ilpsum.evaluation.gold import named
from ilpsum.evaluation.scoring import Evaluation, Measure, Run
from ilpsum.metrics.rouge import DEFAULT_METRICS, Options, RougeOptions
from ilpsum.runs.reading import LinkRun

MEAN = "all"
"""The topic of a row with the mean over topics."""
References = Literal["all", "first"]
MEASURES: tuple[Measure, ...] = get_args(Measure)


@dataclass(frozen=True, slots=True)
class Scored:
    """The score of a topic's summary, or the mean of all, by one metric; each in [0,1].

    Attributes:
        topic: its id; `MEAN` for the mean over topics (for links, over citances).
    """

    run: str
    topic: str
    metric: str
    recall: float
    precision: float
    f1: float


def evaluate(
    run: Texts,
    gold: Topics,
    metrics: Sequence[str] = (),
    *,
    references: References = "all",
    name: str = "run",
    **options: Unpack[Options],
) -> Table[Scored]:
    """Score a run against the gold of its topics: a row for each metric and topic, then one for each metric's mean.

    Args:
        run: the path of a run, texts by topic, or summaries.
        gold: topics with gold summaries (for links, annotated citances), or paths.
        metrics: names, as in `ilpsum evaluate --metrics`; by default ROUGE-2 and ROUGE-SU4, for links TAC's.
        references: `first` uses only the first gold summary of a topic.
        name: of a run in memory.
        options: of ROUGE, such as `stem` and `words`; the command line takes these two from the run's format.

    Raises:
        InputError: a file cannot be read, or no topic has gold.
    """
    return _table(_evaluated([run_of(run, name)], gold, metrics, references, options))


def compare(
    runs: Mapping[str, Texts] | Sequence[str | Path],
    gold: Topics,
    metrics: Sequence[str] = (),
    *,
    measure: Measure | None = None,
    references: References = "all",
    samples: int = 10_000,
    seed: int = 0,
    **options: Unpack[Options],
) -> Table[Pair]:
    """Compare every pair of runs by each metric, with a paired randomisation test; see `Pair`.

    Args:
        runs: runs by name, or the paths of runs.
        gold: as in `evaluate`, like
        metrics: the metrics.
        measure: `recall`, `precision` or `f1`; by default the recall of ROUGE and the F1 of others.
        references: as in `evaluate`.
        samples: number of samples of the test and of the bootstrap interval.
        seed: of both.
        options: of ROUGE, as in `evaluate`.

    Raises:
        InputError: a file cannot be read, or no topic has gold.
        UsageError: fewer than two runs.
    """
    if len(runs) < 2:
        raise UsageError("expected two or more runs; `evaluate` scores one")
    if isinstance(runs, Mapping):
        found = [replace(run_of(texts, name), name=name) for name, texts in runs.items()]
    else:
        found = named([run_of(path, "") for path in runs], [str(path) for path in runs])
    evaluations = _evaluated(found, gold, metrics, references, options)
    each = comparisons(evaluations, measure, samples=samples, seed=seed)
    return Table(Pair, (pair for comparison in each for pair in comparison.pairs))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs compared by one metric.

    Attributes:
        evaluations: of each run.
        measure: what of the metric is compared.
        pairs: every pair of runs.
    """

    evaluations: Sequence[Evaluation]
    measure: Measure
    pairs: Sequence[Pair]


def comparisons(
    evaluations: Sequence[Evaluation], measure: Measure | None, *, samples: int, seed: int
) -> list[Comparison]:
    """Compare runs by each metric, by default the recall of ROUGE and the F1 of others; see `compare`."""
    by_metric: dict[str, list[Evaluation]] = {}
    for evaluation in evaluations:
        by_metric.setdefault(evaluation.metric, []).append(evaluation)
    found = []
    for metric, own in by_metric.items():
        chosen: Measure = measure or ("recall" if metric.startswith("ROUGE") else "f1")
        found.append(Comparison(own, chosen, comparison.compare(own, chosen, samples=samples, seed=seed)))
    return found


def _evaluated(
    runs: Sequence[Run], gold: Topics, metrics: Sequence[str], references: References, options: Options
) -> list[Evaluation]:
    topics = topics_of(gold)
    wanted = tuple(metrics) or (() if isinstance(runs[0], LinkRun) else DEFAULT_METRICS)
    evaluations = scoring.evaluate(runs, topics, wanted, RougeOptions(**options), references)
    if not all(evaluation.units for evaluation in evaluations):
        raise InputError("no topic has gold to score against; expected gold summaries, or annotated citances")
    return evaluations


def _table(evaluations: Sequence[Evaluation]) -> Table[Scored]:
    def rows() -> Iterator[Scored]:
        for e in evaluations:
            for topic, score in (*e.topics.items(), (MEAN, e.mean)):
                yield Scored(e.run, topic, e.metric, score.recall, score.precision, score.f1)

    return Table(Scored, rows())
