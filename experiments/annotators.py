"""Agreement of the annotators of TAC 2014 Task 1: classes of spans and facets, Fleiss' kappa."""

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import Literal

from ilpsum.metrics.spans import union
from ilpsum.records import Span

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


def marked(spans: Sequence[Span]) -> frozenset[int]:
    """Return the characters of spans."""
    return frozenset(i for span in union(spans) for i in range(span.start, span.end))


def overlap_class(marks: Sequence[frozenset[int]]) -> tuple[str, list[float]]:
    """Return the class of a citance in Table 1 of Cohan et al. (2014), and its overlaps.

    The class is the largest number of annotators whose marks share a character: all four, a
    majority of three, or a minority of two. A combination is a group of that many annotators that
    share one. Agreement is full if the marks of each combination are equal, else partial.

    Args:
        marks: the characters that each of four annotators marked.

    Returns:
        The class, and |intersection| / |union| of each combination.

    >>> overlap_class([frozenset({1, 2}), frozenset({2, 3}), frozenset({9}), frozenset({8})])
    ('partial, minority, 1 combination', [0.3333333333333333])
    """
    for size, name in ((4, "all"), (3, "majority"), (2, "minority")):
        overlaps = []
        for combination in combinations(marks, size):
            common = frozenset.intersection(*combination)
            if common:
                overlaps.append(len(common) / len(frozenset.union(*combination)))
        if not overlaps:
            continue
        if min(overlaps) == 1.0:
            return f"full, {name}", overlaps
        if size == 4:
            return "partial, all", overlaps
        plural = "s" if len(overlaps) > 1 else ""
        return f"partial, {name}, {len(overlaps)} combination{plural}", overlaps
    return "no overlap", []
