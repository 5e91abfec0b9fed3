"""Labelled bracket F1 of predicted trees against gold trees."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ilpsum.compression.trees import Tree, category, is_word

ROOTS = frozenset({"", "S1", "TOP", "ROOT"})


@dataclass(frozen=True, slots=True)
class Constituent:
    """A phrase as a labelled span of tokens.

    Attributes:
        label: category of the phrase.
        start, end: token positions, end exclusive.
    """

    label: str
    start: int
    end: int


def constituents(tree: Tree, start: int = 0) -> list[Constituent]:
    """Return all phrases of a tree from the root down, left to right, without words."""
    if is_word(tree):
        return []
    end, below = start, list[Constituent]()
    for child in tree:
        below += constituents(child, end)
        end += len(child.leaves())
    return [Constituent(tree.label(), start, end), *below]


@dataclass(frozen=True, slots=True)
class BracketScore:
    """Scores of labelled brackets over all sentences.

    Attributes:
        precision, recall, f1: of labelled brackets.
        tags: share of words with the correct part of speech.
        exact: share of sentences whose brackets are all correct.
        sentences: number of sentences compared.
    """

    precision: float
    recall: float
    f1: float
    tags: float
    exact: float
    sentences: int


def brackets(tree: Tree, wrapper: bool = True) -> Counter[Constituent]:
    """Return the brackets of a tree to score: every phrase except the root.

    Args:
        tree: `(S1 (S ...))`.
        wrapper: whether to count the S that the treebank puts around every sentence, which is
            always correct.
    """
    phrases = [c for c in constituents(tree) if category(c.label) not in ROOTS]
    counted = phrases if wrapper or not phrases or phrases[0].label != "S" else phrases[1:]
    return Counter(Constituent(category(c.label), c.start, c.end) for c in counted)


def bracket_score(pairs: Iterable[tuple[Tree, Tree]], wrapper: bool = True) -> BracketScore:
    """Score pairs of gold and predicted trees over the same words."""
    shared = gold_total = predicted_total = exact = sentences = tags = words = 0
    for gold, predicted in pairs:
        gold_brackets, predicted_brackets = brackets(gold, wrapper), brackets(predicted, wrapper)
        shared += sum((gold_brackets & predicted_brackets).values())
        gold_total += sum(gold_brackets.values())
        predicted_total += sum(predicted_brackets.values())
        exact += gold_brackets == predicted_brackets
        sentences += 1
        for (_, one), (_, other) in zip(gold.pos(), predicted.pos(), strict=True):
            tags += one == other
            words += 1
    precision, recall = shared / max(predicted_total, 1), shared / max(gold_total, 1)
    f1 = 2 * shared / max(gold_total + predicted_total, 1)
    return BracketScore(
        precision, recall, f1, tags / max(words, 1), exact / max(sentences, 1), sentences
    )
