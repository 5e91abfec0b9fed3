"""Training of a system's model: relevance, concept weights, and lambda and the price of words where they are tuned.

All that is chosen or stacked is chosen on topics that the models in question have not seen: the i-th distinct topic is
in fold i modulo `FOLDS`.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import msgspec
import numpy as np

from features.arrays import Floats
from features.concepts import Concepts, concepts
from ilpsum.errors import InputError, UsageError
from ilpsum.learning import concept_weights, lexicon, relevance
from ilpsum.learning.concept_weights import ConceptWeights
from ilpsum.learning.models import ModelMetadata, SystemModel
from ilpsum.learning.relevance import RegressionParameters, RelevanceModel
from ilpsum.metrics.rouge import References, mean
from ilpsum.parallel.executor import HERE, Executor
from ilpsum.pipeline.loading import kind_of_all, load_model
from ilpsum.pipeline.objective import alphas, ilp_problem, least_loss
from ilpsum.pipeline.system import RelevanceTable, System
from ilpsum.records import Topic
from ilpsum.selection import select
from ilpsum.training.cache import Cache
from ilpsum.training.examples import Example, prepare, sample

FOLDS = 5

Progress = Callable[[Iterable[Any], str], Iterable[Any]]
Item = TypeVar("Item")


def no_progress(items: Iterable[Any], what: str) -> Iterable[Any]:  # noqa: ARG001
    """Return the items without a progress bar."""
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
    """Train a system on topics with gold summaries; those without are left out and counted in the metadata.

    Of a system with one for each kind of topic, that of the first topic with documents is trained. Tuning compares
    summaries of `words` words. `progress` wraps each iteration; its second argument names what is being done.

    Raises:
        UsageError: the system has no model.
        InputError: no topic has both gold and candidate sentences.
    """
    kind, topics = kind_of_all(progress(topics, "features and targets"))
    system = system.for_kind(kind)
    _relevance(system)
    examples, without = prepare(system, topics, engine=engine, cache=cache)
    if not examples:
        raise InputError("no topic with gold summaries and sentences to train on; name topics with gold summaries")
    model = fit(system, examples, words=words, engine=engine, progress=progress)
    return replace(model, metadata=msgspec.structs.replace(model.metadata, topics_without_gold=without, kind=kind))


def fit(
    system: System,
    examples: Sequence[Example],
    *,
    words: int = 250,
    engine: Executor = HERE,
    progress: Progress = no_progress,
) -> SystemModel:
    """Train a system on prepared examples, at least one; see `train`."""
    recipe, options = system.recipe, _relevance(system)
    if len({e.topic for e in examples}) < 2 and len(recipe.grid) > 1:
        remedy = "name two or more, or give one value each of C, gamma and epsilon in the system's recipe"
        raise InputError(f"one topic with gold summaries cannot be split for cross-validation; {remedy}")
    sampled = sample(examples, recipe.sample, recipe.seed)
    matrices, targets = _matrices(system, sampled), [e.targets for e in sampled]
    parameters = relevance.search(matrices, targets, folds_of(sampled), recipe.scaling, recipe.grid, engine)
    metadata = ModelMetadata(
        system=system.model or system.name,
        features=options.features,
        target=recipe.target,
        topics=len(examples),
        sentences=sum(len(e.targets) for e in sampled),
        sentences_before_sampling=sum(len(e.targets) for e in examples),
        seed=recipe.seed,
        digest=hashlib.sha256("".join(e.digest for e in examples).encode()).hexdigest()[:16],
        criterion=recipe.criterion,
    )
    # Of a single value nothing needs to be tried: the model keeps it.
    model = SystemModel(
        fit_relevance(system, examples, parameters),
        lambda_=next(iter(recipe.tune), None),
        word_cost=next(iter(recipe.tune_word_cost), None),
        metadata=metadata,
    )
    learned = system.selection.weights == "learned"
    if not learned and not system.tunes:
        return model
    stack = stack_of(system, examples, parameters, progress)
    if learned:
        model = replace(model, weights=fit_weights(system, stack))
    if not system.tunes:
        return model
    scores = _tune(system, stack, words, progress)
    lambda_, word_cost = max(scores, key=lambda pair: (scores[pair], pair))
    tuned = tuple((*pair, score) for pair, score in scores.items())
    return replace(
        model,
        lambda_=lambda_ if recipe.tune else None,
        word_cost=word_cost if recipe.tune_word_cost else None,
        metadata=msgspec.structs.replace(metadata, tuned=tuned),
    )


@dataclass(frozen=True)
class Stacked:
    """An example with the predictions of models that have not seen it.

    Attributes:
        scores: (n,) predicted relevance.
        concepts: its m concepts with features computed from those scores; None if all weigh the same.
        shares: (m,) what the weight of each concept is to predict; see `Example.shares`.
    """

    example: Example
    scores: Floats
    concepts: Concepts | None
    shares: Floats


def stack_of(
    system: System, examples: Sequence[Example], parameters: RegressionParameters, progress: Progress = no_progress
) -> list[Stacked]:
    """Return each example, in order, with the scores of a relevance model trained on the other folds."""
    kind, recipe = system.selection.concepts, system.recipe
    stacked: dict[int, Stacked] = {}
    folds = folds_of(examples)
    for fold in progress(range(max(folds) + 1), "stacking"):
        model = fit_relevance(system, _outside(examples, folds, fold), parameters)
        for i in (i for i, at in enumerate(folds) if at == fold):
            e = examples[i]
            scores = model.predict(model.read(e.matrix, e.around.sentences))
            known = None
            if system.selection.weights == "learned":
                known = concepts(e.around, alphas(scores, "topic"), kind, order=recipe.bigram_order)
            shares = e.shares(known.names, kind) if known else np.zeros(0)
            stacked[i] = Stacked(e, scores, known, shares)
    return [stacked[i] for i in range(len(examples))]


def _tune(system: System, stack: Sequence[Stacked], words: int, progress: Progress) -> dict[tuple[float, float], float]:
    """Return the cross-validated criterion of each pair of lambda and word cost."""
    totals = dict.fromkeys(system.tunes, 0.0)
    learned = system.selection.weights == "learned"
    folds = folds_of([s.example for s in stack])
    for fold in progress(range(max(folds) + 1), "lambda"):
        model = fit_weights(system, _outside(stack, folds, fold)) if learned else None
        for s in (s for s, at in zip(stack, folds, strict=True) if at == fold):
            for pair, score in _scores(system, s, model, words).items():
                totals[pair] += score
    return {pair: total / len(stack) for pair, total in totals.items()}


def _scores(
    system: System, stacked: Stacked, model: ConceptWeights | None, words: int
) -> dict[tuple[float, float], float]:
    """Return the mean of ROUGE-2 and ROUGE-SU4 of a topic's summary at each pair of lambda and word cost."""
    options, e = system.selection, stacked.example
    weights = None
    if stacked.concepts and model:
        weights = dict(zip(stacked.concepts.names, model.predict(stacked.concepts.matrix), strict=True))
    lengths, alpha, kind = [x.words for x in e.sentences], options.alpha, options.concepts
    problem = ilp_problem(stacked.scores, lengths, e.around, words, alpha=alpha, kind=kind, weights=weights)
    references = References(e.summaries, stem=options.stems, words=words)
    by_pair = {}
    for pair in system.tunes:
        priced = replace(problem, lambda_=pair[0], word_cost=pair[1] / words)
        selection = select(priced)
        chosen = selection.chosen or least_loss(priced, selection).chosen
        scores = references.score("\n".join(e.sentences[i].text for i in chosen))
        by_pair[pair] = getattr(mean(list(scores.values())), system.recipe.criterion)
    return by_pair


def fit_relevance(system: System, examples: Sequence[Example], parameters: RegressionParameters) -> RelevanceModel:
    """Train the relevance model of a system on examples, or on a sample of them if its recipe says so."""
    recipe, columns, prior = system.recipe, _relevance(system).feature_set.columns, prior_of(system)
    sampled = sample(examples, recipe.sample, recipe.seed)
    matrices, targets = _matrices(system, sampled), [e.targets for e in sampled]
    if prior:
        model = relevance.fit((*columns, relevance.PRIOR), matrices, targets, recipe.scaling, parameters)
        return replace(model, prior=prior.relevance)
    if recipe.lexicon is None:
        return relevance.fit(columns, matrices, targets, recipe.scaling, parameters)
    sentences = [e.around.sentences for e in sampled]
    trained, values = lexicon.fit(sentences, targets, folds_of(sampled), recipe.lexicon)
    matrices = [np.column_stack(pair) for pair in zip(matrices, values, strict=True)]
    model = relevance.fit((*columns, lexicon.COLUMN), matrices, targets, recipe.scaling, parameters)
    return replace(model, lexicon=trained)


def fit_weights(system: System, stack: Sequence[Stacked]) -> ConceptWeights:
    """Train the concept weights of a system on examples with the scores of models that have not seen them."""
    matrices = [s.concepts.matrix for s in stack if s.concepts]
    prior = prior_of(system)
    weights = prior.weights if prior else None
    return concept_weights.fit(matrices, [s.shares for s in stack], system.recipe.concept_penalty, weights)


def prior_of(system: System) -> SystemModel | None:
    """Return the model of the system that a recipe names as its prior; None if it names none.

    Raises:
        UsageError: there is no such system, or it has features that this one lacks.
        ModelError: no model ships for it.
    """
    if not system.recipe.prior:
        return None
    prior = load_model(System.load(system.recipe.prior))
    columns = _relevance(system).feature_set.columns
    if prior is None or not set(prior.relevance.features) <= set(columns):
        remedy = 'add its features, or set prior = "" in [recipe]'
        raise UsageError(f"the prior {system.recipe.prior} of {system.name} reads features that it lacks; {remedy}")
    return prior


def _matrices(system: System, examples: Sequence[Example]) -> list[Floats]:
    """Return the features of each example, and as one more column what the prior predicts from them."""
    prior, columns = prior_of(system), _relevance(system).feature_set.columns
    if prior is None:
        return [e.matrix for e in examples]
    predicted = (prior.relevance.predict_from(columns, e.matrix, e.around.sentences) for e in examples)
    return [np.column_stack(pair) for pair in zip((e.matrix for e in examples), predicted, strict=True)]


def folds_of(examples: Sequence[Example]) -> list[int]:
    """Return the fold of each example; those of one topic, such as a question in several pools, share theirs."""
    numbers: dict[str, int] = {}
    order = [numbers.setdefault(e.topic, len(numbers)) for e in examples]
    return [number % min(FOLDS, len(numbers)) for number in order]


def _outside(items: Sequence[Item], folds: Sequence[int], fold: int) -> list[Item]:
    """Return the items of the other folds; all of them if there is only one fold."""
    return [item for item, at in zip(items, folds, strict=True) if at != fold] or list(items)


def _relevance(system: System) -> RelevanceTable:
    if system.relevance is None:
        raise UsageError(f"the system {system.name} has no model to train")
    return system.relevance
