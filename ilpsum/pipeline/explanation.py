"""Why each sentence was chosen, in words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from features.concepts import bigrams_of
from ilpsum.pipeline import variants
from ilpsum.records import Sentence
from ilpsum.selection import Selection

if TYPE_CHECKING:
    from ilpsum.pipeline.summarizer import Prepared


def reasons(prepared: "Prepared", selection: Selection, *, stems: bool, predicted: bool) -> dict[int, str]:
    """Return the reason for each chosen sentence: rank in relevance, bigrams it alone covers, heaviest bigrams.

    A variant is ranked among the other sentences in full.

    Args:
        prepared: the candidates.
        selection: the chosen ones.
        stems: whether bigrams are of stems.
        predicted: whether the system predicts relevance.
    """
    found, weights = prepared.sentences, prepared.weights
    rows = variants.whole(found)
    covered = {i: frozenset(bigrams_of(prepared.context.sentences[i], stems=stems)) for i in selection.chosen}
    result = {}
    for i in selection.chosen:
        others = frozenset().union(*(bigrams for k, bigrams in covered.items() if k != i))
        parts = [f"covers {len(covered[i] - others)} bigrams that no other chosen sentence covers"]
        if predicted:
            better = ((-found[k].relevance, k) < (-found[i].relevance, i) for k in rows if not _same(found, i, k))
            parts.insert(0, f"{ordinal(1 + sum(better))} of {len(rows)} in relevance")
        if weights is not None:
            heaviest = sorted(covered[i] & weights.keys(), key=lambda b: (-weights[b], b))[:3]
            parts.append("heaviest: " + ", ".join(f"{' '.join(b)} {weights[b]:.2f}" for b in heaviest))
        result[i] = "; ".join(parts)
    return result


def _same(found: Sequence[Sentence], i: int, k: int) -> bool:
    """Whether two candidates are variants of one sentence."""
    return (found[i].document, found[i].start, found[i].end) == (found[k].document, found[k].start, found[k].end)


def ordinal(number: int) -> str:
    """Return a number as a rank.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 21, 102)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '21st', '102nd']
    """
    teens = number // 10 % 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
