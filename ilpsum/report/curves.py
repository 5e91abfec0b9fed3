"""The curves of runs over lambda: the objective, and the scores of the exact path."""

from collections.abc import Sequence

from ilpsum.report import charts
from ilpsum.report.markup import Markup, tag
from ilpsum.report.steering import Steering
from ilpsum.sweeps.curve import Step, best_step, mean_curve


def of_run(steered: Sequence[Steering], metric: str, measure: str, index: int) -> Markup:
    """Return the mean curve of a run's topics by one metric, each at the run's own word limit."""
    paths = [steering.own for steering in steered]
    own = steered[0].lambda_ if len({steering.lambda_ for steering in steered}) == 1 else None
    steps = mean_curve(paths, lambda stretch: float(getattr(stretch.scores[metric], measure)))
    points = [(x, step.score) for step in steps for x in (step.start, step.end)]
    return _figure(points, own, _caption(steps, metric, measure, own), index)


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
