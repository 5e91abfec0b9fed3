"""The candidates, and their selection problem with relevance and concepts."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from inspect import signature
from numbers import Real
from typing import TypeGuard, cast

import numpy as np

from features.sentences import split_sentences
from features.text import bigrams, words
from ilpsum.answers.steps import Summarizer
from ilpsum.errors import ArgumentError, counted, ordinal
from ilpsum.learning.judging.judge import Judge
from ilpsum.passages.costs import LARGEST
from ilpsum.passages.records import Sources
from ilpsum.pipeline.objective import alphas
from ilpsum.pipeline.pipeline import Pipeline
from ilpsum.pipeline.system import kind_of, names
from ilpsum.records import Sentence
from ilpsum.selection import Problem, Selection

Relevance = Callable[[str], float]
"""Returns the relevance of a sentence."""
Reranker = Callable[[str, Sequence[str]], Iterable[float]]
"""Returns the relevance of each sentence to a question."""
Concepts = Callable[[str], Iterable[Hashable] | Mapping[Hashable, float]]

_LAMBDA = 0.8
_Sentences = tuple[Sentence, ...]


@dataclass(frozen=True)
class Candidates:
    """The n candidates in source order; `problem` takes (n,) lengths in integer units and a
    limit. `excluded` are the indices of those that must not be chosen.
    """

    sentences: _Sentences
    problem: Callable[[Sequence[int], int], Problem]
    reasons: Callable[[Selection], Mapping[int, str]]
    excluded: Collection[int] = ()
    warnings: tuple[str, ...] = ()


def candidates(
    sources: Sources,
    system: str | Summarizer,
    relevance: Relevance | Reranker | Judge | None,
    concepts: Concepts | None,
    lambda_: float | None,
) -> Candidates:
    """Return the candidates of texts with their selection problem.

    Without functions, the system supplies sentences and problem, with the relevance of its model or
    of a judge. With a function, the problem is the published one (equation 1) with lambda 0.8,
    min-max-normalised relevance, and 1/n per unit of concept weight. With a function of relevance,
    every distinct sentence is a candidate and no model is needed.

    Raises:
        ArgumentError: the system is unsuitable, or a function returned a value out of range.
        ServiceError: the judge gave no grades.
    """
    if relevance is not None and not isinstance(relevance, Judge):
        scored = _scored(_every_sentence(sources), relevance, sources)
        return _published(sources, scored, concepts or (lambda text: bigrams(words(text))), lambda_)
    trained = _trained(sources, _pipeline(system, sources, relevance), lambda_)
    if concepts is None:
        return trained
    published = _published(sources, trained.sentences, concepts, lambda_)
    return replace(published, excluded=trained.excluded, warnings=trained.warnings)


def _pipeline(system: str | Summarizer, sources: Sources, judge: Judge | None) -> Pipeline:
    """Return the pipeline for the texts' kind, which must select by the ILP; a judge, if any, gives
    the relevance.
    """
    summarizer = (_shipped(system) if isinstance(system, str) else system).for_kind(
        kind_of(sources.topic)
    )
    chosen = summarizer.system
    if not summarizer.selector.is_exact:
        raise ArgumentError(
            f"system: {chosen.name} does not select with the ILP; choose one that does"
        )
    return summarizer.with_options(relevance=judge) if judge else summarizer


@cache
def _shipped(name: str) -> Summarizer:
    """Load an included system, once per process."""
    if name not in names():
        raise ArgumentError(
            f"system: unknown name {name!r}; expected one of {', '.join(names())}, or a Summarizer"
        )
    return Summarizer.load(name)


def _trained(sources: Sources, summarizer: Pipeline, lambda_: float | None) -> Candidates:
    """Return a system's candidates and problem, with lengths in budget units instead of words."""
    prepared = summarizer.prepare(sources.topic)

    def problem(lengths: Sequence[int], limit: int) -> Problem:
        pairs = zip(prepared.sentences, lengths, strict=True)
        sentences = tuple(replace(sentence, words=length) for sentence, length in pairs)
        posed = summarizer.problem(replace(prepared, sentences=sentences), limit)
        return posed if lambda_ is None else posed.at(lambda_)

    return Candidates(
        prepared.sentences,
        problem,
        lambda selection: summarizer.reasons(prepared, selection),
        prepared.scores.excluded,
        tuple(filter(None, (prepared.scores.refusal, *prepared.scores.warnings))),
    )


def _published(
    sources: Sources,
    sentences: _Sentences,
    concepts: Concepts,
    lambda_: float | None,
) -> Candidates:
    """Return the published problem with user-supplied relevance and concepts."""
    held = [_weights(concepts, sources.text(s.document)[s.start : s.end]) for s in sentences]
    weights = defaultdict[Hashable, float](float)
    for row in held:
        for concept, weight in row.items():
            weights[concept] = max(weight, weights[concept])
    scaled = alphas(np.array([s.relevance for s in sentences]), "topic")
    n = max(1, len(sentences))

    def problem(lengths: Sequence[int], limit: int) -> Problem:
        return Problem.build(
            held,
            lengths,
            scaled,
            limit,
            price=lambda concept: weights[concept] / n,
            lambda_=_LAMBDA if lambda_ is None else lambda_,
        )

    def why(selection: Selection) -> Mapping[int, str]:
        times = Counter(concept for i in selection.chosen for concept in held[i])
        order = sorted(range(len(sentences)), key=lambda i: -sentences[i].relevance)
        reasons = {}
        for i in selection.chosen:
            rank = ordinal(1 + order.index(i))
            alone = counted(sum(times[concept] == 1 for concept in held[i]), "concept")
            reasons[i] = (
                f"{rank} of {n} in relevance; covers {alone} that no other chosen sentence covers"
            )
        return reasons

    return Candidates(sentences, problem, why)


def _every_sentence(sources: Sources) -> list[Sentence]:
    """Return all distinct sentences of the texts, keeping the first of each."""
    sentences: dict[str, Sentence] = {}
    for document in sources.topic.documents:
        marked = [(span.start, span.end) for span in document.sentences]
        for start, end in marked or split_sentences(document.text):
            text = " ".join(document.text[start:end].split())
            if text:
                sentences.setdefault(
                    text.casefold(),
                    Sentence(text, document.id, start, end, len(text.split())),
                )
    return list(sentences.values())


def _scored(
    sentences: Sequence[Sentence],
    relevance: Relevance | Reranker,
    sources: Sources,
) -> _Sentences:
    """Return sentences with relevance from a function: called per sentence, or once with the
    question and all texts.
    """
    texts = [sources.text(s.document)[s.start : s.end] for s in sentences]
    if _is_reranker(relevance):
        values = list(relevance(sources.topic.query, texts))
        if len(values) != len(texts):
            got = counted(len(values), "number")
            raise ArgumentError(f"relevance returned {got}; expected one for each of {len(texts)}")
    else:
        values = list(map(cast(Relevance, relevance), texts))
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    for value in values:
        if not isinstance(value, Real) or not -LARGEST <= value <= LARGEST:
            raise ArgumentError(f"relevance returned {value!r}; expected a finite number")
    return tuple(
        replace(s, relevance=float(value)) for s, value in zip(sentences, values, strict=True)
    )


def _is_reranker(relevance: Relevance | Reranker) -> TypeGuard[Reranker]:
    """Return whether a function takes two required arguments."""
    try:
        needed = [p for p in signature(relevance).parameters.values() if p.default is p.empty]
    except (TypeError, ValueError):  # a function of C without a signature
        return False
    return sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in needed) == 2


def _weights(concepts: Concepts, text: str) -> dict[Hashable, float]:
    """Return the concepts of a sentence with their weights, 1 by default."""
    weights = concepts(text)
    if isinstance(weights, str) or not isinstance(weights, Iterable):
        raise ArgumentError(
            f"concepts returned {weights!r}; expected an iterable of concepts, or a mapping to "
            "weights"
        )
    if not isinstance(weights, Mapping):
        return dict.fromkeys(weights, 1.0)
    for concept, weight in weights.items():
        if not isinstance(weight, Real) or weight < 0 or not weight <= LARGEST:
            raise ArgumentError(
                f"concepts gave {concept!r} the weight {weight!r}; expected a finite number, 0 or "
                "more"
            )
    return {concept: float(weight) for concept, weight in weights.items()}
