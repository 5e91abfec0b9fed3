"""Labelled bracket F1 of predicted trees against gold trees."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ilpsum.compression.trees import Constituent, Tree, category, constituents

ROOTS = frozenset({"", "S1", "TOP", "ROOT"})


@dataclass(frozen=True, slots=True)
class BracketScore:
    """Labelled brackets, over all sentences.

    Attributes:
        precision, recall, f1: of labelled brackets.
        tags: share of words with the right part of speech.
        exact: share of sentences whose brackets are all right.
        sentences: how many were compared.
    """

    precision: float
    recall: float
    f1: float
    tags: float
    exact: float
    sentences: int


def brackets(tree: Tree, wrapper: bool = True) -> Counter[Constituent]:
    """The brackets of a tree that count: every phrase but the root.

    Args:
        tree: `(S1 (S ...))`.
        wrapper: whether to count the S that the treebank puts around every sentence, which is always right.
    """
    phrases = [c for c in constituents(tree) if category(c.label) not in ROOTS]
    counted = phrases if wrapper or not phrases or phrases[0].label != "S" else phrases[1:]
    return Counter(Constituent(category(c.label), c.start, c.end) for c in counted)


def bracket_score(pairs: Iterable[tuple[Tree, Tree]], wrapper: bool = True) -> BracketScore:
    """Scores pairs of gold and predicted trees over the same words."""
    right = gold_total = found_total = exact = sentences = tags = words = 0
    for gold, found in pairs:
        wanted, given = brackets(gold, wrapper), brackets(found, wrapper)
        shared = sum((wanted & given).values())
        right += shared
        gold_total += sum(wanted.values())
        found_total += sum(given.values())
        exact += wanted == given
        sentences += 1
        for one, other in zip(gold.leaves(), found.leaves(), strict=True):
            tags += one.label == other.label
            words += 1
    precision, recall = right / max(found_total, 1), right / max(gold_total, 1)
    f1 = 2 * right / max(gold_total + found_total, 1)
    return BracketScore(precision, recall, f1, tags / max(words, 1), exact / max(sentences, 1), sentences)
