"""Small charts in SVG. Lengths are percentages of the width, so that text keeps its size on every screen."""

from collections.abc import Sequence

from ilpsum.metrics.confidence import Interval
from ilpsum.report.markup import Markup, tag

COLOURS = 8
"""Number of colours in the style sheet; further runs repeat them."""


def bar(value: float, top: float, index: int) -> Markup:
    """Return one bar, `top` being the largest value on its scale, for run number `index`; not for screen readers."""
    width = _share(100 * max(value, 0.0) / top if top > 0 else 0.0)
    rect = tag("rect", x="0", y="0", width=width, height="6", class_=colour(index))
    return tag("svg", rect, aria_hidden="true", width="100%", height="6", class_="chart")


def interval(index: int, measured: Interval, low: float, high: float) -> Markup:
    """Return a mean as a dot on its interval, from `low` to `high`, for run number `index`; not for screen readers."""

    def at(value: float) -> str:
        return _share(4 + 92 * (value - low) / (high - low) if high > low else 50)

    line = tag("line", x1=at(measured.low), x2=at(measured.high), y1="9", y2="9", class_=colour(index))
    dot = tag("circle", cx=at(measured.mean), cy="9", r="5", class_=colour(index))
    return tag("svg", line, dot, aria_hidden="true", width="100%", height="18", class_="interval")


_PLOT = (640, 284)
_MARGIN = (56, 12, 16, 24)


def plot(series: Sequence[tuple[int, Sequence[tuple[float, float]]]], label: str) -> Markup:
    """Return lines over x from 0 to 1 on one scale of y, with axes; each has the number of its colour and its points.

    `label` says to screen readers what the chart shows.
    """
    (width, height), (left, top, right, bottom) = _PLOT, _MARGIN
    values = [y for _, points in series for _, y in points]
    low, high = min(values), max(values)
    high += 0.001 if high == low else 0.0

    def at(x: float, y: float) -> tuple[str, str]:
        across = left + (width - left - right) * x
        return f"{across:.1f}", f"{top + (height - top - bottom) * (high - y) / (high - low):.1f}"

    parts = []
    for y in (low + (high - low) * k / 4 for k in range(5)):
        (x1, level), (x2, _) = at(0.0, y), at(1.0, y)
        parts += [tag("line", x1=x1, x2=x2, y1=level, y2=level)]
        parts += [tag("text", f"{y:.3f}", x=left - 8, y=level, dy="4", text_anchor="end")]
    for k in range(6):
        x, y0 = at(k / 5, low)
        parts.append(tag("text", f"{k / 5:g}", x=x, y=y0, dy="18", text_anchor="middle"))
    for index, points in series:
        path = "L".join(" ".join(at(*point)) for point in points)
        parts.append(tag("path", d=f"M{path}", class_=colour(index)))
    return tag("svg", *parts, role="img", aria_label=label, viewBox=f"0 0 {width} {height}", class_="plot")


def colour(index: int) -> str:
    """Return the CSS class of a run's colour."""
    return f"run{index % COLOURS}"


def _share(value: float) -> str:
    return f"{value:.2f}%"
