"""The order of the chosen sentences, and the text of a summary."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import lru_cache

from features.sentences import is_whole
from features.text import Passage
from ilpsum.pipeline.coherence.anaphora import connective, without_connective
from ilpsum.pipeline.coherence.statements import is_statement
from ilpsum.pipeline.system import OrderTable
from ilpsum.records import Rules, Sentence
from ilpsum.selection import cosine

# The order of facets in a structured summary; also their labels.
FACETS = ("hypothesis", "method", "results", "implication", "discussion")

# A sentence has the first facet of which it contains a cue word.
_CUES = {
    "implication": "suggest implies imply implicat may might could potential promis therap novel target",
    "hypothesis": "hypothes whether aim unknown unclear propos question determine",
    "results": "show found find identif demonstrat observ report discover result reveal increas decreas reduc",
    "method": "use using perform develop establish generat screen construct analys analyz assay measured method",
}
_PATTERNS = tuple((facet, re.compile(rf"\b({'|'.join(cues.split())})", re.IGNORECASE)) for facet, cues in _CUES.items())
_OF_SECTION = {"introduction": "hypothesis", "methods": "method", "results": "results", "discussion": "discussion"}


def facet_of(sentence: Sentence) -> str:
    """Return the discourse facet of a sentence by its section, otherwise by cue words.

    A simple rule for sentences that no citance is linked to (`ilpsum.citances.labels`).
    """
    if facet := _OF_SECTION.get(sentence.section):
        return facet
    return next((facet for facet, cues in _PATTERNS if cues.search(sentence.text)), "discussion")


def labels_of(order: OrderTable) -> tuple[str, ...]:
    """Return the labels that a text may have, as printed before a sentence."""
    return tuple(f"{facet.capitalize()}: " for facet in FACETS) if order.labels else ()


def words_for_labels(order: OrderTable) -> int:
    """Return the number of words to reserve for labels."""
    return len(labels_of(order))


def arrange(sentences: Sequence[Sentence], order: OrderTable, *, joined: Collection[int] = ()) -> tuple[Sentence, ...]:
    """Return the chosen sentences, given in the order of their documents, in that of the text, each with its facet.

    Sentences whose indices are in `joined` stay directly after the one before them.
    """
    blocks: list[list[Sentence]] = []
    for i, sentence in enumerate(sentences):
        if i not in joined or not blocks:
            blocks.append([])
        blocks[-1].append(replace(sentence, facet=sentence.facet or facet_of(sentence)))
    if order.by == "chain":
        blocks = _chain(blocks)
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
    """Return the chosen sentences in the order of the text, given their ascending indices among the candidates.

    A sentence whose antecedent is chosen follows it; one that opens with a connective loses it where it is not.
    """
    antecedents = rules.antecedents
    joined = [place for place, i in enumerate(chosen) if antecedents.get(i) in chosen]
    pairs = enumerate(zip(chosen, sentences, strict=True))
    parts = [_without_connective(s) if i in antecedents and place not in joined else s for place, (i, s) in pairs]
    return arrange(parts, order, joined=joined)


def _without_connective(sentence: Sentence) -> Sentence:
    """Return a chosen sentence as it reads without its antecedent."""
    text = without_connective(sentence.text)
    opening = connective(sentence.text).strip(", ")
    why = f"{sentence.why}; printed without its {opening!r}, which needs the sentence before it"
    return replace(sentence, text=text, words=len(text.split()), why=why)


def _chain(blocks: Sequence[list[Sentence]]) -> list[list[Sentence]]:
    """Order blocks: the most relevant first, then always the most similar to its predecessor.

    The first opens the text, so it begins with a whole sentence that states something, if any does.
    """
    if not blocks:
        return []
    bags = [frozenset().union(*(_stems(s.text) for s in block)) for block in blocks]
    remaining = list(range(len(blocks)))
    order = [max(remaining, key=lambda i: (_opens(blocks[i][0]), max(s.relevance for s in blocks[i]), -i))]
    while len(order) < len(blocks):
        remaining.remove(order[-1])
        order.append(max(remaining, key=lambda i: (cosine(bags[order[-1]], bags[i]), -i)))
    return [blocks[i] for i in order]


@lru_cache(1024)
def _stems(text: str) -> frozenset[str]:
    """The content stems of a sentence, which is arranged again and again in a path of selections."""
    return frozenset(Passage(text).content_stems)


def _opens(sentence: Sentence) -> bool:
    return sentence.section != "title" and is_statement(sentence) and is_whole(sentence.text)


def render(sentences: Sequence[Sentence], order: OrderTable) -> str:
    """Return the text of a summary, one sentence a line; with labels, each facet begins with its name."""
    lines, previous = [], ""
    for sentence in sentences:
        label = f"{sentence.facet.capitalize()}: " if order.labels and sentence.facet != previous else ""
        previous = sentence.facet
        lines.append(label + sentence.text)
    return "\n".join(lines)
