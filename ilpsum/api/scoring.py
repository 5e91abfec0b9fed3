"""Scores and compares runs."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, Unpack, get_args

from ilpsum.api.inputs import Topics
from ilpsum.api.inputs import read as read_topics
from ilpsum.api.tables import Table
from ilpsum.errors import UsageError
from ilpsum.evaluation import run_scores
from ilpsum.evaluation.comparison import (
    ALL_PAIRS,
    Comparison,
    Pair,
    Reference,
    other_candidates,
    usual_measure,
)
from ilpsum.evaluation.gold import Gold, rouge_options
from ilpsum.evaluation.run_scores import Measure, Run
from ilpsum.files.arguments import checked
from ilpsum.files.records import Count, Natural
from ilpsum.files.work import Warn
from ilpsum.metrics.rouge import Options
from ilpsum.metrics.significance import SAMPLES
from ilpsum.records import Summary
from ilpsum.runs.designs import design
from ilpsum.runs.reading import LinkRun, SummaryRun, read_run
from ilpsum.runs.seen import Training
from ilpsum.tasks.task1 import Link

Texts = str | Path | Mapping[str, str] | Iterable[Summary | Link]
"""A run: a path, texts by topic id, summaries, or links."""
MEAN = "all"
"""Topic name of rows with the mean over topics."""
References = Literal["all", "first"]
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


@checked
def evaluate(
    run: Texts,
    gold: Topics,
    metrics: str | Sequence[str] = (),
    *,
    references: References = "all",
    name: str = "run",
    **options: Unpack[Options],
) -> Table[Scored]:
    """Score a run against gold: for each metric, a row per topic and then a row with the mean.

    Args:
        run: the path of a run, texts by topic, or summaries.
        gold: topics with gold summaries (for links, annotated citances), or paths; a folder of
            gold summaries alone has files `TOPIC.txt`, or `TOPIC.A.txt` and so on.
        metrics: names, as in `ilpsum evaluate --metrics`; by default ROUGE-2 and ROUGE-SU4, for
            links TAC's.
        references: `first` uses only the first gold summary of a topic.
        name: name for a run in memory.
        options: ROUGE options (`RougeOptions`). `stem` and `words` default to TAC's rules (stems,
            the first 250 words) where the gold is about papers, else to neither, as on the command
            line.

    Warns:
        UserWarning: the run lacks topics, which are scored as empty, or has additional ones.

    Raises:
        InputError: a file cannot be read, no topic has gold, or the run has none of the topics.
    """
    read = [_run(name, run)]
    rows = []
    topics = Gold(read_topics(gold, gold=True))
    for comparison in scored(read, topics, metrics, options, references):
        (evaluation,) = comparison.evaluations
        signature = str(evaluation.signed)
        for topic, score in (*evaluation.topics.items(), (MEAN, evaluation.mean)):
            numbers = score.recall, score.precision, score.f1
            rows.append(Scored(evaluation.run, topic, evaluation.metric, *numbers, signature))
    return Table(Scored, rows)


@checked
def compare(
    runs: Mapping[str, Texts] | Sequence[str | Path],
    gold: Topics,
    metrics: str | Sequence[str] = (),
    *,
    baseline: str | Path = "",
    measure: Measure | None = None,
    references: References = "all",
    samples: Natural = SAMPLES,
    seed: Count = 0,
    **options: Unpack[Options],
) -> Table[Pair]:
    """Compare runs in each metric, with a paired randomisation test; see `Pair`.

    Args:
        runs: runs by name, or paths of runs.
        gold: the topics, as in `evaluate`.
        metrics: names, as in `evaluate`.
        baseline: the run, by name or path, that the others are compared with; Holm's correction
            then counts these comparisons alone. By default every pair of runs is compared.
        measure: `recall`, `precision` or `f1`; default: recall for ROUGE, F1 for other metrics.
        references: as in `evaluate`.
        samples: number of samples for the test and the bootstrap interval.
        seed: random seed of both.
        options: ROUGE options, as in `evaluate`.

    Runs of the oracle, which has seen the gold summaries, are in no pair.

    Raises:
        InputError: as in `evaluate`.
        UsageError: fewer than two runs, or the baseline is not one of them.
    """
    if len(runs) < 2:
        raise UsageError("expected two or more runs; `evaluate` scores one")
    read, reference = named_runs(runs, baseline)
    compared = scored(
        read,
        Gold(read_topics(gold, gold=True)),
        metrics,
        options,
        references,
        measure=measure,
        reference=reference,
        samples=samples,
        seed=seed,
    )
    return Table(Pair, (pair for comparison in compared for pair in comparison.pairs))


@dataclass(frozen=True, slots=True)
class Value:
    """The score of one run for one topic in one metric, in [0,1]; the signature as in `Scored`."""

    run: str
    topic: str
    metric: str
    measure: Measure
    value: float
    signature: str


@checked
def scores(
    runs: Mapping[str, Texts] | Sequence[str | Path],
    gold: Topics,
    metrics: str | Sequence[str] = (),
    *,
    measure: Measure | None = None,
    references: References = "all",
    **options: Unpack[Options],
) -> Table[Value]:
    """Score runs by topic, as a tidy frame: `pandas.DataFrame(scores(...).to_dict())`.

    Arguments and exceptions are those of `compare`; one run is enough.
    """
    read, _ = named_runs(runs)
    gold_topics = Gold(read_topics(gold, gold=True))
    return values(scored(read, gold_topics, metrics, options, references, measure=measure))


def values(compared: Iterable[Comparison]) -> Table[Value]:
    """Return the scores of each topic by run and metric."""
    rows = []
    for comparison in compared:
        for evaluation in comparison.evaluations:
            run, signature = evaluation.run, str(evaluation.signed)
            for topic, value in comparison.scores[run].items():
                score = Value(run, topic, comparison.metric, comparison.measure, value, signature)
                rows.append(score)
    return Table(Value, rows)


def named_runs(
    runs: Mapping[str, Texts] | Sequence[str | Path],
    baseline: str | Path | None = None,
    warn: Warn = WARN,
) -> tuple[list[Run], Reference]:
    """Read runs under distinct names, and return what they are compared with: the baseline, given
    by name or path, or all other runs.

    If two runs at paths have one name, all are named by path. `warn` is called with each
    irregularity of a run.

    Raises:
        InputError: a path is no run.
        UsageError: no run is given, or one twice, or the baseline is not one of the runs, or is an
            oracle.
    """
    if not runs:
        raise UsageError("expected one or more runs, got none")
    name = str(baseline or "")
    if isinstance(runs, Mapping):
        read = [replace(_run(name, texts, warn), name=name) for name, texts in runs.items()]
    else:
        paths = list(map(Path, runs))
        read = [_read(path, warn) for path in paths]
        if len({run.name for run in read}) < len(read):
            if len(set(paths)) < len(paths):
                raise UsageError(f"the same run is given twice: {', '.join(map(str, runs))}")
            read = [replace(run, name=str(path)) for run, path in zip(read, paths, strict=True)]
        if baseline and Path(baseline) in paths:
            name = read[paths.index(Path(baseline))].name
    oracles = [run.name for run in read if run.training.oracle]
    if name in oracles:
        raise UsageError(
            f"the baseline {name} is an oracle, which has seen the gold summaries; name another run"
        )
    if name and name not in [run.name for run in read]:
        raise UsageError(f"the baseline {name} is not one of the runs")
    return read, Reference(name, oracles)


def _read(path: str | Path, warn: Warn) -> Run:
    run = read_run(path)
    for warning in run.warnings:
        warn(warning)
    return run


def scored(
    runs: Sequence[Run],
    gold: Gold,
    metrics: str | Sequence[str],
    options: Options,
    references: References,
    *,
    measure: Measure | None = None,
    reference: Reference = ALL_PAIRS,
    samples: int = SAMPLES,
    seed: int = 0,
    warn: Warn = WARN,
) -> list[Comparison]:
    """Score and compare runs in each metric that has gold, as `compare` does; `warn` is called with
    each mismatch of runs and gold.
    """
    names = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    rules = rouge_options(gold, options)
    runs = [gold.matched(run) for run in runs]
    evaluations = run_scores.evaluate(runs, gold, names, rules, references)
    for line in (*gold.differences(runs, evaluations), *other_candidates(runs)):
        warn(line)
    compared = []
    for of_metric in evaluations:
        # Metrics without gold were told above.
        if of_metric[0].units:
            chosen = measure or usual_measure(of_metric[0].metric)
            compared.append(Comparison(of_metric, chosen, reference, samples, seed))
    return compared


def _run(name: str, texts: Texts, warn: Warn = WARN) -> Run:
    """Return a run to score; the name is that of a run in memory.

    Raises:
        InputError: a path does not exist or is not a run.
        UsageError: two summaries have the same topic.
    """
    if isinstance(texts, str | Path):
        return _read(texts, warn)
    if isinstance(texts, Mapping):
        return SummaryRun(name, dict(texts))
    links = dict[tuple[str, int], Link]()
    summaries = dict[str, Summary]()
    for record in texts:
        if isinstance(record, Link):
            links[record.topic, record.citance] = record
        elif record.topic in summaries:
            raise UsageError(f"two summaries of the topic {record.topic}; a run has one of each")
        else:
            summaries[record.topic] = record
    if links:
        return LinkRun(name, links)
    overlaps = {topic: summary.seen for topic, summary in summaries.items()}
    oracle = any(summary.settings.system.method == "oracle" for summary in summaries.values())
    designs = {topic: design(summary) for topic, summary in summaries.items()}
    written = {topic: summary.text for topic, summary in summaries.items()}
    return SummaryRun(name, written, training=Training(overlaps, oracle, designs))
