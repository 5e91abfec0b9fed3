"""Fill the words that rules of coherence leave unused."""

from collections.abc import Callable
from dataclasses import replace

import msgspec

from ilpsum.pipeline.coherence.rules import Stage
from ilpsum.pipeline.prepared import Prepared
from ilpsum.pipeline.system import CoherenceTable
from ilpsum.selection import Selection

FULL = 0.9
"""A text that uses this share of its words is full: no rule is relaxed for the rest."""


def fill(
    prepared: Prepared,
    selection: Selection,
    table: CoherenceTable,
    full: float,
    select: Callable[[Prepared], Selection],
    stage_of: Callable[[CoherenceTable], Stage],
) -> tuple[Prepared, Selection]:
    """Fill the words that rules of coherence left unused: relax those of `relax`, one after the other.

    What was chosen stays. Returns the candidates, with a further stage for each rule that was relaxed, and the last
    selection, which is optimal under the last stage. From `full` words on no rule is relaxed; `stage_of` says what
    rules demand of the candidates.
    """
    added = dict.fromkeys(selection.chosen, "")
    for rule in table.relax:
        table = msgspec.structs.replace(table, **{rule: False})
        if sum(prepared.sentences[i].words for i in added) >= full:
            break
        stage = stage_of(table).after(added, rule)
        prepared = replace(prepared, stages=(*prepared.stages, stage))
        selection = _after(selection, select(prepared))
        added = dict.fromkeys(selection.chosen, rule) | added
    return prepared, selection


def _after(first: Selection, second: Selection) -> Selection:
    """Return the second of two selections, with the effort and the warnings of both."""
    return replace(
        second,
        nodes=first.nodes + second.nodes,
        seconds_build=first.seconds_build + second.seconds_build,
        seconds_solve=first.seconds_solve + second.seconds_solve,
        warnings=tuple(dict.fromkeys((*first.warnings, *second.warnings))),
    )
