"""The best tree over span scores: CKY for phrases with any number of children."""

import numpy as np
from numpy.typing import NDArray


def best_spans(values: NDArray[np.float32]) -> list[tuple[int, int]]:
    """Return the spans of the binary tree with the largest sum of values.

    A span that is not a phrase has value 0, so a phrase with many children is a binary tree with such spans inside.
    Ties go to the leftmost split.

    Args:
        values: shape (n + 1, n + 1), the value of the span from i to j (exclusive) at [i, j].

    Returns:
        All 2n - 1 spans of the tree, parents before children, left to right.
    """
    n = len(values) - 1
    # Sums by start and length, and by end and length, so that each diagonal is one vector operation.
    from_start = np.zeros((n + 1, n + 1), dtype=np.float32)
    from_end = np.zeros((n + 1, n + 1), dtype=np.float32)
    splits = np.zeros((n + 1, n + 1), dtype=np.int64)
    for length in range(1, n + 1):
        starts = np.arange(n - length + 1)
        total = values[starts, starts + length].astype(np.float32)
        if length > 1:
            halves = from_start[: n - length + 1, 1:length] + from_end[length:, length - 1 : 0 : -1]
            split = halves.argmax(axis=1)
            total += halves[starts, split]
            splits[starts, starts + length] = starts + 1 + split
        from_start[starts, length] = total
        from_end[starts + length, length] = total
    spans: list[tuple[int, int]] = []
    pending = [(0, n)]
    while pending:
        start, end = pending.pop()
        spans.append((start, end))
        if end - start > 1:
            middle = int(splits[start, end])
            pending += [(middle, end), (start, middle)]
    return spans
