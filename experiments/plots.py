"""Plots of the experiments, as SVG without a date, so equal numbers give equal files."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

MARKERS = "osD^v*Pxd<>h"


def panels(count: int) -> tuple[Figure, list[Axes]]:
    """Return a figure of panels side by side, with a common y axis."""
    mpl.rcParams["svg.hashsalt"] = "ilpsum"
    figure = Figure(figsize=(2 + 4 * count, 4.5), layout="constrained")
    grid = figure.subplots(1, count, sharey=True, squeeze=False)
    return figure, list(grid[0])


def save(figure: Figure, path: Path) -> None:
    """Write a figure, in the format of the path's suffix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    metadata = {"Date": None} if path.suffix == ".svg" else {"Software": None}
    figure.savefig(path, metadata=metadata)


def curves(
    path: Path,
    x: Sequence[float],
    series: Mapping[str, Mapping[str, Sequence[float]]],
    xlabel: str,
    ylabel: str,
) -> None:
    """Plot lines over x: a panel for each title, and in it a line for each name."""
    figure, grid = panels(len(series))
    for axes, (title, lines) in zip(grid, series.items(), strict=True):
        for marker, (name, values) in zip(MARKERS, lines.items(), strict=False):
            axes.plot(x, values, marker=marker, label=name)
        axes.set(title=title, xlabel=xlabel, xticks=list(x))
        axes.grid(alpha=0.3)
        axes.legend()
    grid[0].set_ylabel(ylabel)
    save(figure, path)
