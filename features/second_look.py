"""Features of a second look: what the predictions of a first model say of a sentence's neighbours
and of those alike.

A second model that reads them beside the features of the first is stacked on it (Wolpert 1992,
Stacked generalization): it learns from predictions for topics that the first model was not trained
on.
"""

import numpy as np

from features.arrays import Floats, Ints, beside
from features.context import Context

COLUMNS = tuple(
    f"predicted-{name}"
    for name in (
        *"own before after second-before second-after".split(),
        *"best-of-document mean-of-document sum-of-document first-of-document "
        "document-rank".split(),
        *"rank-in-document place-in-document rank less-best-of-document "
        "less-others-of-document".split(),
        *"agreement agreement-share nearest nearest-own nearest-cosine five-nearest".split(),
        *"cosine-with-first-five cosine-with-first cosine-with-best-of-document".split(),
        *"pool-best pool-tenth pool-sum".split(),
    )
)

_SEVERAL, _TENTH = 5, 10


def second_look(context: Context, predicted: Floats) -> Floats:
    """Return `COLUMNS`: (n, 27), from the (n,) relevance that a first model predicts.

    In order: the prediction; those of the sentences one and two before and after in the document, 0
    where there are none; the best, the mean and the sum of the document, that of its first
    sentence, and the document's rank by its best; the sentence's rank in its document, also as a
    share of the sentences, and among all; its prediction less the document's best and less the best
    of the document's others; its agreement with sentences of other documents (the sum of their
    predictions times the cosine, the same as a share of all predictions, the largest product, the
    prediction and the cosine of the most alike) and the mean prediction of the five most alike; the
    cosine with the five best, the best and the document's best; and the level of the pool: its
    best, its tenth best, and the sum.
    """
    n = len(predicted)
    if not n:
        return np.zeros((0, len(COLUMNS)))
    ordered, weights = np.argsort(-predicted, kind="stable"), np.maximum(predicted, 0.0)
    ranks = np.empty(n)
    ranks[ordered] = np.arange(n)
    level = predicted[ordered[0]], weights[ordered[min(_TENTH, n) - 1]], weights.sum()
    return np.column_stack([
        predicted, *(beside(predicted, context.document, distance) for distance in (1, -1, 2, -2)),
        _documents(context, predicted, ranks), _alike(context, predicted, ordered), np.tile(level,
        (n, 1)),
    ])  # fmt: skip


def _documents(context: Context, predicted: Floats, ranks: Floats) -> Floats:
    """Return (n, 10): the columns from `best-of-document` to `less-others-of-document`."""
    _, first, place, sizes = np.unique(
        context.document, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((-predicted, place))
    starts = np.cumsum(sizes) - sizes
    rank = np.empty(len(predicted))
    rank[order] = np.arange(len(order)) - starts[place[order]]
    best = predicted[order[starts]]
    second = np.where(sizes > 1, predicted[order[np.minimum(starts + 1, len(order) - 1)]], 0.0)
    total = np.bincount(place, np.maximum(predicted, 0.0))
    by_best = np.empty(len(best))
    by_best[np.argsort(-best, kind="stable")] = np.arange(len(best))
    own = np.column_stack(
        [best, np.bincount(place, predicted) / sizes, total, predicted[first], by_best]
    )
    others = np.where(rank == 0, second[place], best[place])
    within = (rank, rank / sizes[place], ranks, predicted - best[place], predicted - others)
    return np.column_stack([own[place], *within])


def _alike(context: Context, predicted: Floats, ordered: Ints) -> Floats:
    """Return (n, 9): the columns from `agreement` to `cosine-with-best-of-document`."""
    n, weights = len(predicted), np.maximum(predicted, 0.0)
    best = {int(context.document[i]): i for i in ordered[::-1].tolist()}
    best_of = np.array([best[d] for d in context.document.tolist()])
    several, total = min(_SEVERAL, n - 1), float(weights.sum()) or 1.0
    rows = []
    for block, cosines in context.cosines():
        others = cosines * (context.document[block, None] != context.document)
        nearest, row = others.argmax(axis=1), np.arange(len(cosines))
        agreement = others @ weights
        alone = cosines.copy()
        alone[row, block.start + row] = -1.0
        closest = np.argsort(-alone, axis=1, kind="stable")[:, :several]
        rows.append(np.column_stack([
            agreement, agreement / total, (others * weights).max(axis=1), weights[nearest],
            others[row, nearest],
            weights[closest].mean(axis=1) if several else np.zeros(len(row)),
            cosines[:, ordered[:_SEVERAL]].mean(axis=1), cosines[:, ordered[0]], cosines[row,
            best_of[block]],
        ]))  # fmt: skip
    return np.vstack(rows)
