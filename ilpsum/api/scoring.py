"""Scores and compares runs."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, Unpack, get_args

from ilpsum.api.inputs import Topics, topics_of
from ilpsum.api.tables import Table
from ilpsum.errors import InputError, UsageError
from ilpsum.evaluation import comparison, scoring
from ilpsum.evaluation.comparison import Pair
from ilpsum.evaluation.gold import Gold, format_of, named
from ilpsum.evaluation.scoring import Evaluation, Measure, Run
from ilpsum.formats.task1 import Link
from ilpsum.metrics.rouge import Options, RougeOptions
from ilpsum.records import Summary, notices
from ilpsum.runs.reading import LinkRun, SummaryRun, read_run

Texts = str | Path | Mapping[str, str] | Iterable[Summary | Link]
"""A run: a path, texts by topic id, summaries, or links."""
MEAN = "all"
"""Topic name of rows with the mean over topics."""
References = Literal["all", "first"]
Warn = Callable[[str], object]
_WARN = partial(warnings.warn, stacklevel=3)
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
        metrics: names, as in `ilpsum evaluate --metrics`; by default ROUGE-2 and ROUGE-SU4, for links TAC's.
        references: `first` uses only the first gold summary of a topic.
        name: name for a run in memory.
        options: ROUGE options (`RougeOptions`). `stem` and `words` default to those of the run's format, as on the
            command line; runs in memory and runs of other programs are scored in full and without stemming.

    Warns:
        UserWarning: the run lacks topics, which are scored as empty, or has additional ones.

    Raises:
        InputError: a file cannot be read, no topic has gold, or the run has none of the topics.
    """
    paths = [run] if isinstance(run, str | Path) else []
    evaluations = scored(
        [_run_of(run, name)], Gold(topics_of(gold)), metrics, rouge_options(paths, options), references
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
        found = [replace(_run_of(texts, name), name=name) for name, texts in runs.items()]
        paths = [run for run in runs.values() if isinstance(run, str | Path)]
    else:
        found, paths = named([read_run(path) for path in runs], [str(path) for path in runs]), list(runs)
    evaluations = scored(found, Gold(topics_of(gold)), metrics, rouge_options(paths, options), references)
    each = comparisons(evaluations, measure, samples=samples, seed=seed)
    return Table(Pair, (pair for comparison in each for pair in comparison.pairs))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of runs in one metric.

    Attributes:
        evaluations: one per run.
        measure: the measure compared.
        pairs: every pair of runs.
    """

    evaluations: Sequence[Evaluation]
    measure: Measure
    pairs: Sequence[Pair]


def comparisons(
    evaluations: Sequence[Evaluation], measure: Measure | None, *, samples: int, seed: int
) -> list[Comparison]:
    """Compare runs in each metric, by default recall for ROUGE and F1 for others; see `compare`."""
    by_metric: dict[str, list[Evaluation]] = {}
    for evaluation in evaluations:
        by_metric.setdefault(evaluation.metric, []).append(evaluation)
    found = []
    for metric, own in by_metric.items():
        chosen: Measure = measure or ("recall" if metric.startswith("ROUGE") else "f1")
        found.append(Comparison(own, chosen, comparison.compare(own, chosen, samples=samples, seed=seed)))
    return found


def scored(
    runs: Sequence[Run],
    gold: Gold,
    metrics: str | Sequence[str],
    options: RougeOptions,
    references: References,
    warn: Warn = _WARN,
) -> list[Evaluation]:
    """Score runs against gold topics as `evaluate` does; `warn` is called with each mismatch of the two."""
    names = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    evaluations = scoring.evaluate(runs, gold, names, options, references)
    for line in gold.differences(runs, evaluations):
        warn(line)
    return evaluations


def rouge_options(paths: Sequence[str | Path], options: Options, warn: Warn = _WARN) -> RougeOptions:
    """Return the ROUGE options for runs on disk; `warn` is called if they have different formats.

    `stem` and `words` default to those of the first format named in the provenance of a run. Runs of other programs
    have none; without any format, scores are those of ROUGE-1.5.5 without options.

    Raises:
        InputError: a provenance file is damaged.
    """
    chosen = Options(**options)
    if chosen.get("bytes"):
        chosen.setdefault("words", None)
    if not {"stem", "words"} <= chosen.keys():
        try:
            targets = list(map(format_of, paths))
        except InputError as error:
            remedy = "or decide --stem or --no-stem, and --words, which it would tell"
            raise InputError(f"{error.message}, {remedy}", error.file, error.line) from None
        first = next(filter(None, targets), None)
        if first and len({(each.stem, each.cut) if each else (False, None) for each in targets}) > 1:
            warn(notices.MixedFormats(first.name))
        chosen.setdefault("stem", bool(first and first.stem))
        chosen.setdefault("words", first.cut if first else None)
    return RougeOptions(**chosen)


def _run_of(given: Texts, name: str) -> Run:
    """Return a run to score; `name` applies to a run in memory.

    Raises:
        InputError: the path does not exist or is not a run.
        UsageError: two summaries have the same topic.
    """
    if isinstance(given, str | Path):
        return read_run(given)
    if isinstance(given, Mapping):
        return SummaryRun(name, dict(given))
    texts: dict[str, str] = {}
    links: dict[tuple[str, int], Link] = {}
    for summary in given:
        if isinstance(summary, Link):
            links[summary.topic, summary.citance] = summary
            continue
        if summary.topic in texts:
            raise UsageError(f"two summaries of the topic {summary.topic}; a run has one of each")
        texts[summary.topic] = summary.text
    return LinkRun(name, links) if links else SummaryRun(name, texts)
