"""Gradient-boosted regression trees (Friedman 2001) on binned features, trained by scikit-learn, saved as plain arrays.

The prediction is the mean of several ensembles that differ by their seed: with one, the ROUGE of a summary varies by
about .01 from seed to seed. Predicting needs numpy only. scikit-learn has no public access to its trees: `_export` is
the only code that reads its private attributes, and every training compares the result with scikit-learn's own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from ilpsum.errors import IlpsumError
from ilpsum.io.arrays import fitted
from ilpsum.io.records import LARGEST, Table
from ilpsum.learning.trees import MOST_LEAVES, Trees


class TreeParameters(Table, frozen=True):
    """How trees are trained: the table `[recipe.trees]` of a system's file.

    Attributes:
        rounds: trees per ensemble.
        rate: learning rate, by which each tree is multiplied.
        leaves: largest number of leaves of a tree.
        least: smallest number of training rows in a leaf.
        share: share of the features that each split may choose from, at random.
        members: number of ensembles; their seeds are `seed`, `seed` + 1, ...
        seed: random seed of the first ensemble.
    """

    rounds: int = 150
    rate: float = 0.05
    leaves: int = 12
    least: int = 60
    share: float = 0.5
    members: int = 3
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.rounds, self.least, self.members) < 1 or not 2 <= self.leaves <= MOST_LEAVES:
            limits = f"rounds, least and members of 1 or more and 2 to {MOST_LEAVES} leaves"
            raise ValueError(f"trees need {limits}")
        if not all(0 <= value <= LARGEST for value in (self.rounds, self.least, self.members, self.seed)):
            raise ValueError(f"rounds, least, members and seed of trees: expected at most {LARGEST}, seed 0 or more")
        if not (0.0 < self.rate <= 1.0 and 0.0 < self.share <= 1.0):
            raise ValueError(f"trees need a rate and a share above 0 and up to 1, got {self.rate} and {self.share}")

    def fit(self, x: Floats, y: Floats) -> "BoostedTrees":
        """Train on (n, columns) features and (n,) targets, n > 0; `IlpsumError` if scikit-learn's trees are unknown."""
        from sklearn.ensemble import HistGradientBoostingRegressor
        from threadpoolctl import threadpool_limits

        members = [
            HistGradientBoostingRegressor(
                max_iter=self.rounds,
                learning_rate=self.rate,
                max_leaf_nodes=self.leaves,
                min_samples_leaf=self.least,
                max_features=self.share,
                l2_regularization=1.0,
                early_stopping=False,
                random_state=self.seed + k,
            )
            for k in range(self.members)
        ]
        # A tree takes milliseconds, in many small parallel loops. Where another program holds a core, OpenMP's threads
        # busily wait for each other in every loop, for many times the work itself; and sums depend on their number.
        with threadpool_limits(limits=1, user_api="openmp"):
            for member in members:
                member.fit(x, y)
        trees = assemble([_export(member) for member in members], self)
        expected = np.mean([m.predict(x[:100]) for m in members], axis=0)
        if np.abs(trees.predict(x[:100]) - expected).max() > 1e-5 * np.abs(y).max():
            raise IlpsumError(_UNREADABLE)
        return trees


_UNREADABLE = "the trees of this version of scikit-learn cannot be read: train with version 1.5 to 1.9, or train an SVR"


@dataclass(frozen=True)
class BoostedTrees:
    """Trees whose values are added to an intercept."""

    trees: Trees
    intercept: float
    parameters: TreeParameters

    def predict(self, x: Floats) -> Floats:
        """Predict the (n,) targets of (n, columns) features."""
        return np.asarray(self.intercept + self.trees(x).sum(axis=1))

    def reads(self, columns: int) -> bool:
        """Whether the trees can read rows of this many columns."""
        return self.trees.reads(columns)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return JSON-ready parameters and the arrays of the trees, (t, k) for t trees of at most k nodes."""
        trees = self.trees
        return msgspec.to_builtins(self.parameters), {
            "feature": trees.feature.astype(np.int16),
            "threshold": trees.threshold,
            "left": trees.left.astype(np.int16),
            "right": trees.right.astype(np.int16),
            "value": trees.value.astype(np.float32),
            "constants": np.array([self.intercept, trees.depth]),
        }

    @classmethod
    def from_state(cls, parameters: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "BoostedTrees":
        """Restore trees from their `state`; `ValueError` if these are not the arrays of trees."""
        table = {"feature": "i t k", "threshold": "F t k", "left": "i t k", "right": "i t k", "value": "f t k"}
        if not all(fitted(arrays, {**table, "constants": "f 2"}).values()):
            raise ValueError("no trees, or trees without nodes")
        feature, left, right = (arrays[name].astype(np.int64) for name in ("feature", "left", "right"))
        if any(not 0 <= children.min() <= children.max() < children.shape[1] for children in (left, right)):
            raise ValueError("a tree refers to a node that does not exist")
        trees = Trees(feature, arrays["threshold"], left, right, arrays["value"].astype(np.float64))
        return cls(trees, arrays["constants"].tolist()[0], msgspec.convert(parameters, TreeParameters))


@dataclass(frozen=True)
class Exported:
    """An ensemble as scikit-learn trained it: the nodes of each tree, and the constant term.

    Nodes are structured arrays with the fields `is_leaf`, `feature_idx`, `num_threshold`, `left`, `right` and `value`.
    """

    trees: list[NDArray[Any]]
    baseline: float


def _export(member: Any) -> Exported:
    """Return the trees of a `HistGradientBoostingRegressor`."""
    try:
        trees = [stage[0].nodes for stage in member._predictors]
        return Exported(trees, float(np.ravel(member._baseline_prediction)[0]))
    except (AttributeError, IndexError, TypeError):
        raise IlpsumError(_UNREADABLE) from None


def assemble(members: Sequence[Exported], parameters: TreeParameters) -> BoostedTrees:
    """Return one ensemble that predicts the mean of several."""
    trees = [nodes for member in members for nodes in member.trees]
    shape = (len(trees), max(map(len, trees)))
    feature, left, right = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    threshold, value = np.zeros(shape), np.zeros(shape)
    for t, nodes in enumerate(trees):
        k = np.arange(len(nodes))
        leaf = nodes["is_leaf"].astype(bool)
        feature[t, k] = np.where(leaf, 0, nodes["feature_idx"])
        threshold[t, k] = np.where(leaf, 0.0, nodes["num_threshold"])
        left[t, k] = np.where(leaf, k, nodes["left"])
        right[t, k] = np.where(leaf, k, nodes["right"])
        # Model files hold single precision: the model predicts the same before and after it is saved.
        value[t, k] = np.where(leaf, nodes["value"] / len(members), 0.0).astype(np.float32)
    intercept = float(np.mean([member.baseline for member in members]))
    return BoostedTrees(Trees(feature, threshold, left, right, value), intercept, parameters)
