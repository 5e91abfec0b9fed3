"""Collects the content of the report of a finished sweep: its configurations take the place of
runs.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

from ilpsum.evaluation.scoring import Evaluation, Measure
from ilpsum.evaluation.steering import Steering, mean_steps
from ilpsum.evaluation.sweeps.kept import (
    KeptRow,
    KeptSweep,
    TopicTexts,
    chosen_text,
    read_sweep,
    read_texts,
    sentences_of,
)
from ilpsum.evaluation.sweeps.nested import Estimate, estimates
from ilpsum.evaluation.sweeps.results import (
    Result,
    TopicPath,
    best,
    by_lambda,
    labels,
    rank_score,
    table,
)
from ilpsum.metrics.rouge import Score
from ilpsum.metrics.signature import Signature
from ilpsum.pages.charts import Curve
from ilpsum.pages.figures import over_lambda
from ilpsum.pages.gathering import NESTED, Report, RunSummary, shown_topic
from ilpsum.pages.view import Answer
from ilpsum.records import ObjectiveSettings, RunSettings, Sentence, Summary, Topic
from ilpsum.selection import Segment

# Configurations shown side by side: the best.
_MOST = 8

Ranking = Callable[[Mapping[str, Score]], float]
"""The number that a curve shows, given the scores of a summary by metric."""


@dataclass(frozen=True)
class Shown:
    """A run of the page: a configuration at its best lambda, with all results of its group.

    Attributes:
        name: what tells it apart.
        row: what the sweep kept of the best result.
        best: the best result.
        group: the results that differ from it only in lambda.
    """

    name: str
    row: KeptRow
    best: Result
    group: Sequence[Result]

    def text_of(self, topic: TopicTexts) -> RunSummary:
        """Return the summary of a topic at the best lambda."""
        path = next(path for path in self.best.paths if path.topic == topic.topic)
        return _swept(self.best, path, topic)


def gather_sweep(folder: str | Path) -> Report:
    """Collect the content of the report of a finished sweep: at most eight configurations, the
    best, each at its best lambda; and the nested choice, if the sweep made one.

    Raises `InputError` if a file of the sweep is missing or damaged.
    """
    kept, texts = read_sweep(Path(folder)), read_texts(Path(folder))
    shown = _shown(kept)
    nested = next(iter(estimates(kept.results, kept.nested)), None)
    topics = []
    for topic in texts:
        runs = {one.name: {topic.topic: one.text_of(topic)} for one in shown}
        if nested:
            runs[NESTED] = {topic.topic: RunSummary(chosen_text(nested, topic))}
        found = shown_topic(Topic(topic.topic, topic.query, summaries=topic.gold), runs)
        topics.append(replace(found, title=topic.title))
    settings = {one.name: _settings(one.best) for one in shown}
    if nested:
        settings[NESTED] = (
            NESTED,
            "",
            f"each topic as is best on the others of {len(nested.chosen)} folds",
        )
    return Report(
        runs=tuple(settings),
        topics=tuple(topics),
        scores=tuple(_scores(kept, shown, nested)),
        measure=kept.rows[0].measure,
        settings=settings,
        swept=tuple(map(tuple, table(kept.results))),
        curves=_curves(shown, kept.rows[0].measure),
    )


def lambda_figure(results: Sequence[Result]) -> str:
    """Return the figure of a sweep's ranking score over lambda as an SVG file; empty if no
    configuration has several lambdas.

    It has at most eight curves, of the best configurations, in their order.
    """
    measure = results[0].measure
    groups = _best_groups(results)
    names = labels([best(group) for group in groups])
    drawn = []
    for i, group in enumerate(groups):
        curve = _curve(group, i, lambda scores: rank_score(scores, measure))
        if curve:
            drawn.append((names[i], curve))
    if not drawn:
        return ""
    return over_lambda(drawn, f"mean {measure} of {', '.join(results[0].scores)}")


def _best_groups(results: Sequence[Result]) -> list[list[Result]]:
    """Return the groups of results that differ only in lambda, the best ones, in their order."""
    groups = by_lambda(results)
    order = sorted(range(len(groups)), key=lambda i: -best(groups[i]).score)
    return [groups[i] for i in sorted(order[:_MOST])]


def _shown(kept: KeptSweep) -> list[Shown]:
    rows = {row.run: row for row in kept.rows}
    groups = _best_groups(kept.results)
    names = labels([best(group) for group in groups])
    shown = []
    for name, group in zip(names, groups, strict=True):
        top = best(group)
        shown.append(Shown(name, rows[top.run], top, group))
    return shown


def _scores(
    kept: KeptSweep,
    shown: Sequence[Shown],
    nested: Estimate | None,
) -> Iterator[tuple[Evaluation, ...]]:
    """Yield the evaluations of the runs in each metric."""
    rows = {row.run: row for row in kept.rows}
    for metric in shown[0].best.scores:
        evaluations = []
        for one in shown:
            signature = Signature.parse(one.row.signatures[metric])
            units = [(topic, s.scores[metric]) for topic, s in one.best.summaries.items()]
            evaluations.append(Evaluation(one.name, signature, units))
        if nested:
            units = [(topic, s.scores[metric]) for topic, s in nested.summaries.items()]
            signatures = [Signature.parse(rows[r.run].signatures[metric]) for r in nested.chosen]
            # The one with the most topics in training: what it says holds for the choice.
            signature = max(signatures, key=lambda one: one.fields.get("trained", ""))
            evaluations.append(Evaluation(NESTED, signature, units))
        yield tuple(evaluations)


def _curves(shown: Sequence[Shown], measure: Measure) -> tuple[tuple[Curve, ...], ...]:
    """Return the curves of each metric; none if no configuration has several lambdas."""
    by_metric = []
    for metric in shown[0].best.scores:
        curves = []
        for i, one in enumerate(shown):
            curve = _curve(one.group, i, partial(_score, metric, measure))
            if curve:
                curves.append(curve)
        by_metric.append(tuple(curves))
    return tuple(by_metric) if by_metric[0] else ()


def _score(metric: str, measure: Measure, scores: Mapping[str, Score]) -> float:
    return float(getattr(scores[metric], measure))


def _curve(group: Sequence[Result], index: int, ranking: Ranking) -> Curve | None:
    """Return the mean score over lambda of results that differ only in it; None if it is one."""
    top = best(group)
    if top.best and top.lambda_ is not None:
        paths = [[(s.start, ranking(s.scores)) for s in path.intervals] for path in top.paths]
        breakpoints = sorted({start for path in paths for start, _ in path[1:]})
        return Curve.stepped(index, top.lambda_, mean_steps(paths), breakpoints)
    if len(group) < 2 or top.lambda_ is None:
        return None
    points = []
    for result in group:
        scores = [ranking(summary.scores) for summary in result.summaries.values()]
        points.append((result.lambda_ or 0.0, sum(scores) / len(scores)))
    points.sort()
    return Curve(index, top.lambda_, dict(points)[top.lambda_], points)


def _settings(result: Result) -> tuple[str, str, str]:
    """Return system, lambda or threshold, and all values of a configuration in words."""
    values = {name: value for name, value in result.values().items() if value != "-"}
    tuned = [
        f"{name} {values[name].split()[0]}" for name in ("lambda", "threshold") if name in values
    ]
    described = [f"{name} {value}" for name, value in values.items()]
    return values["system"], ", ".join(tuned), "; ".join(described)


def _swept(result: Result, path: TopicPath, topic: TopicTexts) -> RunSummary:
    """Return the summary of a topic at the best lambda, with those at all others on an exact
    path.
    """
    system = result.configuration.system.name
    lambda_, words = result.lambda_ or 0.0, result.configuration.words
    own = sentences_of(path.at(lambda_), topic, system)
    optima = [sentences_of(interval, topic, system) for interval in path.intervals]
    numbers = {sentence: i for i, sentence in enumerate(dict.fromkeys(chain(own, *optima)))}
    sentences = []
    for place, text in numbers:
        sentences.append(Sentence(text, *place, len(text.split()), relevance=math.nan))
    text = "\n".join(text for _, text in own)
    settings = RunSettings(words, objective=ObjectiveSettings(result.lambda_))
    summary = Summary(path.topic, tuple(sentences[: len(own)]), text, settings=settings)
    if not result.best:
        return RunSummary(text, answer=Answer(summary))
    segments, scores = [], {}
    for s, optimum in zip(path.intervals, optima, strict=True):
        rows = tuple(numbers[sentence] for sentence in optimum)
        segments.append(Segment(rows, s.relevance, s.coverage, s.costs, s.start, s.end))
        measured = [float(getattr(score, result.measure)) for score in s.scores.values()]
        scores[rows] = tuple(round(score, 4) for score in measured)
    steering = Steering(lambda_, words, {words: tuple(segments)}, tuple(sentences), scores)
    return RunSummary(text, answer=Answer(summary), steering=steering)
