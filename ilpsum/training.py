"""Training a system: targets, features, the SVR's parameters, and lambda, all by topics that the fold has not seen."""

import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from features.context import Context, Floats
from ilpsum import relevance
from ilpsum.candidates import candidates, context
from ilpsum.errors import InputError, UsageError
from ilpsum.metrics.rouge import References
from ilpsum.records import Sentence, Topic
from ilpsum.relevance import Parameters, RelevanceModel
from ilpsum.selection import select
from ilpsum.summarizer import ilp_problem
from ilpsum.systems import Relevance, System

FOLDS = 5


@dataclass(frozen=True)
class Example:
    """A training topic, ready for the model.

    Attributes:
        topic: its id.
        summaries: its gold summaries.
        sentences: its n candidates.
        around: what their features were computed from.
        matrix: (n, columns) raw features.
        targets: (n,) what the model is to predict.
        digest: of everything the topic contributes to training.
    """

    topic: str
    summaries: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    around: Context
    matrix: Floats
    targets: Floats
    digest: str


def train(
    system: System,
    topics: Iterable[Topic],
    *,
    words: int = 250,
    jobs: int = 1,
    progress: Callable[[Iterable[Any], str], Iterable[Any]] = lambda items, _: items,
) -> RelevanceModel:
    """Trains the relevance model of a system, and its lambda where the system names values to choose from.

    Args:
        system: the system.
        topics: topics with gold summaries; those without are left out and counted in the model's facts.
        words: the word limit under which lambda is chosen.
        jobs: processes.
        progress: wraps the topics for a progress bar, with what is being done.

    Raises:
        UsageError: the system has nothing to train.
        InputError: no topic has both gold and candidate sentences.
    """
    options = system.relevance
    if options is None:
        raise UsageError(f"the system {system.name} has nothing to train")
    examples, without = prepare(system, progress(topics, "features and targets"), jobs=jobs)
    if not examples:
        raise InputError("no topic with gold summaries and sentences to train on; hand in topics with their gold")
    sampled = _sample(examples, options)
    matrices, targets = [e.matrix for e in sampled], [e.targets for e in sampled]
    columns = options.feature_set.columns
    parameters = relevance.search(matrices, targets, options.scaling, _grid(options))
    model = relevance.fit(columns, matrices, targets, options.scaling, parameters)
    facts: dict[str, Any] = {
        "system": system.name,
        "features": options.features,
        "target": options.target,
        "topics": len(examples),
        "topics_without_gold": without,
        "sentences": sum(map(len, targets)),
        "sentences_before_sampling": sum(len(e.targets) for e in examples),
        "seed": options.seed,
        "digest": hashlib.sha256("".join(e.digest for e in examples).encode()).hexdigest()[:16],
    }
    if system.selection.tune:
        curve = tune(system, examples, parameters, words=words, progress=progress)
        facts["lambda"] = max(curve, key=lambda value: (curve[value], value))
        facts["lambda_curve"] = [[value, score] for value, score in curve.items()]
    return replace(model, facts=facts)


def prepare(system: System, topics: Iterable[Topic], *, jobs: int = 1) -> tuple[list[Example], int]:
    """The examples of all topics that have gold and candidates, in order, and the number of the others."""
    from joblib import Parallel, delayed

    made: Iterator[Example | None]
    if jobs > 1:
        made = iter(Parallel(n_jobs=jobs, return_as="generator")(delayed(example)(system, t) for t in topics))
    else:
        made = (example(system, topic) for topic in topics)
    found = list(made)
    kept = [e for e in found if e is not None]
    return kept, len(found) - len(kept)


def example(system: System, topic: Topic) -> Example | None:
    """A topic as a training example; None without gold or candidates."""
    options = system.relevance
    sentences = candidates(topic, system.candidates)
    if options is None or not topic.summaries or not sentences:
        return None
    around = context(topic, sentences)
    stems = system.selection.concepts == "stems"
    gold = topic.summaries
    digest = hashlib.sha256()
    for part in (topic.id, topic.query, *gold, *(s.text for s in sentences)):
        digest.update(part.encode("utf-8", "replace") + b"\0")
    return Example(
        topic=topic.id,
        summaries=gold,
        sentences=sentences,
        around=around,
        matrix=options.feature_set.matrix(around),
        targets=sentence_targets(sentences, gold, options.target, stem=stems),
        digest=digest.hexdigest(),
    )


def sentence_targets(sentences: Sequence[Sentence], gold: Sequence[str], target: str, *, stem: bool) -> Floats:
    """(n,) mean of ROUGE-2 and ROUGE-SU4 of each sentence alone against the pooled gold summaries.

    Args:
        sentences: the n candidates.
        gold: the gold summaries.
        target: `recall`, as published, or `precision`, which does not favour long sentences.
        stem: whether words are compared by their stems.
    """
    references = References(gold, stem=stem)
    values = []
    for sentence in sentences:
        scores = references.score(sentence.text).values()
        values.append(sum(s.recall if target == "recall" else s.precision for s in scores) / len(scores))
    return np.array(values, dtype=np.float64)


def tune(
    system: System,
    examples: Sequence[Example],
    parameters: Parameters,
    *,
    words: int,
    progress: Callable[[Iterable[Any], str], Iterable[Any]] = lambda items, _: items,
) -> dict[float, float]:
    """The mean ROUGE (of ROUGE-2 and ROUGE-SU4 recall) at each lambda of the system, cross-validated over topics.

    Each topic's sentences are scored by a model trained without its fold; topic i is in fold i modulo `FOLDS`.
    """
    options = system.relevance
    if options is None:
        raise UsageError(f"the system {system.name} has nothing to tune")
    folds = min(FOLDS, len(examples))
    totals = dict.fromkeys(system.selection.tune, 0.0)
    stems = system.selection.concepts == "stems"
    for fold in progress(range(folds), "lambda"):
        inside = [e for i, e in enumerate(examples) if i % folds != fold] or list(examples)
        inside = _sample(inside, options)
        model = relevance.fit(
            options.feature_set.columns,
            [e.matrix for e in inside],
            [e.targets for e in inside],
            options.scaling,
            parameters,
        )
        for e in examples[fold::folds]:
            lengths = [s.words for s in e.sentences]
            problem = ilp_problem(
                model.predict(e.matrix).tolist(), lengths, e.around, words, alpha=system.selection.alpha, stems=stems
            )
            references = References(e.summaries, stem=stems, words=words)
            for value in totals:
                chosen = select(problem.at(value)).chosen
                scores = references.score("\n".join(e.sentences[i].text for i in chosen)).values()
                totals[value] += sum(s.recall for s in scores) / len(scores)
    return {value: total / len(examples) for value, total in totals.items()}


def _grid(options: Relevance) -> list[Parameters]:
    return [Parameters(*values) for values in itertools.product(options.C, options.gamma, options.epsilon)]


def _sample(examples: Sequence[Example], options: Relevance) -> list[Example]:
    """The examples with at most `sample` sentences in all, drawn with the seed, in their order."""
    total = sum(len(e.targets) for e in examples)
    if not options.sample or total <= options.sample:
        return list(examples)
    chosen = np.sort(np.random.default_rng(options.seed).choice(total, options.sample, replace=False))
    bounds = np.cumsum([0, *(len(e.targets) for e in examples)])
    kept = []
    for e, first, last in zip(examples, bounds, bounds[1:], strict=False):
        rows = chosen[(chosen >= first) & (chosen < last)] - first
        kept.append(replace(e, matrix=e.matrix[rows], targets=e.targets[rows]))
    return kept
