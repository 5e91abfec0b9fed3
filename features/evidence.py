"""Features of retrieved abstracts: how well a sentence and its abstract match the query.

The weight of a question word is its IDF in the searched collection times its frequency in the
question. A sentence without question words may still answer the question, so other features count
votes for its other words: the BM25 of every sentence that contains them, because answers recur
across abstracts (Clarke, Cormack and Lynam 2001, Exploiting redundancy in question answering).
"""

from typing import NamedTuple

import numpy as np

from features.arrays import Column, Floats, Ints, lag, names, ratios, relative
from features.context import Context, Evidence, unit_vectors
from features.retrieval import B, idf, term_scores
from features.tokens import Tokens


class _Evidence(NamedTuple):
    """Match with the query, and votes for the words that the question lacks.

    With w(t) the weight of question word t, T the sum of all w(t), and m(t) the match of the
    sentence with t:

    Attributes:
        question_bm25: BM25 of the sentence.
        question_share: sum of w(t) m(t) / T.
        squared_question_share: the same with w(t)^2.
        holds_rarest_word: m(t) of the t with the largest w(t).
        share_with_previous: question_share of the sentence and its predecessor together.
        document_question_share: question_share of the document.
        document_bm25: BM25 of the document over the best document's.
        document_bm25_per_weight: BM25 of the document over T.
        proximity: number of question stems in the sentence over the length in words of the shortest
            window with all of them; 0 with fewer than two.
        most_votes: the largest votes of a stem that is not in the question; the votes of a stem are
            the sum of the relative BM25 of the sentences with it.
        top_three_votes: the mean of the three largest votes.
        mean_votes: the mean over these stems of votes per sentence with the stem.
        new_stems: their number.
    """

    question_bm25: Column
    question_share: Column
    squared_question_share: Column
    holds_rarest_word: Column
    share_with_previous: Column
    document_question_share: Column
    document_bm25: Column
    document_bm25_per_weight: Column
    proximity: Column
    most_votes: Column
    top_three_votes: Column
    mean_votes: Column
    new_stems: Column


class _CitanceSupport(NamedTuple):
    """Mean and largest cosine with the citances, and the share of citances with a cosine above
    0.1.
    """

    citance_similarity: Column
    nearest_citance: Column
    supporting_citances: Column


COLUMNS = names(_Evidence)
CITANCE_COLUMNS = names(_CitanceSupport)


def evidence_of(context: Context) -> Evidence:
    """Return the evidence of the search; without a search, the documents themselves are the
    collection.
    """
    if context.evidence is not None:
        return context.evidence
    terms = context.vocabulary.content_stems
    question = terms.query.first
    counts = terms.documents.frequencies(question)
    occurs = (counts > 0).astype(np.float64)
    weights = terms.query.counts[question] * idf(len(counts), occurs.sum(axis=0))
    lengths = terms.documents.lengths.astype(np.float64)
    mean_length = float(lengths.mean()) if len(lengths) else 0.0
    relative_length = B * lengths / max(mean_length, 1.0)
    return Evidence(
        weights=weights,
        sentences=(terms.sentences.frequencies(question) > 0).astype(np.float64),
        documents=occurs,
        bm25=term_scores(counts, relative_length[:, None]) @ weights,
    )


def sentence_bm25(context: Context) -> Floats:
    """Return (n,) BM25 of the sentences with the collection's IDF; a word counts once per
    sentence.
    """
    evidence = evidence_of(context)
    lengths = np.maximum(context.vocabulary.content_stems.sentences.lengths, 1)
    relative_length = B * (lengths / lengths.mean())
    scores = term_scores(evidence.sentences, relative_length[:, None])
    return scores @ evidence.weights


def search_evidence(context: Context) -> Floats:
    """Return `COLUMNS`: (n, 13)."""
    evidence = evidence_of(context)
    matches, weights = evidence.sentences, evidence.weights
    total = float(weights.sum()) or 1.0
    squares = weights**2
    sum_of_squares = float(squares.sum()) or 1.0
    bm25 = sentence_bm25(context)
    with_previous = np.maximum(matches, lag(matches, context.document, 1))
    rarest = matches[:, int(weights.argmax())] if len(weights) else np.zeros(len(context))

    # Without documents, all sentences belong to an empty one.
    document = np.maximum(context.document, 0)
    document_share = np.zeros(1)
    if len(evidence.documents):
        document_share = evidence.documents @ weights / total
    document_score = evidence.bm25 if len(evidence.bm25) else np.zeros(1)

    stems = context.vocabulary.stems.sentences
    question_stems = context.vocabulary.content_stems.query.distinct.ids
    new = context.vocabulary.content_stems.sentences.distinct
    new = new.where(~new.among(context.vocabulary.stems.query.ids))
    votes = new.votes(relative(bm25))
    top_three = new.top(votes, 3)
    sizes = np.maximum(new.lengths, 1)
    return np.column_stack(
        _Evidence(
            question_bm25=bm25,
            question_share=matches @ weights / total,
            squared_question_share=matches @ squares / sum_of_squares,
            holds_rarest_word=rarest,
            share_with_previous=with_previous @ weights / total,
            document_question_share=document_share[document],
            document_bm25=relative(document_score)[document],
            document_bm25_per_weight=document_score[document] / total,
            proximity=_proximity(stems, question_stems),
            most_votes=top_three[:, 0],
            top_three_votes=np.cumsum(top_three, axis=1)[:, 2] / np.minimum(sizes, 3),
            mean_votes=_sums_ascending(new, votes / new.counts[new.ids]) / sizes,
            new_stems=new.lengths,
        )
    )


def _proximity(tokens: Tokens, wanted: Ints) -> Floats:
    """Return (n,) the number of wanted terms in a text over the length of the shortest window with
    all of these.

    0 for a text with fewer than two. `wanted` is ascending.
    """
    at = np.flatnonzero(tokens.among(wanted))
    text = tokens.text[at]
    held = tokens.frequencies(wanted) > 0
    # The last place of each wanted term up to here, possibly in an earlier text.
    last = np.full((len(at), len(wanted)), -1)
    last[np.arange(len(at)), np.searchsorted(wanted, tokens.ids[at])] = at
    last = np.maximum.accumulate(last, axis=0)
    end = len(tokens.ids)
    start = np.where(held[text], last, end).min(axis=1, initial=end)
    lengths = at - start + 1.0
    has_all = start >= tokens.starts[text]
    shortest = np.full(tokens.texts, np.inf)
    np.minimum.at(shortest, text[has_all], lengths[has_all])
    distinct = held.sum(axis=1)
    return np.where(distinct < 2, 0.0, distinct / shortest)


def _sums_ascending(tokens: Tokens, values: Floats) -> Floats:
    """Return (n,) the sum of (t,) values over each text, added from the smallest to the largest.

    The sum then does not depend on the order of the words.
    """
    return tokens.sums(values[np.lexsort((values, tokens.text))])


def citance_support(context: Context) -> Floats:
    """Return `CITANCE_COLUMNS`: (n, 3).

    A citance that is a candidate does not support itself. Without citances all values are 0.
    """
    n = len(context)
    if not context.citances or not n:
        return np.zeros((n, len(CITANCE_COLUMNS)))
    stems = context.vocabulary.content_stems
    vectors = unit_vectors(stems.sentences.followed_by(stems.citances))
    cosines = vectors[:n] @ vectors[n:].T
    itself = cosines > 1.0 - 1e-9
    cosines[itself] = 0.0
    others = np.maximum((~itself).sum(axis=1), 1)
    return np.column_stack(
        _CitanceSupport(
            citance_similarity=cosines.sum(axis=1) / others,
            nearest_citance=cosines.max(axis=1),
            supporting_citances=(cosines > 0.1).sum(axis=1) / others,
        )
    )


def centrality(context: Context) -> Floats:
    """Return (n,) the mean cosine of each sentence with the other candidates; 0 for a single
    candidate.
    """
    n = len(context)
    if n < 2:
        return np.zeros(n)
    vectors = context.vectors
    with_all = vectors @ vectors.sum(axis=0)
    with_itself = np.square(vectors).sum(axis=1)
    return (with_all - with_itself) / (n - 1)


def document_support(context: Context) -> Floats:
    """Return (n,) the share of other documents with a stem bigram, averaged over each sentence's
    distinct bigrams.

    0 for a sentence without bigrams and for a single document.
    """
    others = len(context.documents) - 1
    if others < 1:
        return np.zeros(len(context))
    bigrams = context.vocabulary.stem_bigrams.pairs
    sentences = bigrams.sentences.distinct
    # A bigram across a line end may be missing from the document, which is split differently.
    in_others = np.maximum(bigrams.documents.distinct.counts - 1, 0)
    return ratios(sentences.sums(in_others[sentences.ids]), sentences.lengths * others)
