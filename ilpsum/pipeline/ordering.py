"""Orders the chosen sentences and renders the text of a summary."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import chain

from ilpsum.pipeline.coherence.anaphora import connective, without_connective
from ilpsum.pipeline.coherence.statements import stands_alone
from ilpsum.pipeline.system import OrderTable
from ilpsum.records import Rules, Sentence
from ilpsum.records.notices import Several, WithoutOpening

# The order of facets in a structured summary; also their labels.
FACETS = ("hypothesis", "method", "results", "implication", "discussion")

# Cue words; the first facet with a match is used.
_CUES = {
    "implication": "suggest implies imply implicat may might could potential promis therap novel target",
    "hypothesis": "hypothes whether aim unknown unclear propos question determine",
    "results": "show found find identif demonstrat observ report discover result reveal increas decreas reduc",
    "method": "use using perform develop establish generat screen construct analys analyz assay measured method",
}
_PATTERNS = tuple((facet, re.compile(rf"\b({'|'.join(cues.split())})", re.IGNORECASE)) for facet, cues in _CUES.items())
_OF_SECTION = {"introduction": "hypothesis", "methods": "method", "results": "results", "discussion": "discussion"}

# Factor on the score of a sentence that cannot stand alone when choosing the opening of an answer.
_HANGS = 0.5


def facet_of(sentence: Sentence) -> str:
    """Return the discourse facet of a sentence from its section, else from cue words.

    A fallback for sentences without a linked citance (`ilpsum.task1.linker`).
    """
    if facet := _OF_SECTION.get(sentence.section):
        return facet
    return next((facet for facet, cues in _PATTERNS if cues.search(sentence.text)), "discussion")


def labels_of(order: OrderTable) -> tuple[str, ...]:
    """Return the one-word labels that may be printed before sentences."""
    return tuple(f"{facet.capitalize()}: " for facet in FACETS) if order.labels else ()


def arrange(
    sentences: Sequence[Sentence], order: OrderTable, *, joined: Collection[int] = (), cut: Collection[int] = ()
) -> tuple[Sentence, ...]:
    """Return the chosen sentences, given in document order, in the order of the text, each with its facet.

    Sentences with indices in `joined` stay directly after their predecessor; those in `cut` have lost a connective.
    """
    blocks: list[list[Sentence]] = []
    for i, sentence in enumerate(sentences):
        if i not in joined or not blocks:
            blocks.append([])
        blocks[-1].append(replace(sentence, facet=sentence.facet or facet_of(sentence)))
    if order.by == "answer":
        blocks = _answer(blocks, {sentences[i].place for i in cut})
    else:
        keys: dict[str, Callable[[Sentence], float]] = {
            "document": lambda _: 0.0,
            "score": lambda s: -s.relevance,
            "facet": lambda s: FACETS.index(s.facet) if s.facet in FACETS else len(FACETS),
        }
        blocks.sort(key=lambda block: keys[order.by](block[0]))
    return tuple(sentence for block in blocks for sentence in block)


def arrange_chosen(
    chosen: Sequence[int], sentences: Sequence[Sentence], rules: Rules, order: OrderTable
) -> tuple[Sentence, ...]:
    """Return the chosen sentences in the order of the text; `chosen` has their ascending indices among the candidates.

    A sentence follows its antecedent if that is chosen, and otherwise loses its opening connective.
    """
    antecedents = rules.antecedents
    joined = [place for place, i in enumerate(chosen) if antecedents.get(i) in chosen]
    alone = [place for place, i in enumerate(chosen) if i in antecedents and place not in joined]
    parts = [_without_connective(s) if place in alone else s for place, s in enumerate(sentences)]
    return arrange(parts, order, joined=joined, cut=[i for i in alone if parts[i].text != sentences[i].text])


def _without_connective(sentence: Sentence) -> Sentence:
    """Return a chosen sentence as it reads without its antecedent."""
    text = without_connective(sentence.text)
    opening = connective(sentence.text).strip(", ")
    why = Several.of(sentence.why, WithoutOpening(opening))
    return replace(sentence, text=text, words=len(text.split()), why=why)


def _answer(blocks: Sequence[list[Sentence]], cut: Collection[tuple[str, int, int]]) -> list[list[Sentence]]:
    """Order blocks: the sentence that answers first, then document by document, by decreasing relevance.

    The first is the most relevant sentence that can open a text, or of all if none can; a sentence that lost its
    connective (`cut`) is the last choice. If the probability that a sentence contains the answer is predicted
    (`ilpsum.answers.steps`), the first has the largest product of probability and relevance, halved if it cannot
    stand alone. Other sentences keep their order within a document, which introduces abbreviations and referents.
    """
    if not blocks:
        return []

    def opens(block: list[Sentence]) -> tuple[bool, bool, float]:
        s = block[0]
        whole, alone = s.place not in cut, stands_alone(s)
        if s.holds_answer is None:
            return whole, alone, s.relevance
        return whole, True, s.relevance * s.holds_answer * (1.0 if alone else _HANGS)

    first = max(blocks, key=opens)
    rest = [block for block in blocks if block is not first]
    best: dict[str, float] = {}
    for sentence in chain.from_iterable(rest):
        best[sentence.document] = max(sentence.relevance, best.get(sentence.document, 0.0))
    return [first, *sorted(rest, key=lambda block: -max(best[s.document] for s in block))]


def render(sentences: Sequence[Sentence], order: OrderTable) -> str:
    """Return the text of a summary, one sentence per line; with labels, each facet begins with its name."""
    lines, previous = [], ""
    for sentence in sentences:
        label = f"{sentence.facet.capitalize()}: " if order.labels and sentence.facet != previous else ""
        previous = sentence.facet
        lines.append(label + sentence.text)
    return "\n".join(lines)
