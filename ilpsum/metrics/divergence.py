"""Jensen-Shannon divergence between the words of a text and of its source, a score without references."""

import numpy as np

from ilpsum.metrics.numbering import numbered, stems

DELTA = 0.0005


def jensen_shannon(text: str, source: str, *, stem: bool = False) -> float:
    """Return the Jensen-Shannon divergence between the word distributions of a text and its source, in [0,1].

    Lower is better: 0 for equal distributions. As in SIMetrix (Louis and Nenkova 2013, Automatically assessing machine
    summary content without a gold standard, Computational Linguistics 39(2)), the probability of a word with C
    occurrences among N words is (C + .0005) / (N + .0005 * 1.5 V) where V is the number of distinct words in the
    source. Words are ROUGE tokens without stop word removal, stemmed if `stem`; the logarithm has base 2. If one side
    has no words, the divergence is 1.

    >>> f"{jensen_shannon('moss grows', 'moss grows on walls'):.4f}"
    '0.3084'
    >>> jensen_shannon('moss grows', 'grows moss')
    0.0
    """
    words = numbered([source, text], stems() if stem else None)
    first = words.bounds[1]
    known, places = np.unique(words.numbers, return_inverse=True)
    sides = [np.bincount(side, minlength=len(known)) for side in (places[:first], places[first:])]
    if not all(side.any() for side in sides):
        return 1.0
    outcomes = 1.5 * np.count_nonzero(sides[0])
    p, q = ((side + DELTA) / (side.sum() + DELTA * outcomes) for side in sides)
    middle = (p + q) / 2
    divergence = (np.sum(p * np.log2(p / middle)) + np.sum(q * np.log2(q / middle))) / 2
    return float(min(max(divergence, 0.0), 1.0))
