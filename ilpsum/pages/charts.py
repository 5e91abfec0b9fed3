"""Charts as SVG, readable without a script: intervals, the dots of a topic, scores over lambda.

Lengths are per cent of the width, so that text and marks keep their size on every screen.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ilpsum.evaluation.steering import Step
from ilpsum.metrics.significance import Interval
from ilpsum.pages.markup import Markup, colour, short, tag

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
        known = [value for value in values if math.isfinite(value)] or [0.0]
        low, high = min(known), max(known)
        span = max(high - low, 0.01)
        unit = 10 ** math.floor(math.log10(span / _MOST_TICKS))
        step = next(unit * n for n in (1, 2, 5, 10) if span / (unit * n) <= _MOST_TICKS)
        return cls(
            math.floor(low / step) * step, math.ceil(max(high, low + step) / step) * step, step
        )

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
    lines = (
        tag("line", x1=scale.at(tick), x2=scale.at(tick), y1="0", y2="100%") for tick in scale.ticks
    )
    digits = max(0, -math.floor(math.log10(scale.step) + 1e-9))
    labels = (tag("text", short(tick, digits), x=scale.at(tick), y="12") for tick in scale.ticks)
    return _drawn(tag("g", *lines, id=name), *labels, class_=f"axis {class_}", height="16")


def interval(scale: Scale, index: int, measured: Interval) -> Markup:
    """Return the interval of a mean as a bar, with a mark at the mean, for run `index`."""
    low, high, mean = scale.at(measured.low), scale.at(measured.high), scale.at(measured.mean)
    bar = tag("line", x1=low, x2=high, y1="9", y2="9", class_=colour(index))
    return _drawn(bar, _mark(mean, index), class_="interval", height="18")


def dots(scale: Scale, values: Sequence[float], grid: str, class_: str) -> Markup:
    """Return a mark for the score of each run of a topic, joined by a line, on the grid with this
    id.
    """
    known = [(i, value) for i, value in enumerate(values) if math.isfinite(value)]
    places = [scale.at(value) for _, value in sorted(known, key=lambda own: own[1])]
    joined = tag("line", x1=places[0], x2=places[-1], y1="9", y2="9") if places else ""
    # The first run is drawn last: where marks coincide, it is on top.
    marks = [_mark(scale.at(value), i) for i, value in reversed(known)]
    return _drawn(tag("use", href=f"#{grid}"), joined, *marks, class_=f"dots {class_}", height="18")


@dataclass(frozen=True, slots=True)
class Curve:
    """A run's mean score over lambda: index and own lambda of the run, steps of the score,
    breakpoints of its texts.
    """

    index: int
    lambda_: float
    steps: Sequence[Step]
    breakpoints: Sequence[float]


def curves(drawn: Sequence[Curve], class_: str) -> Markup:
    """Return mean scores as steps over lambda, with a mark at each run's own lambda and its
    breakpoints below.
    """
    scale = Scale.of(step.score for curve in drawn for step in curve.steps)

    def up(score: float) -> float:
        return round(190 - 176 * (score - scale.low) / (scale.high - scale.low), 1)

    parts, marks = (
        [tag("line", x1=0, x2=1000, y1=up(t), y2=up(t), class_="grid") for t in scale.ticks],
        [],
    )
    for row, own in enumerate(drawn):
        line = "".join(f"V{up(step.score)}H{1000 * step.end:.1f}" for step in own.steps)
        ends = "".join(f"M{1000 * start:.1f},{200 + 9 * row}v7" for start in own.breakpoints)
        parts.append(
            tag("path", d=f"M0,{up(own.steps[0].score)}{line}{ends}", class_=colour(own.index))
        )
        score = next(step.score for step in own.steps if own.lambda_ <= step.end)
        marks.append(_mark(f"{100 * own.lambda_:.1f}%", own.index, round(up(score))))
    height = 202 + 9 * len(drawn)
    inner = tag(
        "svg",
        *parts,
        viewBox=f"0 0 1000 {height}",
        preserveAspectRatio="none",
        width="100%",
        height=height,
    )
    labels = [tag("text", short(tick), x="2", y=up(tick) - 3) for tick in scale.ticks]
    return _drawn(inner, *marks, *labels, class_=f"steps {class_}", height=height)


def _mark(x: str, index: int, y: int = 9) -> Markup:
    return tag("rect", x=x, y=y - 5, width="10", height="10", class_=f"mark {colour(index)}")


def _drawn(*parts: object, **more: str | int) -> Markup:
    """Return a drawing, hidden from screen readers: the numbers stand beside it."""
    return tag("svg", *parts, aria_hidden="true", width="100%", **more)
