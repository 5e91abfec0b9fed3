"""The relevance model: from a sentence's features to the ROUGE it would earn.

A support vector regression, as Galanis et al. (2012) and Malakasiotis et al. (2015) use it, or boosted trees.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.sets import Scaling
from features.text import Passage
from ilpsum.learning import boosted_trees, support_vectors
from ilpsum.learning.boosted_trees import BoostedTrees
from ilpsum.learning.lexicon import RelevanceLexicon
from ilpsum.learning.support_vectors import SupportVectors

RegressionParameters = support_vectors.SvrParameters | boosted_trees.TreeParameters

_KINDS: dict[str, type[SupportVectors] | type[BoostedTrees]] = {"svr": SupportVectors, "trees": BoostedTrees}


@dataclass(frozen=True)
class RelevanceModel:
    """A trained regression with the scaling of its features.

    Attributes:
        columns: names of the raw feature columns, in order.
        scaling: how raw values are brought to a common scale.
        regression: what predicts from the scaled features.
        lexicon: what gives the last of the columns, from the words of a sentence; None where there is no such column.
    """

    columns: tuple[str, ...]
    scaling: Scaling
    regression: SupportVectors | BoostedTrees
    lexicon: RelevanceLexicon | None = None

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the columns that are computed without the model."""
        return self.columns if self.lexicon is None else self.columns[:-1]

    @property
    def parameters(self) -> RegressionParameters:
        """What the regression was trained with."""
        return self.regression.parameters

    def read(self, raw: Floats, sentences: Sequence[Passage]) -> Floats:
        """(n, columns) what `predict` wants: the raw features of n sentences, with what the lexicon says of them."""
        return raw if self.lexicon is None else np.column_stack([raw, self.lexicon(sentences)])

    def predict(self, raw: Floats, among: Floats | None = None) -> Floats:
        """The predicted target of each row of raw features of one topic: (n, columns) to (n,).

        Args:
            raw: the features.
            among: (m, columns) features of the topic's sentences, where `raw` is of others that are to be predicted as
                if they stood among them; by default `raw` itself.
        """
        return self.regression.predict(self.scaling(raw, among)) if len(raw) else np.zeros(0)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What is kept of the model: a JSON-ready description and arrays."""
        parameters, arrays = self.regression.state()
        kind = next(name for name, of in _KINDS.items() if isinstance(self.regression, of))
        description: dict[str, Any] = {
            "columns": list(self.columns),
            "scaling": self.scaling.name,
            "regression": kind,
            "parameters": parameters,
            "has_lexicon": self.lexicon is not None,
        }
        if self.lexicon:
            arrays = arrays | {f"lexicon.{name}": array for name, array in self.lexicon.arrays().items()}
        return description, arrays | {"low": self.scaling.low, "high": self.scaling.high}

    @classmethod
    def from_state(cls, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "RelevanceModel":
        """The model of what was kept; where the kind of regression is not told, it is an SVR.

        Raises:
            KeyError, TypeError, ValueError: what was kept is no model.
        """
        columns = tuple(description["columns"])
        scaling = Scaling(description["scaling"], arrays["low"], arrays["high"])
        regression = _KINDS[description.get("regression", "svr")].from_state(description["parameters"], arrays)
        if not regression.reads(scaling.width(len(columns))):
            raise ValueError(f"it does not read {len(columns)} columns of features")
        lexicon = None
        if description.get("has_lexicon", False):
            lexicon = RelevanceLexicon.from_arrays({name: arrays[f"lexicon.{name}"] for name in ("known", "weights")})
        return cls(columns, scaling, regression, lexicon)


def fit(
    columns: Sequence[str],
    matrices: Sequence[Floats],
    targets: Sequence[Floats],
    scaling: str,
    parameters: RegressionParameters,
) -> RelevanceModel:
    """Trains the model.

    Args:
        columns: names of the feature columns.
        matrices: for each topic its (n_i, columns) raw features.
        targets: for each topic its (n_i,) targets, at least 0.
        scaling: name of the scaling of the features.
        parameters: of the SVR or of the trees, which tell what is trained.

    Raises:
        ValueError: there is no sentence at all.
    """
    if not sum(map(len, targets)):
        raise ValueError("no sentences to train on")
    scale = Scaling.fit(scaling, [m for m in matrices if len(m)])
    x, y = np.vstack([scale(m) for m in matrices if len(m)]), np.concatenate(list(targets))
    return RelevanceModel(tuple(columns), scale, parameters.fit(x, y))


def search(
    matrices: Sequence[Floats],
    targets: Sequence[Floats],
    scaling: str,
    grid: Iterable[RegressionParameters],
    *,
    folds: int = 5,
) -> RegressionParameters:
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

    def correlations(parameters: RegressionParameters, fold: int) -> list[float]:
        inside = [i for i in range(len(matrices)) if i % folds != fold]
        model = fit(columns, [matrices[i] for i in inside], [targets[i] for i in inside], scaling, parameters)
        outside = range(fold, len(matrices), folds)
        return [_correlation(model.predict(matrices[i]), targets[i]) for i in outside if len(targets[i]) > 1]

    results = Parallel(n_jobs=2 if len(matrices) > 3 else 1)(delayed(correlations)(p, k) for p, k in jobs)
    means: dict[RegressionParameters, list[float]] = {}
    for (parameters, _), values in zip(jobs, results, strict=True):
        means.setdefault(parameters, []).extend(values)
    return max(candidates, key=lambda p: float(np.mean(means[p])) if means[p] else 0.0)


def _correlation(a: Floats, b: Floats) -> float:
    """Pearson's correlation; 0 where one side does not vary."""
    a, b = a - a.mean(), b - b.mean()
    norm = float(np.sqrt(np.square(a).sum() * np.square(b).sum()))
    return float(a @ b) / norm if norm > 0 else 0.0
