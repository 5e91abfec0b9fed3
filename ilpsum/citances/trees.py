"""Decision trees as plain arrays: what scikit-learn grew is kept and applied without it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats, Ints


@dataclass(frozen=True)
class TreeEnsemble:
    """Trees whose values are added up.

    Attributes:
        roots: (t,) the node each tree begins at.
        feature: (nodes,) the column that a node asks for; -1 for a leaf.
        threshold: (nodes,) a row goes left where its value is at most this.
        left, right: (nodes,) the nodes below.
        value: (nodes, k) what a leaf adds.
        start: (k,) what the sum begins with.
    """

    roots: Ints
    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    value: Floats
    start: Floats

    def __call__(self, x: Floats) -> Floats:
        """(n, k) the sums for rows (n, columns)."""
        total = np.tile(self.start, (len(x), 1))
        rows = np.arange(len(x))
        for root in self.roots:
            node = np.full(len(x), root)
            while True:
                asked = self.feature[node]
                inner = asked >= 0
                if not inner.any():
                    break
                goes_left = x[rows, np.maximum(asked, 0)] <= self.threshold[node]
                node = np.where(inner, np.where(goes_left, self.left[node], self.right[node]), node)
            total += self.value[node]
        return total

    @classmethod
    def of(cls, trees: Sequence[Any], values: Sequence[Floats], start: Floats) -> "TreeEnsemble":
        """Trees of scikit-learn's decision trees and forests.

        Args:
            trees: their `tree_` attributes.
            values: for each tree (its nodes, k) what its leaves add.
            start: (k,) what the sum begins with.
        """
        nodes = [
            _Nodes(t.feature, t.threshold, t.children_left, t.children_right, t.children_left < 0, value)
            for t, value in zip(trees, values, strict=True)
        ]
        return cls._joined(nodes, start)

    @classmethod
    def _joined(cls, trees: Sequence["_Nodes"], start: Floats) -> "TreeEnsemble":
        """All trees in one table; their links are moved by the nodes of the trees before."""
        offsets = np.cumsum([0, *(len(tree.leaf) for tree in trees)])
        moved = list(zip(trees, offsets.tolist(), strict=False))
        return cls(
            roots=offsets[:-1].astype(np.int64),
            feature=np.concatenate([np.where(t.leaf, -1, t.feature.astype(np.int64)) for t in trees]),
            threshold=np.concatenate([np.where(t.leaf, 0.0, t.threshold) for t in trees]),
            left=np.concatenate([np.where(t.leaf, 0, t.left.astype(np.int64) + o) for t, o in moved]),
            right=np.concatenate([np.where(t.leaf, 0, t.right.astype(np.int64) + o) for t, o in moved]),
            value=np.vstack([np.where(t.leaf[:, None], t.value, 0.0) for t in trees]),
            start=np.asarray(start, dtype=np.float64),
        )

    def state(self) -> dict[str, NDArray[Any]]:
        """What is kept, in the smallest types that hold it."""
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
        """The trees of what was kept."""
        whole = {name: arrays[name].astype(np.int64) for name in ("roots", "feature", "left", "right")}
        return cls(
            threshold=arrays["threshold"].astype(np.float64),
            value=arrays["value"].astype(np.float64),
            start=arrays["start"].astype(np.float64),
            **whole,
        )


@dataclass(frozen=True)
class _Nodes:
    """One tree, its links counted from its own first node."""

    feature: NDArray[Any]
    threshold: Floats
    left: NDArray[Any]
    right: NDArray[Any]
    leaf: NDArray[np.bool_]
    value: Floats
