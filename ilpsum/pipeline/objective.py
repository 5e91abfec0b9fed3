"""The ILP of a topic, made in visible steps.

`ilp_problem` scales relevance and the weights of concepts as in equation 1. Every further requirement is a step, a
function from a problem to a problem; `ilpsum.pipeline.pipeline` lists those of a system in their order.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from features.answers import asks_for_list, new_names
from features.arrays import Floats
from features.concepts import Concept, ConceptKind, concepts_of
from features.context import Context
from ilpsum.records import Rules
from ilpsum.selection import Problem, Selection

Step = Callable[[Problem], Problem]


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
        return np.asarray(np.clip(relevance, 0.0, 1.0))
    low, high = float(relevance.min()), float(relevance.max())
    return np.asarray((relevance - low) / (high - low) if high > low else np.ones(len(relevance)))


def named(context: Context, relevance: Sequence[float], weight: float) -> Step:
    """Return the step that makes names the concepts if the question asks for a list, and none at a weight of 0.

    A name that the question lacks weighs `weight` times the relevance of the best candidate that has it, clipped to
    [0,1]; `relevance` is that of the n candidates.
    """
    if not weight or not asks_for_list(context.query.text):
        return lambda problem: problem
    rows = new_names(context)
    rising = np.argsort(relevance, kind="stable").tolist()
    price = {name: weight * min(max(relevance[i], 0.0), 1.0) for i in rising for name in rows[i]}
    return lambda problem: problem.with_concepts(map(sorted, rows), price.__getitem__, problem.lambda_)


def limited(lengths: Sequence[int], most: int | None, sentences: int | None) -> Step:
    """Return the step that adds a format's limits: of a second length, one value a candidate, and of sentences."""

    def step(problem: Problem) -> Problem:
        if most is not None:
            problem = replace(problem, second_lengths=np.array(lengths, dtype=np.int64), second_limit=most)
        return problem if sentences is None else replace(problem, sentence_limit=sentences)

    return step


def ruled(rules: Rules) -> Step:
    """Return the step that adds the rules of coherence."""
    if rules == Rules():
        return lambda problem: problem
    return lambda problem: replace(
        problem, exclude=rules.exclude, requires=rules.requires, groups=(*problem.groups, *rules.groups)
    )


def kept(keep: Iterable[int], bar: Iterable[int] = ()) -> Step:
    """Return the step that keeps sentences, whatever excludes them, and bars others."""
    keep, bar = tuple(keep), tuple(bar)
    if not keep and not bar:
        return lambda problem: problem
    return lambda problem: replace(
        problem, include=(*problem.include, *keep), exclude=tuple(sorted({*problem.exclude, *bar}.difference(keep)))
    )


def led(share: float) -> Step:
    """Return the step that keeps the first sentences, in order, as far as they fit into this share of the word limit.

    Those that a constraint bars are passed over, and so are further variants of one.
    """

    def step(problem: Problem) -> Problem:
        first, words = set(problem.include), 0
        for i in range(len(problem)):
            if i in problem.exclude:
                continue
            if words + problem.words[i] > share * problem.limit:
                break
            if problem.allows(first | {i}):
                first.add(i)
                words += int(problem.words[i])
        return replace(problem, include=tuple(sorted(first)))

    return step if share else lambda problem: problem


def priced(word_cost: float) -> Step:
    """Return the step that subtracts the price of a word, given in the unit of a learned weight."""
    return lambda problem: replace(problem, word_cost=word_cost / problem.limit)


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
