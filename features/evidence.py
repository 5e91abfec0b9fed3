"""Features of retrieved abstracts: how well a sentence and its abstract match the query.

The weight of a question word is its IDF in the searched collection times its frequency in the
question. A sentence without question words may still answer the question, so other features count
votes for its other words: the BM25 of every sentence that contains them, because answers recur
across abstracts (Clarke, Cormack and Lynam 2001, Exploiting redundancy in question answering).
"""

import numpy as np

from features.arrays import Floats, Ints, beside
from features.context import Context, Evidence, unit_vectors
from features.retrieval import B, idf, term_scores
from features.tokens import Tokens

COLUMNS = (
    *"question-bm25 question-share squared-question-share holds-rarest-word "
    "share-with-previous".split(),
    *"document-question-share document-bm25 document-bm25-per-weight proximity".split(),
    *"most-votes top-three-votes mean-votes new-stems".split(),
)


def evidence_of(context: Context) -> Evidence:
    """Return the evidence of the search; without a search, the documents themselves are the
    collection.
    """
    if context.evidence is not None:
        return context.evidence
    terms = context.vocabulary.content_stems
    wanted, counts = terms.query.first, terms.documents.frequencies(terms.query.first)
    held = (counts > 0).astype(np.float64)
    weights = terms.query.counts[wanted] * idf(len(counts), held.sum(axis=0))
    lengths = terms.documents.lengths.astype(np.float64)
    share = B * lengths / max(float(lengths.mean()) if len(lengths) else 0.0, 1.0)
    bm25: Floats = term_scores(counts, share[:, None]) @ weights
    return Evidence(
        weights, (terms.sentences.frequencies(wanted) > 0).astype(np.float64), held, bm25
    )


def sentence_bm25(context: Context) -> Floats:
    """Return (n,) BM25 of the sentences with the collection's IDF; a word counts once per
    sentence.
    """
    evidence = evidence_of(context)
    lengths = np.maximum(context.vocabulary.content_stems.sentences.lengths, 1)
    return np.asarray(
        term_scores(evidence.sentences, B * (lengths / lengths.mean())[:, None]) @ evidence.weights
    )


def search_evidence(context: Context) -> Floats:
    """Return `COLUMNS`: (n, 13).

    In order: the sentence's BM25; its share of the question's words by weight and by squared
    weight; whether it has the heaviest word; the weighted share of the sentence together with its
    predecessor; the share of its document; the document's BM25 relative to the best one and to the
    total weight; the number of question stems in the sentence over the length of the shortest
    window with all of them; the votes of its other stems (largest, mean of the three largest, mean
    per sentence with the stem); and the number of those stems.
    """
    evidence = evidence_of(context)
    n, total = len(context), float(evidence.weights.sum()) or 1.0
    held, weights, bm25 = evidence.sentences, evidence.weights, sentence_bm25(context)
    squares = weights**2
    rarest = held[:, int(weights.argmax())] if len(weights) else np.zeros(n)
    document = np.maximum(context.document, 0)
    previous = np.maximum(held, beside(held, context.document, 1))
    of_document = evidence.documents @ weights / total if len(evidence.documents) else np.zeros(1)
    score = evidence.bm25 if len(evidence.bm25) else np.zeros(1)
    return np.column_stack([
        bm25,
        held @ weights / total,
        held @ squares / (float(squares.sum()) or 1.0),
        rarest,
        previous @ weights / total,
        of_document[document],
        score[document] / (float(score.max()) or 1.0),
        score[document] / total,
        _proximity(context.vocabulary.stems.sentences,
        context.vocabulary.content_stems.query.distinct.ids),
        _votes(context, bm25),
    ])  # fmt: skip


def _proximity(tokens: Tokens, wanted: Ints) -> Floats:
    """Return (n,) the number of wanted terms in a text over the length of the shortest window with
    all of these.

    0 for a text with fewer than two. `wanted` is ascending.
    """
    at = np.flatnonzero(tokens.among(wanted))
    text, held = tokens.text[at], tokens.frequencies(wanted) > 0
    # The last place of each wanted term up to here, possibly in an earlier text.
    last = np.full((len(at), len(wanted)), -1)
    last[np.arange(len(at)), np.searchsorted(wanted, tokens.ids[at])] = at
    last = np.maximum.accumulate(last, axis=0)
    start = np.where(held[text], last, len(tokens.ids)).min(axis=1, initial=len(tokens.ids))
    has_all = start >= tokens.starts[text]
    shortest = np.full(tokens.texts, np.inf)
    np.minimum.at(shortest, text[has_all], (at - start + 1.0)[has_all])
    distinct = held.sum(axis=1)
    return np.where(distinct < 2, 0.0, distinct / shortest)


def _votes(context: Context, bm25: Floats) -> Floats:
    """Return (n, 4): largest votes, mean of the three largest, and mean votes of the new stems;
    their number.
    """
    new = context.vocabulary.content_stems.sentences.distinct
    new = new.where(~new.among(context.vocabulary.stems.query.ids))
    relative = bm25 / (float(bm25.max()) or 1.0)
    votes = new.votes(relative)
    # Ascending in each sentence, so that sums do not depend on the order of words.
    each = new.sums(
        (votes / new.counts[new.ids])[np.lexsort((votes / new.counts[new.ids], new.text))]
    )
    top, sizes = np.cumsum(new.top(votes, 3), axis=1), np.maximum(new.lengths, 1)
    return np.column_stack([top[:, 0], top[:, 2] / np.minimum(sizes, 3), each / sizes, new.lengths])


def citance_support(context: Context) -> Floats:
    """Return (n, 3): mean and largest cosine with the citances, and the share of citances with a
    cosine above 0.1.

    A citance that is a candidate does not support itself. Without citances all values are 0.
    """
    if not context.citances or not len(context):
        return np.zeros((len(context), 3))
    stems = context.vocabulary.content_stems
    vectors = unit_vectors(stems.sentences.followed_by(stems.citances))
    n = len(context)
    cosines = vectors[:n] @ vectors[n:].T
    itself = cosines > 1.0 - 1e-9
    others = np.maximum((~itself).sum(axis=1), 1)
    cosines[itself] = 0.0
    return np.column_stack(
        [cosines.sum(axis=1) / others, cosines.max(axis=1), (cosines > 0.1).sum(axis=1) / others]
    )


def centrality(context: Context) -> Floats:
    """Return (n,) the mean cosine of each sentence with the other candidates; 0 for a single
    candidate.
    """
    n = len(context)
    if n < 2:
        return np.zeros(n)
    vectors = context.vectors
    total: Floats = vectors @ vectors.sum(axis=0)
    own: Floats = np.square(vectors).sum(axis=1)
    return (total - own) / (n - 1)


def document_support(context: Context) -> Floats:
    """Return (n,) the share of other documents with a stem bigram, averaged over each sentence's
    distinct bigrams.

    0 for a sentence without bigrams and for a single document.
    """
    others = len(context.documents) - 1
    if others < 1:
        return np.zeros(len(context))
    bigrams = context.vocabulary.stem_bigrams.pairs
    held, sentences = bigrams.documents.distinct.counts, bigrams.sentences.distinct
    # A bigram across a line end may be missing from the document, which is split differently.
    shared = sentences.sums(np.maximum(held - 1, 0)[sentences.ids])
    return np.divide(
        shared, sentences.lengths * others, out=np.zeros(len(context)), where=sentences.lengths > 0
    )
