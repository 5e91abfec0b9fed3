"""Gradient-boosted regression trees (Friedman 2001) on binned features, trained by scikit-learn,
saved as plain arrays.

The prediction is the mean of several ensembles with different seeds: with a single one, the ROUGE
of a summary varies by about .01 between seeds. Prediction needs only numpy. scikit-learn has no
public access to its trees: only `_export` reads its private attributes, and every training compares
the result with scikit-learn's own.
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
        """Train on (n, columns) features and (n,) targets, n > 0; `IlpsumError` for unknown
        scikit-learn trees.
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
        # core, OpenMP threads busy-wait for each other in every loop, many times longer than the
        # work; and sums depend on their number.
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
        depth: number of splits on the path to the deepest leaf.
    """

    feature: Annotated[Nodes, "i t k"]
    threshold: Annotated[Floats, "F t k"]
    left: Annotated[Nodes, "i t k"]
    right: Annotated[Nodes, "i t k"]
    value: Annotated[NDArray[np.float32], "f t k"]
    intercept: Number
    depth: Annotated[int, msgspec.Meta(ge=0, lt=2 * MOST_LEAVES)]
    parameters: TreeParameters

    def __post_init__(self) -> None:
        """Raise `ValueError` unless the nodes that can be reached form trees.

        A node with two parents, or a parent of the root, would have them walked again and again: 27
        such nodes take 5 GB.
        """
        if not self.feature.size:
            raise ValueError("no trees, or trees without nodes")
        trees, nodes = self.feature.shape
        if nodes >= 2 * MOST_LEAVES:
            raise ValueError(f"trees of more than {MOST_LEAVES} leaves")
        within("left", self.left, 0, nodes - 1)
        within("right", self.right, 0, nodes - 1)
        roots = nodes * np.arange(trees)
        left = (roots[:, None] + self.left).ravel()
        right = (roots[:, None] + self.right).ravel()
        reached = np.zeros(trees * nodes, dtype=bool)
        reached[roots] = True
        level = roots
        # The levels of all trees at once; a leaf is its own child.
        for _ in range(self.depth + 1):
            inner = level[(left[level] != level) | (right[level] != level)]
            if not len(inner):
                return
            level = np.sort(np.concatenate([left[inner], right[inner]]))
            if reached[level].any() or (level[1:] == level[:-1]).any():
                raise ValueError("a node of a tree has two parents, or is its own ancestor")
            reached[level] = True
        raise ValueError(f"a tree is deeper than its {self.depth} splits")

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
        """The nodes as `leaves` reads them."""
        trees, nodes = self.feature.shape
        roots = nodes * np.arange(trees)
        left, right = ((roots[:, None] + side).ravel() for side in (self.left, self.right))
        reached, levels = [roots], list[Ints]()
        for _ in range(self.depth):
            levels.append(reached[-1][left[reached[-1]] != reached[-1]])
            reached.append(np.concatenate([left[levels[-1]], right[levels[-1]]]))
        inner = np.sort(np.concatenate([roots[:0], *levels]))
        every = np.concatenate(reached)
        leaves = np.sort(every[~np.isin(every, inner)])
        size, first = (
            np.ones(trees * nodes, dtype=np.int64),
            np.zeros(trees * nodes, dtype=np.int64),
        )
        for level in reversed(levels):
            size[level] = size[left[level]] + size[right[level]]
        for level in levels:
            first[left[level]], first[right[level]] = first[level], first[level] + size[left[level]]
        tree = inner // nodes
        place = np.arange(len(inner)) - np.searchsorted(tree, tree)
        most = int(size[roots].max())
        kind = next(
            kind for kind in (np.uint16, np.uint32, np.uint64) if most <= 8 * kind().itemsize
        )
        # A tree of fewer nodes has some more that rule out nothing.
        shape = trees, int(place.max(initial=0)) + 1
        table = _Nodes(
            np.zeros(shape, int), np.zeros(shape), np.zeros(shape, kind), np.zeros((trees, most))
        )
        table.feature[tree, place] = self.feature.ravel()[inner]
        table.threshold[tree, place] = self.threshold.ravel()[inner]
        table.on_left[tree, place] = (
            (kind(1) << size[left[inner]].astype(kind)) - kind(1)
        ) << first[inner].astype(kind)
        table.value[leaves // nodes, first[leaves]] = self.value.ravel()[leaves]
        return table

    def reads(self, columns: int) -> bool:
        """Whether the trees can read rows of this many columns."""
        return 0 <= int(self.feature.min()) <= int(self.feature.max()) < columns


class _Nodes(NamedTuple):
    """The nodes of t trees, at most m in each, with the leaves of a tree numbered from left to
    right.

    `feature` and `threshold` are (t, m); `on_left` is (t, m), with a bit for each leaf on the left
    of a node; `value` is (t, leaves).
    """

    feature: Ints
    threshold: Floats
    on_left: NDArray[np.unsignedinteger[Any]]
    value: Floats


# An ensemble as trained by scikit-learn: the nodes of each tree, structured arrays with the fields
# `is_leaf`, `feature_idx`, `num_threshold`, `left`, `right`, `value` and `depth`; and the constant
# term.
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
    depth = max(int(nodes["depth"].max()) for nodes in trees)
    return BoostedTrees(feature, threshold, left, right, value, intercept, depth, parameters)
