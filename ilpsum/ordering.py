"""The order of the chosen sentences, and the text they make."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ilpsum.records import Sentence
from ilpsum.systems import Order

# The order of the parts of a structured summary, and of the label that begins each.
FACETS = ("hypothesis", "method", "results", "implication", "discussion")

# The first of these whose cue words a sentence holds is its facet.
_CUES = {
    "implication": "suggest implies imply implicat may might could potential promis therap novel target",
    "hypothesis": "hypothes whether aim unknown unclear propos question determine",
    "results": "show found find identif demonstrat observ report discover result reveal increas decreas reduc",
    "method": "use using perform develop establish generat screen construct analys analyz assay measured method",
}
_PATTERNS = tuple((facet, re.compile(rf"\b({'|'.join(cues.split())})", re.IGNORECASE)) for facet, cues in _CUES.items())
_OF_SECTION = {"introduction": "hypothesis", "methods": "method", "results": "results", "discussion": "discussion"}


def facet_of(sentence: Sentence) -> str:
    """The discourse facet of a sentence: by its section, and where that says nothing by cue words.

    A simple rule, made for the order of a text: the facet classifier of Task 1 is another thing.
    """
    if facet := _OF_SECTION.get(sentence.section):
        return facet
    return next((facet for facet, cues in _PATTERNS if cues.search(sentence.text)), "discussion")


def words_for_labels(order: Order) -> int:
    """Words to keep free for labels."""
    return len(FACETS) if order.labels else 0


def arrange(sentences: Sequence[Sentence], order: Order) -> tuple[Sentence, ...]:
    """The sentences, which come in the order of their documents, in the order of the text; each with its facet."""
    known = [replace(s, facet=s.facet or facet_of(s)) for s in sentences]
    keys: dict[str, Callable[[Sentence], float]] = {
        "document": lambda _: 0.0,
        "score": lambda s: -s.relevance,
        "facet": lambda s: FACETS.index(s.facet) if s.facet in FACETS else len(FACETS),
    }
    return tuple(sorted(known, key=keys[order.by]))


def render(sentences: Sequence[Sentence], order: Order) -> str:
    """The text of a summary: a sentence a line; with labels, a facet's first sentence begins with the facet's name."""
    lines, before = [], ""
    for sentence in sentences:
        label = f"{sentence.facet.capitalize()}: " if order.labels and sentence.facet != before else ""
        before = sentence.facet
        lines.append(label + sentence.text)
    return "\n".join(lines)
