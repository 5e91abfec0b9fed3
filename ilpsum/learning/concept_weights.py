"""Learned concept weights: predicts which share of human summaries would contain a concept.

The published ILP gives every bigram the same weight. Here a concept weighs the expected share of gold summaries that
contain it: a Poisson regression (log link, L2 penalty) over the features of `features.concepts`, trained on topics
whose sentences were scored by relevance models that had not seen them. Learned weights in the coverage ILP go back to
Gillick and Favre (2009) and Li, Qian and Liu (2013).
"""

from collections.abc import Sequence

import numpy as np

from features.arrays import Floats
from features.concepts import COLUMNS, ORDER_COLUMNS
from ilpsum.learning.log_linear import LogLinear

# The features of bigrams, with and without the order of the documents, by their number.
_COLUMNS = {len(names): names for names in (COLUMNS, (*COLUMNS, *ORDER_COLUMNS))}


class ConceptWeights(LogLinear):
    """A trained log-linear model of the expected share of gold summaries that contain a concept."""

    WHAT = "concept weights"
    WIDTHS = tuple(_COLUMNS)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the features."""
        return _COLUMNS[len(self.coefficients)]

    @property
    def order(self) -> bool:
        """Whether the features include the order of the documents."""
        return len(self.columns) > len(COLUMNS)

    def predict(self, matrix: Floats) -> Floats:
        """Predict (m,) shares in [0,1] from (m, columns) raw features; larger values of the log link are cut to 1."""
        return np.asarray(np.exp(np.minimum(self.contributions(matrix).sum(axis=1) + self.intercept, 0.0)))

    def contributions(self, matrix: Floats) -> Floats:
        """Return the (m, columns) contribution of each feature to the logarithm of the share."""
        return np.asarray((matrix - self.mean) / self.deviation * self.coefficients)


def fit(
    matrices: Sequence[Floats], shares: Sequence[Floats], penalty: float, prior: ConceptWeights | None = None
) -> ConceptWeights:
    """Train concept weights.

    For each topic, `matrices` has the (m_i, columns) features of its concepts and `shares` the (m_i,) shares of gold
    summaries that contain each. `penalty` is the weight of the squared coefficients; with a prior, of their squared
    differences from its own, so that few topics change little of what many have taught.

    Raises:
        ValueError: there are no concepts.
    """
    from sklearn.linear_model import PoissonRegressor

    if not sum(map(len, shares)):
        raise ValueError("no concepts to train on")
    x, y = np.vstack(list(matrices)), np.concatenate(list(shares))
    if prior is not None:
        # With the mean m that the prior expects as exposure, the loss of the change c is that of y / m weighted by m:
        # m exp(zc) - y zc. scikit-learn divides it by the sum of the weights instead of the number of rows.
        expected = np.exp(prior.contributions(x).sum(axis=1) + prior.intercept)
        model = PoissonRegressor(alpha=penalty / expected.mean(), max_iter=1000)
        model.fit((x - prior.mean) / prior.deviation, y / expected, sample_weight=expected)
        changed, intercept = prior.coefficients + model.coef_, prior.intercept + float(model.intercept_)
        return ConceptWeights(prior.mean, prior.deviation, changed, intercept)
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    deviation[deviation == 0] = 1.0
    model = PoissonRegressor(alpha=penalty, max_iter=1000).fit((x - mean) / deviation, y)
    return ConceptWeights(mean, deviation, model.coef_, float(model.intercept_))
