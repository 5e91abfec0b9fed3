"""Training a system: the SVR and its parameters, the concept model, and lambda.

Everything that is chosen or stacked is chosen on topics that the models in question have not seen: topics are split
into folds, topic i into fold i modulo `FOLDS`.
"""

import hashlib
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from features.concepts import Concepts, concepts
from features.context import Floats
from ilpsum import concepts as concept_model
from ilpsum import relevance
from ilpsum.cache import Cache
from ilpsum.concepts import ConceptModel
from ilpsum.engine import HERE, Engine
from ilpsum.errors import InputError, UsageError
from ilpsum.examples import Example, prepare, sample
from ilpsum.metrics.rouge import References
from ilpsum.models import SystemModel
from ilpsum.records import Topic
from ilpsum.relevance import Parameters, RelevanceModel
from ilpsum.selection import select
from ilpsum.summarizer import alphas, ilp_problem
from ilpsum.systems import Relevance, System

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
    engine: Engine = HERE,
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
    return SystemModel(model.relevance, model.concepts, model.lambda_, {**model.facts, "topics_without_gold": without})


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
    sentence_model = _fit_relevance(options, examples, parameters)
    facts: dict[str, Any] = {
        "system": system.name,
        "features": options.features,
        "target": options.target,
        "topics": len(examples),
        "sentences": sum(len(e.targets) for e in kept),
        "sentences_before_sampling": sum(len(e.targets) for e in examples),
        "seed": options.seed,
        "digest": hashlib.sha256("".join(e.digest for e in examples).encode()).hexdigest()[:16],
    }
    # Of one value of lambda nothing needs to be tried: the model keeps it.
    values = system.selection.tune
    only = values[0] if len(values) == 1 else None
    if not system.concepts and len(values) < 2:
        return SystemModel(sentence_model, None, only, facts)
    stack = _stack(system, examples, parameters, progress)
    bigram_model = _fit_concepts(system, stack) if system.concepts else None
    if len(values) < 2:
        return SystemModel(sentence_model, bigram_model, only, facts)
    curve = _tune(system, stack, words, progress)
    facts["lambda_curve"] = [[value, score] for value, score in curve.items()]
    return SystemModel(sentence_model, bigram_model, max(curve, key=lambda v: (curve[v], v)), facts)


@dataclass(frozen=True)
class _Stacked:
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


def _stack(system: System, examples: Sequence[Example], parameters: Parameters, progress: Progress) -> list[_Stacked]:
    """Each example, in order, with the scores of a relevance model trained on the other folds."""
    options, stems = _relevance(system), system.selection.stems
    stacked: dict[int, _Stacked] = {}
    for fold in progress(range(_folds(examples)), "stacking"):
        model = _fit_relevance(options, _outside(examples, fold), parameters)
        for i in range(fold, len(examples), _folds(examples)):
            e = examples[i]
            scores = model.predict(e.matrix)
            found = concepts(e.around, alphas(scores, "topic"), stems=stems) if system.concepts else None
            shares = e.shares(found.bigrams, stems=stems) if found else np.zeros(0)
            stacked[i] = _Stacked(e, scores, found, shares)
    return [stacked[i] for i in range(len(examples))]


def _tune(system: System, stack: Sequence[_Stacked], words: int, progress: Progress) -> dict[float, float]:
    """The mean ROUGE (of ROUGE-2 and ROUGE-SU4 recall) at each lambda of the system, cross-validated over topics."""
    totals = dict.fromkeys(system.selection.tune, 0.0)
    stems, alpha = system.selection.stems, system.selection.alpha
    for fold in progress(range(_folds(stack)), "lambda"):
        model = _fit_concepts(system, _outside(stack, fold)) if system.concepts else None
        for s in stack[fold :: _folds(stack)]:
            weights = (
                dict(zip(s.concepts.bigrams, model.predict(s.concepts.matrix), strict=True))
                if s.concepts and model
                else None
            )
            e = s.example
            problem = ilp_problem(
                s.scores, [x.words for x in e.sentences], e.around, words, alpha=alpha, stems=stems, weights=weights
            )
            references = References(e.summaries, stem=stems, words=words)
            for value in totals:
                chosen = select(problem.at(value)).chosen
                scores = references.score("\n".join(e.sentences[i].text for i in chosen)).values()
                totals[value] += sum(x.recall for x in scores) / len(scores)
    return {value: total / len(stack) for value, total in totals.items()}


def _fit_relevance(options: Relevance, examples: Sequence[Example], parameters: Parameters) -> RelevanceModel:
    kept = sample(examples, options.sample, options.seed)
    columns, matrices = options.feature_set.columns, [e.matrix for e in kept]
    return relevance.fit(columns, matrices, [e.targets for e in kept], options.scaling, parameters)


def _fit_concepts(system: System, stack: Sequence[_Stacked]) -> ConceptModel:
    if system.concepts is None:
        raise UsageError(f"the system {system.name} learns no concepts")
    matrices = [s.concepts.matrix for s in stack if s.concepts]
    return concept_model.fit(matrices, [s.shares for s in stack], system.concepts.penalty)


def _folds(items: Sequence[Any]) -> int:
    return min(FOLDS, len(items))


def _outside(items: Sequence[Any], fold: int) -> list[Any]:
    """The items of the other folds; all of them where there is only one."""
    return [item for i, item in enumerate(items) if i % _folds(items) != fold] or list(items)


def _relevance(system: System) -> Relevance:
    if system.relevance is None:
        raise UsageError(f"the system {system.name} has nothing to train")
    return system.relevance


def _grid(options: Relevance) -> list[Parameters]:
    return [Parameters(*values) for values in itertools.product(options.C, options.gamma, options.epsilon)]
