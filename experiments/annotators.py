"""Agreement between annotators."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Literal

Agreement = Literal["all", "majority", "minority", "tie", "none"]


def agreement(labels: Sequence[Hashable]) -> Agreement:
    """Classify the agreement of one citance's annotators as in Cohan et al. (2014).

    `all`: all labels are equal. `majority`: more than half are. `minority`: the most frequent label has half of the
    votes or fewer. `tie`: several labels are equally frequent, with more than one vote. `none`: all labels differ.

    >>> [agreement(labels) for labels in ("mmmm", "mmmr", "mmrd", "mmrr", "mrdi")]
    ['all', 'majority', 'minority', 'tie', 'none']

    Raises:
        ValueError: no labels.
    """
    if not labels:
        raise ValueError("expected at least one label")
    (_, most), *others = Counter(labels).most_common()
    if most == len(labels):
        return "all"
    if most == 1:
        return "none"
    if others[0][1] == most:
        return "tie"
    return "majority" if 2 * most > len(labels) else "minority"


def fleiss_kappa(items: Sequence[Sequence[Hashable]]) -> float:
    """Return the agreement beyond chance over items with equal numbers of labels (Fleiss 1971, equations 1-7).

    Args:
        items: the labels of each item.

    Returns:
        1 for full agreement, about 0 for chance, down to -1/(labels per item - 1); nan if all labels are equal.

    Raises:
        ValueError: there are no items, items differ in their number of labels, or they have fewer than two.
    """
    labels = len(items[0]) if items else 0
    if labels < 2 or any(len(item) != labels for item in items):
        raise ValueError("Fleiss' kappa needs items with equal numbers of labels, at least two")
    counts = [Counter(item) for item in items]
    pairs = labels * (labels - 1)
    observed = sum(n * (n - 1) for count in counts for n in count.values()) / (len(items) * pairs)
    overall = sum(counts, Counter())
    chance = sum((n / (len(items) * labels)) ** 2 for n in overall.values())
    return (observed - chance) / (1 - chance) if len(overall) > 1 else float("nan")
