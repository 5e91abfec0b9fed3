"""Sums over many decision trees: every split is compared at once, instead of following each row down each tree.

Each split has a bit mask without the leaves of its left subtree. A row's leaf is the first one left in the conjunction
of the masks of all splits that send the row right (Lucchese et al. 2015, QuickScorer, section 3). Trees are trained by
scikit-learn and applied with numpy alone.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats, Ints

MOST_LEAVES = 64
"""The largest number of leaves of a tree: the bits of a mask."""

# Rows at a time: their masks fit into the processor's cache.
_BLOCK = 64


class Trees:
    """t decision trees of at most k nodes each, the first of which is the root.

    Args:
        feature: (t, k) the column that a node compares.
        threshold: (t, k) rows with at most this value go left.
        left, right: (t, k) the numbers of the children within the tree; a leaf is its own child.
        value: (t, k) the value of a leaf.

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
        """Splits from a root to the deepest leaf."""
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
        # One more split, which all rows pass on the left, fills the places of trees that have fewer splits than others.
        self._threshold = np.append(threshold[splits], np.inf)[:, None]
        self._mask = _mask(np.append(first[splits], 0), np.append(leaves[left[splits]], 0), most)
        self._place = _places(tree[splits], len(roots))

    def __call__(self, x: Floats) -> Floats:
        """Return the (n, t) values of the leaves that (n, columns) rows reach."""
        blocks = (x[first : first + _BLOCK] for first in range(0, len(x), _BLOCK))
        leaves = np.vstack([np.zeros((0, len(self.feature)), dtype=np.int64), *map(self._leaves, blocks)])
        # Row by row in memory: numpy's sums depend on the order there.
        return self._values.take(np.ascontiguousarray(leaves) + self._most * np.arange(len(self.feature)))

    def _leaves(self, x: Floats) -> Ints:
        """Return the (n, t) numbers of the leaves that rows reach, from the left of each tree."""
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
    """Return the (splits, 1) masks without `count` leaves from the `first`.

    The lowest bit is the first leaf. Trees of few leaves have masks of fewer bits.
    """
    bits = next((kind for kind in (np.uint8, np.uint16, np.uint32) if 8 * kind().itemsize >= most), np.uint64)
    return (~(_lowest(first + count) & ~_lowest(first))).astype(bits)[:, None]


def _lowest(count: Ints) -> NDArray[np.uint64]:
    """Return words with this many of their lowest bits set; numpy shifts by the width of a word to 0."""
    return np.asarray(np.left_shift(np.uint64(1), count.astype(np.uint64)) - np.uint64(1))


def _places(tree: Ints, t: int) -> Ints:
    """Return (most splits of a tree, t) the split with each number in a tree; the last one if a tree has fewer."""
    order = np.argsort(tree, kind="stable")
    number = np.arange(len(tree)) - np.searchsorted(tree[order], tree[order])
    place = np.full((int(number.max(initial=0)) + 1, t), len(tree))
    place[number, tree[order]] = order
    return place
