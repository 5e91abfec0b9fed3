"""Training a system: the SVR and its parameters, the concept model, and lambda.

Everything that is chosen or stacked is chosen on topics that the models in question have not seen: topics are split
into folds, the i-th distinct topic into fold i modulo `FOLDS`.
"""

import hashlib
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from features.arrays import Floats
from features.concepts import Concepts, concepts
from ilpsum.errors import InputError, UsageError
from ilpsum.learning import bigram_weights as concept_model
from ilpsum.learning import lexicon, relevance, support_vectors
from ilpsum.learning.bigram_weights import BigramWeights
from ilpsum.learning.models import SystemModel
from ilpsum.learning.relevance import RegressionParameters, RelevanceModel
from ilpsum.metrics.rouge import References
from ilpsum.parallel.executor import HERE, Executor
from ilpsum.pipeline.summarizer import alphas, ilp_problem, least_loss
from ilpsum.pipeline.system import RelevanceTable, System
from ilpsum.records import Topic
from ilpsum.selection import select
from ilpsum.training.cache import Cache
from ilpsum.training.examples import Example, prepare, sample

FOLDS = 5

Progress = Callable[[Iterable[Any], str], Iterable[Any]]


def no_progress(items: Iterable[Any], what: str) -> Iterable[Any]:  # noqa: ARG001
    """The items, told to nobody."""
    return items


def train(
    system: System,
    topics: Iterable[Topic],
    *,
    words: int = 250,
    engine: Executor = HERE,
    cache: Cache | None = None,
    progress: Progress = no_progress,
) -> SystemModel:
    """Trains a system on topics with gold summaries; those without are left out and counted in the model's facts.

    Args:
        system: the system.
        topics: the topics.
        words: the word limit under which lambda is chosen.
        engine: what prepares the topics.
        cache: what was prepared before.
        progress: wraps what is gone through for a progress bar, with what is being done.

    Raises:
        UsageError: the system has nothing to train.
        InputError: no topic has both gold and candidate sentences.
    """
    if system.relevance is None:
        raise UsageError(f"the system {system.name} has nothing to train")
    examples, without = prepare(system, progress(topics, "features and targets"), engine=engine, cache=cache)
    if not examples:
        raise InputError("no topic with gold summaries and sentences to train on; hand in topics with their gold")
    model = fit(system, examples, words=words, progress=progress)
    return replace(model, metadata={**model.metadata, "topics_without_gold": without})


def fit(
    system: System, examples: Sequence[Example], *, words: int = 250, progress: Progress = no_progress
) -> SystemModel:
    """Trains a system on prepared examples, of which there is at least one; see `train`."""
    options = _relevance(system)
    if len(examples) < 2 and len(_grid(options)) > 1:
        raise InputError(
            "one topic with gold summaries cannot be split for cross-validation; hand in two or more, or name one "
            "value each of C, gamma and epsilon in the system"
        )
    kept = sample(examples, options.sample, options.seed)
    parameters = relevance.search([e.matrix for e in kept], [e.targets for e in kept], options.scaling, _grid(options))
    sentence_model = fit_relevance(options, examples, parameters)
    metadata: dict[str, Any] = {
        "system": system.name,
        "features": options.features,
        "target": options.target,
        "topics": len(examples),
        "sentences": sum(len(e.targets) for e in kept),
        "sentences_before_sampling": sum(len(e.targets) for e in examples),
        "seed": options.seed,
        "digest": hashlib.sha256("".join(e.digest for e in examples).encode()).hexdigest()[:16],
    }
    if not system.concepts and not system.selection.tunes:
        return _untuned(system, SystemModel(sentence_model, metadata=metadata))
    stack = stack_of(system, examples, parameters, progress)
    model = SystemModel(sentence_model, fit_concepts(system, stack) if system.concepts else None, metadata=metadata)
    if not system.selection.tunes:
        return _untuned(system, model)
    curve = _tune(system, stack, words, progress)
    lambda_, word_cost = max(curve, key=lambda pair: (curve[pair], pair))
    metadata["tuned"] = [[*pair, score] for pair, score in curve.items()]
    # What was not compared stays the system's own.
    return replace(
        model,
        lambda_=lambda_ if system.selection.tune else None,
        word_cost=word_cost if system.selection.tune_word_cost else None,
    )


def _untuned(system: System, model: SystemModel) -> SystemModel:
    """Of one value nothing needs to be tried: the model keeps it."""
    options = system.selection
    return replace(model, lambda_=next(iter(options.tune), None), word_cost=next(iter(options.tune_word_cost), None))


@dataclass(frozen=True)
class Stacked:
    """An example with what models say of it that have not seen it.

    Attributes:
        example: the example.
        scores: (n,) predicted relevance.
        concepts: its m concepts with features made from those scores; None where the system learns none.
        shares: (m,) the share of gold summaries that hold each.
    """

    example: Example
    scores: Floats
    concepts: Concepts | None
    shares: Floats


def stack_of(
    system: System, examples: Sequence[Example], parameters: RegressionParameters, progress: Progress = no_progress
) -> list[Stacked]:
    """Each example, in order, with the scores of a relevance model trained on the other folds."""
    options, stems = _relevance(system), system.selection.stems
    stacked: dict[int, Stacked] = {}
    folds = _folds(examples)
    for fold in progress(range(max(folds) + 1), "stacking"):
        model = fit_relevance(options, _outside(examples, folds, fold), parameters)
        for i in (i for i, at in enumerate(folds) if at == fold):
            e = examples[i]
            scores = model.predict(model.read(e.matrix, e.around.sentences))
            found = (
                concepts(e.around, alphas(scores, "topic"), stems=stems, order=system.concepts.order)
                if system.concepts
                else None
            )
            shares = e.shares(found.bigrams, stems=stems) if found else np.zeros(0)
            stacked[i] = Stacked(e, scores, found, shares)
    return [stacked[i] for i in range(len(examples))]


def _tune(system: System, stack: Sequence[Stacked], words: int, progress: Progress) -> dict[tuple[float, float], float]:
    """The criterion of the system at each of its pairs of lambda and word cost, cross-validated over topics."""
    totals = dict.fromkeys(system.selection.tunes, 0.0)
    folds = _folds([s.example for s in stack])
    for fold in progress(range(max(folds) + 1), "lambda"):
        model = fit_concepts(system, _outside(stack, folds, fold)) if system.concepts else None
        for s in (s for s, at in zip(stack, folds, strict=True) if at == fold):
            for pair, score in _scores(system, s, model, words).items():
                totals[pair] += score
    return {pair: total / len(stack) for pair, total in totals.items()}


def _scores(
    system: System, stacked: Stacked, model: BigramWeights | None, words: int
) -> dict[tuple[float, float], float]:
    """What one topic's summary scores (mean of ROUGE-2 and ROUGE-SU4) at each pair of lambda and word cost."""
    options, e = system.selection, stacked.example
    weights = None
    if stacked.concepts and model:
        weights = dict(zip(stacked.concepts.bigrams, model.predict(stacked.concepts.matrix), strict=True))
    problem = ilp_problem(
        stacked.scores,
        [x.words for x in e.sentences],
        e.around,
        words,
        alpha=options.alpha,
        stems=options.stems,
        weights=weights,
    )
    references = References(e.summaries, stem=options.stems, words=words)
    found = {}
    for pair in options.tunes:
        priced = replace(problem, lambda_=pair[0], word_cost=pair[1] / words)
        selection = select(priced)
        chosen = selection.chosen or least_loss(priced, selection).chosen
        scores = references.score("\n".join(e.sentences[i].text for i in chosen)).values()
        found[pair] = sum(x.recall if options.criterion == "recall" else x.f1 for x in scores) / len(scores)
    return found


def fit_relevance(
    options: RelevanceTable, examples: Sequence[Example], parameters: RegressionParameters
) -> RelevanceModel:
    """The relevance model of examples, of which a sample is drawn where the system says so."""
    kept = sample(examples, options.sample, options.seed)
    columns, matrices, targets = options.feature_set.columns, [e.matrix for e in kept], [e.targets for e in kept]
    if options.lexicon is None:
        return relevance.fit(columns, matrices, targets, options.scaling, parameters)
    learned, told = lexicon.fit([e.around.sentences for e in kept], targets, _folds(kept), options.lexicon)
    matrices = [np.column_stack(pair) for pair in zip(matrices, told, strict=True)]
    model = relevance.fit((*columns, lexicon.COLUMN), matrices, targets, options.scaling, parameters)
    return replace(model, lexicon=learned)


def fit_concepts(system: System, stack: Sequence[Stacked]) -> BigramWeights:
    """The concept model of a system that learns one, from examples with the scores of models that had not seen them."""
    if system.concepts is None:
        raise UsageError(f"the system {system.name} learns no concepts")
    matrices = [s.concepts.matrix for s in stack if s.concepts]
    return concept_model.fit(matrices, [s.shares for s in stack], system.concepts.penalty)


def _folds(examples: Sequence[Example]) -> list[int]:
    """The fold of each example; those of one topic (a question in several pools, say) are in one."""
    numbers: dict[str, int] = {}
    order = [numbers.setdefault(e.topic, len(numbers)) for e in examples]
    return [number % min(FOLDS, len(numbers)) for number in order]


def _outside(items: Sequence[Any], folds: Sequence[int], fold: int) -> list[Any]:
    """The items of the other folds; all of them where there is only one."""
    return [item for item, at in zip(items, folds, strict=True) if at != fold] or list(items)


def _relevance(system: System) -> RelevanceTable:
    if system.relevance is None:
        raise UsageError(f"the system {system.name} has nothing to train")
    return system.relevance


def _grid(options: RelevanceTable) -> list[RegressionParameters]:
    if options.trees:
        return [options.trees]
    values = itertools.product(options.C, options.gamma, options.epsilon)
    return [support_vectors.SvrParameters(*each) for each in values]
