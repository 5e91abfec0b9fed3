"""Gradient-boosted regression trees (Friedman 2001) on binned features, trained by scikit-learn, saved as plain arrays.

The prediction is the mean of several ensembles with different seeds: with a single one, the ROUGE of a summary varies
by about .01 between seeds. Prediction needs only numpy. scikit-learn has no public access to its trees: only `_export`
reads its private attributes, and every training compares the result with scikit-learn's own.

Applying the trees evaluates all splits at once instead of following each row down each tree. Each split has a bit mask
without the leaves of its left subtree. A row's leaf is the first one left in the conjunction of the masks of all splits
that send the row right (Lucchese et al. 2015, QuickScorer, section 3).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats, Ints
from ilpsum.errors import IlpsumError
from ilpsum.files.arrays import fitted
from ilpsum.files.records import LARGEST, Table

MOST_LEAVES = 64
"""Maximum number of leaves of a tree: the bits of a mask."""

# Rows per block: their masks fit into the processor's cache.
_BLOCK = 64


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
        """Train on (n, columns) features and (n,) targets, n > 0; `IlpsumError` for unknown scikit-learn trees."""
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
        # A tree takes milliseconds, in many small parallel loops. If another program occupies a core, OpenMP threads
        # busy-wait for each other in every loop, many times longer than the work; and sums depend on their number.
        with threadpool_limits(limits=1, user_api="openmp"):
            for member in members:
                member.fit(x, y)
        trees = assemble([_export(member) for member in members], self)
        expected = np.mean([m.predict(x[:100]) for m in members], axis=0)
        if np.abs(trees.predict(x[:100]) - expected).max() > 1e-5 * np.abs(y).max():
            raise IlpsumError(_UNREADABLE)
        return trees


_UNREADABLE = "the trees of this version of scikit-learn cannot be read: train with version 1.5 to 1.9, or train an SVR"


class Trees:
    """t decision trees of at most k nodes each; the first node is the root.

    Args:
        feature: (t, k) column that a node compares.
        threshold: (t, k) rows with at most this value go left.
        left, right: (t, k) indices of the children within the tree; a leaf is its own child.
        value: (t, k) value of a leaf.

    Raises:
        ValueError: a node has two parents, or a tree has more than `MOST_LEAVES` leaves.
    """

    def __init__(self, feature: Ints, threshold: Floats, left: Ints, right: Ints, value: Floats) -> None:
        self.feature, self.threshold, self.left, self.right, self.value = feature, threshold, left, right, value
        roots = np.arange(len(feature)) * feature.shape[1]
        left, right = ((children + roots[:, None]).ravel() for children in (left, right))
        feature, threshold, value = feature.ravel(), threshold.ravel(), value.ravel()
        inner = (left != np.arange(len(left))) | (right != np.arange(len(left)))
        levels = list(_levels(roots, inner, left, right))
        self.depth = len(levels)
        """Number of splits on the path from a root to the deepest leaf."""
        leaves, first, tree = np.ones_like(left), np.zeros_like(left), np.zeros_like(left)
        for split in reversed(levels):
            leaves[split] = np.minimum(leaves[left[split]] + leaves[right[split]], MOST_LEAVES + 1)
        most = int(leaves[roots].max(initial=1))
        if most > MOST_LEAVES:
            raise ValueError(f"a tree has more than {MOST_LEAVES} leaves")
        tree[roots] = np.arange(len(roots))
        for split in levels:
            for child, start in ((left[split], 0), (right[split], leaves[left[split]])):
                tree[child], first[child] = tree[split], first[split] + start
        splits = np.concatenate([np.zeros(0, dtype=np.int64), *levels])
        splits = splits[np.lexsort((splits, tree[splits], feature[splits]))]
        ends = np.concatenate([roots, left[splits], right[splits]])
        ends = ends[~inner[ends]]
        self._most = most
        self._values = np.zeros(len(roots) * most)
        self._values[tree[ends] * most + first[ends]] = value[ends]
        column, start = np.unique(feature[splits], return_index=True)
        # Each compared column, with the range of its splits.
        self._columns = list(zip(column.tolist(), start.tolist(), [*start[1:].tolist(), len(splits)], strict=False))
        # An extra split, which sends all rows left, pads trees with fewer splits than others.
        self._threshold = np.append(threshold[splits], np.inf)[:, None]
        self._mask = _mask(np.append(first[splits], 0), np.append(leaves[left[splits]], 0), most)
        self._place = _places(tree[splits], len(roots))

    def __call__(self, x: Floats) -> Floats:
        """Return the (n, t) leaf values that (n, columns) rows reach."""
        blocks = (x[first : first + _BLOCK] for first in range(0, len(x), _BLOCK))
        leaves = np.vstack([np.zeros((0, len(self.feature)), dtype=np.int64), *map(self._leaves, blocks)])
        # Contiguous by row: the result of numpy's sums depends on memory order.
        return self._values.take(np.ascontiguousarray(leaves) + self._most * np.arange(len(self.feature)))

    def _leaves(self, x: Floats) -> Ints:
        """Return the (n, t) indices of the leaves that rows reach, from the left of each tree."""
        by_column = np.ascontiguousarray(x.T)
        left = np.ones((len(self._threshold), len(x)), dtype=bool)
        for column, first, last in self._columns:
            np.less_equal(by_column[column], self._threshold[first:last], out=left[first:last])
        masks = np.negative(left.astype(self._mask.dtype)) | self._mask
        of_trees = masks.take(self._place.ravel(), axis=0).reshape(*self._place.shape, len(x))
        remaining = np.bitwise_and.reduce(of_trees, axis=0)
        return np.asarray(np.bitwise_count((remaining & np.negative(remaining)) - remaining.dtype.type(1)).T)

    def reads(self, columns: int) -> bool:
        """Whether the trees can read rows of this many columns."""
        return 0 <= int(self.feature.min()) <= int(self.feature.max()) < columns


def _levels(roots: Ints, inner: NDArray[np.bool_], left: Ints, right: Ints) -> Iterator[Ints]:
    """Yield the splits of each level, from the roots down; `ValueError` if a node has two parents."""
    seen = np.bincount(roots, minlength=len(left))
    level = roots
    while True:
        if len(level) and seen[level].max() > 1:
            raise ValueError("a node of a tree has two parents")
        level = level[inner[level]]
        if not len(level):
            return
        yield level
        level = np.concatenate([left[level], right[level]])
        np.add.at(seen, level, 1)


def _mask(first: Ints, count: Ints, most: int) -> NDArray[Any]:
    """Return (splits, 1) masks without `count` leaves from `first` on.

    The lowest bit is the first leaf. Trees with few leaves get narrower masks.
    """
    bits = next((kind for kind in (np.uint8, np.uint16, np.uint32) if 8 * kind().itemsize >= most), np.uint64)
    return (~(_lowest(first + count) & ~_lowest(first))).astype(bits)[:, None]


def _lowest(count: Ints) -> NDArray[np.uint64]:
    """Return words with the `count` lowest bits set; numpy shifts by the full word width to 0."""
    return np.asarray(np.left_shift(np.uint64(1), count.astype(np.uint64)) - np.uint64(1))


def _places(tree: Ints, t: int) -> Ints:
    """Return (most splits per tree, t) indices of the splits of each tree, padded with the extra split."""
    order = np.argsort(tree, kind="stable")
    number = np.arange(len(tree)) - np.searchsorted(tree[order], tree[order])
    place = np.full((int(number.max(initial=0)) + 1, t), len(tree))
    place[number, tree[order]] = order
    return place


@dataclass(frozen=True)
class BoostedTrees:
    """Trees whose leaf values are added to an intercept."""

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
        """Restore trees from their `state`; `ValueError` if the arrays are invalid."""
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
    """An ensemble as trained by scikit-learn: the nodes of each tree, and the constant term.

    Nodes are structured arrays with the fields `is_leaf`, `feature_idx`, `num_threshold`, `left`, `right` and `value`.
    """

    trees: list[NDArray[Any]]
    baseline: float


def _export(member: Any) -> Exported:
    try:
        trees = [stage[0].nodes for stage in member._predictors]
        return Exported(trees, float(np.ravel(member._baseline_prediction)[0]))
    except (AttributeError, IndexError, TypeError):
        raise IlpsumError(_UNREADABLE) from None


def assemble(members: Sequence[Exported], parameters: TreeParameters) -> BoostedTrees:
    """Combine ensembles into one that predicts their mean."""
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
        # Model files hold single precision; rounding now makes predictions equal before and after saving.
        value[t, k] = np.where(leaf, nodes["value"] / len(members), 0.0).astype(np.float32)
    intercept = float(np.mean([member.baseline for member in members]))
    return BoostedTrees(Trees(feature, threshold, left, right, value), intercept, parameters)
