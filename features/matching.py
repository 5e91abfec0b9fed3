"""Features of sentences in whole abstracts: match with the question and agreement with other abstracts.

Most sentences of a retrieved abstract answer nothing: they state background, aims and methods. Answers are recognised
by their part of the abstract, question words close together, neighbours that also match the question, and agreement
with other abstracts.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import attrgetter

import numpy as np

from features.arrays import Floats
from features.context import Context
from features.evidence import evidence_of, sentence_bm25
from features.text import Passage

ROLES = ("background", "aim", "method", "result", "conclusion")

# Maximum distance of a pair of question words.
_NEAR = 4
_LARGEST = 3
_ROWS = 1000

COLUMNS = (
    *"longest-span longest-span-weight near-pairs next-share neighbours-bm25 bm25-in-document best-of-document".split(),
    *"bm25-place title-share title-cosine agreement agreement-with-matching agreeing-documents".split(),
    *(f"role-{name}" for name in ROLES),
)


def matching(context: Context) -> Floats:
    """Return `COLUMNS`: (n, 18).

    In order: the longest run of stems shared with the question, in content stems and as a share of the question's; the
    share of pairs of question stems within four words of each other; the share of the question's weight in the next
    sentence; the larger BM25 of both neighbours; the sentence's BM25 over the best of its document, that best BM25, and
    the sentence's rank by BM25; the weighted share of question words in the document's title, and the cosine with that
    title; the agreement with sentences of other documents (see `_agreement`); and the rhetorical role.
    """
    evidence = evidence_of(context)
    n, total = len(context), float(evidence.weights.sum()) or 1.0
    shares, bm25 = evidence.sentences @ evidence.weights / total, sentence_bm25(context)
    same = context.document[1:] == context.document[:-1]
    following, before, after = np.zeros(n), np.zeros(n), np.zeros(n)
    following[:-1][same], after[:-1][same], before[1:][same] = shares[1:][same], bm25[1:][same], bm25[:-1][same]
    best = {d: float(bm25[context.document == d].max()) for d in np.unique(context.document).tolist()}
    of_document = np.array([best[d] for d in context.document.tolist()])
    place = np.empty(n)
    place[np.argsort(-bm25, kind="stable")] = np.arange(n) / n
    relative = of_document / (float(bm25.max()) or 1.0)
    return np.column_stack([
        _spans(context), following, np.maximum(before, after),
        bm25 / np.where(of_document > 0, of_document, 1.0), relative, place,
        _title(context, context.vectors, shares), _agreement(context, context.vectors, bm25),
        np.zeros((n, len(ROLES))) if context.roles is None else context.roles,
    ])  # fmt: skip


def _spans(context: Context) -> Floats:
    """Return (n, 3): the longest shared run in stems and as a share of the question, and the share of near pairs."""
    asked, wanted = context.query.stems, frozenset(context.query.content_stems)
    pairs = max(len(wanted) * (len(wanted) - 1) / 2, 1)
    rows = []
    for s in context.sentences:
        if wanted.isdisjoint(s.stems):
            rows.append((0, 0.0, 0.0))
            continue
        longest = _longest(asked, s.stems, wanted)
        places = [(k, stem) for k, stem in enumerate(s.stems) if stem in wanted]
        near = {
            (min(a, b), max(a, b))
            for i, (at, a) in enumerate(places)
            for k, b in places[i + 1 : i + 1 + _NEAR]
            if k - at <= _NEAR and a != b
        }
        rows.append((longest, longest / max(len(wanted), 1), len(near) / pairs))
    return np.array(rows, dtype=np.float64)


def _longest(asked: Sequence[str], stems: Sequence[str], content: frozenset[str]) -> int:
    """Return the largest number of content stems in a common run of stems.

    >>> _longest("the newt of pond".split(), "a newt of pond sings".split(), frozenset({"newt", "pond"}))
    2
    """
    starts: dict[str, list[int]] = {}
    for k, stem in enumerate(asked):
        starts.setdefault(stem, []).append(k)
    longest, runs = 0, dict[int, int]()
    for stem in stems:
        if stem in starts:
            runs = {k: runs.get(k - 1, 0) + (stem in content) for k in starts[stem]}
            longest = max(longest, *runs.values())
        else:
            runs = {}
    return longest


def _title(context: Context, vectors: Floats, shares: Floats) -> Floats:
    """Return (n, 2): the share of question words in the document's title, and the cosine with the title."""
    result = np.zeros((len(context), 2))
    titles = {int(context.document[i]): i for i, kind in enumerate(context.section) if kind == "title"}
    for i, document in enumerate(context.document.tolist()):
        if (title := titles.get(document)) is not None:
            result[i] = shares[title], vectors[i] @ vectors[title] if title != i else 0.0
    return result


def _agreement(context: Context, vectors: Floats, bm25: Floats) -> Floats:
    """Return (n, 3) statistics of the best cosine with each other document.

    The mean of the three largest; the same for cosines times the other sentence's BM25 relative to the best; and the
    share of documents with a cosine above .3.
    """
    documents, place = np.unique(context.document, return_inverse=True)
    weights = bm25 / (float(bm25.max()) or 1.0)
    best, weighted = np.zeros((len(context), len(documents))), np.zeros((len(context), len(documents)))
    # In blocks: the cosines of thousands of sentences would take hundreds of megabytes.
    for start in range(0, len(context), _ROWS):
        rows = slice(start, start + _ROWS)
        cosines = vectors[rows] @ vectors.T
        for d in range(len(documents)):
            of_document = place == d
            best[rows, d] = cosines[:, of_document].max(axis=1)
            weighted[rows, d] = (cosines[:, of_document] * weights[of_document]).max(axis=1)
    for values in (best, weighted):
        values[np.arange(len(context)), place] = 0.0
    top = [np.sort(values, axis=1)[:, -_LARGEST:].mean(axis=1) for values in (best, weighted)]
    return np.column_stack([*top, (best > 0.3).mean(axis=1)])


Terms = Callable[[Passage], tuple[str, ...]]


def _overlap(terms: Terms, context: Context) -> Floats:
    wanted = frozenset(terms(context.query))
    return np.array([len(wanted.intersection(terms(s))) for s in context.sentences], dtype=np.float64)


def _distance(terms: Terms, context: Context) -> Floats:
    from Levenshtein import distance

    query = terms(context.query)
    return np.array([distance(query, terms(s)) for s in context.sentences], dtype=np.float64)


def _content_frequency(terms: Terms, context: Context) -> Floats:
    counts = Counter(chain.from_iterable(map(terms, context.documents)))
    return _means(counts, counts.total(), (terms(s) for s in context.sentences))


def _document_frequency(terms: Terms, context: Context) -> Floats:
    counts = Counter(chain.from_iterable(set(terms(document)) for document in context.documents))
    return _means(counts, len(context.documents), (terms(s) for s in context.sentences))


def _means(counts: Mapping[str, int], total: int, sentences: Iterable[tuple[str, ...]]) -> Floats:
    """Return the mean share of each sentence's terms; 0 for a sentence without terms."""
    each = counts.__getitem__
    return np.array([sum(map(each, s)) / (len(s) * total) if s and total else 0.0 for s in sentences])


_words, _stems = attrgetter("words"), attrgetter("stems")
_content_words, _content_stems = attrgetter("content_words"), attrgetter("content_stems")

# Features 1.1 to 1.8, by name.
LEXICAL: dict[str, Callable[[Context], Floats]] = {
    "word-overlap": partial(_overlap, _content_words),
    "stem-overlap": partial(_overlap, _content_stems),
    "word-distance": partial(_distance, _words),
    "stem-distance": partial(_distance, _stems),
    "content-word-frequency": partial(_content_frequency, _content_words),
    "content-stem-frequency": partial(_content_frequency, _content_stems),
    "document-word-frequency": partial(_document_frequency, _content_words),
    "document-stem-frequency": partial(_document_frequency, _content_stems),
}
