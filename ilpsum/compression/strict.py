"""Rules 2, 3, 6 and 7 as published (Lin and Wilbur 2007), without the exceptions of `ilpsum.compression.rules`.

The exceptions keep what a reader would miss: "no" among determiners, the gerund that begins a title, a subject or a
progressive, the second of two conjuncts that a verb or "between" needs, an adjective between nouns. The paper has none
of them. Rules 1, 4 and 5 follow the paper either way.
"""

from collections.abc import Callable

from ilpsum.compression import rules
from ilpsum.compression.rules import WordCut, introduced
from ilpsum.compression.syntax import NOUNS, Node, head_verb, walk

_ADJECTIVES = frozenset({"JJ", "JJR", "JJS", "ADJP"})


def determiners(root: Node) -> list[WordCut]:
    """Rule 2: cut every determiner (DT).

    Example:
        No effect of the gene -> Effect of gene
    """
    return [node.positions for node, _ in walk(root) if node.is_leaf and node.label == "DT"]


def gerund_phrases(root: Node) -> list[WordCut]:
    """Rule 3: cut every verb phrase headed by a VBG, with the preposition that introduces it.

    Example:
        by eating moss, toads are growing -> toads are
    """
    cuts: list[WordCut] = []
    done: set[int] = set()
    for node, above in walk(root):
        head = head_verb(node) if node.label == "VP" else None
        if head is None or head.label != "VBG" or done.issuperset(node.positions):
            continue
        target, _ = introduced(node, above)
        done.update(target.positions)
        cuts.append(target.positions)
    return cuts


def conjoined_noun_phrases(root: Node) -> list[WordCut]:
    """Rule 6: in every (NP (NP ..) CC (NP ..)), cut the conjunction and the second noun phrase.

    Other phrases beside the three, as in a list, don't matter; nouns joined without phrases of their own stay.
    """
    cuts: list[WordCut] = []
    done: set[int] = set()
    for node, _ in walk(root):
        if node.label != "NP" or done.issuperset(node.positions):
            continue
        for first, conjunction, second in zip(node.children, node.children[1:], node.children[2:], strict=False):
            if (first.label, conjunction.label, second.label) == ("NP", "CC", "NP"):
                cuts.append((*conjunction.positions, *second.positions))
                done.update(cuts[-1])
    return cuts


def simple_noun_phrases(root: Node, idf: Callable[[str], float], threshold: float = 2.0) -> list[WordCut]:
    """Rule 7: cut every adjective before the head of a simple noun phrase if the head's idf exceeds a threshold."""
    return rules.simple_noun_phrases(root, idf, threshold, _adjectives)


def _adjectives(node: Node) -> WordCut:
    """Return every adjective before the head, with conjunctions and commas between them."""
    head = [leaf for leaf in node.leaves() if leaf.label in NOUNS][-1].positions[0]
    before = {p for part, _ in walk(node) if part.label in _ADJECTIVES for p in part.positions if p < head}
    leaves = list(node.leaves())
    joints = {
        leaf.positions[0]
        for left, leaf, right in zip(leaves, leaves[1:], leaves[2:], strict=False)
        if leaf.label in ("CC", ",") and {left.positions[0], right.positions[0]} <= before
    }
    return tuple(sorted(before | joints))
