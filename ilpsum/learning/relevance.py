"""The relevance model: predicts the ROUGE score of a sentence from its features.

It is a support vector regression, as in Galanis et al. (2012) and Malakasiotis et al. (2015), or
boosted trees. scikit-learn trains the epsilon-SVR, which has a Gaussian kernel (libsvm; Chang and
Lin 2011). Prediction needs only the support vectors and one matrix product, not scikit-learn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import Annotated, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.sets import Scaling
from ilpsum.files.processes import libraries
from ilpsum.files.records import Number
from ilpsum.files.work import HERE, Work
from ilpsum.learning.boosted_trees import BoostedTrees, TreeParameters

# Criterion of the parameter search.
Criterion = Literal["correlation", "error"]


@dataclass(frozen=True)
class SvrParameters:
    """Parameters of an SVR.

    Attributes:
        C: cost of errors beyond epsilon.
        gamma: coefficient of the kernel exp(-gamma |x - y|^2).
        epsilon: half the width of the tube of zero-cost errors, as a share of the largest training
            target.
    """

    C: float
    gamma: Annotated[float, msgspec.Meta(ge=0.0, le=1e9)]
    epsilon: float

    def fit(self, x: Floats, y: Floats) -> "SupportVectors":
        """Train an SVR on (n, columns) features in [0,1] and (n,) non-negative targets; n is at
        least 1.
        """
        from sklearn.svm import SVR

        # The support vectors are kept in single precision.
        x = x.astype(np.float32).astype(np.float64)
        unit = float(y.max()) or 1.0
        svr = SVR(
            kernel="rbf",
            C=self.C,
            gamma=self.gamma,
            epsilon=self.epsilon,
            cache_size=1000,
            tol=1e-3,
        )
        svr.fit(x, y / unit)
        support = svr.support_vectors_.astype(np.float32)
        return SupportVectors(support, svr.dual_coef_[0], float(svr.intercept_[0]), unit, self)


@dataclass(frozen=True)
class SupportVectors:
    """A trained SVR: (v, columns) support vectors and (v,) coefficients; training divided the
    targets by `unit`.
    """

    # Single precision changes predictions by about 1e-7 and halves the file.
    support: Annotated[NDArray[np.float32], "f v columns"]
    dual: Annotated[Floats, "f v"]
    intercept: Number
    unit: Number
    parameters: SvrParameters

    @cached_property
    def _vectors(self) -> Floats:
        """The support vectors in double precision."""
        return self.support.astype(np.float64)

    @cached_property
    def _norms(self) -> Floats:
        """(v,) squared norms of the support vectors."""
        return np.asarray(np.square(self._vectors).sum(axis=1))

    def predict(self, x: Floats) -> Floats:
        """Predict the (n,) targets of (n, columns) scaled features."""
        # The last digits of a product depend on the number of threads; summaries must not.
        with libraries().limit(limits=1, user_api="blas"):
            kernel: Floats = x @ self._vectors.T
            kernel *= 2.0
            # Row by row and in place: allocating another array of this size costs more than the
            # arithmetic.
            for row, norm in zip(kernel, np.square(x).sum(axis=1), strict=True):
                np.maximum(np.subtract(norm + self._norms, row, out=row), 0.0, out=row)
                row *= -self.parameters.gamma
                np.exp(row, out=row)
            return (kernel @ self.dual + self.intercept) * self.unit

    def reads(self, columns: int) -> bool:
        """Whether the support vectors have this many columns."""
        return bool(self.support.shape[1] == columns)


RegressionParameters = SvrParameters | TreeParameters


@dataclass(frozen=True)
class RelevanceModel:
    """A trained regression with its feature scaling.

    Attributes:
        columns: names of the raw feature columns, in order.
    """

    columns: tuple[str, ...]
    scaling: Scaling
    regression: SupportVectors | BoostedTrees

    def __post_init__(self) -> None:
        width = len(self.columns)
        if not self.regression.reads(self.scaling.width(width)):
            raise ValueError(f"the regression does not take {width} columns of features")
        if len(self.scaling.low) != width:
            raise ValueError(f"the scaling does not take {width} columns of features")

    @property
    def is_constant(self) -> bool:
        """Whether it predicts one value for all sentences: an SVR without support vectors."""
        return isinstance(self.regression, SupportVectors) and not len(self.regression.support)

    @property
    def parameters(self) -> RegressionParameters:
        """The parameters with which the regression was trained."""
        return self.regression.parameters

    def predict(self, raw: Floats, among: Floats | None = None) -> Floats:
        """Predict the (n,) targets of n sentences of one topic from their (n, columns) features.

        Features are scaled by the range of `among`, (m, columns) features of the topic's sentences;
        by default `raw`.
        """
        return self.regression.predict(self.scaling(raw, among)) if len(raw) else np.zeros(0)


def fit(
    columns: Sequence[str],
    matrices: Sequence[Floats],
    targets: Sequence[Floats],
    scaling: str,
    parameters: RegressionParameters,
) -> RelevanceModel:
    """Train a relevance model on each topic's (n_i, columns) raw features and (n_i,) non-negative
    targets.

    Raises:
        ValueError: there are no sentences.
    """
    if not sum(map(len, targets)):
        raise ValueError("no sentences to train on")
    matrices = [matrix for matrix in matrices if len(matrix)]
    scale = Scaling.fit(scaling, matrices)
    x, y = np.vstack(list(map(scale, matrices))), np.concatenate(targets)
    return RelevanceModel(tuple(columns), scale, parameters.fit(x, y))


def search(
    matrices: Sequence[Floats],
    targets: Sequence[Floats],
    folds: Sequence[int],
    scaling: str,
    grid: Sequence[RegressionParameters],
    criterion: Criterion = "correlation",
    work: Work = HERE,
) -> RegressionParameters:
    """Return the best parameters in a grid by cross-validation.

    The criterion `correlation` is the mean over examples of the correlation between predicted and
    true targets within the example: a summary depends only on the order and the distances within
    its topic. `error` is the mean squared error over all sentences, as in libsvm's search. Each
    example has (n_i, columns) raw features, (n_i,) targets and a fold, from 0; examples of the same
    topic must share a fold. The grid must not be empty. There is one training per fold and element
    of the grid.
    """
    if len(grid) == 1:
        return grid[0]
    validated = partial(_validated, matrices, targets, folds, scaling, criterion)
    runs = list(product(grid, sorted(set(folds))))
    means: dict[RegressionParameters, list[float]] = {}
    for (parameters, _), values in zip(
        work.progress(runs, "trainings of the search"),
        work.engine.map(validated, runs),
        strict=True,
    ):
        means.setdefault(parameters, []).extend(values)
    return max(grid, key=lambda p: float(np.mean(means[p])) if means[p] else 0.0)


def _validated(
    matrices: Sequence[Floats],
    targets: Sequence[Floats],
    folds: Sequence[int],
    scaling: str,
    criterion: Criterion,
    run: tuple[RegressionParameters, int],
) -> list[float]:
    """Train outside a fold; return the scores of the fold's examples or sentences, higher for
    better.
    """
    parameters, fold = run
    training = [i for i, at in enumerate(folds) if at != fold]
    columns = [""] * matrices[0].shape[1]
    rows = [matrices[i] for i in training]
    model = fit(columns, rows, [targets[i] for i in training], scaling, parameters)
    scores = []
    for i, at in enumerate(folds):
        if at != fold:
            continue
        predicted = model.predict(matrices[i])
        if criterion != "correlation":
            scores += (-np.square(predicted - targets[i])).tolist()
        elif len(predicted) > 1:
            scores.append(_correlation(predicted, targets[i]))
    return scores


def _correlation(a: Floats, b: Floats) -> float:
    """Return Pearson's correlation; 0 if either side is constant."""
    a = a - a.mean()
    b = b - b.mean()
    norm = float(np.sqrt(np.square(a).sum() * np.square(b).sum()))
    return float(a @ b) / norm if norm > 0 else 0.0
