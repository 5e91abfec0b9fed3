"""The relevance lexicon: a ridge regression over the terms of a sentence, whose value is a feature of the trees.

    l(s) = sum over the terms t of s of  w_t / sqrt(number of terms of s)

The terms of a sentence are its stems, its bigrams of stems, its first word, its first two words and its last word, each
once, without those that the lexicon does not know. The target is that of the relevance model minus its mean over the
topic, since only the order within a topic affects a summary. Words that announce a conclusion, for example, weigh more
than those of a method in all topics.
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
from ilpsum.io.arrays import fitted
from ilpsum.io.persistence import pack, unpack

COLUMN = "lexicon"
"""The name of the feature."""


class LexiconParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a lexicon is trained: the table `[recipe.lexicon]` of a system's file.

    Attributes:
        penalty: weight of the squared weights.
        topics: the lexicon knows the terms of at least this many training topics.
    """

    penalty: float = 10.0
    topics: int = 5

    def __post_init__(self) -> None:
        if self.penalty <= 0.0 or self.topics < 1:
            raise ValueError("a lexicon needs a penalty above 0 and topics of 1 or more")


def terms(passage: Passage) -> frozenset[str]:
    """Return the terms of a sentence.

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
        known: its V terms, sorted.
        weights: (V,) the weight of each term.
    """

    known: tuple[str, ...]
    weights: NDArray[np.float32]

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {term: column for column, term in enumerate(self.known)}

    def __call__(self, sentences: Sequence[Passage]) -> Floats:
        """Return the (n,) values of n sentences, in the unit of the training target; their mean is about 0."""
        values = np.zeros(len(sentences))
        for i, sentence in enumerate(sentences):
            columns = sorted(self._columns[term] for term in terms(sentence) if term in self._columns)
            values[i] = self.weights[columns].sum(dtype=np.float64) / np.sqrt(max(len(columns), 1))
        return values

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the lexicon."""
        return {"known": pack(self.known), "weights": self.weights}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> "RelevanceLexicon":
        """Restore a lexicon from its `arrays`.

        Raises:
            KeyError, ValueError: these are not the arrays of a lexicon.
        """
        fitted(arrays, {"known": "t bytes", "weights": "f terms"})
        known, weights = unpack(arrays["known"]), arrays["weights"]
        if weights.shape != (len(known),):
            raise ValueError("a lexicon needs one weight per term")
        return cls(known, weights)


def fit(
    topics: Sequence[Sequence[Passage]], targets: Sequence[Floats], folds: Sequence[int], parameters: LexiconParameters
) -> tuple[RelevanceLexicon, list[Floats]]:
    """Train a lexicon on the sentences of each topic, their (n_i,) targets and the topic's fold, from 0.

    Returns:
        The lexicon of all topics; and for each topic the (n_i,) values of its sentences by a lexicon of the topics in
        other folds: the trees must see the values that a lexicon gives to sentences that it was not trained on.
    """
    training = _Terms(topics, targets)
    stacked = [np.zeros(len(topic)) for topic in topics]
    for fold in sorted(set(folds)):
        others = [i for i, at in enumerate(folds) if at != fold] or list(range(len(topics)))
        lexicon = training.learn(others, parameters)
        for i in (i for i, at in enumerate(folds) if at == fold):
            stacked[i] = lexicon(topics[i])
    return training.learn(range(len(topics)), parameters), stacked


class _Terms:
    """The terms of all training sentences, computed once for the lexicons of all folds."""

    def __init__(self, topics: Sequence[Sequence[Passage]], targets: Sequence[Floats]) -> None:
        numbers: dict[str, int] = {}
        self._bags = [
            [np.array([numbers.setdefault(term, len(numbers)) for term in terms(s)]) for s in topic] for topic in topics
        ]
        self._targets = [y - y.mean() if len(y) else y for y in targets]
        self._terms = list(numbers)

    def learn(self, among: Iterable[int], parameters: LexiconParameters) -> RelevanceLexicon:
        """Train the lexicon of some of the topics."""
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
        rows = [np.sort(known[known >= 0]) for i in chosen for known in (column[bag] for bag in self._bags[i])]
        sizes = np.array([len(row) for row in rows])
        values = np.repeat(1.0 / np.sqrt(np.maximum(sizes, 1)), sizes)
        ends = np.append(0, np.cumsum(sizes))
        x = csr_matrix((values, np.concatenate(rows), ends), shape=(len(rows), len(kept)))
        y = np.concatenate([self._targets[i] for i in chosen])
        ridge = Ridge(alpha=parameters.penalty, fit_intercept=False, solver="sparse_cg", tol=1e-3).fit(x, y)
        return RelevanceLexicon(tuple(self._terms[k] for k in kept), ridge.coef_.astype(np.float32))
