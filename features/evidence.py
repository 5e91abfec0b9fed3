"""Features of retrieved abstracts: how well a sentence and its abstract match the query.

The weight of a question word is its IDF in the searched collection times its frequency in the question. A sentence
without question words may still answer the question, so other features count votes for its other words: the BM25 of
every sentence that contains them, because answers recur across abstracts (Clarke, Cormack and Lynam 2001, Exploiting
redundancy in question answering).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from features.arrays import Floats, Ints
from features.context import Context, Evidence, unit_vectors
from features.retrieval import B, idf, term_scores

COLUMNS = (
    *"question-bm25 question-share squared-question-share holds-rarest-word share-with-previous".split(),
    *"document-question-share document-bm25 document-bm25-per-weight proximity".split(),
    *"most-votes top-three-votes mean-votes new-stems".split(),
)


def evidence_of(context: Context) -> Evidence:
    """Return the evidence of the search; without a search, the documents themselves are the collection."""
    if context.evidence is not None:
        return context.evidence
    wanted = list(dict.fromkeys(context.query.content_stems))
    counts = [document.stem_counts for document in context.documents]
    held = _held([frozenset(count) for count in counts], wanted)
    weights = np.array([context.query.stem_counts[stem] for stem in wanted]) * idf(len(counts), held.sum(axis=0))
    lengths = np.array([count.total() for count in counts], dtype=np.float64)
    frequencies = np.array([[count[stem] for stem in wanted] for count in counts], dtype=np.float64).reshape(held.shape)
    share = B * lengths / max(float(lengths.mean()) if len(lengths) else 0.0, 1.0)
    bm25: Floats = term_scores(frequencies, share[:, None]) @ weights
    return Evidence(weights, _held([frozenset(s.content_stems) for s in context.sentences], wanted), held, bm25)


def sentence_bm25(context: Context) -> Floats:
    """Return (n,) BM25 of the sentences with the collection's IDF; a word counts once per sentence."""
    evidence = evidence_of(context)
    lengths = np.array([max(len(s.content_stems), 1) for s in context.sentences], dtype=np.float64)
    return np.asarray(term_scores(evidence.sentences, B * (lengths / lengths.mean())[:, None]) @ evidence.weights)


def _held(texts: Sequence[frozenset[str]], wanted: Sequence[str]) -> Floats:
    rows = [[stem in text for stem in wanted] for text in texts]
    return np.array(rows, dtype=np.float64).reshape(len(texts), len(wanted))


def search_evidence(context: Context) -> Floats:
    """Return `COLUMNS`: (n, 13).

    In order: the sentence's BM25; its share of the question's words by weight and by squared weight; whether it has the
    heaviest word; the weighted share of the sentence together with its predecessor; the share of its document; the
    document's BM25 relative to the best one and to the total weight; the number of question stems in the sentence over
    the length of the shortest window with all of them; the votes of its other stems (largest, mean of the three
    largest, mean per sentence with the stem); and the number of those stems.
    """
    evidence = evidence_of(context)
    n, total = len(context), float(evidence.weights.sum()) or 1.0
    held, weights, bm25 = evidence.sentences, evidence.weights, sentence_bm25(context)
    squares = weights**2
    rarest = held[:, int(weights.argmax())] if len(weights) else np.zeros(n)
    document = np.maximum(context.document, 0)
    previous = np.maximum(held, _held_before(held, context.document))
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
        [_proximity(s.stems, frozenset(context.query.content_stems)) for s in context.sentences],
        _votes(context, bm25),
    ])  # fmt: skip


def _held_before(held: Floats, document: Ints) -> Floats:
    """Return the row of each sentence's predecessor, zero for the first of a document."""
    before = np.zeros_like(held)
    same = document[1:] == document[:-1]
    before[1:][same] = held[:-1][same]
    return before


def _proximity(stems: Sequence[str], wanted: frozenset[str]) -> float:
    """Return the number of wanted stems present over the length of the shortest window with them; 0 below two stems.

    >>> _proximity("newt sing in pond newt".split(), frozenset(("newt", "pond")))
    1.0
    """
    places = [(place, stem) for place, stem in enumerate(stems) if stem in wanted]
    distinct = len({stem for _, stem in places})
    if distinct < 2:
        return 0.0
    counts: Counter[str] = Counter()
    first, shortest = 0, len(stems)
    for place, stem in places:
        counts[stem] += 1
        while len(counts) == distinct:
            start, dropped = places[first]
            shortest = min(shortest, place - start + 1)
            counts[dropped] -= 1
            if not counts[dropped]:
                del counts[dropped]
            first += 1
    return distinct / shortest


def _votes(context: Context, bm25: Floats) -> Floats:
    """Return (n, 4): largest votes, mean of the three largest, and mean votes of the new stems; their number."""
    asked = frozenset(context.query.stems)
    new = [frozenset(s.content_stems) - asked for s in context.sentences]
    relative = (bm25 / (float(bm25.max()) or 1.0)).tolist()
    votes = votes_of(new, relative)
    holders = Counter(chain.from_iterable(new))
    rows = []
    for stems in new:
        most = sorted([votes[stem] for stem in stems], reverse=True)[:3] or [0.0]
        # Sorted, so that the sum does not depend on set order.
        each = sorted([votes[stem] / holders[stem] for stem in stems]) or [0.0]
        rows.append((most[0], sum(most) / len(most), sum(each) / len(each), len(stems)))
    return np.array(rows, dtype=np.float64)


def votes_of(held: Sequence[Iterable[str]], weights: Sequence[float]) -> dict[str, float]:
    """Return for each item the total weight of the sentences that contain it."""
    votes: defaultdict[str, float] = defaultdict(float)
    for items, weight in zip(held, weights, strict=True):
        for item in items:
            votes[item] += weight
    return votes


def citance_support(context: Context) -> Floats:
    """Return (n, 3): mean and largest cosine with the citances, and the share of citances with a cosine above 0.1.

    A citance that is a candidate does not support itself. Without citances all values are 0.
    """
    if not context.citances or not len(context):
        return np.zeros((len(context), 3))
    vectors = unit_vectors([*context.sentences, *context.citances])
    n = len(context)
    cosines = vectors[:n] @ vectors[n:].T
    itself = cosines > 1.0 - 1e-9
    others = np.maximum((~itself).sum(axis=1), 1)
    cosines[itself] = 0.0
    return np.column_stack([cosines.sum(axis=1) / others, cosines.max(axis=1), (cosines > 0.1).sum(axis=1) / others])


def centrality(context: Context) -> Floats:
    """Return (n,) the mean cosine of each sentence with the other candidates; 0 for a single candidate."""
    n = len(context)
    if n < 2:
        return np.zeros(n)
    vectors = context.vectors
    total: Floats = vectors @ vectors.sum(axis=0)
    own: Floats = np.square(vectors).sum(axis=1)
    return (total - own) / (n - 1)


def document_support(context: Context) -> Floats:
    """Return (n,) the share of other documents with a stem bigram, averaged over each sentence's distinct bigrams.

    0 for a sentence without bigrams and for a single document.
    """
    others = len(context.documents) - 1
    if others < 1:
        return np.zeros(len(context))
    held = Counter(chain.from_iterable(set(document.stem_bigrams) for document in context.documents))
    # A bigram across a line end may be missing from the document, which is split differently.
    shared = ((sum([held.get(b, 1) - 1 for b in s]), len(s)) for s in (set(s.stem_bigrams) for s in context.sentences))
    return np.array([number / (size * others) if size else 0.0 for number, size in shared])
