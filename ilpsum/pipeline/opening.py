"""Finds the opening of an answer: a sentence likely to contain the word, name or number that the question asks for.

Boosted trees predict for each word of the most relevant sentences whether it is part of the experts' exact answer; the
probability of a sentence is the maximum over its words.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from features.answer_words import COLUMNS, answer_words
from features.answers import asked_for
from features.arrays import Floats, Ints
from features.context import Context
from ilpsum import resources
from ilpsum.io import persistence
from ilpsum.learning.boosted_trees import BoostedTrees
from ilpsum.pipeline.claims import is_claim
from ilpsum.records import Sentence
from ilpsum.retrieval.weights import in_background

KIND, PROTOCOL = "answer-words", 1
# Number of most relevant sentences that are scored, and the probability given to all others.
_READ, _LEAST = 12, 0.001


def with_answers(
    question: str, sentences: Sequence[Sentence], context: Context, trees: BoostedTrees | None = None
) -> tuple[Sentence, ...]:
    """Return the candidates with the probability that they contain the answer, by default from the included trees.

    Claims and yes/no questions have no answer word, so their candidates are returned unchanged.
    """
    if not question or is_claim(question) or "whether" in asked_for(question):
        return tuple(sentences)
    words, owners = words_of(sentences, context)
    held = np.full(len(sentences), _LEAST)
    np.maximum.at(held, owners, np.minimum((trees or shipped()).predict(words), 1.0))
    return tuple(replace(s, holds_answer=value) for s, value in zip(sentences, held.tolist(), strict=True))


def words_of(sentences: Sequence[Sentence], context: Context) -> tuple[Floats, Ints]:
    """Return the features of the words of the most relevant candidates, and each word's candidate (`answer_words`)."""
    relevance = np.maximum([s.relevance for s in sentences], 0.0)
    rows = np.sort(np.argsort(-relevance, kind="stable")[:_READ]).tolist()
    return answer_words(context, rows, relevance, in_background)


@cache
def shipped() -> BoostedTrees:
    """Return the included trees, loaded once per process."""
    return load(resources.models() / "answer-words.npz")


def load(path: Path) -> BoostedTrees:
    """Read trees from a file; `ModelError` if the file is missing, damaged, or of another version."""
    stored = persistence.load(path, KIND, PROTOCOL)
    with persistence.model_errors(path):
        trees = BoostedTrees.from_state(stored.description["trees"], stored.arrays)
        if not trees.reads(len(COLUMNS)):
            raise ValueError(f"the trees do not take {len(COLUMNS)} columns of features")
        return trees
