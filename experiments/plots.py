"""Plots of the experiments, as SVG without a date, so equal numbers give equal files."""

from collections.abc import Mapping, Sequence
from pathlib import Path


def curves(
    path: Path, x: Sequence[float], series: Mapping[str, Sequence[float]], xlabel: str, ylabel: str
) -> None:
    """Plot a line for each series over x."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "ilpsum"
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot()
    for marker, (name, values) in zip("osD^v*Pxd<>h", series.items(), strict=False):
        axes.plot(x, values, marker=marker, label=name)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.set_xticks(list(x))
    axes.grid(alpha=0.3)
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
