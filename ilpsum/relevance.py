"""The relevance model: a support vector regression from a sentence's features to the ROUGE it would earn.

An epsilon-SVR with a Gaussian kernel (libsvm; Chang and Lin 2011), as Galanis et al. (2012) and Malakasiotis et al.
(2015) use it, trained by scikit-learn. What is kept are its support vectors; predicting from them takes one matrix
product, so a summary needs no scikit-learn.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.context import Floats
from features.sets import Scaling


@dataclass(frozen=True)
class Parameters:
    """The SVR's parameters.

    Attributes:
        C: cost of an error beyond epsilon.
        gamma: width of the kernel exp(-gamma |x - y|^2).
        epsilon: half the width of the tube in which errors are free, as a share of the largest training target.
    """

    C: float
    gamma: float
    epsilon: float


@dataclass(frozen=True)
class RelevanceModel:
    """A trained SVR with the scaling of its features.

    Attributes:
        columns: names of the raw feature columns, in order.
        scaling: how raw values come into [0,1].
        support: (v, columns) scaled support vectors.
        dual: (v,) their coefficients.
        intercept: the constant term.
        unit: what the targets were divided by; predictions are in the targets' own units.
        parameters: of the SVR.
    """

    columns: tuple[str, ...]
    scaling: Scaling
    support: Floats
    dual: Floats
    intercept: float
    unit: float
    parameters: Parameters

    def predict(self, raw: Floats, among: Floats | None = None) -> Floats:
        """The predicted target of each row of raw features of one topic: (n, columns) to (n,).

        Args:
            raw: the features.
            among: (m, columns) features of the topic's sentences, where `raw` is of others that are to be predicted as
                if they stood among them; by default `raw` itself.
        """
        if not len(raw):
            return np.zeros(0)
        scaling = self.scaling
        if among is not None and scaling.name == "topic":
            scaling = Scaling("training", among.min(axis=0), among.max(axis=0))
        x = scaling(raw)
        squares = np.square(x).sum(axis=1)[:, None] + np.square(self.support).sum(axis=1) - 2.0 * (x @ self.support.T)
        prediction: Floats = np.exp(-self.parameters.gamma * np.maximum(squares, 0.0)) @ self.dual + self.intercept
        return prediction * self.unit

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What is kept of the model: a JSON-ready description and arrays."""
        p = self.parameters
        description: dict[str, Any] = {
            "columns": list(self.columns),
            "scaling": self.scaling.name,
            "parameters": {"C": p.C, "gamma": p.gamma, "epsilon": p.epsilon},
        }
        arrays: dict[str, NDArray[Any]] = {
            # Single precision of the support vectors moves predictions by about 1e-7, and halves the file.
            "support": self.support.astype(np.float32),
            "dual": self.dual,
            "low": self.scaling.low,
            "high": self.scaling.high,
            "constants": np.array([self.intercept, self.unit]),
        }
        return description, arrays

    @classmethod
    def from_state(cls, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "RelevanceModel":
        """The model of what was kept."""
        intercept, unit = arrays["constants"].tolist()
        return cls(
            columns=tuple(description["columns"]),
            scaling=Scaling(description["scaling"], arrays["low"], arrays["high"]),
            support=arrays["support"].astype(np.float64),
            dual=arrays["dual"],
            intercept=intercept,
            unit=unit,
            parameters=Parameters(**description["parameters"]),
        )


def fit(
    columns: Sequence[str], matrices: Sequence[Floats], targets: Sequence[Floats], scaling: str, parameters: Parameters
) -> RelevanceModel:
    """Trains the SVR.

    Args:
        columns: names of the feature columns.
        matrices: for each topic its (n_i, columns) raw features.
        targets: for each topic its (n_i,) targets, at least 0.
        scaling: name of the scaling of the features.
        parameters: of the SVR.

    Raises:
        ValueError: there is no sentence at all.
    """
    if not sum(map(len, targets)):
        raise ValueError("no sentences to train on")
    scale = Scaling.fit(scaling, [m for m in matrices if len(m)])
    x = np.vstack([scale(m) for m in matrices if len(m)]).astype(np.float32).astype(np.float64)
    y = np.concatenate(list(targets))
    unit = float(y.max()) or 1.0
    svr = _svr(parameters).fit(x, y / unit)
    return RelevanceModel(
        columns=tuple(columns),
        scaling=scale,
        support=svr.support_vectors_,
        dual=svr.dual_coef_[0],
        intercept=float(svr.intercept_[0]),
        unit=unit,
        parameters=parameters,
    )


def search(
    matrices: Sequence[Floats], targets: Sequence[Floats], scaling: str, grid: Iterable[Parameters], *, folds: int = 5
) -> Parameters:
    """The best parameters of a grid, by cross-validation over topics (no topic on both sides of a fold).

    The criterion is the mean over topics of the correlation of predicted and true targets within the topic, since only
    the order and the distances within a topic bear on its summary. Topic i is in fold i modulo `folds`.
    """
    from joblib import Parallel, delayed

    candidates = list(grid)
    if len(candidates) == 1:
        return candidates[0]
    folds = min(folds, len(matrices))
    jobs = [(p, k) for p in candidates for k in range(folds)]
    columns = [str(j) for j in range(matrices[0].shape[1])]

    def correlations(parameters: Parameters, fold: int) -> list[float]:
        inside = [i for i in range(len(matrices)) if i % folds != fold]
        model = fit(columns, [matrices[i] for i in inside], [targets[i] for i in inside], scaling, parameters)
        outside = range(fold, len(matrices), folds)
        return [_correlation(model.predict(matrices[i]), targets[i]) for i in outside if len(targets[i]) > 1]

    results = Parallel(n_jobs=2 if len(matrices) > 3 else 1)(delayed(correlations)(p, k) for p, k in jobs)
    means: dict[Parameters, list[float]] = {}
    for (parameters, _), values in zip(jobs, results, strict=True):
        means.setdefault(parameters, []).extend(values)
    return max(candidates, key=lambda p: float(np.mean(means[p])) if means[p] else 0.0)


def _correlation(a: Floats, b: Floats) -> float:
    """Pearson's correlation; 0 where one side does not vary."""
    a, b = a - a.mean(), b - b.mean()
    norm = float(np.sqrt(np.square(a).sum() * np.square(b).sum()))
    return float(a @ b) / norm if norm > 0 else 0.0


def _svr(parameters: Parameters) -> Any:
    from sklearn.svm import SVR

    return SVR(
        kernel="rbf", C=parameters.C, gamma=parameters.gamma, epsilon=parameters.epsilon, cache_size=1000, tol=1e-3
    )
