"""Small charts in SVG. Lengths are percentages of the width, so that text keeps its size on every screen."""

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


def colour(index: int) -> str:
    """Return the CSS class of a run's colour."""
    return f"run{index % COLOURS}"


def _share(value: float) -> str:
    return f"{value:.2f}%"
