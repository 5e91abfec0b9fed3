"""Figures as SVG files of their own: the differences of runs by topic, scores over lambda."""

from collections.abc import Sequence

from ilpsum.evaluation.comparison import Comparison
from ilpsum.evaluation.publishing import run_notes
from ilpsum.pages.charts import Curve, Scale, curves, curves_height
from ilpsum.pages.markup import COLOURS, Markup, colour, join, short, tag

# Sizes in pixels: of a figure, its margins, and the plot of a pair of runs.
_WIDTH, _LEFT, _RIGHT, _TOP = 760, 60, 20, 34
_PLOT, _LABELS = 150, 90
_LETTER = 6.2
# More topics than this have no room for their names.
_MOST_NAMES = 60
_COLOURS = (
    "#1f6feb", "#c2410c", "#15803d", "#7e22ce", "#b91c1c", "#0f766e", "#a16207", "#475569",
)  # fmt: skip
_STYLE = (
    "text { font: 12px sans-serif; fill: #222; } .small { font-size: 10px; } "
    ".title { font-weight: bold; } .grid { stroke: #ddd; } .zero { stroke: #555; } "
    ".steps path { fill: none; stroke-width: 1.5; vector-effect: non-scaling-stroke; } "
    ".steps .grid { vector-effect: non-scaling-stroke; } .mark { transform: translate(-5px); } "
    ".steps text { stroke: white; stroke-width: 3px; paint-order: stroke; } "
)


def differences(compared: Sequence[Comparison]) -> str:
    """Return the differences of each pair of runs by topic, largest first, in each metric.

    With a baseline, it is subtracted from every other run; otherwise the others are subtracted from
    the first run.
    """
    plots: list[Markup] = []
    height = 0
    for comparison in compared:
        for first, second in comparison.differences:
            plot, size = _bars(comparison, first, second, top=height)
            plots.append(plot)
            height += size
    seen = tag("desc", join(*run_notes(compared[0]), between="\n"))
    return _figure(join(seen, *plots), height)


def _bars(
    comparison: Comparison,
    first: str,
    second: str,
    *,
    top: int,
) -> tuple[Markup, int]:
    """Return the bars of a pair of runs and the height that they take."""
    gaps = comparison.gaps(first, second)
    ordered = sorted(gaps, key=lambda topic: (-gaps[topic], topic))
    scale = Scale.of([0.0, *gaps.values()])

    def y(value: float) -> float:
        return round(top + _TOP + _PLOT * (scale.high - value) / (scale.high - scale.low), 1)

    title = f"{first} − {second}, {comparison.name}"
    parts = [tag("text", title, x=_LEFT, y=top + 20, class_="title")]
    for tick in scale.ticks:
        kind = "zero" if abs(tick) < scale.step / 2 else "grid"
        parts.append(tag("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y(tick), y2=y(tick), class_=kind))
        label = short(tick, signed=True)
        parts.append(
            tag("text", label, x=_LEFT - 6, y=y(tick) + 4, text_anchor="end", class_="small")
        )
    named = len(ordered) <= _MOST_NAMES
    step = (_WIDTH - _LEFT - _RIGHT) / len(ordered)
    bottom = top + _TOP + _PLOT
    for i, topic in enumerate(ordered):
        x = round(_LEFT + step * (i + 0.15), 1)
        upper, lower = sorted((y(gaps[topic]), y(0.0)))
        bar = tag("rect", tag("title", f"{topic} {short(gaps[topic], 4, signed=True)}"),
            x=x, y=upper, width=round(step * 0.7, 1), height=round(lower - upper, 1),
            fill=_COLOURS[gaps[topic] < 0])  # fmt: skip
        parts.append(bar)
        if named:
            middle = round(_LEFT + step * (i + 0.5) + 4, 1)
            name = topic if len(topic) * _LETTER <= _LABELS else f"…{topic[-12:]}"
            turn = f"rotate(-90 {middle} {bottom + 8})"
            parts.append(
                tag("text", name, x=middle, y=bottom + 8, text_anchor="end", transform=turn,
                    class_="small")
            )  # fmt: skip
    across = f"topics ({len(ordered)}), by difference"
    below = bottom + (_LABELS if named else 10)
    parts.append(tag("text", across, x=_WIDTH / 2, y=below + 10, text_anchor="middle"))
    return join(*parts), below + 24 - top


def over_lambda(drawn: Sequence[tuple[str, Curve]], score: str) -> str:
    """Return the scores of named configurations over lambda, with labelled axes and a legend.

    `score` names what is drawn, such as `mean recall of ROUGE-2`.
    """
    shown = [curve for _, curve in drawn]
    plot = curves(shown, score)
    height = curves_height(shown) + 14
    inner = tag(
        "svg",
        plot,
        x=20,
        y=10,
        width=_WIDTH - 40,
        height=height,
        overflow="visible",
    )
    parts = [inner]
    for i, (name, curve) in enumerate(drawn):
        y = height + 20 + 18 * i
        parts.append(tag("rect", x=20, y=y - 9, width=10, height=10, class_=colour(curve.index)))
        parts.append(tag("text", name, x=36, y=y))
    return _figure(join(*parts), height + 18 * len(drawn) + 20)


def _figure(content: Markup, height: int) -> str:
    """Return a file with a drawing, its colours, and a white ground."""
    style = _STYLE
    for i, value in enumerate(_COLOURS[:COLOURS]):
        style += f".run{i} {{ stroke: {value}; }} rect.run{i} {{ fill: {value}; }} "
    parts = [tag("style", Markup(style)), tag("rect", width="100%", height="100%", fill="white")]
    drawing = tag(
        "svg",
        *parts,
        content,
        xmlns="http://www.w3.org/2000/svg",
        width=_WIDTH,
        height=height,
        viewBox=f"0 0 {_WIDTH} {height}",
    )
    return f"{drawing}\n"
