"""Gradient-boosted regression trees (Friedman 2001) on binned features, trained by scikit-learn,
saved as plain arrays.

The prediction is the mean of several ensembles with different seeds: with a single one, the ROUGE
of a summary varies by about .01 between seeds. Prediction needs only numpy. scikit-learn does not
publish its trees: only `_export` reads its private attributes, and every training compares the
predictions with scikit-learn's own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats, Ints
from ilpsum.errors import IlpsumError
from ilpsum.files.persistence import within
from ilpsum.files.records import Natural, Number, Table, Whole

# Maximum number of leaves of a tree.
MOST_LEAVES = 64
# Rows per block: their nodes fit into the processor's cache.
_BLOCK = 64

Nodes = NDArray[np.int16]
Rate = Annotated[float, msgspec.Meta(gt=0.0, le=1.0)]


class TreeParameters(Table, frozen=True):
    """Training parameters of trees: the table `[recipe.trees]` of a system file.

    Attributes:
        rounds: trees per ensemble.
        rate: learning rate, which scales each tree.
        leaves: maximum number of leaves per tree.
        least: minimum number of training rows per leaf.
        share: share of the features sampled at random as candidates for each split.
        members: number of ensembles; their seeds are `seed`, `seed` + 1, ...
        seed: random seed of the first ensemble.
    """

    rounds: Natural = 150
    rate: Rate = 0.05
    leaves: Annotated[int, msgspec.Meta(ge=2, le=MOST_LEAVES)] = 12
    least: Natural = 60
    share: Rate = 0.5
    members: Natural = 3
    seed: Whole = 0

    def fit(self, x: Floats, y: Floats) -> "BoostedTrees":
        """Train on (n, columns) features and (n,) targets, n > 0; `IlpsumError` if scikit-learn's
        trees cannot be read.
        """
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
        # A tree takes milliseconds, in many small parallel loops. If another program occupies a
        # core, OpenMP threads busy-wait for each other in every loop, many times longer than they
        # work; and sums depend on the number of threads.
        with threadpool_limits(limits=1, user_api="openmp"):
            for member in members:
                member.fit(x, y)
        trees = assemble([_export(member) for member in members], self)
        expected = np.mean([m.predict(x[:100]) for m in members], axis=0)
        if np.abs(trees.predict(x[:100]) - expected).max() > 1e-5 * np.abs(y).max():
            raise IlpsumError(_UNREADABLE)
        return trees


_UNREADABLE = (
    "the trees of this version of scikit-learn cannot be read: train with version 1.5 "
    "to 1.9, or train an SVR"
)


@dataclass(frozen=True)
class BoostedTrees:
    """The sum of t decision trees of at most k nodes each, and an intercept; the first node of a
    tree is its root.

    Attributes:
        feature: (t, k) column that a node compares.
        threshold: (t, k) rows with at most this value go left.
        left, right: (t, k) indices of the children within the tree; a leaf is its own child.
        value: (t, k) value of a leaf.
    """

    feature: Annotated[Nodes, "i t k"]
    threshold: Annotated[Floats, "F t k"]
    left: Annotated[Nodes, "i t k"]
    right: Annotated[Nodes, "i t k"]
    value: Annotated[NDArray[np.float32], "f t k"]
    intercept: Number
    parameters: TreeParameters

    def __post_init__(self) -> None:
        if not self.feature.size:
            raise ValueError("no trees, or trees without nodes")
        within("left", self.left, 0, self.left.shape[1] - 1)
        within("right", self.right, 0, self.right.shape[1] - 1)
        _ = self._nodes  # checks that they form trees

    def predict(self, x: Floats) -> Floats:
        """Predict the (n,) targets of (n, columns) features."""
        predicted = np.zeros(len(x))
        for first in range(0, len(x), _BLOCK):
            rows = slice(first, first + _BLOCK)
            predicted[rows] = self.intercept + self.leaves(x[rows]).sum(axis=1)
        return predicted

    def leaves(self, x: Floats) -> Floats:
        """Return the (n, t) values of the leaves that (n, columns) rows reach.

        All nodes are compared at once. A row that goes right at a node reaches none of the leaves
        on its left; of the leaves that no node rules out, it reaches the first (Lucchese et al.
        2015, QuickScorer).
        """
        nodes = self._nodes
        goes_right = x.T.take(nodes.feature, axis=0) > nodes.threshold[:, :, None]
        ruled_out = np.bitwise_or.reduce(np.multiply(goes_right, nodes.on_left[:, :, None]), axis=1)
        one = nodes.on_left.dtype.type(1)
        reached = np.bitwise_count(ruled_out & ~(ruled_out + one))
        trees, leaves = nodes.value.shape
        return np.asarray(nodes.value.take(reached.T + leaves * np.arange(trees)))

    @cached_property
    def _nodes(self) -> "_Nodes":
        """The nodes as `leaves` reads them; `ValueError` if they form no trees."""
        children = zip(self.left.tolist(), self.right.tolist(), strict=True)
        trees = [_walked(left, right) for left, right in children]
        most_leaves = max(len(leaves) for leaves, _ in trees)
        if most_leaves > MOST_LEAVES:
            raise ValueError(f"trees of more than {MOST_LEAVES} leaves")
        # Smaller trees are padded with nodes that rule out nothing.
        shape = len(trees), max(len(on_left) for _, on_left in trees)
        bits = np.min_scalar_type((1 << most_leaves) - 1)
        table = _Nodes(
            np.zeros(shape, dtype=np.int64),
            np.zeros(shape),
            np.zeros(shape, dtype=bits),
            np.zeros((len(trees), most_leaves)),
        )
        for t, (leaves, on_left) in enumerate(trees):
            inner = list(on_left)
            table.feature[t, : len(inner)] = self.feature[t, inner]
            table.threshold[t, : len(inner)] = self.threshold[t, inner]
            table.on_left[t, : len(inner)] = list(on_left.values())
            table.value[t, : len(leaves)] = self.value[t, leaves]
        return table

    def reads(self, columns: int) -> bool:
        """Whether the trees can read rows of this many columns."""
        return 0 <= int(self.feature.min()) <= int(self.feature.max()) < columns


def _walked(left: list[int], right: list[int]) -> tuple[list[int], dict[int, int]]:
    """Return the leaves of a tree from left to right, and for each inner node a bit for each leaf
    on its left.

    Raises:
        ValueError: a node has two parents, or is its own ancestor: the walk would not end.
    """
    leaves, on_left, seen = list[int](), dict[int, int](), set[int]()

    def walk(node: int) -> None:
        """Add the leaves below a node, from left to right."""
        if node in seen:
            raise ValueError("a node of a tree has two parents, or is its own ancestor")
        seen.add(node)
        if left[node] == right[node] == node:
            leaves.append(node)
            return
        first = len(leaves)
        walk(left[node])
        on_left[node] = (1 << len(leaves)) - (1 << first)
        walk(right[node])

    walk(0)
    return leaves, on_left


class _Nodes(NamedTuple):
    """The nodes of t trees, at most m in each, with the leaves of a tree numbered from left to
    right.

    `feature` and `threshold` are (t, m); `on_left` is (t, m), a bit for each leaf on the left of
    the node; `value` is (t, leaves).
    """

    feature: Ints
    threshold: Floats
    on_left: NDArray[np.unsignedinteger[Any]]
    value: Floats


# An ensemble as trained by scikit-learn: the nodes of each tree, structured arrays with the fields
# `is_leaf`, `feature_idx`, `num_threshold`, `left`, `right` and `value`; and the constant term.
Ensemble = tuple[list[NDArray[Any]], float]


def _export(member: Any) -> Ensemble:
    try:
        return [stage[0].nodes for stage in member._predictors], float(
            np.ravel(member._baseline_prediction)[0]
        )
    except (AttributeError, IndexError, TypeError):
        raise IlpsumError(_UNREADABLE) from None


def assemble(members: Sequence[Ensemble], parameters: TreeParameters) -> BoostedTrees:
    """Combine ensembles into one that predicts their mean."""
    trees = [nodes for grown, _ in members for nodes in grown]
    shape = (len(trees), max(map(len, trees)))
    feature, left, right = (np.zeros(shape, dtype=np.int16) for _ in range(3))
    threshold, value = np.zeros(shape), np.zeros(shape, dtype=np.float32)
    for t, nodes in enumerate(trees):
        k = np.arange(len(nodes))
        leaf = nodes["is_leaf"].astype(bool)
        feature[t, k] = np.where(leaf, 0, nodes["feature_idx"])
        threshold[t, k] = np.where(leaf, 0.0, nodes["num_threshold"])
        left[t, k] = np.where(leaf, k, nodes["left"])
        right[t, k] = np.where(leaf, k, nodes["right"])
        value[t, k] = np.where(leaf, nodes["value"] / len(members), 0.0)
    intercept = float(np.mean([baseline for _, baseline in members]))
    return BoostedTrees(feature, threshold, left, right, value, intercept, parameters)
