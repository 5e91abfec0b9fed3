"""Features of sentences in whole abstracts: match with the question and agreement with other
abstracts.

Most sentences of a retrieved abstract answer nothing: they state background, aims and methods. The
signs of an answer are its part of the abstract, question words close together, neighbours that also
match the question, and agreement with other abstracts.
"""

from typing import NamedTuple

import numpy as np

from features.arrays import Column, Floats, Ints, Mask, lag, names, ranks, ratios, relative
from features.context import Context
from features.evidence import evidence_of, sentence_bm25
from features.tokens import Tokens

ROLES = ("background", "aim", "method", "result", "conclusion")

# Maximum distance of a pair of question words.
_NEAR = 4
_LARGEST = 3


class _Matching(NamedTuple):
    """Match with the question, with the title, and with sentences of other documents.

    The share of a sentence is its share of the question's weight: the sum of w(t) over the question
    words t that it has, over the sum for all.

    Attributes:
        longest_span: content stems in the longest run of stems that the question also has.
        longest_span_weight: the same over the number of content stems of the question.
        near_pairs: share of the pairs of content stems of the question that are within four words
            of each other.
        next_share: the share of the next sentence in the document.
        neighbours_bm25: the larger BM25 of the two neighbours in the document.
        bm25_in_document: BM25 of the sentence over the best of its document.
        best_of_document: the best BM25 of the document over the best of all.
        bm25_place: rank by BM25 over the number of sentences, 0 for the best.
        title_share: the share of the document's title.
        title_cosine: the cosine with that title, 0 for the title itself.
        agreement, agreement_with_matching, agreeing_documents: see `_agreement`.
    """

    longest_span: Column
    longest_span_weight: Column
    near_pairs: Column
    next_share: Column
    neighbours_bm25: Column
    bm25_in_document: Column
    best_of_document: Column
    bm25_place: Column
    title_share: Column
    title_cosine: Column
    agreement: Column
    agreement_with_matching: Column
    agreeing_documents: Column


COLUMNS = (*names(_Matching), *(f"role-{name}" for name in ROLES))


def matching(context: Context) -> Floats:
    """Return `COLUMNS`: (n, 18), the last five from `Context.roles`."""
    n = len(context)
    document = context.document
    evidence = evidence_of(context)
    shares = evidence.sentences @ evidence.weights / (float(evidence.weights.sum()) or 1.0)
    bm25 = sentence_bm25(context)
    _, groups = np.unique(document, return_inverse=True)
    bests = np.zeros(n)
    np.maximum.at(bests, groups, bm25)
    best_of_document = bests[groups]
    neighbours = np.maximum(lag(bm25, document, 1), lag(bm25, document, -1))

    stems = context.vocabulary.stems
    # Its content stems, numbered as `stems` are; spans may also hold its stop words, uncounted.
    question = context.vocabulary.content_stems.query.distinct.ids
    is_asked = stems.sentences.among(question)
    longest = stems.sentences.largest(_longest(stems.query.ids, stems.sentences, is_asked))
    pairs = max(len(question) * (len(question) - 1) / 2, 1)

    title_share, title_cosine = _title(context, context.vectors, shares).T
    agreement, with_matching, agreeing = _agreement(context, bm25).T
    columns = _Matching(
        longest_span=longest,
        longest_span_weight=longest / max(len(question), 1),
        near_pairs=_near_pairs(stems.sentences, is_asked) / pairs,
        next_share=lag(shares, document, -1),
        neighbours_bm25=neighbours,
        bm25_in_document=ratios(bm25, best_of_document),
        best_of_document=relative(best_of_document),
        bm25_place=ranks(bm25) / n,
        title_share=title_share,
        title_cosine=title_cosine,
        agreement=agreement,
        agreement_with_matching=with_matching,
        agreeing_documents=agreeing,
    )
    roles = np.zeros((n, len(ROLES))) if context.roles is None else context.roles
    return np.column_stack([*columns, roles])


def _longest(asked: Ints, tokens: Tokens, content: Mask) -> Floats:
    """Return (t,) for each term the most content terms in a run that ends with it and also occurs
    in `asked`.
    """
    n = len(tokens.ids)
    continues = np.zeros(n, dtype=bool)
    continues[1:] = tokens.text[1:] == tokens.text[:-1]
    longest = np.zeros(n)
    # Content terms of the runs that end here and at the current term of the question.
    run = np.zeros(n)
    for term in asked.tolist():
        previous = np.zeros(n)
        previous[1:] = run[:-1]
        previous[~continues] = 0.0
        run = np.where(tokens.ids == term, content + previous, 0.0)
        longest = np.maximum(longest, run)
    return longest


def _near_pairs(tokens: Tokens, content: Mask) -> Ints:
    """Return (n,) the number of distinct pairs of content terms within `_NEAR` words of each
    other.
    """
    places = np.flatnonzero(content).tolist()
    texts, ids = tokens.text.tolist(), tokens.ids.tolist()
    pairs = set[tuple[int, frozenset[int]]]()
    for k, place in enumerate(places, start=1):
        for other in places[k : k + _NEAR]:
            if other - place > _NEAR or texts[other] != texts[place]:
                break
            if ids[other] != ids[place]:
                pairs.add((texts[place], frozenset((ids[place], ids[other]))))
    owners = [text for text, _ in pairs]
    return np.bincount(np.array(owners, dtype=np.int64), minlength=tokens.texts)


def _title(context: Context, vectors: Floats, shares: Floats) -> Floats:
    """Return (n, 2): the share of question words in the document's title, and the cosine with the
    title.
    """
    documents = context.document.tolist()
    sections = zip(documents, context.section, strict=True)
    titles = {document: i for i, (document, kind) in enumerate(sections) if kind == "title"}
    result = np.zeros((len(context), 2))
    for i, document in enumerate(documents):
        if document in titles:
            title = titles[document]
            cosine = vectors[i] @ vectors[title] if title != i else 0.0
            result[i] = shares[title], cosine
    return result


def _agreement(context: Context, bm25: Floats) -> Floats:
    """Return (n, 3) statistics of the best cosine with each other document.

    They are the mean of the three largest; the same for cosines times the other sentence's BM25,
    relative to the best; and the share of documents with a cosine above .3.
    """
    # Sentences by document, so that a document is a range of columns that begins at its start.
    order = np.argsort(context.document, kind="stable")
    _, starts, column = np.unique(
        context.document[order],
        return_index=True,
        return_inverse=True,
    )
    weights = relative(bm25)
    best = np.zeros((len(context), len(starts)))
    weighted = np.zeros((len(context), len(starts)))
    for rows, of_rows in context.cosines():
        cosines = of_rows[:, order]
        best[rows] = np.maximum.reduceat(cosines, starts, axis=1)
        weighted[rows] = np.maximum.reduceat(cosines * weights[order], starts, axis=1)
    columns = []
    for values in (best, weighted):
        # Agreement with its own document does not count.
        values[order, column] = 0.0
        largest = np.sort(values, axis=1)[:, -_LARGEST:]
        columns.append(largest.mean(axis=1))
    return np.column_stack([*columns, (best > 0.3).mean(axis=1)])
