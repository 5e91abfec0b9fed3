"""Collects the content of the report of a finished sweep: its configurations take the place of
runs.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ilpsum.evaluation.comparison import Comparison
from ilpsum.evaluation.scoring import Evaluation
from ilpsum.evaluation.sweeps.kept import (
    TopicTexts,
    chosen_text,
    read_sweep,
    read_texts,
    sentences_of,
)
from ilpsum.evaluation.sweeps.nested import Estimate, estimates
from ilpsum.evaluation.sweeps.results import (
    LambdaInterval,
    Result,
    TopicPath,
    best,
    by_lambda,
    labels,
    rank_score,
    score_steps,
    table,
)
from ilpsum.metrics.signature import Signature
from ilpsum.pages.charts import Curve
from ilpsum.pages.figures import over_lambda
from ilpsum.pages.gathering import NESTED, Report, RunSummary, shown_topic
from ilpsum.records import ObjectiveSettings, RunSettings, Sentence, Summary, Topic

# Configurations shown side by side: the best.
_MOST = 8

# The name of a run, its summaries by topic, and the results that they are from.
_Run = tuple[str, Mapping[str, LambdaInterval], Sequence[Result]]


def gather_sweep(folder: str | Path) -> Report:
    """Collect the content of the report of a finished sweep: at most eight configurations, the
    best, each at its best lambda; and the nested choice, if the sweep made one.

    Raises `InputError` if a file of the sweep is missing or damaged.
    """
    results, fold_of = read_sweep(Path(folder))
    texts = read_texts(Path(folder))
    measure, metrics = results[0].measure, [*results[0].scores]
    groups = _best_groups(results)
    shown = {name: best(group) for name, group in groups.items()}
    nested = next(iter(estimates(results, fold_of)), None)
    texts_of = {topic.topic: topic for topic in texts}
    summaries = {}
    for name, result in shown.items():
        summaries[name] = {p.topic: _swept(result, p, texts_of[p.topic]) for p in result.paths}
    settings = {name: _settings(result) for name, result in shown.items()}
    if nested:
        summaries[NESTED] = {id_: RunSummary(chosen_text(nested, t)) for id_, t in texts_of.items()}
        folds = f"each topic as is best on the others of {len(nested.chosen)} folds"
        settings[NESTED] = (NESTED, "", folds)
    topics = []
    for topic in texts:
        found = shown_topic(Topic(topic.topic, topic.query, summaries=topic.gold), summaries)
        topics.append(replace(found, title=topic.title))
    curves = [_curves(groups.values(), [metric], measure) for metric in metrics]
    return Report(
        runs=tuple(settings),
        topics=tuple(topics),
        compared=tuple(Comparison(e, measure) for e in _scores(shown, nested, metrics)),
        settings=settings,
        swept=tuple(map(tuple, table(results))),
        curves=tuple(curves) if curves[0] else (),
    )


def lambda_figure(results: Sequence[Result]) -> str:
    """Return the figure of a sweep's ranking score over lambda as an SVG file; empty if no
    configuration has several lambdas.

    It has at most eight curves, of the best configurations, in their order.
    """
    measure, metrics = results[0].measure, [*results[0].scores]
    groups = _best_groups(results)
    names = [*groups]
    curves = _curves(groups.values(), metrics, measure)
    if not curves:
        return ""
    drawn = [(names[curve.index], curve) for curve in curves]
    return over_lambda(drawn, f"mean {measure} of {', '.join(metrics)}")


def _best_groups(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Return the groups of results that differ only in lambda, the best ones, in their order, each
    under the name that tells it apart.
    """
    groups = by_lambda(results)
    order = sorted(range(len(groups)), key=lambda i: -best(groups[i]).score)
    chosen = [groups[i] for i in sorted(order[:_MOST])]
    return dict(zip(labels([best(group) for group in chosen]), chosen, strict=True))


def _scores(
    shown: Mapping[str, Result],
    nested: Estimate | None,
    metrics: Iterable[str],
) -> Iterator[tuple[Evaluation, ...]]:
    """Yield the evaluations of the runs in each metric."""
    runs: list[_Run] = [(name, r.summaries, (r,)) for name, r in shown.items()]
    if nested:
        runs.append((NESTED, nested.summaries, nested.chosen))
    for metric in metrics:
        evaluations = []
        for name, summaries, results in runs:
            signatures = [Signature.parse(result.signatures[metric]) for result in results]
            # Of several, the one with the most topics in training: it holds for the choice.
            signature = max(signatures, key=lambda one: one.fields.get("trained", ""))
            units = [(topic, summary.scores[metric]) for topic, summary in summaries.items()]
            evaluations.append(Evaluation(name, signature, units))
        yield tuple(evaluations)


def _curves(
    groups: Iterable[Sequence[Result]],
    metrics: Sequence[str],
    measure: str,
) -> tuple[Curve, ...]:
    """Return the curves of those groups that have several lambdas: a measure, averaged over
    metrics.
    """
    curves = []
    for index, group in enumerate(groups):
        top = best(group)
        if top.lambda_ is None:
            continue
        if top.best:
            steps = score_steps(top.paths, measure, metrics)
            starts = {interval.start for path in top.paths for interval in path.intervals[1:]}
            curves.append(Curve.stepped(index, top.lambda_, steps, sorted(starts)))
        elif len(group) > 1:
            points = sorted(
                (r.lambda_ or 0.0, rank_score(r.scores, measure, metrics)) for r in group
            )
            curves.append(Curve(index, top.lambda_, dict(points)[top.lambda_], points))
    return tuple(curves)


def _settings(result: Result) -> tuple[str, str, str]:
    """Return system, lambda or threshold, and all values of a configuration in words."""
    values = result.values()
    described = [f"{name} {value}" for name, value in values.items()]
    return values["system"], result.tuned, "; ".join(described)


def _swept(result: Result, path: TopicPath, topic: TopicTexts) -> RunSummary:
    """Return the summary of a topic at the best lambda."""
    system = result.configuration.system.name
    lambda_, words = result.lambda_ or 0.0, result.configuration.words
    own = sentences_of(path.at(lambda_), topic, system)
    sentences = []
    for place, text in own:
        sentences.append(Sentence(text, *place, len(text.split()), relevance=math.nan))
    text = "\n".join(text for _, text in own)
    settings = RunSettings(words, objective=ObjectiveSettings(result.lambda_))
    summary = Summary(path.topic, tuple(sentences), text, settings=settings)
    return RunSummary(text, summary=summary)
