"""Training of a system's model: relevance, concept weights, and optionally tuned lambda, word cost
and threshold.

Tuning and stacking use out-of-fold predictions: the i-th distinct topic is in cross-validation fold
i modulo `FOLDS`.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

import msgspec
import numpy as np

from features.arrays import Floats
from features.concepts import Concepts, concepts
from features.sets import feature_set
from features.stacking import COLUMNS
from ilpsum.errors import InputError, UsageError
from ilpsum.files.work import HERE, Work
from ilpsum.learning import log_linear, relevance
from ilpsum.learning.boosted_trees import TreeParameters
from ilpsum.learning.log_linear import ConceptWeights
from ilpsum.learning.models import ModelMetadata, SystemModel, looked_again
from ilpsum.learning.relevance import RegressionParameters, RelevanceModel
from ilpsum.metrics.rouge import References, mean
from ilpsum.pipeline.objective import alphas, ilp_problem, least_loss
from ilpsum.pipeline.system import System, kind_of_all
from ilpsum.pipeline.training.examples import Example, prepare, sample
from ilpsum.records import Topic
from ilpsum.records.tables import RelevanceTable
from ilpsum.selection import Problem, SelectorSettings, greedy

FOLDS = 5

Item = TypeVar("Item")


def train(
    system: System,
    topics: Iterable[Topic],
    *,
    words: int = 250,
    work: Work = HERE,
) -> SystemModel:
    """Train a system on topics with gold summaries; the metadata count the other topics.

    Of a system with `kinds`, the one for the first topic with documents is trained. Tuning compares
    summaries of `words` words.

    Raises:
        UsageError: the system has no model.
        InputError: no topic has both gold summaries and candidate sentences.
    """
    kind, topics = kind_of_all(work.progress(topics, "features and targets"))
    if system.kinds is not None:
        system = system.for_kind(kind)
    _relevance(system)
    examples, without = prepare(system, topics, engine=work.engine)
    if not examples:
        raise InputError(
            "no topic with gold summaries and sentences to train on; name topics with gold "
            "summaries"
        )
    model = fit(system, examples, words=words, work=work)
    if model.relevance.is_constant:
        work.warn(
            f"the SVR of {system.name} has no support vectors: all sentences have the same "
            "relevance; lower epsilon, or name topics whose sentences differ in their targets"
        )
    return replace(
        model,
        metadata=msgspec.structs.replace(model.metadata, topics_without_gold=without, kind=kind),
    )


def fit(
    system: System,
    examples: Sequence[Example],
    *,
    words: int = 250,
    work: Work = HERE,
) -> SystemModel:
    """Train a system on prepared examples, at least one; see `train`."""
    recipe = system.recipe
    _require_targets(system, examples)
    tunes = bool(system.tunes) or len(recipe.tune_threshold) > 1
    stacks = tunes or system.selection.weights == "learned"
    if stacks and recipe.second:
        raise UsageError(
            "a table [recipe.second] excludes learned weights and tuning; leave one of them out"
        )
    sampled = sample(examples, recipe.sample, recipe.seed)
    parameters = search(system, sampled, work)
    trainings: list[Sequence[int]] = [range(len(examples))]
    if stacks or recipe.second:
        trainings += outside_folds(examples)
    of_all, *of_folds = fit_relevance(system, examples, trainings, parameters, work)
    model = SystemModel(
        of_all,
        # A single value needs no tuning: the model keeps it.
        lambda_=next(iter(recipe.tune), None),
        word_cost=next(iter(recipe.tune_word_cost), None),
        threshold=next(iter(recipe.tune_threshold), None),
        metadata=_metadata(system, examples, sampled),
        topics=frozenset(e.key for e in examples),
    )
    if recipe.second:
        second = fit_second(recipe.second, recipe.scaling, examples, of_folds)
        return replace(model, second=second)
    if not stacks:
        return model
    return _tuned(system, model, stack_of(system, examples, of_folds, work), words, work)


def _require_targets(system: System, examples: Sequence[Example]) -> None:
    """Raise `InputError` unless the examples suffice for training."""
    if len({e.topic for e in examples}) < 2 and len(system.recipe.grid) > 1:
        raise InputError(
            "one topic with gold summaries cannot be split for cross-validation; name two or "
            "more, or give one value each of C, gamma and epsilon in the system's recipe"
        )
    if any(e.targets.any() for e in examples):
        return
    if system.recipe.target == "snippet":
        raise InputError(
            "experts marked none of the sentences: every training target is 0; name topics "
            "with snippets"
        )
    raise InputError(
        "no sentence shares a word with its topic's gold: every training target is 0; ROUGE "
        "counts words of the letters A-Z and digits only"
    )


def _metadata(
    system: System,
    examples: Sequence[Example],
    sampled: Sequence[Example],
) -> ModelMetadata:
    recipe = system.recipe
    sentences = sum(len(e.targets) for e in sampled)
    before_sampling = sum(len(e.targets) for e in examples)
    digest = hashlib.sha256()
    for example in examples:
        digest.update(example.digest.encode())
    return ModelMetadata(
        system=system.model or system.name,
        features=_relevance(system).features,
        vectors=system.vectors_digest,
        target=recipe.target,
        topics=len(examples),
        sentences=sentences,
        sentences_before_sampling=before_sampling,
        seed=recipe.seed,
        digest=digest.hexdigest()[:16],
        criterion=recipe.criterion,
    )


def training_settings(system: System, words: int) -> bytes:
    """Return all settings that a system's model depends on, encoded; systems with equal settings
    share a model.

    Tuning compares summaries of `words` words.
    """
    table, selection = _relevance(system), system.selection
    # Without tuning neither the word limit nor the selection matters. The selectors `ilp` and
    # `greedy` share a model, which has lambda for the former and the threshold for the latter.
    tuned: tuple[object, ...] = ()
    if system.tunes:
        tuned = (
            words,
            selection.lambda_,
            selection.word_cost,
            selection.alpha,
            system.tuner.name,
        )
    if len(system.recipe.tune_threshold) > 1:
        tuned = (*tuned, words)
    shared = (system.candidates, table, system.recipe, selection.concepts, selection.weights)
    return msgspec.json.encode((*shared, tuned))


def search(
    system: System,
    examples: Sequence[Example],
    work: Work = HERE,
) -> RegressionParameters:
    """Return the best regression parameters by cross-validation, on a sample if the recipe says
    so.
    """
    recipe = system.recipe
    few = sample(examples, recipe.search_sample, recipe.seed)
    matrices = [e.matrix for e in few]
    targets = [e.targets for e in few]
    return relevance.search(
        matrices,
        targets,
        tuning_folds(few),
        recipe.scaling,
        recipe.grid,
        recipe.search,
        work,
    )


@dataclass(frozen=True)
class Stacked:
    """An example with out-of-fold predictions.

    Attributes:
        scores: (n,) predicted relevance.
        concepts: its m concepts with features computed from those scores; None if all weights are
            equal.
        shares: (m,) training targets of the concept weights; see `Example.shares`.
    """

    example: Example
    scores: Floats
    concepts: Concepts | None
    shares: Floats


def stack_of(
    system: System,
    examples: Sequence[Example],
    models: Sequence[RelevanceModel],
    work: Work = HERE,
) -> list[Stacked]:
    """Return each example, in order, scored by the model trained outside its fold."""
    kind, order = system.selection.concepts, system.recipe.bigram_order
    stacked = []
    for e, model in work.progress(_outside_models(examples, models), "concepts"):
        scores = model.predict(e.matrix)
        if system.selection.weights != "learned":
            stacked.append(Stacked(e, scores, None, np.zeros(0)))
            continue
        bigrams = concepts(e.around, alphas(scores, "topic"), kind, order=order)
        stacked.append(Stacked(e, scores, bigrams, e.shares(bigrams.names, kind)))
    return stacked


def _tuned(
    system: System,
    model: SystemModel,
    stack: Sequence[Stacked],
    words: int,
    work: Work,
) -> SystemModel:
    """Return the model with the parts that are learned or tuned on out-of-fold scores."""
    recipe, metadata = system.recipe, model.metadata
    if system.selection.weights == "learned":
        model = replace(model, weights=fit_weights(system, stack))
    if len(recipe.tune_threshold) > 1:
        thresholds = tune_threshold(system, stack, words, work)
        best = max(thresholds, key=lambda value: (thresholds[value], value))
        metadata = msgspec.structs.replace(metadata, thresholds=tuple(thresholds.items()))
        model = replace(model, threshold=best)
    if system.tunes:
        scores = tune(system, stack, words, work)
        lambda_, word_cost = max(scores, key=lambda pair: (scores[pair], pair))
        tuned = tuple((*pair, score) for pair, score in scores.items())
        metadata = msgspec.structs.replace(metadata, tuned=tuned)
        model = replace(
            model,
            lambda_=lambda_ if recipe.tune else None,
            word_cost=word_cost if recipe.tune_word_cost else None,
        )
    return replace(model, metadata=metadata)


def tune(
    system: System,
    stack: Sequence[Stacked],
    words: int,
    work: Work = HERE,
) -> dict[tuple[float, float], float]:
    """Return the cross-validated criterion of each pair of lambda and word cost, by the ILP or the
    selector `gain`.
    """
    totals = dict.fromkeys(system.tunes, 0.0)
    folds = tuning_folds([s.example for s in stack])
    learns = system.selection.weights == "learned"
    for fold in work.progress(range(max(folds) + 1), "lambda"):
        model = fit_weights(system, _outside(stack, folds, fold)) if learns else None
        for s, of_topic in zip(stack, folds, strict=True):
            if of_topic != fold:
                continue
            score = _scorer(system, s.example, words)
            problem = _problem(system, s, model, words)
            for lambda_, word_cost in totals:
                priced = replace(
                    problem,
                    lambda_=lambda_,
                    word_cost=word_cost / words,
                )
                selection = system.tuner.solve(priced, SelectorSettings())
                totals[lambda_, word_cost] += score(least_loss(priced, selection).chosen)
    return {pair: total / len(stack) for pair, total in totals.items()}


def _problem(system: System, s: Stacked, model: ConceptWeights | None, words: int) -> Problem:
    """Return the ILP of an example by its out-of-fold predictions."""
    selection = system.selection
    return ilp_problem(
        s.scores,
        s.example.lengths,
        s.example.around,
        words,
        alpha=selection.alpha,
        kind=selection.concepts,
        weights=model.of(s.concepts) if s.concepts and model else None,
    )


def tune_threshold(
    system: System,
    stack: Sequence[Stacked],
    words: int,
    work: Work = HERE,
) -> dict[float, float]:
    """Return the cross-validated criterion of each threshold of the selector `greedy`."""
    totals = dict.fromkeys(system.recipe.tune_threshold, 0.0)
    for s in work.progress(stack, "threshold"):
        score = _scorer(system, s.example, words)
        bags = [x.words for x in s.example.around.sentences]
        problem = Problem.build([()] * len(bags), s.example.lengths, [0.0] * len(bags), words)
        for threshold in totals:
            selection = greedy(s.scores.tolist(), bags, problem, threshold)
            totals[threshold] += score(selection.chosen)
    return {threshold: total / len(stack) for threshold, total in totals.items()}


def _scorer(system: System, example: Example, words: int) -> Callable[[tuple[int, ...]], float]:
    """Return a function that scores a topic's summaries by the recipe's criterion, mean ROUGE-2 and
    ROUGE-SU4.
    """
    references = References(
        example.summaries,
        stem=system.selection.stems,
        words=words,
    )

    @cache
    def score(chosen: tuple[int, ...]) -> float:
        scores = references.score("\n".join(example.sentences[i].text for i in chosen))
        return float(getattr(mean(list(scores.values())), system.recipe.criterion))

    return score


def fit_relevance(
    system: System,
    examples: Sequence[Example],
    trainings: Sequence[Sequence[int]],
    parameters: RegressionParameters,
    work: Work = HERE,
) -> list[RelevanceModel]:
    """Train a system's relevance model once on each of several subsets of the examples, given by
    index.

    Each training samples its sentences if the recipe says so.
    """
    trained = work.engine.map(_trained, _tasks(system, examples, trainings, parameters))
    return [next(trained) for _ in work.progress(trainings, "relevance models")]


def _trained(task: tuple[Any, ...]) -> RelevanceModel:
    return relevance.fit(*task)


def _tasks(
    system: System,
    examples: Sequence[Example],
    trainings: Sequence[Sequence[int]],
    parameters: RegressionParameters,
) -> Iterator[tuple[Any, ...]]:
    """Yield the arguments of `relevance.fit` for each training."""
    recipe = system.recipe
    columns = feature_set(_relevance(system).features).columns
    for training in trainings:
        sampled = sample([examples[i] for i in training], recipe.sample, recipe.seed)
        matrices = [e.matrix for e in sampled]
        targets = [e.targets for e in sampled]
        yield columns, matrices, targets, recipe.scaling, parameters


def fit_second(
    trees: TreeParameters,
    scaling: str,
    examples: Sequence[Example],
    models: Sequence[RelevanceModel],
) -> RelevanceModel:
    """Train the second look on the predictions of models trained outside each fold."""
    matrices = []
    for e, model in _outside_models(examples, models):
        # A copy: the original would keep its vectors, and so those of all topics.
        around = replace(e.around)
        matrices.append(looked_again(e.matrix, around, model.predict(e.matrix)))
    columns = (*models[0].columns, *COLUMNS)
    return relevance.fit(columns, matrices, [e.targets for e in examples], scaling, trees)


def fit_weights(system: System, stack: Sequence[Stacked]) -> ConceptWeights:
    """Train the concept weights of a system on examples with out-of-fold scores."""
    matrices = [s.concepts.matrix for s in stack if s.concepts]
    shares = [s.shares for s in stack]
    return log_linear.fit_weights(matrices, shares, system.recipe.concept_penalty)


def _outside_models(
    examples: Sequence[Example],
    models: Sequence[RelevanceModel],
) -> list[tuple[Example, RelevanceModel]]:
    """Return each example with the model that was trained outside its fold."""
    return [(e, models[fold]) for e, fold in zip(examples, tuning_folds(examples), strict=True)]


def tuning_folds(examples: Sequence[Example]) -> list[int]:
    """Return the fold of each example; examples of one topic, such as a question in several pools,
    share a fold.
    """
    numbers: dict[str, int] = {}
    order = [numbers.setdefault(e.topic, len(numbers)) for e in examples]
    return [number % min(FOLDS, len(numbers)) for number in order]


def outside_folds(examples: Sequence[Example]) -> list[list[int]]:
    """Return, for each fold, the indices of examples in other folds; all of them if there is only
    one fold.
    """
    folds = tuning_folds(examples)
    return [_outside(range(len(examples)), folds, fold) for fold in range(max(folds) + 1)]


def _outside(items: Sequence[Item], folds: Sequence[int], fold: int) -> list[Item]:
    """Return the items of the other folds; all of them if there is only one fold."""
    return [item for item, at in zip(items, folds, strict=True) if at != fold] or list(items)


def _relevance(system: System) -> RelevanceTable:
    if system.relevance is None or system.feature_set is None:
        raise UsageError(f"the system {system.name} has no model to train")
    return system.relevance
