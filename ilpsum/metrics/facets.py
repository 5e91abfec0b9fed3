"""How well discourse facets fit what the annotators said (TAC 2014, Task 1b), and how far these agree."""

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from typing import Literal

Agreement = Literal["all", "majority", "minority", "tie", "none"]


def facet_score(answer: str, annotators: Sequence[Collection[str]]) -> float:
    """Weighted accuracy of one citance: the share of its annotators who name the answered facet.

    The mean over all citances is the score of Cohan et al.; no answer scores 0, and so does a citance that nobody
    annotated.

    Args:
        answer: a facet, empty for none.
        annotators: the facets that each annotator names: one, or several in CL-SciSumm.
    """
    if not annotators:
        return 0.0
    return sum(answer in facets for facets in annotators) / len(annotators)


def agreement(labels: Sequence[Hashable]) -> Agreement:
    """How far the annotators of one citance agree, by the classes of Cohan et al. (2014).

    `all` name the same; a `majority` of more than half does; a `minority` of half or fewer does, and nobody else as
    many; a `tie` between labels that several name; `none` name the same.

    >>> [agreement(labels) for labels in ("mmmm", "mmmr", "mmrd", "mmrr", "mrdi")]
    ['all', 'majority', 'minority', 'tie', 'none']

    Raises:
        ValueError: no labels.
    """
    if not labels:
        raise ValueError("nobody agrees where nobody labelled")
    (_, most), *others = Counter(labels).most_common()
    if most == len(labels):
        return "all"
    if most == 1:
        return "none"
    if others[0][1] == most:
        return "tie"
    return "majority" if 2 * most > len(labels) else "minority"


def fleiss_kappa(items: Sequence[Sequence[Hashable]]) -> float:
    """Agreement beyond chance of any annotators over items, each labelled by as many (Fleiss 1971, equations 1-7).

    Args:
        items: for each item the labels it was given.

    Returns:
        1 for full agreement, about 0 for chance, down to -1/(labels per item - 1); nan where every label is the same.

    Raises:
        ValueError: no items, or items that are not all labelled by the same number, at least two.
    """
    labels = len(items[0]) if items else 0
    if labels < 2 or any(len(item) != labels for item in items):
        raise ValueError("Fleiss' kappa needs items that are each labelled by as many annotators, at least two")
    counts = [Counter(item) for item in items]
    pairs = labels * (labels - 1)
    observed = sum(n * (n - 1) for count in counts for n in count.values()) / (len(items) * pairs)
    overall = sum(counts, Counter())
    chance = sum((n / (len(items) * labels)) ** 2 for n in overall.values())
    return (observed - chance) / (1 - chance) if len(overall) > 1 else float("nan")
