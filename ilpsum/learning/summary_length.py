"""Learned lengths: predicts how many words a human summary of a topic would have.

A ridge regression of the logarithm of the words, on features of the question and of the whole topic. F1 depends on the
length of the human summary: the longer it is, the more words of an answer pay off.
"""

from collections.abc import Sequence

import numpy as np

from features.arrays import Floats
from features.context import Context
from features.question import question
from ilpsum.learning.log_linear import LogLinear

_PENALTY = 10.0

OF_KIND = {"yesno": 1.01, "factoid": 0.79, "list": 1.06, "summary": 1.33}
"""How many times the predicted words human answers to each type of question of BioASQ have.

Geometric means over editions 1-8, predicted by cross-validation (`experiments/concepts_short.py --types`).
"""


class SummaryLength(LogLinear):
    """A trained log-linear model of the words of a human summary."""

    WHAT = "lengths of summaries"
    WIDTHS = (13,)

    def predict(self, row: Floats, kind: str = "") -> float:
        """Predict the words of a human summary from a topic's (columns,) features and the type of its question."""
        logarithm = (row - self.mean) / self.deviation @ self.coefficients + self.intercept
        return float(np.exp(logarithm)) * OF_KIND.get(kind, 1.0)


def length_features(context: Context, scores: Floats, weights: Floats) -> Floats:
    """Return the (13,) features of a topic of n candidates, at least one, and m concepts.

    Those of the question and the topic's size (`features.question`); log(1 + count) of its documents and of the words
    of the first; log(1 + words) of a candidate on average; the largest and the mean of the (n,) predicted relevances;
    and log(1 + sum) of the (m,) concept weights.
    """
    sizes = (len(context.documents), len(context.documents[0].words) if context.documents else 0)
    words = np.mean([len(sentence.words) for sentence in context.sentences])
    totals = (np.log1p(words), scores.max(), scores.mean(), np.log1p(weights.sum()))
    return np.array([*question(context)[0], *np.log1p(sizes), *totals])


def fit(rows: Sequence[Floats], words: Sequence[Sequence[int]]) -> SummaryLength:
    """Train on the features of each topic and the words of each of its human summaries, none of them empty."""
    x = np.vstack(list(rows))
    y = np.array([np.log(counts).mean() for counts in words])
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    deviation[deviation == 0] = 1.0
    z, centre = (x - mean) / deviation, float(y.mean())
    coefficients = np.linalg.solve(z.T @ z + _PENALTY * np.eye(z.shape[1]), z.T @ (y - centre))
    return SummaryLength(mean, deviation, coefficients, centre)
