"""Fast sums over many small trees: every split is compared at once, instead of following each row down each tree.

Each split has a bit mask without the leaves of its left subtree. A row's leaf is the first one left in the conjunction
of the masks of all splits that send the row right (Lucchese et al. 2015, QuickScorer, section 3).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats, Ints

MOST_LEAVES = 64
"""The bits of the widest mask."""

# Rows at a time: their masks fit into the processor's cache.
_BLOCK = 64


@dataclass(frozen=True)
class LeafMasks:
    """The s splits of t trees with at most l leaves, ordered by the column that they compare.

    Attributes:
        columns: each compared column, with the range of its splits.
        threshold: (s, 1) rows with at most this value go left.
        mask: (s, 1) bits of the leaves that remain where a row goes right, for the first leaf the lowest bit.
        place: (most splits of a tree, t) the split with this number in a tree; s, a mask of ones, if it has fewer.
        value: (t * l,) the values of the leaves.
        first: (t,) the first leaf of each tree among the values.
    """

    columns: tuple[tuple[int, int, int], ...]
    threshold: Floats
    mask: NDArray[Any]
    place: Ints
    value: Floats
    first: Ints

    def sums(self, x: Floats) -> Floats:
        """Return the (n,) sums of the values of the leaves that (n, columns) rows reach."""
        parts = [self._sums(x[first : first + _BLOCK]) for first in range(0, len(x), _BLOCK)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _sums(self, x: Floats) -> Floats:
        by_column = np.ascontiguousarray(x.T)
        left = np.ones((len(self.mask), len(x)), dtype=bool)
        for column, first, last in self.columns:
            np.less_equal(by_column[column], self.threshold[first:last], out=left[first:last])
        masks = np.negative(left.astype(self.mask.dtype)) | self.mask
        shape = (*self.place.shape, len(x))
        remaining = np.bitwise_and.reduce(masks.take(self.place.ravel(), axis=0).reshape(shape), axis=0)
        leaf = np.bitwise_count((remaining & np.negative(remaining)) - remaining.dtype.type(1))
        # One row after the other: numpy's sums depend on the order in memory.
        sums: Floats = self.value.take(np.ascontiguousarray(leaf.T) + self.first).sum(axis=1)
        return sums


def leaf_masks(feature: Ints, threshold: Floats, left: Ints, right: Ints, value: Floats, depth: int) -> LeafMasks:
    """Return the splits of t trees of at most k nodes, given as (t, k) arrays; see `BoostedTrees` for their meaning.

    Raises:
        ValueError: a node has two parents, or a tree more than `MOST_LEAVES` leaves or more levels than `depth`.
    """
    trees, own = np.arange(len(left))[:, None], np.arange(left.shape[1])
    is_leaf = (left == own) & (right == own)
    leaves = is_leaf.astype(np.int64)
    for _ in range(depth):
        leaves = np.where(is_leaf, 1, np.minimum(leaves[trees, left] + leaves[trees, right], MOST_LEAVES + 1))
    parents, first = np.zeros_like(left), np.zeros_like(left)
    parents[:, 0] = 1
    level = parents.astype(bool)
    for _ in range(depth):
        tree, node = np.nonzero(level & ~is_leaf)
        level = np.zeros_like(level)
        for children, start in ((left, 0), (right, leaves[tree, left[tree, node]])):
            child = children[tree, node]
            np.add.at(parents, (tree, child), 1)
            first[tree, child] = first[tree, node] + start
            level[tree, child] = True
    reached = parents > 0
    if parents.max() > 1 or (level & ~is_leaf).any() or leaves[:, 0].max() > MOST_LEAVES:
        raise ValueError(f"a tree has a node with two parents, or more than {MOST_LEAVES} leaves")
    values = np.zeros((len(left), int(leaves[:, 0].max())))
    tree, node = np.nonzero(reached & is_leaf)
    values[tree, first[tree, node]] = value[tree, node]
    tree, node = np.nonzero(reached & ~is_leaf)
    order = np.lexsort((node, tree, feature[tree, node]))
    bits = np.left_shift(np.uint64(1), leaves[tree, left[tree, node]].astype(np.uint64)) - np.uint64(1)
    mask = ~np.left_shift(bits, first[tree, node].astype(np.uint64))
    width = next(kind for kind in (np.uint8, np.uint16, np.uint32, np.uint64) if 8 * kind().itemsize >= values.shape[1])
    number = np.arange(len(tree)) - np.searchsorted(tree, tree)
    place = np.full((int(number.max(initial=-1)) + 1, len(left)), len(tree))
    place[number[order], tree[order]] = np.arange(len(tree))
    column, start = np.unique(feature[tree, node][order], return_index=True)
    ends = [*start[1:].tolist(), len(tree)][: len(start)]
    return LeafMasks(
        columns=tuple(zip(column.tolist(), start.tolist(), ends, strict=True)),
        threshold=np.append(threshold[tree, node][order], np.inf)[:, None],
        mask=np.append(mask[order], ~np.uint64(0)).astype(width)[:, None],
        place=place,
        value=values.ravel(),
        first=np.arange(len(left)) * values.shape[1],
    )
