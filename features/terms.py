"""Features of terms, from which the probability that a term belongs to the answer is predicted.

A term is the stem of a content word that the question lacks. Where many abstracts are searched, the answer is one of
the few terms that several relevant sentences share; its neighbours vary, so single stems find it where bigrams do not.
"""

from collections import Counter

import numpy as np

from features.arrays import Floats
from features.context import Context
from features.evidence import sentence_bm25
from features.stemming import porter
from features.text import Passage, words

COLUMNS = (
    *"best-score mean-score top-three-score total-score best-rank holders share-of-holders".split(),
    *"share-of-holding-documents document-share best-bm25 total-bm25 mean-bm25 capitalised".split(),
    *"has-digit characters first-document candidates documents earliest".split(),
)


def terms_of(passage: Passage) -> tuple[tuple[str], ...]:
    """Return the content stems of a passage as concepts, in order, with repetitions."""
    return tuple(zip(passage.content_stems))


def term_features(context: Context, scores: Floats) -> tuple[tuple[tuple[str], ...], Floats]:
    """Return the m distinct terms of the n candidates, in the order of their first sentence, and (m, 19) `COLUMNS`.

    The (n,) scores are predicted relevance in [0,1].
    """
    asked = frozenset(context.query.stems)
    holders: dict[str, list[int]] = {}
    for i, sentence in enumerate(context.sentences):
        for stem in dict.fromkeys(sentence.content_stems):
            if stem not in asked:
                holders.setdefault(stem, []).append(i)
    if not holders:
        return (), np.zeros((0, len(COLUMNS)))
    n, documents = len(context), max(len(context.documents), 1)
    rank = np.empty(n)
    rank[np.argsort(-scores, kind="stable")] = np.arange(n) / n
    bm25 = sentence_bm25(context)
    relative = bm25 / (float(bm25.max()) or 1.0)
    in_documents = Counter(stem for d in context.documents for stem in set(d.content_stems))
    capitals = _capitals(context)
    of_stem = np.array([(in_documents[s], capitals[s], any(map(str.isdigit, s)), len(s)) for s in holders]).T
    matrix = np.empty((len(holders), len(COLUMNS)))
    matrix[:, 16:18] = np.log(n), np.log(documents)
    # Terms with the same number of holders together, as rows of equal length.
    counts = np.array([len(held) for held in holders.values()])
    lists = list(holders.values())
    for count in np.unique(counts).tolist():
        rows = np.flatnonzero(counts == count)
        held = np.array([lists[row] for row in rows.tolist()])
        frequency, capitalised, digit, length = of_stem[:, rows]
        best, places, shares = np.sort(scores[held], axis=1)[:, ::-1], np.sort(context.document[held]), relative[held]
        matrix[rows, :16] = np.column_stack([
            best[:, 0], best.mean(axis=1), best[:, :3].mean(axis=1), np.log1p(best.sum(axis=1)), rank[held].min(axis=1),
            np.full(len(rows), np.log(count)), np.full(len(rows), count / n),
            (1 + (np.diff(places) > 0).sum(axis=1)) / documents, frequency / documents,
            shares.max(axis=1), np.log1p(shares.sum(axis=1)), shares.mean(axis=1),
            np.minimum(1.0, capitalised / count), digit, np.log(length), places[:, 0] / documents,
        ])  # fmt: skip
        matrix[rows, 18] = context.position[held].min(axis=1)
    return tuple(zip(holders)), matrix


def _capitals(context: Context) -> Counter[str]:
    """Count how often each stem is printed with a capital that does not only open its sentence."""
    counts: Counter[str] = Counter()
    for sentence in context.sentences:
        for place, token in enumerate(sentence.text.split()):
            if not token.islower() and any(map(str.isupper, token.strip("()[],.;:")[not place :])):
                for word in words(token):
                    counts[porter(word)] += 1
    return counts
