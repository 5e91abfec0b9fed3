"""Sortable tables, and what their cells hold: numbers and names of runs."""

import math
from collections.abc import Sequence

from ilpsum.pages.markup import Markup, join, tag

COLOURS = 8
"""Number of run colours in the style sheet; further runs reuse them."""


def table(caption: str, head: Sequence[Markup], rows: Sequence[Sequence[object]], **more: str) -> Markup:
    """Return a table with a caption; the first cell of each row is its header, the others are as `cell` returns them.

    The page's script makes columns sortable by `data-value`, or by text if there is none.
    """
    body = [tag("tr", tag("th", row[0], scope="row"), *row[1:]) for row in rows]
    inner = tag("table", tag("caption", caption), tag("thead", tag("tr", *head)), tag("tbody", *body), **more)
    # Focusable, so that the keyboard can scroll it sideways on a small screen.
    return tag("div", inner, class_="scroll", role="region", aria_label=caption, tabindex="0")


def head(*name: object, **more: str | None) -> Markup:
    """Return the head of a column."""
    return tag("th", *name, scope="col", **more)


def cell(value: float, shown: str, class_: str = "") -> Markup:
    """Return a cell with a number as shown, which sorts by its value."""
    return tag("td", shown, data_value=round(value, 6), class_=f"number {class_}".strip())


def number(value: float, digits: int = 4) -> str:
    """Format a number with a minus sign (U+2212); non-finite values become a dash."""
    return f"{value:.{digits}f}".replace("-", "−") if math.isfinite(value) else "–"


def short(value: float, digits: int = 3, *, signed: bool = False) -> str:
    """Format a score without the zero before its point.

    >>> short(0.0123), short(-0.0123, signed=True), short(0.5, signed=True)
    ('.012', '−.012', '+.500')
    """
    shown = number(value, digits)
    return f"{'+' if signed and value > 0 else ''}{shown.replace('0.', '.', 1) if abs(value) < 1 else shown}"


def run_name(name: str, index: int) -> Markup:
    """Return a run's name with its colour."""
    return join(tag("span", class_=f"key {colour(index)}", aria_hidden="true"), tag("bdi", name))


def colour(index: int) -> str:
    """Return the CSS class of a run's colour."""
    return f"run{index % COLOURS}"
