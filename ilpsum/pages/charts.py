"""Charts as SVG, readable without a script: intervals, the dots of a topic, scores over lambda.

Lengths are per cent of the width, so that text and marks keep their size on every screen.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ilpsum.metrics.significance import Interval
from ilpsum.pages.markup import COLOURS, Markup, colour, short, tag

# Where a scale begins and ends, in per cent of the width: marks and labels need room at both ends.
_LEFT, _RIGHT = 4, 96
_MOST_TICKS = 5


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale between two round numbers, with a tick at each `step`."""

    low: float
    high: float
    step: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "Scale":
        """Return the scale of some values; nan is left out."""
        finite = [value for value in values if math.isfinite(value)] or [0.0]
        low, high = min(finite), max(finite)
        span = max(high - low, 0.01)
        unit = 10 ** math.floor(math.log10(span / _MOST_TICKS))
        step = next(unit * n for n in (1, 2, 5, 10) if span / (unit * n) <= _MOST_TICKS)
        begin = math.floor(low / step) * step
        end = math.ceil(max(high, low + step) / step) * step
        return cls(begin, end, step)

    @property
    def ticks(self) -> list[float]:
        """The round numbers of the scale, in order."""
        return [
            self.low + i * self.step for i in range(round((self.high - self.low) / self.step) + 1)
        ]

    def at(self, value: float) -> str:
        """Return the place of a value, in per cent of the width."""
        return f"{_LEFT + (_RIGHT - _LEFT) * (value - self.low) / (self.high - self.low):.1f}%"


def axis(scale: Scale, name: str, class_: str) -> Markup:
    """Return the labels of a scale; `name` is the id of its grid, which the rows below repeat."""
    digits = max(0, -math.floor(math.log10(scale.step) + 1e-9))
    lines = []
    labels = []
    for tick in scale.ticks:
        x = scale.at(tick)
        lines.append(tag("line", x1=x, x2=x, y1="0", y2="100%"))
        labels.append(tag("text", short(tick, digits), x=x, y="12"))
    return _drawn(
        tag("g", *lines, id=name),
        *labels,
        class_=f"axis {class_}",
        height="16",
    )


def interval(scale: Scale, index: int, measured: Interval) -> Markup:
    """Return the interval of a mean as a bar, with a mark at the mean, for run `index`."""
    bar = _line(scale.at(measured.low), scale.at(measured.high), colour(index))
    mark = _mark(scale.at(measured.mean), index)
    return _drawn(bar, mark, class_="interval", height="18")


def dots(
    scale: Scale,
    values: Iterable[tuple[int, float]],
    grid: str,
    class_: str,
) -> Markup:
    """Return a mark for the score of each run of a topic, joined by a line, on the grid with this
    id; `values` are the numbers of the runs with their scores.
    """
    finite = [(i, value) for i, value in values if math.isfinite(value)]
    parts = [tag("use", href=f"#{grid}")]
    if finite:
        scores = [value for _, value in finite]
        parts.append(_line(scale.at(min(scores)), scale.at(max(scores))))
    # The first run is drawn last: where marks coincide, it is on top.
    parts += [_mark(scale.at(value), i) for i, value in reversed(finite)]
    return _drawn(*parts, class_=f"dots {class_}", height="18")


@dataclass(frozen=True, slots=True)
class Curve:
    """A run's mean score over lambda.

    Attributes:
        index: number of the run, for its colour.
        lambda_, score: the run's best lambda, and its score there.
        points: lambdas with their scores, in order; joined by straight lines.
        breakpoints: lambdas at which a text changes; empty unless all lambdas are known.
    """

    index: int
    lambda_: float
    score: float
    points: Sequence[tuple[float, float]]
    breakpoints: Sequence[float] = ()


# Heights in pixels of the lambda chart: where the lowest and highest score stand, a row of
# breakpoints, and the labels of lambda.
_BOTTOM, _HIGHEST, _ROW, _AXIS = 190, 14, 9, 34


def have_breakpoints(drawn: Sequence[Curve]) -> bool:
    """Return whether the text of a curve is known to change at some lambda."""
    return any(curve.breakpoints for curve in drawn)


def curves_height(drawn: Sequence[Curve]) -> int:
    """Return the height of `curves` in pixels; rows of breakpoints are there only if any are."""
    rows = len(drawn) if have_breakpoints(drawn) else 0
    return _BOTTOM + 12 + _ROW * rows + _AXIS


def curves(drawn: Sequence[Curve], score: str, class_: str = "") -> Markup:
    """Return mean scores over lambda with labelled axes; `score` names what is drawn.

    A mark shows each run's best lambda; below are the breakpoints, a row per run.
    """
    scale = Scale.of(value for curve in drawn for _, value in curve.points)

    def up(value: float) -> float:
        share = (value - scale.low) / (scale.high - scale.low)
        return round(_BOTTOM - (_BOTTOM - _HIGHEST) * share, 1)

    parts = [
        tag("line", x1=0, x2=1000, y1=up(tick), y2=up(tick), class_="grid") for tick in scale.ticks
    ]
    marks = []
    for row, curve in enumerate(drawn):
        corners = [f"{1000 * lambda_:.1f},{up(value)}" for lambda_, value in curve.points]
        top = _BOTTOM + 10 + _ROW * row
        ends = [f"M{1000 * start:.1f},{top}v7" for start in curve.breakpoints]
        path = f"M{'L'.join(corners)}{''.join(ends)}"
        # Colours repeat; later curves are dashed.
        dashes = 4 * (curve.index // COLOURS)
        shown = tag(
            "path",
            d=path,
            class_=colour(curve.index),
            stroke_dasharray=f"{dashes} 3" if dashes else None,
        )
        parts.append(shown)
        marks.append(_mark(f"{100 * curve.lambda_:.1f}%", curve.index, round(up(curve.score))))
    height = curves_height(drawn) - _AXIS
    inner = tag(
        "svg",
        *parts,
        viewBox=f"0 0 1000 {height}",
        preserveAspectRatio="none",
        width="100%",
        height=height,
    )
    labels = [tag("text", short(tick), x="2", y=up(tick) - 3) for tick in scale.ticks]
    labels.append(tag("text", score, x="100%", y=_HIGHEST - 3, text_anchor="end"))
    for tenth in range(0, 11, 2):
        anchor = {0: "start", 10: "end"}.get(tenth, "middle")
        at = f"{10 * tenth}%"
        labels.append(tag("text", f"{tenth / 10:g}", x=at, y=height + 14, text_anchor=anchor))
    title = "lambda (0 coverage, 1 relevance)"
    labels.append(tag("text", title, x="50%", y=height + 30, text_anchor="middle"))
    return _drawn(
        inner,
        *marks,
        *labels,
        class_=f"steps {class_}".rstrip(),
        height=height + _AXIS,
        # Marks at lambda 0 and 1 hang over the edge.
        overflow="visible",
    )


def _line(start: str, end: str, class_: str | None = None) -> Markup:
    return tag("line", x1=start, x2=end, y1="9", y2="9", class_=class_)


def _mark(x: str, index: int, y: int = 9) -> Markup:
    return tag(
        "rect",
        x=x,
        y=y - 5,
        width="10",
        height="10",
        class_=f"mark {colour(index)}",
    )


def _drawn(*parts: object, **more: str | int) -> Markup:
    """Return a drawing, hidden from screen readers: the numbers are beside it."""
    return tag("svg", *parts, aria_hidden="true", width="100%", **more)
