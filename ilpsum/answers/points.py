"""What the sentences of an answer say: yes or no, the names in a list, one fact repeated (`stance`, `items`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from features.answers import asks_for_list
from ilpsum.answers.items import Item, items_of, repeating
from ilpsum.answers.stance import Stance, YesNo
from ilpsum.formats.papers.labels import part_of
from ilpsum.pipeline.coherence.statements import LabelledSections
from ilpsum.records import Document, Sentence


class Finding(NamedTuple):
    """A sentence of an answer: as printed, its place, and the number and text of its source."""

    text: str
    sentence: Sentence
    source: int
    whole: str


@dataclass(frozen=True, slots=True)
class Points:
    """What an answer says; sentences are given by index.

    Attributes:
        sides: the sides that sentences take on a yes/no question.
        items: names that answer a list question; none if sentences take sides.
        fact: the answer to a question for one fact, and the sentences that repeat the first one's.
    """

    sides: Mapping[int, Stance]
    items: tuple[Item, ...]
    fact: str
    repeats: tuple[int, ...]


def points_of(question: str, findings: Sequence[Finding]) -> Points:
    """Return what the sentences of an answer say; nothing without a question."""
    sides = _sides(question, findings)
    is_list = asks_for_list(question) and not sides
    items = items_of(question, [(found.text, found.source) for found in findings]) if is_list else ()
    return Points(sides, items, *repeating(question, [found.text for found in findings]))


def _sides(question: str, findings: Sequence[Finding]) -> dict[int, Stance]:
    """Return the side of each finding that takes one; sources with findings on both sides are left out."""
    asked = YesNo.of(question)
    sides: dict[int, Stance] = {}
    for i, (text, sentence, _, whole) in enumerate(findings if asked else ()):
        label = LabelledSections(Document("", whole)).label(sentence.start) or sentence.section
        if asked and part_of(label) not in ("background", "aim", "method"):
            sides[i] = asked.read(text, title=sentence.section == "title", source=whole)
    said: dict[int, set[Stance]] = {}
    for i, side in sides.items():
        said.setdefault(findings[i].source, set()).add(side)
    return {i: side for i, side in sides.items() if side and not {Stance.YES, Stance.NO} <= said[findings[i].source]}
