"""Gradient-boosted regression trees (Friedman 2001) on binned features, trained by scikit-learn, kept as plain arrays.

Several ensembles that differ by their seed are trained, and their predictions averaged: one alone moves a summary's
ROUGE by about .01 from seed to seed. Predicting takes numpy only.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats, Ints
from ilpsum.errors import IlpsumError


class TreeParameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How trees are boosted; a table of a system's file.

    Attributes:
        rounds: trees of an ensemble.
        rate: by how much each tree is shrunk.
        leaves: leaves of a tree at most.
        least: training rows in a leaf at least.
        share: of the features, drawn anew for each split.
        members: ensembles, whose seeds are `seed`, `seed` + 1, ...
        seed: of the first.
    """

    rounds: int = 150
    rate: float = 0.05
    leaves: int = 12
    least: int = 60
    share: float = 0.5
    members: int = 3
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.rounds, self.least, self.members) < 1 or self.leaves < 2:
            raise ValueError("trees need rounds, least and members of 1 or more, and leaves of 2 or more")
        if not (0.0 < self.rate <= 1.0 and 0.0 < self.share <= 1.0):
            raise ValueError(f"rate and share of trees lie above 0 and up to 1, not {self.rate} and {self.share}")

    def fit(self, x: Floats, y: Floats) -> "BoostedTrees":
        """Trains the ensembles on (n, columns) features and (n,) targets; n is at least 1.

        Raises:
            IlpsumError: scikit-learn keeps its trees otherwise than is known here.
        """
        from sklearn.ensemble import HistGradientBoostingRegressor

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
            ).fit(x, y)
            for k in range(self.members)
        ]
        trees = _assemble(members, self)
        # The trees lie in attributes of scikit-learn that it does not promise to keep.
        expected = np.mean([m.predict(x[:100]) for m in members], axis=0)
        if np.abs(trees.predict(x[:100]) - expected).max() > 1e-5 * np.abs(y).max():
            raise IlpsumError("this scikit-learn keeps boosted trees in another way: train with version 1.9, or an SVR")
        return trees


@dataclass(frozen=True)
class BoostedTrees:
    """t trees of at most k nodes; the root of each is its node 0, and a leaf is its own child.

    Attributes:
        feature: (t, k) the column that a node asks for.
        threshold: (t, k) rows of at most this value go left.
        left, right: (t, k) the children.
        value: (t, k) what a leaf adds to the prediction.
        depth: splits from a root to the deepest leaf.
        intercept: the constant term.
        parameters: what they were trained with.
    """

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    value: Floats
    depth: int
    intercept: float
    parameters: TreeParameters

    def predict(self, x: Floats) -> Floats:
        """(n, columns) features to (n,) predicted targets."""
        rows, trees = np.arange(len(x))[:, None], np.arange(len(self.feature))
        node = np.zeros((len(x), len(trees)), dtype=np.int64)
        for _ in range(self.depth):
            goes_left = x[rows, self.feature[trees, node]] <= self.threshold[trees, node]
            node = np.where(goes_left, self.left[trees, node], self.right[trees, node])
        prediction: Floats = self.value[trees, node].sum(axis=1) + self.intercept
        return prediction

    def reads(self, columns: int) -> bool:
        """Whether the trees can read rows of so many columns."""
        return 0 <= int(self.feature.min()) <= int(self.feature.max()) < columns

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What is kept: JSON-ready parameters, and arrays."""
        return msgspec.to_builtins(self.parameters), {
            "feature": self.feature.astype(np.int16),
            "threshold": self.threshold,
            "left": self.left.astype(np.int16),
            "right": self.right.astype(np.int16),
            "value": self.value.astype(np.float32),
            "constants": np.array([self.intercept, self.depth]),
        }

    @classmethod
    def from_state(cls, parameters: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "BoostedTrees":
        """The trees of what was kept.

        Raises:
            ValueError: the arrays are no trees.
        """
        intercept, depth = arrays["constants"].tolist()
        names = ("feature", "threshold", "left", "right", "value")
        shapes = {arrays[name].shape for name in names}
        if len(shapes) != 1 or arrays["feature"].ndim != 2:
            raise ValueError("arrays of trees that differ in their shapes")
        if any(not 0 <= arrays[name].min() <= arrays[name].max() < arrays[name].shape[1] for name in ("left", "right")):
            raise ValueError("a node of a tree that does not exist")
        return cls(
            feature=arrays["feature"].astype(np.int64),
            threshold=arrays["threshold"],
            left=arrays["left"].astype(np.int64),
            right=arrays["right"].astype(np.int64),
            value=arrays["value"].astype(np.float64),
            depth=int(depth),
            intercept=intercept,
            parameters=TreeParameters(**parameters),
        )


def _assemble(members: list[Any], parameters: TreeParameters) -> BoostedTrees:
    """The trees of scikit-learn's ensembles, as one ensemble that predicts their mean."""
    trees = [stage[0].nodes for member in members for stage in member._predictors]
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
        # Single precision, as it is kept, so that a model predicts the same before and after it was saved.
        value[t, k] = np.where(leaf, nodes["value"] / len(members), 0.0).astype(np.float32)
    return BoostedTrees(
        feature=feature,
        threshold=threshold,
        left=left,
        right=right,
        value=value,
        depth=max(int(nodes["depth"].max()) for nodes in trees),
        intercept=float(np.mean([np.ravel(m._baseline_prediction)[0] for m in members])),
        parameters=parameters,
    )
