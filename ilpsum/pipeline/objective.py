"""The ILP of a topic: relevance and bigram weights, scaled as in equation 1."""

from collections.abc import Callable, Mapping, Sequence
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


def keep_lead(problem: Problem, share: float) -> Problem:
    """Return the problem in which the first sentences must be chosen, up to this share of the word limit.

    They are taken in order up to the first that does not fit. Those that a constraint bars are passed over, and so are
    further variants of one.
    """
    if not share:
        return problem
    kept, words = set(problem.include), 0
    for i in range(len(problem)):
        if i in problem.exclude:
            continue
        if words + problem.words[i] > share * problem.limit:
            break
        if problem.allows(kept | {i}):
            kept.add(i)
            words += int(problem.words[i])
    return replace(problem, include=tuple(sorted(kept)))


def at_best_ratio(problem: Problem, gold: float, solve: Callable[[Problem], Selection]) -> Problem:
    """Return the problem at the price of a word at which its optimum has the highest expected F1.

    F1 is 2 M / (words + gold), with M the matches of a summary and `gold` the words of the human one. Without word
    cost, the value of a set predicts M, up to a factor; so the best set maximises

        value / (words + gold).

    It is exact: at a price x the optimum maximises value - x * words, and x is set to the ratio of that optimum until
    it no longer grows (Dinkelbach 1967). `solve` returns the optimum at a price.
    """
    price = 0.0
    while True:
        priced = replace(problem, word_cost=price)
        chosen = solve(priced).chosen
        relevance, coverage, _ = problem.terms(chosen)
        value = problem.lambda_ * relevance + (1.0 - problem.lambda_) * coverage
        ratio = value / (float(problem.words[list(chosen)].sum()) + gold)
        # The ratio grows with every set but the last; less than this is rounding.
        if ratio <= price * (1.0 + 1e-9):
            return priced
        price = ratio


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
