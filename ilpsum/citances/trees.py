"""Decision trees as plain arrays: trained by scikit-learn, saved and applied without it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats, Ints


@dataclass(frozen=True)
class TreeEnsemble:
    """A sum of trees with k values in each leaf.

    Attributes:
        roots: (t,) the root of each tree.
        feature: (nodes,) the column that a node tests; -1 for a leaf.
        threshold: (nodes,) rows with at most this value go left.
        left, right: (nodes,) the children.
        value: (nodes, k) the values of a leaf.
        start: (k,) constant terms of the sum.
    """

    roots: Ints
    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    value: Floats
    start: Floats

    def __call__(self, x: Floats) -> Floats:
        """Return the sums (n, k) for rows (n, columns)."""
        total = np.tile(self.start, (len(x), 1))
        rows = np.arange(len(x))
        for root in self.roots:
            node = np.full(len(x), root)
            while True:
                column = self.feature[node]
                inner = column >= 0
                if not inner.any():
                    break
                goes_left = x[rows, np.maximum(column, 0)] <= self.threshold[node]
                node = np.where(inner, np.where(goes_left, self.left[node], self.right[node]), node)
            total += self.value[node]
        return total

    @classmethod
    def of(cls, trees: Sequence[Any], values: Sequence[Floats], start: Floats) -> "TreeEnsemble":
        """Convert scikit-learn's decision trees.

        Args:
            trees: their `tree_` attributes.
            values: for each tree, (its nodes, k) the values of its leaves.
            start: (k,) constant terms of the sum.
        """
        nodes = [
            _Nodes(t.feature, t.threshold, t.children_left, t.children_right, t.children_left < 0, value)
            for t, value in zip(trees, values, strict=True)
        ]
        return cls._joined(nodes, start)

    @classmethod
    def _joined(cls, trees: Sequence["_Nodes"], start: Floats) -> "TreeEnsemble":
        """Join the nodes of all trees, and shift their links by the nodes of the trees before."""
        offsets = np.cumsum([0, *(len(tree.leaf) for tree in trees)])
        shifted = list(zip(trees, offsets.tolist(), strict=False))
        return cls(
            roots=offsets[:-1].astype(np.int64),
            feature=np.concatenate([np.where(t.leaf, -1, t.feature.astype(np.int64)) for t in trees]),
            threshold=np.concatenate([np.where(t.leaf, 0.0, t.threshold) for t in trees]),
            left=np.concatenate([np.where(t.leaf, 0, t.left.astype(np.int64) + o) for t, o in shifted]),
            right=np.concatenate([np.where(t.leaf, 0, t.right.astype(np.int64) + o) for t, o in shifted]),
            value=np.vstack([np.where(t.leaf[:, None], t.value, 0.0) for t in trees]),
            start=np.asarray(start, dtype=np.float64),
        )

    def state(self) -> dict[str, NDArray[Any]]:
        """Return arrays to save, in compact types."""
        return {
            "roots": self.roots.astype(np.int32),
            "feature": self.feature.astype(np.int32),
            "threshold": self.threshold,
            "left": self.left.astype(np.int32),
            "right": self.right.astype(np.int32),
            "value": self.value.astype(np.float32),
            "start": self.start,
        }

    @classmethod
    def from_state(cls, arrays: Mapping[str, NDArray[Any]]) -> "TreeEnsemble":
        """Restore trees from their state."""
        integers = {name: arrays[name].astype(np.int64) for name in ("roots", "feature", "left", "right")}
        return cls(
            threshold=arrays["threshold"].astype(np.float64),
            value=arrays["value"].astype(np.float64),
            start=arrays["start"].astype(np.float64),
            **integers,
        )


@dataclass(frozen=True)
class _Nodes:
    """A tree with links relative to its first node."""

    feature: NDArray[Any]
    threshold: Floats
    left: NDArray[Any]
    right: NDArray[Any]
    leaf: NDArray[np.bool_]
    value: Floats
