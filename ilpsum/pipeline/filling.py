"""Fill the words that rules of coherence leave unused."""

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from ilpsum.pipeline import ordering
from ilpsum.pipeline.coherence import constraints
from ilpsum.pipeline.prepared import Prepared
from ilpsum.selection import Selection

if TYPE_CHECKING:
    from ilpsum.pipeline.summarizer import Summarizer

FULL = 0.9
"""A text that uses this share of its words is full: no rule yields for the rest."""


def fill(summarizer: "Summarizer", prepared: Prepared, selection: Selection, words: int) -> tuple[Prepared, Selection]:
    """Fill the words that rules of coherence left unused, if many: those of `yields` yield one after the other.

    Where words have a price, and without the ILP, they yield only if nothing was chosen. What was chosen stays.
    Returns the candidates with the constraints under which the last selection is optimal.
    """
    rules, options = summarizer.system.coherence, summarizer.system.selection
    limit = words - ordering.words_for_labels(summarizer.system.order)
    filled = dict.fromkeys(selection.chosen, "")
    is_priced = bool(summarizer.word_cost) or summarizer.maximises_f1
    full = FULL * limit if options.method == "ilp" and not is_priced else 1
    for rule in rules.yields:
        rules = msgspec.structs.replace(rules, **{rule: False})
        if sum(prepared.sentences[i].words for i in filled) >= full:
            break
        labels = ordering.labels_of(summarizer.system.order)
        weaker = constraints(prepared.topic, prepared.sentences, rules, summarizer.format_limits, labels)
        prepared = replace(prepared, constraints=weaker.keeping(filled, rule, prepared.constraints))
        selection = _after(selection, summarizer.select(prepared, words))
        filled = dict.fromkeys(selection.chosen, rule) | filled
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
