"""The relevance model: predicts the ROUGE score of a sentence from its features.

It is a support vector regression, as in Galanis et al. (2012) and Malakasiotis et al. (2015), or boosted trees.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.sets import Scaling
from features.text import Passage
from ilpsum.files.persistence import fitted, prefixed
from ilpsum.learning import boosted_trees, support_vectors
from ilpsum.learning.boosted_trees import BoostedTrees
from ilpsum.learning.lexicon import RelevanceLexicon
from ilpsum.learning.support_vectors import SupportVectors

if TYPE_CHECKING:
    from ilpsum.files.processes import Executor

RegressionParameters = support_vectors.SvrParameters | boosted_trees.TreeParameters

# Name of the column with the prior's predictions.
PRIOR = "prior"

# Criterion of the parameter search.
Criterion = Literal["correlation", "error"]


class _RelevanceDescription(msgspec.Struct):
    """Description fields of the relevance model in a model file; `parameters` belong to the regression."""

    columns: tuple[str, ...]
    scaling: Literal["topic", "training", "both"]
    regression: Literal["svr", "trees"]
    parameters: dict[str, Any]
    has_lexicon: bool
    prior: dict[str, Any] | None = None


_KINDS: dict[str, type[SupportVectors] | type[BoostedTrees]] = {"svr": SupportVectors, "trees": BoostedTrees}


@dataclass(frozen=True)
class RelevanceModel:
    """A trained regression with its feature scaling.

    Attributes:
        columns: names of the raw feature columns, in order.
        lexicon: computes a column after the features from a sentence's words; None if there is no such column.
        prior: a model trained on other topics, whose prediction is the last column; None if there is no such column.
    """

    columns: tuple[str, ...]
    scaling: Scaling
    regression: SupportVectors | BoostedTrees
    lexicon: RelevanceLexicon | None = None
    prior: "RelevanceModel | None" = None

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the columns computed without the lexicon and the prior."""
        return self.columns[: len(self.columns) - (self.lexicon is not None) - (self.prior is not None)]

    @property
    def parameters(self) -> RegressionParameters:
        """The parameters with which the regression was trained."""
        return self.regression.parameters

    def extended(self, raw: Floats, sentences: Sequence[Passage]) -> Floats:
        """Return the (n, columns) input of `predict`: raw features, then the columns of the lexicon and the prior."""
        parts = [raw]
        if self.lexicon:
            parts.append(self.lexicon(sentences))
        if self.prior:
            parts.append(self.prior.predict_from(self.features, raw, sentences))
        return raw if len(parts) == 1 else np.column_stack(parts)

    def predict(self, raw: Floats, among: Floats | None = None) -> Floats:
        """Predict the (n,) targets of n sentences of one topic from their (n, columns) features.

        Features are scaled by the range of `among`, (m, columns) features of the topic's sentences; by default `raw`.
        """
        return self.regression.predict(self.scaling(raw, among)) if len(raw) else np.zeros(0)

    def predict_from(self, columns: Sequence[str], raw: Floats, sentences: Sequence[Passage]) -> Floats:
        """Predict the (n,) targets of n sentences of one topic from raw (n, columns) features that include the model's.

        Raises:
            ValueError: the columns lack a feature of this model.
        """
        own = raw[:, [list(columns).index(name) for name in self.features]]
        return self.predict(self.extended(own, sentences))

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return a JSON-ready description and the arrays of the model."""
        parameters, arrays = self.regression.state()
        description = {
            "columns": list(self.columns),
            "scaling": self.scaling.name,
            "regression": next(name for name, kind in _KINDS.items() if isinstance(self.regression, kind)),
            "parameters": parameters,
            "has_lexicon": self.lexicon is not None,
        }
        if self.lexicon:
            arrays = arrays | {f"lexicon.{name}": array for name, array in self.lexicon.arrays().items()}
        if self.prior:
            description["prior"], of_prior = self.prior.state()
            arrays = arrays | {f"prior.{name}": array for name, array in of_prior.items()}
        return description, arrays | {"low": self.scaling.low, "high": self.scaling.high}

    @classmethod
    def from_state(cls, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "RelevanceModel":
        """Restore a model from its `state`; `KeyError`, `TypeError` or `ValueError` if it is invalid."""
        known = msgspec.convert(description, _RelevanceDescription)
        width = len(known.columns)
        scaling = Scaling(known.scaling, arrays["low"], arrays["high"])
        regression = _KINDS[known.regression].from_state(known.parameters, arrays)
        if not regression.reads(scaling.width(width)):
            raise ValueError(f"the regression does not take {width} columns of features")
        fitted(arrays, {"low": "f columns", "high": "f columns"}, columns=width)
        lexicon = None
        if known.has_lexicon:
            if not width:
                raise ValueError("no column for the lexicon")
            lexicon = RelevanceLexicon.from_arrays({name: arrays[f"lexicon.{name}"] for name in ("known", "weights")})
        prior = None if known.prior is None else cls.from_state(known.prior, prefixed(arrays, "prior."))
        model = cls(known.columns, scaling, regression, lexicon, prior)
        if prior and not set(prior.features) <= set(model.features):
            raise ValueError("the prior has features that the model lacks")
        return model


def fit(
    columns: Sequence[str],
    matrices: Sequence[Floats],
    targets: Sequence[Floats],
    scaling: str,
    parameters: RegressionParameters,
    lexicon: RelevanceLexicon | None = None,
    prior: RelevanceModel | None = None,
) -> RelevanceModel:
    """Train a relevance model on each topic's (n_i, columns) raw features and (n_i,) non-negative targets.

    If there is a lexicon or a prior, the last column holds its predictions.

    Raises:
        ValueError: there are no sentences.
    """
    if not sum(map(len, targets)):
        raise ValueError("no sentences to train on")
    scale = Scaling.fit(scaling, [m for m in matrices if len(m)])
    x, y = np.vstack([scale(m) for m in matrices if len(m)]), np.concatenate(list(targets))
    return RelevanceModel(tuple(columns), scale, parameters.fit(x, y), lexicon, prior)


def search(
    matrices: Sequence[Floats],
    targets: Sequence[Floats],
    folds: Sequence[int],
    scaling: str,
    grid: Sequence[RegressionParameters],
    engine: "Executor",
    criterion: Criterion = "correlation",
    progress: Callable[[Iterable[Any], str], Iterable[Any]] = lambda items, _: items,
) -> RegressionParameters:
    """Return the best parameters in a grid by cross-validation.

    The criterion `correlation` is the mean over examples of the correlation between predicted and true targets within
    the example: a summary depends only on the order and the distances within its topic. `error` is the mean squared
    error over all sentences, as in libsvm's search. Each example has (n_i, columns) raw features, (n_i,) targets and a
    fold, from 0; examples of the same topic must share a fold. The grid has at least one element; the engine runs one
    training per fold and element, and `progress` wraps them.
    """
    if len(grid) == 1:
        return grid[0]
    work = partial(_validated, matrices, targets, folds, scaling, criterion)
    runs = list(product(grid, sorted(set(folds))))
    means: dict[RegressionParameters, list[float]] = {}
    for (parameters, _), values in zip(progress(runs, "trainings of the search"), engine.map(work, runs), strict=True):
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
    """Train outside a fold, and return scores of the fold's examples or sentences; higher is better."""
    parameters, fold = run
    inside = [i for i, at in enumerate(folds) if at != fold]
    columns = [str(j) for j in range(matrices[0].shape[1])]
    model = fit(columns, [matrices[i] for i in inside], [targets[i] for i in inside], scaling, parameters)
    pairs = [(model.predict(matrices[i]), targets[i]) for i, at in enumerate(folds) if at == fold]
    if criterion == "correlation":
        return [_correlation(*pair) for pair in pairs if len(pair[0]) > 1]
    return [-float(error) for predicted, true in pairs for error in np.square(predicted - true)]


def _correlation(a: Floats, b: Floats) -> float:
    """Return Pearson's correlation; 0 if either side is constant."""
    a, b = a - a.mean(), b - b.mean()
    norm = float(np.sqrt(np.square(a).sum() * np.square(b).sum()))
    return float(a @ b) / norm if norm > 0 else 0.0
