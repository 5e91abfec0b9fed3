"""What a run would have chosen at other lambdas, computed again from its provenance, exactly.

The provenance has all that the published ILP is made of: candidates, relevance, limit. It has not the weights of
learned concepts, nor what rules of coherence joined; so the ILP is built again and solved, and only where its optimum
at the run's own lambda is the one that the run tells, its path over lambda is shown.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from features.context import Context
from ilpsum.errors import SolverError
from ilpsum.metrics.rouge import References
from ilpsum.pipeline.objective import ilp_problem
from ilpsum.records import Summary
from ilpsum.report import charts
from ilpsum.report.markup import Markup, join, tag
from ilpsum.selection import Limits, lambda_path
from ilpsum.sweeps.curve import Step, Stretch, TopicPath, best_step, mean_curve, mean_objective

# The objective is a sum of some hundred terms; another order of summation moves it by far less.
_SAME = 1e-9
# A path of a hard topic takes a million nodes and a second or two; where one needs far more, it is left out.
_NODES = 5_000_000
# Rules that bind sentences to each other, of which the provenance tells the names alone.
_JOINED = {"coherence", "compression"}
_GRID = [i / 100 for i in range(101)]


@dataclass(frozen=True)
class Curve:
    """The path of a topic over lambda.

    Attributes:
        lambda_: the run's own.
        path: the summaries and for which lambdas they are optimal; with scores once there is gold.
        texts: of the summaries, until they are scored; empty where their order in the text is not known.
    """

    lambda_: float
    path: TopicPath
    texts: tuple[str, ...] = ()

    def scored(self, references: References | None) -> "Curve":
        """The curve with scores against gold, where there is gold and the texts are known."""
        if references is None or not self.texts:
            return replace(self, texts=())
        stretches = tuple(
            replace(stretch, scores=references.score(text))
            for stretch, text in zip(self.path.stretches, self.texts, strict=True)
        )
        return Curve(self.lambda_, TopicPath(self.path.topic, stretches))


def curve_of(summary: Summary) -> Curve | None:
    """The path of a summary over lambda; None where its provenance does not hold the whole ILP."""
    details = summary.details
    known = {"lambda", "words", "alpha", "concepts"} <= details.keys() and _JOINED.isdisjoint(details)
    if details.get("method") != "ilp" or not known or not summary.candidates or not math.isfinite(summary.objective):
        return None
    problem = ilp_problem(
        np.array([s.relevance for s in summary.candidates]),
        [s.words for s in summary.candidates],
        Context.of_texts("", [s.text for s in summary.candidates], []),
        int(details["words"]),
        alpha=str(details["alpha"]),
        stems=details["concepts"] == "stems",
    )
    lambda_ = float(details["lambda"])
    if abs(problem.at(lambda_).value(summary.chosen) - summary.objective) > _SAME:
        return None
    try:
        segments = lambda_path(problem, limits=Limits(nodes=_NODES))
    except SolverError:
        return None
    path = TopicPath(
        summary.topic,
        tuple(
            Stretch(s.start, s.end, _places(summary, s.chosen), s.relevance, s.coverage, s.costs, {}) for s in segments
        ),
    )
    if abs(path.at(lambda_).objective(lambda_) - summary.objective) > _SAME:
        return None
    # The order of the documents is that of the candidates; a run in another order has another text.
    known_order = _text(summary, summary.chosen).split() == summary.text.split()
    return Curve(lambda_, path, tuple(_text(summary, s.chosen) for s in segments) if known_order else ())


def _text(summary: Summary, chosen: Sequence[int]) -> str:
    return "\n".join(summary.candidates[i].text for i in chosen)


def _places(summary: Summary, chosen: Sequence[int]) -> tuple[tuple[str, int, int], ...]:
    found = (summary.candidates[i] for i in chosen)
    return tuple((s.document, s.start, s.end) for s in found)


def of_topic(curve: Curve, metrics: Sequence[str], measure: str, index: int) -> Markup:
    """The curves of one summary, to be opened."""
    return tag("details", tag("summary", "Over lambda"), *_figures([curve], metrics, measure, index))


def of_run(curves: Sequence[Curve], metric: str, measure: str, index: int) -> Markup:
    """The mean curve of a run's topics by one metric."""
    return join(*_figures(curves, [metric], measure, index)[-1:])


def _figures(curves: Sequence[Curve], metrics: Sequence[str], measure: str, index: int) -> list[Markup]:
    paths = [curve.path for curve in curves]
    own = curves[0].lambda_ if len({curve.lambda_ for curve in curves}) == 1 else None
    values = [mean_objective(paths, x) for x in _GRID]
    told = f"Objective: {values[0]:.4f} at lambda 0, least {min(values):.4f}, {values[-1]:.4f} at 1."
    figures = [_figure(list(zip(_GRID, values, strict=True)), own, told, index)]
    for metric in metrics:
        if all(metric in stretch.scores for path in paths for stretch in path.stretches):
            steps = mean_curve(paths, lambda stretch, m=metric: float(getattr(stretch.scores[m], measure)))  # type: ignore[misc]
            points = [(x, step.score) for step in steps for x in (step.start, step.end)]
            figures.append(_figure(points, own, _told(steps, metric, measure, own), index))
    return figures


def _told(steps: Sequence[Step], metric: str, measure: str, own: float | None) -> str:
    best = best_step(steps)
    told = f"{metric} {measure}: {len(steps)} values over lambda, highest {best.score:.4f} from {best.start:.4f} to "
    told += f"{best.end:.4f}"
    if own is None:
        return told + "."
    here = next(step.score for step in steps if own <= step.end)
    return told + f"; {here:.4f} at {own:g}, which is this run's lambda."


def _figure(points: Sequence[tuple[float, float]], own: float | None, told: str, index: int) -> Markup:
    chart = charts.curve(points, own, told, index)
    axis = tag("p", tag("span", "0"), tag("span", "lambda"), tag("span", "1"), class_="axis", aria_hidden="true")
    return tag("figure", tag("figcaption", told), chart, axis, class_="curve")
