"""A topic ready for selection; its ILP, built step by step; and the ILP as provenance stores it.

`ilp_problem` scales relevance and concept weights as in equation 1. Every further requirement is a
step that takes a problem and returns one; `Pipeline.problem` lists a system's steps in order.

Most concepts of a topic occur in a single candidate. The record sums their weights per candidate,
and the weights of concepts shared by the same candidates, which leaves every objective value
unchanged.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from features.answers import asks_for_list
from features.arrays import Floats
from features.concepts import Concept, ConceptKind, bigrams_of
from features.context import Context
from ilpsum.pipeline.coherence.rules import Stage
from ilpsum.pipeline.relevance import Scores
from ilpsum.records import Program, Rules, Sentence, Topic
from ilpsum.selection import Problem, Selection

Weights = Mapping[Concept, float]
"""The learned weight of each concept."""

# Share of the word limit from which a text counts as full, so that no further rule is relaxed.
FULL = 0.9


@dataclass(frozen=True)
class Prepared:
    """A topic ready for selection.

    Attributes:
        sentences: the n candidates with their predicted relevance.
        scores: the scores of the candidates from the relevance step.
        stages: the coherence rules, first in full, then after each relaxation.
        lengths, most: (n,) lengths in the format's unit and the limit of their sum; empty and None
            if the format limits words only.
        weights: learned concept weights; None if all concepts weigh the same.
        seconds: time by task.
        keep, bar: indices of candidates that the reader requires, whatever rule excludes them, or
            rejects.
    """

    topic: Topic
    sentences: tuple[Sentence, ...]
    context: Context
    scores: Scores
    stages: tuple[Stage, ...] = ()
    lengths: tuple[int, ...] = ()
    most: int | None = None
    weights: Weights | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    keep: tuple[int, ...] = ()
    bar: tuple[int, ...] = ()

    @property
    def stage(self) -> Stage:
        """The rules in force."""
        return self.stages[-1]

    @property
    def refused(self) -> bool:
        """Whether the candidates do not answer the topic's question."""
        return self.topic.search is not None and not self.topic.search.outcome.is_answer

    @property
    def relevance(self) -> Floats:
        """(n,) predicted relevance."""
        return np.array([s.relevance for s in self.sentences])


def ilp_problem(
    relevance: Floats,
    lengths: Sequence[int],
    context: Context,
    words: int,
    *,
    alpha: str,
    kind: ConceptKind,
    weights: Weights | None = None,
    **options: Any,
) -> Problem:
    """Return the ILP of a topic, with concept weights of 1/n as published or learned.

    Learned weights are divided by the word limit, as relevance is in equation 1, so lambda trades
    off two per-word means, whatever the number of candidates. Concepts without a learned weight
    (terms of the question) have weight 0.

    `relevance` is (n,) in the units of the training target, `lengths` (n,) in words, `words` the
    word limit. For `alpha` see `alphas`, for `options` `Problem.build`.
    """
    bigrams = bigrams_of(context, kind)
    held = bigrams.pairs.sentences
    values = [1.0 / max(1, len(context))] * len(held.first)
    if weights is not None:
        values = [weights.get(name, 0.0) / words for name in bigrams.named(held.first)]
    price = dict(zip(held.first.tolist(), values, strict=True)).__getitem__
    rows, scaled = held.rows(), alphas(relevance, alpha)
    return Problem.build(rows, lengths, scaled, words, price=price, **options)


def alphas(relevance: Floats, normalisation: str) -> Floats:
    """Return (n,) a_i in [0,1]: predicted relevance, clipped (`clip`) or scaled by its range in the
    topic (`topic`).
    """
    if normalisation == "clip" or not len(relevance):
        return np.asarray(np.clip(relevance, 0.0, 1.0))
    low, high = float(relevance.min()), float(relevance.max())
    if low == high:
        return np.ones(len(relevance))
    return np.asarray((relevance - low) / (high - low))


def with_names(
    problem: Problem, context: Context, relevance: Sequence[float], weight: float
) -> Problem:
    """Replace concepts by names if the question asks for a list; no change if `weight` is 0.

    A name that the question lacks weighs `weight` times the relevance, clipped to [0,1], of the
    most relevant candidate with it; `relevance` is (n,).
    """
    if not weight or not asks_for_list(context.query.text):
        return problem
    rows = context.new_names
    rising = np.argsort(relevance, kind="stable").tolist()
    price = {name: weight * min(max(relevance[i], 0.0), 1.0) for i in rising for name in rows[i]}
    return problem.with_concepts(rows, price.__getitem__)


def with_rules(
    problem: Problem,
    rules: Rules,
    keep: Iterable[int] = (),
    bar: Iterable[int] = (),
) -> Problem:
    """Add the coherence rules; require the sentences `keep`, whatever excludes them, and exclude
    those in `bar`.
    """
    include = tuple(keep)
    exclude = {*rules.exclude, *bar}.difference(include)
    return replace(
        problem,
        include=include,
        exclude=tuple(sorted(exclude)),
        requires=rules.requires,
        groups=rules.groups,
    )


def with_lead(problem: Problem, share: float) -> Problem:
    """Require the first sentences, in order, up to this share of the word limit; skip those that a
    constraint forbids.
    """
    if not share:
        return problem
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


def with_word_cost(problem: Problem, word_cost: float) -> Problem:
    """Subtract a cost per word, given in the unit of learned weights."""
    return replace(problem, word_cost=word_cost / problem.limit)


def least_loss(problem: Problem, selection: Selection) -> Selection:
    """Return the best single sentence in place of a selection that the word cost leaves empty.

    No larger selection is better: no single sentence has a positive value, and as concepts count
    once, the value of several is at most the sum of theirs. Only sentences that may be chosen alone
    are considered.
    """
    if selection.chosen:
        return selection
    alone = [i for i in range(len(problem)) if problem.allows((i,))]
    if not alone:
        return selection
    best = max(alone, key=lambda i: (problem.value((i,)), -int(problem.words[i]), -i))
    value = problem.value((best,))
    warnings = (*selection.warnings, "every sentence scores below its length cost; kept the best")
    return replace(
        selection,
        chosen=(best,),
        objective=value,
        bound=value,
        gap=0.0,
        warnings=warnings,
    )


def program_of(problem: Problem, stages: Iterable[Rules], *, learned: bool) -> Program:
    """Return a topic's ILP as provenance stores it, with the rules of every stage; `learned` says
    whether its concept weights are learned.
    """
    times = np.bincount(problem.concepts).tolist()
    weights = problem.weights.tolist()
    sums = [0.0] * len(problem)
    holders = defaultdict[int, list[int]](list)
    concepts = problem.concepts.tolist()
    for i, (first, end) in enumerate(pairwise(problem.starts.tolist())):
        for concept in concepts[first:end]:
            if times[concept] == 1:
                sums[i] += weights[concept]
            elif weights[concept]:
                holders[concept].append(i)
    shared = defaultdict[tuple[int, ...], float](float)
    for concept, held_by in holders.items():
        shared[tuple(held_by)] += weights[concept]
    return Program(
        own=tuple(sums),
        shared=tuple((weight, held_by) for held_by, weight in shared.items()),
        learned=learned,
        stages=tuple(stages),
        lengths=tuple(problem.second_lengths.tolist()),
        most=problem.second_limit,
        sentences=problem.sentence_limit,
    )
