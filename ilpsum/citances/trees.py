"""Decision trees as plain arrays: trained by scikit-learn, saved and applied without it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats, Ints
from ilpsum.io.arrays import fitted, within

# Types of the saved arrays; in memory, all have eight bytes.
_SAVED = {"roots": "i4", "feature": "i4", "threshold": "f8", "left": "i4", "right": "i4", "value": "f4", "start": "f8"}


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
        sizes = [len(tree.feature) for tree in trees]
        roots = np.cumsum([0, *sizes])[:-1].astype(np.int64)
        leaf = np.concatenate([tree.children_left for tree in trees]) < 0
        # Links are relative to the first node of their tree.
        offsets = np.repeat(roots, sizes)
        return cls(
            roots=roots,
            feature=np.where(leaf, -1, np.concatenate([tree.feature for tree in trees]).astype(np.int64)),
            threshold=np.where(leaf, 0.0, np.concatenate([tree.threshold for tree in trees])),
            left=np.where(leaf, 0, np.concatenate([tree.children_left for tree in trees]) + offsets),
            right=np.where(leaf, 0, np.concatenate([tree.children_right for tree in trees]) + offsets),
            value=np.where(leaf[:, None], np.vstack(values), 0.0),
            start=np.asarray(start, dtype=np.float64),
        )

    def state(self) -> dict[str, NDArray[Any]]:
        """Return arrays to save, in compact types."""
        return {name: getattr(self, name).astype(kind) for name, kind in _SAVED.items()}

    @classmethod
    def from_state(cls, arrays: Mapping[str, NDArray[Any]], **sizes: int) -> "TreeEnsemble":
        """Restore trees from their state; `sizes` are the numbers of `columns` and of values `k`, if known.

        Raises:
            ValueError: these are not the arrays of trees: a link must lead to a later node.
        """
        links = dict.fromkeys(("feature", "left", "right"), "i nodes")
        known = {"roots": "i t", **links, "threshold": "F nodes", "value": "f nodes k", "start": "f k"}
        nodes = fitted(arrays, known, **sizes)["nodes"]
        own = cls(**{name: arrays[name].astype(kind[0] + "8") for name, kind in _SAVED.items()})
        within("roots", own.roots, 0, nodes - 1)
        within("feature", own.feature, -1, sizes.get("columns", nodes) - 1)
        inner = np.flatnonzero(own.feature >= 0)
        for name, links_to in (("left", own.left), ("right", own.right)):
            within(name, links_to[inner] - inner, 1, nodes)
            within(name, links_to[inner], 0, nodes - 1)
        return own
