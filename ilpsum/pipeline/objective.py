"""The ILP of a topic: relevance and bigram weights, scaled as in equation 1."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from features.arrays import Floats
from features.concepts import Concept, ConceptKind, concepts_of
from features.context import Context
from ilpsum.selection import Problem, Selection


def ilp_problem(
    relevance: Floats,
    lengths: Sequence[int],
    context: Context,
    words: int,
    *,
    alpha: str,
    kind: ConceptKind,
    weights: Mapping[Concept, float] | None = None,
    groups: tuple[tuple[int, ...], ...] = (),
) -> Problem:
    """Return the ILP of a topic, with every concept at 1/n as published or with learned weights.

    All variants of a sentence count as one in n. Learned weights are divided by the word limit, as equation 1 divides
    relevance, so that lambda weighs two means over the words of a summary, whatever the number of candidates. Concepts
    without a weight (terms of the question, bigrams that compression creates) weigh nothing.

    The n candidates have (n,) relevance in the units of the training target and (n,) lengths in words; `words` is the
    limit, and `groups` has the variants of each sentence. For `alpha` see `alphas`.
    """
    rows = [concepts_of(s, kind) for s in context.sentences]
    each = 1.0 / max(1, len(rows) - sum(len(variants) - 1 for variants in groups))
    price = (lambda _: each) if weights is None else (lambda concept: weights.get(concept, 0.0) / words)
    return Problem.build(rows, lengths, alphas(relevance, alpha), words, price=price, groups=groups)


def alphas(relevance: Floats, normalisation: str) -> Floats:
    """Return a_i in [0,1]: predicted relevance clipped (`clip`) or min-max-normalised over the topic (`topic`)."""
    if normalisation == "clip" or not len(relevance):
        clipped: Floats = np.clip(relevance, 0.0, 1.0)
        return clipped
    low, high = float(relevance.min()), float(relevance.max())
    stretched: Floats = (relevance - low) / (high - low) if high > low else np.ones(len(relevance))
    return stretched


def least_loss(problem: Problem, selection: Selection) -> Selection:
    """Return the best non-empty selection where the price of words makes the empty one optimal.

    That is a single sentence: a concept counts once, so the value of two selections together is at most the sum of
    their values, and no sentence alone has a positive value. Only sentences that may be chosen alone are considered.
    """
    alone = [i for i in range(len(problem)) if problem.allows((i,))]
    if not alone:
        return selection
    best = max(alone, key=lambda i: (problem.value((i,)), -int(problem.words[i]), -i))
    value = problem.value((best,))
    warning = "no sentence is worth its words; the answer is the one that loses least"
    return replace(
        selection, chosen=(best,), objective=value, bound=value, gap=0.0, warnings=(*selection.warnings, warning)
    )
