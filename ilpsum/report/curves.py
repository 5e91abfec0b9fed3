"""The selections of a run at other lambdas, recomputed exactly from its provenance.

The provenance has everything that defines the published ILP: candidates, relevance, limit. It lacks learned bigram
weights, and the constraints of coherence rules and formats. So the ILP is rebuilt and solved, and its path over lambda
is shown only if its optimum at the run's own lambda is the one that the provenance reports.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from features.context import Context
from ilpsum.errors import SolverError
from ilpsum.metrics.rouge import References
from ilpsum.pipeline.objective import ilp_problem
from ilpsum.records import RunSettings, Summary
from ilpsum.report import charts
from ilpsum.report.markup import Markup, join, tag
from ilpsum.runs.formats import FORMATS
from ilpsum.selection import Limits, lambda_path
from ilpsum.sweeps.curve import Step, Stretch, TopicPath, best_step, mean_curve, mean_objective

# The objective is a sum of a few hundred terms; another order of summation changes it by far less.
_SAME = 1e-9
# The path of a hard topic takes a million nodes and a second or two; one that needs far more is not shown.
_NODES = 5_000_000
_GRID = [i / 100 for i in range(101)]


@dataclass(frozen=True)
class Curve:
    """The path of a topic over lambda.

    Attributes:
        lambda_: the run's own lambda.
        path: the selections and the lambdas for which they are optimal; with scores if there is gold.
        texts: the text of each selection, until it is scored; empty if the order of its sentences is unknown.
    """

    lambda_: float
    path: TopicPath
    texts: tuple[str, ...] = ()

    def scored(self, references: References | None) -> "Curve":
        """Return the curve with scores, if there is gold and the texts are known."""
        if references is None or not self.texts:
            return replace(self, texts=())
        pairs = zip(self.path.stretches, self.texts, strict=True)
        stretches = tuple(replace(stretch, scores=references.score(text)) for stretch, text in pairs)
        return Curve(self.lambda_, TopicPath(self.path.topic, stretches))


def curve_of(summary: Summary) -> Curve | None:
    """Return the path of a summary over lambda; None if its provenance does not hold the whole ILP."""
    settings, lambda_ = summary.settings, summary.settings.lambda_
    if lambda_ is None or not _published(settings) or not summary.candidates or not math.isfinite(summary.objective):
        return None
    problem = ilp_problem(
        np.array([s.relevance for s in summary.candidates]),
        [s.words for s in summary.candidates],
        Context.of_texts("", [s.text for s in summary.candidates], []),
        settings.words,
        alpha=settings.alpha,
        kind="stems" if settings.concepts == "stems" else "words",
    )
    if abs(problem.at(lambda_).value(summary.chosen) - summary.objective) > _SAME:
        return None
    try:
        segments = lambda_path(problem, limits=Limits(nodes=_NODES))
    except SolverError:
        return None
    places = [s.place for s in summary.candidates]
    stretches = (
        Stretch(s.start, s.end, tuple(places[i] for i in s.chosen), s.relevance, s.coverage, s.costs, {})
        for s in segments
    )
    path = TopicPath(summary.topic, tuple(stretches))
    if abs(path.at(lambda_).objective(lambda_) - summary.objective) > _SAME:
        return None
    # The candidates are in the order of the documents; the text of a run in another order differs.
    known_order = _text(summary, summary.chosen).split() == summary.text.split()
    return Curve(lambda_, path, tuple(_text(summary, s.chosen) for s in segments) if known_order else ())


def _published(settings: RunSettings) -> bool:
    """Whether no constraint but the word limit can bind: no rules of coherence, compression, or limits of a format."""
    limits = FORMATS[settings.format].limits if settings.format in FORMATS else None
    limited = limits is not None and bool(limits.sentences or limits.count or limits.allows)
    return settings.method == "ilp" and not (settings.coherence or settings.compression or limited)


def _text(summary: Summary, chosen: Sequence[int]) -> str:
    return "\n".join(summary.candidates[i].text for i in chosen)


def of_topic(curve: Curve, metrics: Sequence[str], measure: str, index: int) -> Markup:
    """Return the curves of one summary, collapsed."""
    return tag("details", tag("summary", "Over lambda"), *_figures([curve], metrics, measure, index))


def of_run(curves: Sequence[Curve], metric: str, measure: str, index: int) -> Markup:
    """Return the mean curve of a run's topics by one metric."""
    return join(*_figures(curves, [metric], measure, index)[-1:])


def _figures(curves: Sequence[Curve], metrics: Sequence[str], measure: str, index: int) -> list[Markup]:
    paths = [curve.path for curve in curves]
    own = curves[0].lambda_ if len({curve.lambda_ for curve in curves}) == 1 else None
    values = [mean_objective(paths, x) for x in _GRID]
    caption = f"Objective: {values[0]:.4f} at lambda 0, minimum {min(values):.4f}, {values[-1]:.4f} at 1."
    figures = [_figure(list(zip(_GRID, values, strict=True)), own, caption, index)]
    for metric in metrics:
        if all(metric in stretch.scores for path in paths for stretch in path.stretches):
            steps = mean_curve(paths, lambda stretch, m=metric: float(getattr(stretch.scores[m], measure)))  # type: ignore[misc]
            points = [(x, step.score) for step in steps for x in (step.start, step.end)]
            figures.append(_figure(points, own, _caption(steps, metric, measure, own), index))
    return figures


def _caption(steps: Sequence[Step], metric: str, measure: str, own: float | None) -> str:
    best = best_step(steps)
    maximum = f"maximum {best.score:.4f} from {best.start:.4f} to {best.end:.4f}"
    caption = f"{metric} {measure}: {len(steps)} values over lambda, {maximum}"
    if own is None:
        return caption + "."
    score = next(step.score for step in steps if own <= step.end)
    return caption + f"; {score:.4f} at {own:g}, the lambda of this run."


def _figure(points: Sequence[tuple[float, float]], own: float | None, caption: str, index: int) -> Markup:
    chart = charts.curve(points, own, caption, index)
    axis = tag("p", tag("span", "0"), tag("span", "lambda"), tag("span", "1"), class_="axis", aria_hidden="true")
    return tag("figure", tag("figcaption", caption), chart, axis, class_="curve")
