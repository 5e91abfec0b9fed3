"""Scores and compares runs."""

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, Unpack, get_args

from ilpsum.api.inputs import Topics, topics_of
from ilpsum.api.tables import Table
from ilpsum.errors import UsageError
from ilpsum.evaluation import scoring
from ilpsum.evaluation.comparison import Pair, comparisons
from ilpsum.evaluation.gold import Gold, named, rouge_options
from ilpsum.evaluation.scoring import Evaluation, Measure, Run
from ilpsum.formats.task1 import Link
from ilpsum.metrics.rouge import Options, RougeOptions
from ilpsum.records import Summary
from ilpsum.runs.reading import LinkRun, SummaryRun, read_run

Texts = str | Path | Mapping[str, str] | Iterable[Summary | Link]
"""A run: a path, texts by topic id, summaries, or links."""
MEAN = "all"
"""Topic name of rows with the mean over topics."""
References = Literal["all", "first"]
Warn = Callable[[str], object]
WARN = partial(warnings.warn, stacklevel=3)
MEASURES: tuple[Measure, ...] = get_args(Measure)


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of one topic in one metric, or their mean; all in [0,1].

    Attributes:
        topic: topic id; `all` (`MEAN`) for the mean over topics (for links, over citances).
        signature: the metric with all settings that affect its scores.
    """

    run: str
    topic: str
    metric: str
    recall: float
    precision: float
    f1: float
    signature: str


def evaluate(
    run: Texts,
    gold: Topics,
    metrics: Sequence[str] = (),
    *,
    references: References = "all",
    name: str = "run",
    **options: Unpack[Options],
) -> Table[Scored]:
    """Score a run against gold: for each metric, a row per topic and then a row with the mean.

    Args:
        run: the path of a run, texts by topic, or summaries.
        gold: topics with gold summaries (for links, annotated citances), or paths.
        metrics: names, as in `ilpsum evaluate --metrics`; by default ROUGE-2 and ROUGE-SU4, for
            links TAC's.
        references: `first` uses only the first gold summary of a topic.
        name: name for a run in memory.
        options: ROUGE options (`RougeOptions`). `stem` and `words` default to those of the run's
            format, as on the command line; runs in memory and runs of other programs are scored in
            full and without stemming.

    Warns:
        UserWarning: the run lacks topics, which are scored as empty, or has additional ones.

    Raises:
        InputError: a file cannot be read, no topic has gold, or the run has none of the topics.
    """
    paths = [run] if isinstance(run, str | Path) else []
    evaluations = scored(
        _runs({name: run}),
        Gold(topics_of(gold)),
        metrics,
        rouge_options(paths, options, WARN),
        references,
    )
    rows = (
        Scored(e.run, topic, e.metric, score.recall, score.precision, score.f1, str(e.signature))
        for e in evaluations
        for topic, score in (*e.topics.items(), (MEAN, e.mean))
    )
    return Table(Scored, rows)


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
    """Compare every pair of runs in each metric, with a paired randomisation test; see `Pair`.

    Args:
        runs: runs by name, or paths of runs.
        gold: the topics, as in `evaluate`.
        metrics: names, as in `evaluate`.
        measure: `recall`, `precision` or `f1`; default: recall for ROUGE, F1 for other metrics.
        references: as in `evaluate`.
        samples: number of samples for the test and the bootstrap interval.
        seed: random seed of both.
        options: ROUGE options, as in `evaluate`.

    Raises:
        InputError: as in `evaluate`.
        UsageError: fewer than two runs.
    """
    if len(runs) < 2:
        raise UsageError("expected two or more runs; `evaluate` scores one")
    if isinstance(runs, Mapping):
        found = [replace(run, name=name) for name, run in zip(runs, _runs(runs), strict=True)]
        paths = [run for run in runs.values() if isinstance(run, str | Path)]
    else:
        found, paths = runs_at(runs), list(runs)
    evaluations = scored(
        found, Gold(topics_of(gold)), metrics, rouge_options(paths, options, WARN), references
    )
    each = comparisons(evaluations, measure, samples=samples, seed=seed)
    return Table(Pair, (pair for comparison in each for pair in comparison.pairs))


def scored(
    runs: Sequence[Run],
    gold: Gold,
    metrics: str | Sequence[str],
    options: RougeOptions,
    references: References,
    warn: Warn = WARN,
) -> list[Evaluation]:
    """Score runs against gold topics as `evaluate` does; `warn` is called with each mismatch of the
    two.
    """
    names = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    evaluations = scoring.evaluate(runs, gold, names, options, references)
    for line in gold.differences(runs, evaluations):
        warn(line)
    return evaluations


def runs_at(paths: Sequence[str | Path], warn: Warn = WARN) -> list[Run]:
    """Read runs under distinct names; `warn` is called with each irregularity, `InputError` if a
    path is no run.
    """
    runs = [read_run(path) for path in paths]
    for warning in (warning for run in runs for warning in run.warnings):
        warn(warning)
    return named(runs, list(map(str, paths)))


def _runs(given: Mapping[str, Texts]) -> list[Run]:
    """Return runs to score; the names apply to runs in memory.

    Raises:
        InputError: a path does not exist or is not a run.
        UsageError: two summaries have the same topic.
    """
    found: list[Run] = []
    for name, texts in given.items():
        if isinstance(texts, str | Path):
            found += runs_at([texts])
            continue
        if isinstance(texts, Mapping):
            found.append(SummaryRun(name, dict(texts)))
            continue
        records = list(texts)
        links = {(each.topic, each.citance): each for each in records if isinstance(each, Link)}
        summaries = [each for each in records if isinstance(each, Summary)]
        if twice := [
            topic for topic, count in Counter(each.topic for each in summaries).items() if count > 1
        ]:
            raise UsageError(f"two summaries of the topic {twice[0]}; a run has one of each")
        found.append(
            LinkRun(name, links)
            if links
            else SummaryRun(name, {s.topic: s.text for s in summaries})
        )
    return found
