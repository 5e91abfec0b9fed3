"""Explanations of why each sentence was chosen."""

from typing import TYPE_CHECKING

from features.concepts import ConceptKind, concepts_of
from ilpsum.pipeline import variants
from ilpsum.selection import Selection

if TYPE_CHECKING:
    from ilpsum.pipeline.summarizer import Prepared


def reasons(prepared: "Prepared", selection: Selection, *, kind: ConceptKind, predicted: bool) -> dict[int, str]:
    """Return the reason for each chosen sentence: bigrams it alone covers, heaviest bigrams of words or of stems.

    If relevance is predicted, its rank comes first; a variant is ranked among the other sentences in full.
    """
    sentences, weights = prepared.sentences, prepared.weights
    rows = variants.whole(sentences)
    # Equal for the variants of one sentence.
    places = [(s.document, s.start, s.end) for s in sentences]
    covered = {i: frozenset(concepts_of(prepared.context.sentences[i], kind)) for i in selection.chosen}
    explanations = {}
    for i in selection.chosen:
        others = frozenset().union(*(bigrams for k, bigrams in covered.items() if k != i))
        parts = [f"covers {len(covered[i] - others)} bigrams that no other chosen sentence covers"]
        if predicted:
            own = (-sentences[i].relevance, i)
            better = ((-sentences[k].relevance, k) < own for k in rows if places[k] != places[i])
            parts.insert(0, f"{ordinal(1 + sum(better))} of {len(rows)} in relevance")
        if weights is not None:
            heaviest = sorted(covered[i] & weights.keys(), key=lambda b: (-weights[b], b))[:3]
            parts.append("heaviest: " + ", ".join(f"{' '.join(b)} {weights[b]:.2f}" for b in heaviest))
        explanations[i] = "; ".join(parts)
    return explanations


def ordinal(number: int) -> str:
    """Return a number as a rank.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 21, 102)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '21st', '102nd']
    """
    teens = number // 10 % 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
