"""Relevance lexicon: a ridge regression on the terms of a sentence, whose prediction is a feature
of the trees.

    l(s) = sum over the terms t of s of  w_t / sqrt(number of terms of s)

The terms of a sentence are its stems, its bigrams of stems, its first word, its first two words and
its last word, each counted once, restricted to terms in the lexicon. The target is the relevance
model's target minus its mean over the topic, since only the order within a topic affects a summary.
For example, words that announce a conclusion weigh more than words that describe a method, in all
topics.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.text import Passage
from ilpsum.files.records import Natural, Positive, Table

# The name of the feature.
COLUMN = "lexicon"


class LexiconParameters(Table, frozen=True):
    """Training parameters of a lexicon: the table `[recipe.lexicon]` of a system file.

    Attributes:
        penalty: weight of the L2 penalty.
        topics: minimum number of training topics in which a term must occur.
    """

    penalty: Positive = 10.0
    topics: Natural = 5


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
    """A trained lexicon: V sorted terms, and their (V,) weights."""

    known: tuple[str, ...]
    weights: Annotated[NDArray[np.float32], "f terms"]

    def __post_init__(self) -> None:
        if len(self.weights) != len(self.known):
            raise ValueError("a lexicon needs one weight per term")

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {term: column for column, term in enumerate(self.known)}

    def __call__(self, sentences: Sequence[Passage]) -> Floats:
        """Return the (n,) predictions for n sentences, on the scale of the training target; their
        mean is about 0.
        """
        values = []
        for sentence in sentences:
            in_lexicon = self._columns.keys() & terms(sentence)
            columns = sorted(self._columns[term] for term in in_lexicon)
            values.append(_value(self.weights[columns]))
        return np.array(values, dtype=np.float64)


class Terms:
    """The terms of all training sentences, computed once for the lexicons of all folds and
    trainings.

    `targets` has (n_i,) values for the n_i sentences of each topic.
    """

    def __init__(self, topics: Sequence[Sequence[Passage]], targets: Sequence[Floats]) -> None:
        bags = [[terms(sentence) for sentence in topic] for topic in topics]
        distinct = set[str]()
        for of_topic in bags:
            distinct.update(*of_topic)
        # Numbered alphabetically, so that the terms of a lexicon are sorted.
        self._terms = sorted(distinct)
        numbers = {term: number for number, term in enumerate(self._terms)}
        self._bags = list[list[NDArray[np.int64]]]()
        for of_topic in bags:
            self._bags.append([np.array(sorted(map(numbers.__getitem__, bag))) for bag in of_topic])
        self._targets = [y - y.mean() if len(y) else y for y in targets]

    def fit(
        self,
        among: Sequence[int],
        folds: Sequence[int],
        parameters: LexiconParameters,
    ) -> tuple[RelevanceLexicon, list[Floats]]:
        """Train a lexicon on a subset of the topics, given by index, each with its fold, from 0.

        Returns:
            The lexicon, and for each topic the (n_i,) out-of-fold predictions of its sentences: the
            trees must be trained on the values of unseen sentences.
        """
        fold_of = dict(zip(among, folds, strict=True))
        stacked: dict[int, Floats] = {}
        for fold in sorted(set(folds)):
            outside = [i for i in among if fold_of[i] != fold]
            weights = self._learn(outside or among, parameters)
            for i in among:
                if fold_of[i] == fold:
                    stacked[i] = self._values(i, weights)
        weights = self._learn(among, parameters)
        kept = np.flatnonzero(np.isfinite(weights))
        lexicon = RelevanceLexicon(tuple(self._terms[k] for k in kept), weights[kept])
        return lexicon, [stacked[i] for i in among]

    def _learn(self, among: Sequence[int], parameters: LexiconParameters) -> NDArray[np.float32]:
        """Return the weight of each term; NaN if it is not in the lexicon."""
        from scipy.sparse import csr_matrix
        from sklearn.linear_model import Ridge

        counts = np.zeros(len(self._terms), dtype=np.int64)
        for i in among:
            if self._bags[i]:
                counts[np.unique(np.concatenate(self._bags[i]))] += 1
        kept = np.flatnonzero(counts >= parameters.topics)
        weights = np.full(len(self._terms), np.nan, dtype=np.float32)
        if len(kept):
            column = np.full(len(self._terms), -1)
            column[kept] = np.arange(len(kept))
            bags = (column[bag] for i in among for bag in self._bags[i])
            rows = [columns[columns >= 0] for columns in bags]
            sizes = np.array([len(row) for row in rows])
            values = np.repeat(1.0 / np.sqrt(np.maximum(sizes, 1)), sizes)
            ends = np.append(0, np.cumsum(sizes))
            x = csr_matrix((values, np.concatenate(rows), ends), shape=(len(rows), len(kept)))
            y = np.concatenate([self._targets[i] for i in among])
            ridge = Ridge(
                alpha=parameters.penalty,
                fit_intercept=False,
                solver="sparse_cg",
                tol=1e-3,
            )
            weights[kept] = ridge.fit(x, y).coef_
        return weights

    def _values(self, topic: int, weights: NDArray[np.float32]) -> Floats:
        """Return the predictions of `RelevanceLexicon` for the sentences of a topic."""
        rows = (weights[bag] for bag in self._bags[topic])
        return np.array([_value(row[np.isfinite(row)]) for row in rows])


def _value(weights: NDArray[np.float32]) -> float:
    """Return the prediction for a sentence from the weights of its terms."""
    return float(weights.sum(dtype=np.float64) / np.sqrt(max(len(weights), 1)))
