"""Further output of a sweep: the best system as a file, and the plot over lambda."""

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ilpsum.errors import UsageError
from ilpsum.evaluation.sweeps.results import Result, mean_objective, score_steps, table
from ilpsum.files.atomic import write_file

_MOST_CURVES = 8


def system_toml(result: Result, model: str = "") -> str:
    """Return the system file of a result, for `ilpsum summarize --system`, with the best lambda and the model."""
    builtins = msgspec.to_builtins(result.configuration.system)
    system: dict[str, Any] = {key: value for key, value in builtins.items() if key != "name"}
    if result.lambda_ is not None:
        system["selection"] = {**system["selection"], "lambda": result.lambda_}
    if model and result.configuration.system.relevance:
        system["model"] = str(Path(model).resolve()) if Path(model).suffix else model
    head = f"# Run {result.run} of a sweep: {result.configuration.words} words, score {result.score:.6f}.\n"
    return head + _toml(system)


def _toml(values: Mapping[str, Any], prefix: str = "") -> str:
    """Serialise a table, then its subtables; omits tables and keys that are None."""
    # Strings, numbers and lists of them look the same in JSON and TOML.
    plain = {k: v for k, v in values.items() if v is not None and not isinstance(v, Mapping)}
    lines = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in plain.items())
    tables = {prefix + key: value for key, value in values.items() if isinstance(value, Mapping)}
    return lines + "".join(f"\n[{name}]\n{_toml(table, f'{name}.')}" for name, table in tables.items())


def plot(path: Path, results: Sequence[Result]) -> int:
    """Plot the mean objective, the mean score and the breakpoints of exact paths over lambda, as SVG without a date.

    Draws at most eight results, the best; returns their number. `UsageError` if matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError("matplotlib is not installed: pip install 'ilpsum[plots]'") from None
    # Select the best by score, but draw them in row order, so that colours follow the rows.
    ranked = sorted(range(len(results)), key=lambda i: (-results[i].score, i))[:_MOST_CURVES]
    with mpl.rc_context({"svg.hashsalt": "ilpsum", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 7), layout="constrained")
        top, middle, low = figure.subplots(3, 1, sharex=True, height_ratios=(3, 3, 1))
        labels = _labels(results)
        grid = [i / 200 for i in range(201)]
        for place, i in enumerate(sorted(ranked)):
            own, colour = results[i].paths, f"C{place}"
            top.plot(grid, [mean_objective(own, x) for x in grid], color=colour, label=labels[i])
            steps = score_steps(own, results[i].measure)
            middle.stairs([s.score for s in steps], [0.0, *(s.end for s in steps)], baseline=None, color=colour)
            middle.plot([results[i].lambda_], [results[i].score], "o", color=colour)
            breakpoints = sorted({s.start for path in own for s in path.intervals[1:]})
            low.plot(breakpoints, [place] * len(breakpoints), "|", color=colour, markersize=8)
        top.set_ylabel("mean objective")
        middle.set_ylabel(f"mean {results[0].measure} of {', '.join(results[0].scores)}", fontsize=8)
        low.set_ylabel("breakpoints")
        low.set_yticks([])
        low.set_ylim(-0.5, len(ranked) - 0.5)
        low.set_xlabel("lambda")
        low.set_xlim(0.0, 1.0)
        for axes in (top, middle, low):
            axes.grid(alpha=0.3)
        top.legend(fontsize=8)
        drawing = io.StringIO()
        figure.savefig(drawing, format="svg", metadata={"Date": None})
    write_file(path, drawing.getvalue().encode())
    return len(ranked)


def _labels(results: Sequence[Result]) -> list[str]:
    """Return legend labels from the parameters that differ, except lambda, the x-axis."""
    head, *rows = table(results)
    columns = [i for i, name in enumerate(head[: head.index("score")]) if name != "lambda"]
    # A dollar sign would start a formula in matplotlib.
    return [", ".join(f"{head[i]} {row[i]}" for i in columns).replace("$", r"\$") for row in rows]
