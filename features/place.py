"""Where a sentence stands in a paper: its section, its position there, and whether it cites the paper from outside."""

import numpy as np

from features.context import Context, Floats

SECTIONS = ("abstract", "introduction", "methods", "results", "discussion")


def section(context: Context) -> Floats:
    """(n, 5) indicators of `SECTIONS`, in that order; a conclusion counts as discussion."""
    kinds = ["discussion" if kind == "conclusion" else kind for kind in context.section]
    return np.array([[kind == name for name in SECTIONS] for kind in kinds], dtype=np.float64).reshape(-1, len(SECTIONS))


def position_in_section(context: Context) -> Floats:
    """(n,) position among the sentences of the same document and section kind: 0 for the first, 1 for the last."""
    groups: dict[tuple[int, str], list[int]] = {}
    for i, key in enumerate(zip(context.document.tolist(), context.section, strict=True)):
        groups.setdefault(key, []).append(i)
    result = np.zeros(len(context))
    for members in groups.values():
        result[members] = np.linspace(0.0, 1.0, len(members)) if len(members) > 1 else 0.0
    return result


def is_citance(context: Context) -> Floats:
    """(n,) 1 where the sentence is a citance of the paper, else 0."""
    return context.is_citance
