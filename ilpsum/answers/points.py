"""What the sentences of an answer say: yes or no (`stance`), and one fact repeated."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from features.answers import asked_for, asks_for_list
from features.patterns import regex
from features.text import Passage, porter
from ilpsum.answers.stance import Stance, YesNo
from ilpsum.answers.studies import Studies, tally
from ilpsum.papers.headings import part_of
from ilpsum.pipeline.coherence.redundancy import same_finding
from ilpsum.pipeline.coherence.statements import LabelledSections
from ilpsum.records import UNPUBLISHED, Document, Publication, Sentence

_ASKS_FOR_ONE = regex(
    r"(?:in\s+)?(?:which|what|who|whom|where|when|how\s+(?:many|much))\b", re.IGNORECASE
)
# Questions with several answers, or whose answer is not a name.
_OPEN = regex(
    r"\b(?:functions?|roles?|mechanisms?|effects?|used\s+for|known\s+about|differences?"
    r"|associations?|links?|relation\w*"
    r"|basis|impact|importance|principles?|consequences?)\b",
    re.IGNORECASE,
)
_SAYS_LITTLE = frozenset(
    map(
        porter,
        "patient treatment disease study cell protein gene effect clinical human result group "
        "associated increase high"
        " level use cause common drug therapy risk include develop occur function case known "
        "novel new report".split(),
    )
)
# Minimum number and share of sentences that name the answer; minimum share of the first sentence's
# question words.
_FEWEST, _MOST_OF, _ABOUT = 3, 0.6, 0.6
_PRINTED = regex(r"[^\W_]+")


def repeating(question: str, sentences: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    """Return the answer as the first sentence writes it, and the indices of the sentences that
    repeat it.

    >>> newts = (
    ...     "Velin is reversed by frostin.", "Frostin, an antidote, reversed velin.",
    ...     "Frostin reverses velin."
    ... )
    >>> repeating("Which drug can reverse velin?", newts), repeating("Does frostin reverse velin?",
    ...     newts)
    (('frostin', (1, 2)), ('', ()))
    """
    asked = asked_for(question)
    one = _ASKS_FOR_ONE.match(question.strip()) and not (
        asks_for_list(question) or _OPEN.search(question)
    )
    if not one or "definition" in asked or len(sentences) < _FEWEST:
        return "", ()
    words, stems = (
        frozenset(Passage(question).stems),
        [dict.fromkeys(Passage(s).content_stems) for s in sentences],
    )
    held = {
        new: {i for i, own in enumerate(stems) if new in own}
        for new in stems[0]
        if new not in words | _SAYS_LITTLE
    }
    most = max(map(len, held.values()), default=0)
    if most < max(_FEWEST, _MOST_OF * len(sentences)):
        return "", ()
    keys = [new for new, places in held.items() if len(places) == most]
    naming = set.intersection(*(held[key] for key in keys))
    about, first = words.intersection(stems[0]), sentences[0]
    near = {i for i in naming - {0} if len(about.intersection(stems[i])) >= _ABOUT * len(about)}
    printed = dict.fromkeys(
        word for word in _PRINTED.findall(first) if porter(word.lower()) in keys
    )
    return " ".join(printed), tuple(
        i for i in sorted(near) if same_finding(first, sentences[i], question)
    )


class Finding(NamedTuple):
    """A sentence of an answer: as printed, its place, and the number, text and publication of its
    source.
    """

    text: str
    sentence: Sentence
    source: int
    whole: str
    publication: Publication = UNPUBLISHED


@dataclass(frozen=True, slots=True)
class Points:
    """What an answer says; sentences are given by index.

    Attributes:
        sides: the sides that sentences take on a yes/no question.
        studies: the number and kinds of the sources on each side.
        fact: the answer to a question for one fact, and the sentences that repeat the first one's.
    """

    sides: Mapping[int, Stance]
    studies: Mapping[Stance, Studies]
    fact: str
    repeats: tuple[int, ...]


def points_of(question: str, findings: Sequence[Finding]) -> Points:
    """Return what the sentences of an answer say; nothing without a question."""
    sides = _sides(question, findings)
    sources = {
        side: {findings[i].source: findings[i].publication for i in sides if sides[i] is side}
        for side in Stance
    }
    studies = (
        {side: tally(sources[side].values()) for side in (Stance.YES, Stance.NO)} if sides else {}
    )
    return Points(sides, studies, *repeating(question, [found.text for found in findings]))


def _sides(question: str, findings: Sequence[Finding]) -> dict[int, Stance]:
    """Return the side of each finding that takes one; sources with findings on both sides are left
    out.
    """
    asked = YesNo.of(question)
    sides: dict[int, Stance] = {}
    for i, found in enumerate(findings if asked else ()):
        label = (
            LabelledSections(Document("", found.whole)).label(found.sentence.start)
            or found.sentence.section
        )
        if asked and part_of(label) not in ("background", "aim", "method"):
            sides[i] = asked.read(
                found.text, title=found.sentence.section == "title", source=found.whole
            )
    said: dict[int, set[Stance]] = {}
    for i, side in sides.items():
        said.setdefault(findings[i].source, set()).add(side)
    return {
        i: side
        for i, side in sides.items()
        if side and not {Stance.YES, Stance.NO} <= said[findings[i].source]
    }
