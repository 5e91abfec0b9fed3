"""What the sentences of an answer say: yes or no (`stance`), and one fact repeated."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from features.answers import asked_for, asks_for_list
from features.patterns import regex
from features.text import Passage, porter
from ilpsum.answers.question_words import is_generic
from ilpsum.answers.stance import Stance, YesNo
from ilpsum.answers.weights import in_background
from ilpsum.papers.headings import part_of
from ilpsum.pipeline.coherence.redundancy import same_finding
from ilpsum.pipeline.coherence.statements import LabelledSections
from ilpsum.records import Document, Sentence

# The opening of a question for one fact. Of the sentences that repeat the fact, .806 hold the
# experts' answer (experiments/results/page.md).
_ASKS_FOR_ONE = regex(
    r"(?:in\s+)?(?:which|what|who|whom|where|when|how\s+(?:many|much))\b",
    re.IGNORECASE,
)
# Questions with several answers, or whose answer is not a name.
_OPEN = regex(
    r"\b(?:functions?|roles?|mechanisms?|effects?|used\s+for|known\s+about|differences?"
    r"|associations?|links?|relation\w*"
    r"|basis|impact|importance|principles?|consequences?)\b",
    re.IGNORECASE,
)
# A word that more texts of the background have does not name an answer.
_COMMON = 1200
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
    is_open = asks_for_list(question) or _OPEN.search(question)
    for_one = _ASKS_FOR_ONE.match(question.strip()) and not is_open
    if not for_one or "definition" in asked_for(question) or len(sentences) < _FEWEST:
        return "", ()
    first, stems = sentences[0], [frozenset(Passage(s).content_stems) for s in sentences]
    asked = frozenset(Passage(question).stems)
    naming = dict[str, set[int]]()
    for word in Passage(first).content_words:
        if porter(word) not in asked and not _says_little(word):
            naming[word] = {i for i, of_sentence in enumerate(stems) if porter(word) in of_sentence}
    most = max(map(len, naming.values()), default=0)
    if most < max(_FEWEST, _MOST_OF * len(sentences)):
        return "", ()
    keys = {word for word, places in naming.items() if len(places) == most}
    all_name = set.intersection(*(naming[key] for key in keys))
    about = asked & stems[0]
    printed = dict.fromkeys(w for w in _PRINTED.findall(first) if w.lower() in keys)
    repeats = tuple(
        i
        for i in sorted(all_name - {0})
        if len(about & stems[i]) >= _ABOUT * len(about)
        and same_finding(first, sentences[i], question)
    )
    return " ".join(printed), repeats


def _says_little(word: str) -> bool:
    return is_generic(word) or in_background(word) > _COMMON


class Quotation(NamedTuple):
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
        fact, repeats: the answer to a question for one fact, as in the first sentence, and the
            sentences that repeat it.
    """

    sides: Mapping[int, Stance]
    fact: str
    repeats: tuple[int, ...]


def points_of(question: str, quotations: Sequence[Quotation]) -> Points:
    """Return what the sentences of an answer say; nothing without a question."""
    texts = [quotation.text for quotation in quotations]
    return Points(_sides(question, quotations), *repeating(question, texts))


def _sides(question: str, quotations: Sequence[Quotation]) -> dict[int, Stance]:
    """Return the side of each quotation that takes one; sources on both sides are left out."""
    asked = YesNo.of(question)
    if not asked:
        return {}
    sides = dict[int, Stance]()
    # Finding the labels takes a pass over the text.
    wholes = {quotation.whole for quotation in quotations}
    sections = {whole: LabelledSections(Document("", whole)) for whole in wholes}
    for i, quotation in enumerate(quotations):
        section = quotation.sentence.section
        label = sections[quotation.whole].label(quotation.sentence.start) or section
        if part_of(label) in ("background", "aim", "method"):
            continue
        side = asked.read(
            quotation.text,
            title=section == "title",
            source=quotation.whole,
        )
        if side:
            sides[i] = side
    saying_yes = {quotations[i].source for i, side in sides.items() if side is Stance.YES}
    saying_no = {quotations[i].source for i, side in sides.items() if side is Stance.NO}
    both = saying_yes & saying_no
    return {i: side for i, side in sides.items() if quotations[i].source not in both}
