"""Features of sentences in whole abstracts: match with the question and agreement with other
abstracts.

Most sentences of a retrieved abstract answer nothing: they state background, aims and methods.
Answers are recognised by their part of the abstract, question words close together, neighbours that
also match the question, and agreement with other abstracts.
"""

import numpy as np

from features.arrays import Floats, Ints, Mask
from features.context import Context
from features.evidence import evidence_of, sentence_bm25
from features.tokens import Tokens, distinct

ROLES = ("background", "aim", "method", "result", "conclusion")

# Maximum distance of a pair of question words.
_NEAR = 4
_LARGEST = 3

COLUMNS = (
    *"longest-span longest-span-weight near-pairs next-share neighbours-bm25 bm25-in-document "
    "best-of-document".split(),
    *"bm25-place title-share title-cosine agreement agreement-with-matching "
    "agreeing-documents".split(),
    *(f"role-{name}" for name in ROLES),
)


def matching(context: Context) -> Floats:
    """Return `COLUMNS`: (n, 18).

    In order: the longest run of stems shared with the question, in content stems and as a share of
    the question's; the share of pairs of question stems within four words of each other; the share
    of the question's weight in the next sentence; the larger BM25 of both neighbours; the
    sentence's BM25 over the best of its document, that best BM25, and the sentence's rank by BM25;
    the weighted share of question words in the document's title, and the cosine with that title;
    the agreement with sentences of other documents (see `_agreement`); and the rhetorical role.
    """
    evidence = evidence_of(context)
    n, total = len(context), float(evidence.weights.sum()) or 1.0
    shares, bm25 = evidence.sentences @ evidence.weights / total, sentence_bm25(context)
    same = context.document[1:] == context.document[:-1]
    following, before, after = np.zeros(n), np.zeros(n), np.zeros(n)
    following[:-1][same], after[:-1][same], before[1:][same] = (
        shares[1:][same],
        bm25[1:][same],
        bm25[:-1][same],
    )
    best = {d: float(bm25[context.document == d].max()) for d in set(context.document.tolist())}
    of_document = np.array([best[d] for d in context.document.tolist()])
    place = np.empty(n)
    place[np.argsort(-bm25, kind="stable")] = np.arange(n) / n
    relative = of_document / (float(bm25.max()) or 1.0)
    return np.column_stack([
        _spans(context), following, np.maximum(before, after),
        bm25 / np.where(of_document > 0, of_document, 1.0), relative, place,
        _title(context, context.vectors, shares), _agreement(context, bm25),
        np.zeros((n, len(ROLES))) if context.roles is None else context.roles,
    ])  # fmt: skip


def _spans(context: Context) -> Floats:
    """Return (n, 3): the longest shared run in stems and as a share of the question, and the share
    of near pairs.
    """
    stems, wanted = context.vocabulary.stems, context.vocabulary.content_stems.query.distinct.ids
    content = stems.sentences.among(wanted)
    longest = stems.sentences.largest(_longest(stems.query.ids, stems.sentences, content))
    near = _near_pairs(stems.sentences, content)
    pairs = max(len(wanted) * (len(wanted) - 1) / 2, 1)
    return np.column_stack([longest, longest / max(len(wanted), 1), near / pairs])


def _longest(asked: Ints, tokens: Tokens, content: Mask) -> Floats:
    """Return (t,) the largest number of content terms in a run of terms that ends here and occurs
    in `asked`.
    """
    inside = np.append(False, tokens.text[1:] == tokens.text[:-1])[: len(tokens.ids)]
    longest, run = np.zeros(len(inside)), np.zeros(len(inside))
    for term in asked.tolist():
        # `run` ends at this term of the question; the run before it ended at the preceding term.
        before = np.append(0.0, run[:-1])[: len(inside)]
        run = np.where(tokens.ids == term, content + np.where(inside, before, 0.0), 0.0)
        longest = np.maximum(longest, run)
    return longest


def _near_pairs(tokens: Tokens, content: Mask) -> Ints:
    """Return (n,) the number of distinct pairs of content terms within `_NEAR` words of each
    other.
    """
    at = np.flatnonzero(content)
    text, ids, keys = tokens.text[at], tokens.ids[at], [np.zeros(0, dtype=np.int64)]
    for k in range(1, _NEAR + 1):
        first, second = ids[:-k], ids[k:]
        near = (text[:-k] == text[k:]) & (at[k:] - at[:-k] <= _NEAR) & (first != second)
        pairs = np.minimum(first, second) * tokens.size + np.maximum(first, second)
        keys.append((text[:-k] * tokens.size**2 + pairs)[near])
    return np.bincount(distinct(np.concatenate(keys)) // tokens.size**2, minlength=tokens.texts)


def _title(context: Context, vectors: Floats, shares: Floats) -> Floats:
    """Return (n, 2): the share of question words in the document's title, and the cosine with the
    title.
    """
    result = np.zeros((len(context), 2))
    titles = {
        int(context.document[i]): i for i, kind in enumerate(context.section) if kind == "title"
    }
    for i, document in enumerate(context.document.tolist()):
        if (title := titles.get(document)) is not None:
            result[i] = shares[title], vectors[i] @ vectors[title] if title != i else 0.0
    return result


def _agreement(context: Context, bm25: Floats) -> Floats:
    """Return (n, 3) statistics of the best cosine with each other document.

    The mean of the three largest; the same for cosines times the other sentence's BM25 relative to
    the best; and the share of documents with a cosine above .3.
    """
    order = np.argsort(context.document, kind="stable")
    _, starts, place = np.unique(context.document[order], return_index=True, return_inverse=True)
    weights = bm25 / (float(bm25.max()) or 1.0)
    best, weighted = np.zeros((len(context), len(starts))), np.zeros((len(context), len(starts)))
    for rows, of_rows in context.cosines():
        cosines = of_rows[:, order]
        best[rows] = np.maximum.reduceat(cosines, starts, axis=1)
        weighted[rows] = np.maximum.reduceat(cosines * weights[order], starts, axis=1)
    for values in (best, weighted):
        values[order, place] = 0.0
    top = [np.sort(values, axis=1)[:, -_LARGEST:].mean(axis=1) for values in (best, weighted)]
    return np.column_stack([*top, (best > 0.3).mean(axis=1)])
