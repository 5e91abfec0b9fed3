"""Why a sentence was chosen, in words."""

from collections.abc import Mapping, Sequence

from features.concepts import bigrams_of
from features.context import Context
from ilpsum.pipeline import variants
from ilpsum.records import Sentence
from ilpsum.selection import Selection


def reasons(
    found: Sequence[Sentence],
    around: Context,
    selection: Selection,
    weights: Mapping[tuple[str, str], float] | None,
    *,
    stems: bool,
    predicted: bool,
) -> dict[int, str]:
    """For each chosen sentence, why: its rank in relevance, what it alone covers, and its heaviest learned bigrams.

    A shortened form is ranked among the other sentences as they are whole.

    Args:
        found: the n candidates.
        around: their context.
        selection: which of them were chosen.
        weights: the learned weight of each bigram; None where each counts alike.
        stems: whether bigrams are of stems.
        predicted: whether the system predicts relevance at all.
    """
    rows = variants.whole(found)
    covered = {i: frozenset(bigrams_of(around.sentences[i], stems=stems)) for i in selection.chosen}
    told = {}
    for i in selection.chosen:
        others = frozenset().union(*(bigrams for k, bigrams in covered.items() if k != i))
        alone = covered[i] - others
        told[i] = f"covers {len(alone)} bigrams that no other one does"
        if predicted:
            rank = 1 + sum((-found[k].relevance, k) < (-found[i].relevance, i) for k in rows if not _same(found, i, k))
            told[i] = f"{ordinal(rank)} of {len(rows)} in relevance; {told[i]}"
        if weights is not None:
            heaviest = sorted(covered[i] & weights.keys(), key=lambda b: (-weights[b], b))[:3]
            told[i] += "; heaviest: " + ", ".join(f"{' '.join(b)} {weights[b]:.2f}" for b in heaviest)
    return told


def _same(found: Sequence[Sentence], i: int, k: int) -> bool:
    """Whether two candidates are one sentence or forms of it."""
    return (found[i].document, found[i].start, found[i].end) == (found[k].document, found[k].start, found[k].end)


def ordinal(number: int) -> str:
    """A number as a rank.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 21, 102)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '21st', '102nd']
    """
    teens = number // 10 % 10 == 1
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
