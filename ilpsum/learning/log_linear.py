"""Log-linear models, which standardise features and predict the logarithm of a value as a weighted
sum.

**Concept weights.** The published ILP gives every bigram the same weight. Here a concept's weight
is the expected share of gold summaries that contain it: a Poisson regression (log link, L2 penalty)
on the features of `features.concepts`, trained on topics whose sentences were scored by relevance
models that had not seen them. Learned weights in the coverage ILP go back to Gillick and Favre
(2009) and Li, Qian and Liu (2013).

**Lengths.** A ridge regression predicts the logarithm of the word count of a human summary, from
features of the question and of the whole topic. F1 depends on that length: the longer it is, the
more an answer gains from more words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from features.answers import question
from features.arrays import Floats
from features.concepts import COLUMNS
from features.context import Context
from features.order import BIGRAM_COLUMNS
from ilpsum.files.persistence import LARGEST, fitted, within

# Bigram features with and without document order, by their number.
_COLUMNS = {len(names): names for names in (COLUMNS, (*COLUMNS, *BIGRAM_COLUMNS))}

_PENALTY = 10.0

# Ratio of the word count of human answers to the prediction, for each BioASQ question type.
#  Geometric means over editions 1-8, with cross-validated predictions
# (`experiments/concepts_short.py --types`).
OF_KIND = {"yesno": 1.01, "factoid": 0.79, "list": 1.06, "summary": 1.33}

# Minimum standard deviation of a feature; smaller ones cannot come from training.
_LEAST = 1e-12


@dataclass(frozen=True)
class LogLinear:
    """A log-linear model: (columns,) means and deviations of raw features, and coefficients of
    standardised ones.
    """

    # Name of the model in messages.
    WHAT: ClassVar[str]
    # Permitted numbers of features.
    WIDTHS: ClassVar[tuple[int, ...]]

    mean: Floats
    deviation: Floats
    coefficients: Floats
    intercept: float

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the model."""
        return {**vars(self), "intercept": np.array([self.intercept])}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Restore a model from its `arrays`; `ValueError` if they are invalid or for other
        features.
        """
        axes = dict.fromkeys(("mean", "deviation", "coefficients"), "f columns")
        if fitted(arrays, {**axes, "intercept": "f 1"})["columns"] not in cls.WIDTHS:
            raise ValueError(f"{cls.WHAT}: expected {' or '.join(map(str, cls.WIDTHS))} features")
        within("deviation", arrays["deviation"], _LEAST, LARGEST)
        mean, deviation, coefficients = map(arrays.__getitem__, axes)
        return cls(mean, deviation, coefficients, float(arrays["intercept"][0]))


class ConceptWeights(LogLinear):
    """A log-linear model of the expected share of gold summaries that contain a concept."""

    WHAT = "concept weights"
    WIDTHS = tuple(_COLUMNS)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the features."""
        return _COLUMNS[len(self.coefficients)]

    @property
    def order(self) -> bool:
        """Whether the features include document order."""
        return len(self.columns) > len(COLUMNS)

    def predict(self, matrix: Floats) -> Floats:
        """Predict (m,) shares in [0,1] from (m, columns) raw features; values above 1 are
        clipped.
        """
        return np.asarray(
            np.exp(np.minimum(self.contributions(matrix).sum(axis=1) + self.intercept, 0.0))
        )

    def contributions(self, matrix: Floats) -> Floats:
        """Return the (m, columns) contribution of each feature to the logarithm of the share."""
        return np.asarray((matrix - self.mean) / self.deviation * self.coefficients)


def fit_weights(
    matrices: Sequence[Floats],
    shares: Sequence[Floats],
    penalty: float,
    prior: ConceptWeights | None = None,
) -> ConceptWeights:
    """Train concept weights.

    For each topic, `matrices` has the (m_i, columns) features of its concepts and `shares` the
    (m_i,) shares of gold summaries that contain each. `penalty` is the weight of the squared
    coefficients; with a prior, of their squared differences from the prior's, so that few topics
    change little of what many have taught.

    Raises:
        ValueError: there are no concepts.
    """
    from sklearn.linear_model import PoissonRegressor

    if not sum(map(len, shares)):
        raise ValueError("no concepts to train on")
    x, y = np.vstack(list(matrices)), np.concatenate(list(shares))
    if prior is not None:
        # With the prior's expected mean m as exposure, the loss of the change c equals that of y /
        # m weighted by m: m exp(zc) - y zc. scikit-learn divides it by the sum of the weights
        # instead of the number of rows.
        expected = np.exp(prior.contributions(x).sum(axis=1) + prior.intercept)
        model = PoissonRegressor(alpha=penalty / expected.mean(), max_iter=1000)
        model.fit((x - prior.mean) / prior.deviation, y / expected, sample_weight=expected)
        changed, intercept = (
            prior.coefficients + model.coef_,
            prior.intercept + float(model.intercept_),
        )
        return ConceptWeights(prior.mean, prior.deviation, changed, intercept)
    mean, deviation = _scale_of(x)
    model = PoissonRegressor(alpha=penalty, max_iter=1000).fit((x - mean) / deviation, y)
    return ConceptWeights(mean, deviation, model.coef_, float(model.intercept_))


class SummaryLength(LogLinear):
    """A log-linear model of the word count of a human summary."""

    WHAT = "lengths of summaries"
    WIDTHS = (13,)

    def predict(self, row: Floats, kind: str = "") -> float:
        """Predict the word count of a human summary from a topic's (columns,) features and its
        question type.
        """
        logarithm = (row - self.mean) / self.deviation @ self.coefficients + self.intercept
        return float(np.exp(logarithm)) * OF_KIND.get(kind, 1.0)


def length_features(context: Context, scores: Floats, weights: Floats) -> Floats:
    """Return the (13,) features of a topic with n candidates, at least one, and m concepts.

    They are features of the question and the topic's size (`features.answers.question`); log(1 +
    count) of its documents and of the first one's words; log of 1 + the mean word count of
    candidates; maximum and mean of the (n,) predicted relevances; and log(1 + sum) of the (m,)
    concept weights.
    """
    documents = context.documents
    first_words = len(documents[0].words) if documents else 0
    mean_words = np.mean([len(sentence.words) for sentence in context.sentences])
    features = [
        *question(context)[0],
        np.log1p(len(documents)),
        np.log1p(first_words),
        np.log1p(mean_words),
        scores.max(),
        scores.mean(),
        np.log1p(weights.sum()),
    ]
    return np.array(features)


def fit_length(rows: Sequence[Floats], words: Sequence[Sequence[int]]) -> SummaryLength:
    """Train on the features of each topic and the word counts of each topic's human summaries, all
    non-empty.
    """
    x = np.vstack(list(rows))
    y = np.array([np.log(counts).mean() for counts in words])
    mean, deviation = _scale_of(x)
    z = (x - mean) / deviation
    centre = float(y.mean())
    # Ridge regression, by its normal equations.
    products = z.T @ z + _PENALTY * np.eye(z.shape[1])
    coefficients = np.linalg.solve(products, z.T @ (y - centre))
    return SummaryLength(mean, deviation, np.asarray(coefficients, dtype=np.float64), centre)


def _scale_of(x: Floats) -> tuple[Floats, Floats]:
    """Return the (columns,) means and standard deviations of features; the deviation of a constant
    feature is 1.
    """
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    deviation[deviation == 0] = 1.0
    return mean, deviation
