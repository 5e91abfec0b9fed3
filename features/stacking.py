"""Features of stacking: the predictions of a first model for a sentence's neighbours and for
similar sentences.

A second model, with these beside the features of the first, is stacked on it (Wolpert 1992, Stacked
generalization): it learns from predictions for topics on which the first model was not trained.
"""

from typing import NamedTuple

import numpy as np

from features.arrays import Column, Floats, Ints, lag, names, ranks
from features.context import Context


class _Neighbours(NamedTuple):
    """Predictions p of the sentence and its neighbours in the document; 0 where there is none.

    Attributes:
        own: p of the sentence.
        before, after: p of the sentences next to it.
        second_before, second_after: p of the next but one.
    """

    own: Column
    before: Column
    after: Column
    second_before: Column
    second_after: Column


class _Documents(NamedTuple):
    """The sentence and its document.

    Attributes:
        best_of_document, mean_of_document, first_of_document: the best p, the mean and the first.
        sum_of_document: the sum of max(p, 0).
        document_rank: rank of the document by its best.
        rank_in_document: rank of the sentence in its document.
        place_in_document: this rank over the number of the document's sentences.
        rank: rank of the sentence among all.
        less_best_of_document: p minus the document's best.
        less_others_of_document: p minus the best of the document's other sentences.
    """

    best_of_document: Column
    mean_of_document: Column
    sum_of_document: Column
    first_of_document: Column
    document_rank: Column
    rank_in_document: Column
    place_in_document: Column
    rank: Column
    less_best_of_document: Column
    less_others_of_document: Column


class _Similar(NamedTuple):
    """Sentences of other documents, with w = max(p, 0) and their cosine c to the sentence.

    Attributes:
        agreement: sum of w c.
        agreement_share: this sum over the sum of all w.
        nearest: the largest w c.
        nearest_own, nearest_cosine: w and c of the sentence with the largest c.
        five_nearest: mean w of the five most similar sentences.
        cosine_with_first_five, cosine_with_first: mean c with the five best, and c with the best.
        cosine_with_best_of_document: c with the best of the sentence's document.
    """

    agreement: Column
    agreement_share: Column
    nearest: Column
    nearest_own: Column
    nearest_cosine: Column
    five_nearest: Column
    cosine_with_first_five: Column
    cosine_with_first: Column
    cosine_with_best_of_document: Column


class _Pool(NamedTuple):
    """The best p of all sentences, the tenth best, and the sum of max(p, 0)."""

    pool_best: Column
    pool_tenth: Column
    pool_sum: Column


COLUMNS = tuple(
    name
    for family in (_Neighbours, _Documents, _Similar, _Pool)
    for name in names(family, "predicted-")
)

_SEVERAL, _TENTH = 5, 10


def stacked(context: Context, predicted: Floats) -> Floats:
    """Return `COLUMNS`: (n, 27), from the (n,) relevance that a first model predicts."""
    n = len(predicted)
    if not n:
        return np.zeros((0, len(COLUMNS)))
    document = context.document
    order = np.argsort(-predicted, kind="stable")
    weights = np.maximum(predicted, 0.0)
    neighbours = _Neighbours(
        own=predicted,
        before=lag(predicted, document, 1),
        after=lag(predicted, document, -1),
        second_before=lag(predicted, document, 2),
        second_after=lag(predicted, document, -2),
    )
    pool = _Pool(
        pool_best=np.full(n, predicted[order[0]]),
        pool_tenth=np.full(n, weights[order[min(_TENTH, n) - 1]]),
        pool_sum=np.full(n, weights.sum()),
    )
    documents = _documents(document, predicted)
    similar = _similar(context, predicted, order)
    return np.column_stack([*neighbours, *documents, *similar, *pool])


def _documents(document: Ints, predicted: Floats) -> _Documents:
    """Return the predictions of each sentence's document, and its ranks."""
    _, first, number, sizes = np.unique(
        document,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    best = np.zeros(len(sizes))
    rank = np.zeros(len(predicted), dtype=np.int64)
    best_of_others = np.zeros(len(predicted))
    for k in range(len(sizes)):
        members = np.flatnonzero(number == k)
        falling = members[np.argsort(-predicted[members], kind="stable")]
        rank[falling] = np.arange(len(falling))
        best[k] = predicted[falling[0]]
        best_of_others[falling] = best[k]
        best_of_others[falling[0]] = predicted[falling[1]] if len(falling) > 1 else 0.0
    mean = np.bincount(number, predicted) / sizes
    total = np.bincount(number, np.maximum(predicted, 0.0))
    return _Documents(
        best_of_document=best[number],
        mean_of_document=mean[number],
        sum_of_document=total[number],
        first_of_document=predicted[first][number],
        document_rank=ranks(best)[number],
        rank_in_document=rank,
        place_in_document=rank / sizes[number],
        rank=ranks(predicted),
        less_best_of_document=predicted - best[number],
        less_others_of_document=predicted - best_of_others,
    )


def _similar(context: Context, predicted: Floats, order: Ints) -> _Similar:
    """Return the predictions of similar sentences, from blocks of the (n, n) cosines."""
    weights = np.maximum(predicted, 0.0)
    total = float(weights.sum()) or 1.0
    several = min(_SEVERAL, len(predicted) - 1)
    # The best sentence of each document comes last and so is kept.
    best = {int(context.document[i]): i for i in order[::-1].tolist()}
    best_of_document = np.array([best[number] for number in context.document.tolist()])
    blocks = []
    for block, cosines in context.cosines():
        row = np.arange(len(cosines))
        is_other = context.document[block, None] != context.document
        others = cosines * is_other
        nearest = others.argmax(axis=1)
        agreement = others @ weights
        without_itself = cosines.copy()
        without_itself[row, block.start + row] = -1.0
        closest = np.argsort(-without_itself, axis=1, kind="stable")[:, :several]
        columns = _Similar(
            agreement=agreement,
            agreement_share=agreement / total,
            nearest=(others * weights).max(axis=1),
            nearest_own=weights[nearest],
            nearest_cosine=others[row, nearest],
            five_nearest=weights[closest].mean(axis=1) if several else np.zeros(len(row)),
            cosine_with_first_five=cosines[:, order[:_SEVERAL]].mean(axis=1),
            cosine_with_first=cosines[:, order[0]],
            cosine_with_best_of_document=cosines[row, best_of_document[block]],
        )
        blocks.append(np.column_stack(columns))
    return _Similar(*np.vstack(blocks).T)
