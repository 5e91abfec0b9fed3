"""What the words of a sentence say of its relevance: a ridge regression over its terms, one of the model's features.

    l(s) = sum over the terms t of s of  w_t / sqrt(number of terms of s)

The terms of a sentence are its stems, its bigrams of stems, the word and the two words that it opens with, and the word
that it ends with, each once and as far as they are known. The target is that of the relevance model less its mean over
the topic: only the order within a topic bears on a summary. Words that announce a conclusion, say, weigh more than
those of a method, whatever the question.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.text import Passage

COLUMN = "lexicon"
"""The name of the feature."""


class LexiconParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a lexicon is learned; a table of a system's file.

    Attributes:
        penalty: weight of the squared weights.
        topics: a term is known if at least so many training topics have it.
    """

    penalty: float = 10.0
    topics: int = 5

    def __post_init__(self) -> None:
        if self.penalty <= 0.0 or self.topics < 1:
            raise ValueError("a lexicon needs a penalty above 0, and topics of 1 or more")


def terms(passage: Passage) -> frozenset[str]:
    """The terms of a sentence.

    >>> sorted(terms(Passage("Loss of p53 grows.")))  # doctest: +NORMALIZE_WHITESPACE
    ['$ grows', '^ loss', '^ loss of', 'grow', 'loss', 'loss of', 'of', 'of p53', 'p53', 'p53 grow']
    """
    words = passage.words
    ends = (f"^ {' '.join(words[:1])}", f"^ {' '.join(words[:2])}", f"$ {' '.join(words[-1:])}")
    return frozenset((*passage.stems, *map(" ".join, passage.stem_bigrams), *ends))


@dataclass(frozen=True)
class RelevanceLexicon:
    """A trained lexicon.

    Attributes:
        known: the V terms that it weighs, sorted.
        weights: (V,) of each.
    """

    known: tuple[str, ...]
    weights: NDArray[np.float32]

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {term: column for column, term in enumerate(self.known)}

    def __call__(self, sentences: Sequence[Passage]) -> Floats:
        """(n,) what the words of each of n sentences say, in the unit of the training target; about 0 on average."""
        told = np.zeros(len(sentences))
        for i, sentence in enumerate(sentences):
            columns = sorted(self._columns[term] for term in terms(sentence) if term in self._columns)
            told[i] = self.weights[columns].sum(dtype=np.float64) / np.sqrt(max(len(columns), 1))
        return told

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What is kept of it."""
        return {"known": np.frombuffer("\n".join(self.known).encode(), dtype=np.uint8), "weights": self.weights}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> "RelevanceLexicon":
        """The lexicon of what was kept.

        Raises:
            KeyError, ValueError: what was kept is no lexicon.
        """
        text, weights = arrays["known"].tobytes().decode(), arrays["weights"]
        known = tuple(text.split("\n")) if text else ()
        if weights.shape != (len(known),):
            raise ValueError("a lexicon with other weights than terms")
        return cls(known, weights)


def fit(
    topics: Sequence[Sequence[Passage]], targets: Sequence[Floats], folds: Sequence[int], parameters: LexiconParameters
) -> tuple[RelevanceLexicon, list[Floats]]:
    """Learns a lexicon, and what it is to say of its own training sentences.

    Args:
        topics: the sentences of each topic.
        targets: for each topic the (n_i,) targets of its sentences.
        folds: of each topic, from 0.
        parameters: see there.

    Returns:
        The lexicon of all topics; and for each topic the (n_i,) values of its sentences, from a lexicon of the topics
        in other folds, since the regression over it must learn what a lexicon knows of sentences that are new to it.
    """
    found = _Terms(topics, targets)
    stacked = [np.zeros(len(topic)) for topic in topics]
    for fold in sorted(set(folds)):
        others = [i for i, at in enumerate(folds) if at != fold] or list(range(len(topics)))
        lexicon = found.learn(others, parameters)
        for i in (i for i, at in enumerate(folds) if at == fold):
            stacked[i] = lexicon(topics[i])
    return found.learn(range(len(topics)), parameters), stacked


class _Terms:
    """The terms of all training sentences, found once for the lexicons of all folds."""

    def __init__(self, topics: Sequence[Sequence[Passage]], targets: Sequence[Floats]) -> None:
        numbers: dict[str, int] = {}
        self._bags = [
            [np.array([numbers.setdefault(term, len(numbers)) for term in terms(s)]) for s in topic] for topic in topics
        ]
        self._targets = [y - y.mean() if len(y) else y for y in targets]
        self._terms = list(numbers)

    def learn(self, among: Iterable[int], parameters: LexiconParameters) -> RelevanceLexicon:
        """The lexicon of some of the topics."""
        from scipy.sparse import csr_matrix
        from sklearn.linear_model import Ridge

        chosen = list(among)
        counts = np.zeros(len(self._terms), dtype=np.int64)
        for i in chosen:
            if self._bags[i]:
                counts[np.unique(np.concatenate(self._bags[i]))] += 1
        kept = sorted(np.flatnonzero(counts >= parameters.topics), key=self._terms.__getitem__)
        if not kept:
            return RelevanceLexicon((), np.zeros(0, dtype=np.float32))
        column = np.full(len(self._terms), -1)
        column[kept] = np.arange(len(kept))
        rows = [np.sort(held[held >= 0]) for i in chosen for held in (column[bag] for bag in self._bags[i])]
        sizes = np.array([len(row) for row in rows])
        values = np.repeat(1.0 / np.sqrt(np.maximum(sizes, 1)), sizes)
        ends = np.append(0, np.cumsum(sizes))
        x = csr_matrix((values, np.concatenate(rows), ends), shape=(len(rows), len(kept)))
        y = np.concatenate([self._targets[i] for i in chosen])
        ridge = Ridge(alpha=parameters.penalty, fit_intercept=False, solver="sparse_cg", tol=1e-3).fit(x, y)
        return RelevanceLexicon(tuple(self._terms[k] for k in kept), ridge.coef_.astype(np.float32))
