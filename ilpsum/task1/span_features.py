"""Features of the ranker: does a citance cite a sentence of the reference paper?

They are computed for all citances and sentences of a topic at once, in four groups: similarity of
citance and sentence, including neighbouring sentences; similarity of the sentence to the topic's
other citances, since papers often cite the same passages; properties of the sentence (section,
position, centrality, wording); and properties of the citance.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from features.arrays import Floats
from features.embeddings import Embeddings
from features.sentences import split_sentences
from features.text import STOP_WORDS, Passage
from ilpsum.papers.layout import outline
from ilpsum.records import Citance, Document
from ilpsum.task1.retrieval import SpanIndex
from ilpsum.task1.terms import bm25, counted, strip_markers, tf_idf, unit, without_markers

MU = 30.0
LATENT = 60
Table = dict[str, Floats]

_SECTIONS = (
    "abstract",
    "introduction",
    "methods",
    "results",
    "discussion",
    "conclusion",
    "other",
    "highlights",
)
_CUES = {
    name: frozenset(cues.split())
    for name, cues in {
        "we": "we our",
        "finding": "show shows showed shown find found demonstrate demonstrated identified "
        "revealed observed detected",
        "claim": "suggest suggests suggesting indicate indicates indicating conclude propose thus "
        "therefore",
        "method": "using used performed described method methods approach assay protocol analyzed",
        "may": "may might could potential possible likely",
    }.items()
}
_REFERENCE = re.compile(r"\[\d|\(\d{4}|et al")
_FIGURE = re.compile(r"\b(fig(ure)?s?|tables?)\b", re.IGNORECASE)
_CONTEXT = 400
_NAME = re.compile(r"\b(?=\w*[^\W\d_])\w*(?:\d|(?<=\w)[A-Z])\w*\b")
_RANKED = (
    "cosine", "cosine-near", "cosine-wide", "cosine-around", "cosine-citing", "bm25", "latent",
    "aligned",
    "aligned-near", "centroid-near",
)  # fmt: skip


@dataclass(frozen=True)
class SpanFeatures:
    """The named features of a topic: (c, n, columns) values for c citances and n sentences."""

    columns: tuple[str, ...]
    values: Floats


def span_features(
    index: SpanIndex,
    citances: Sequence[Citance],
    documents: Sequence[Document],
    embeddings: Embeddings,
) -> SpanFeatures:
    """Compute the features of all pairs of a citance of a topic and a sentence of its reference
    paper.

    `documents` are the citing papers, for the text around citances; some may be missing.
    """
    paper, texts = PaperVectors(index), {d.id: d.text for d in documents}
    passages = [Passage(without_markers(c)) for c in citances]
    around = [Passage(strip_markers(_context(c, texts.get(c.document, "")))) for c in citances]
    counts = paper.bag(passages)
    query = paper.weighted(counts)
    table = _lexical(paper, passages, counts)
    table["cosine-around"] = paper.weighted(paper.bag(around)) @ paper.near.T
    table["cosine-citing"] = (
        paper.weighted(paper.bag([Passage(_citing_sentence(c)) for c in citances])) @ paper.near.T
    )
    table["cosine-paragraph"] = query @ paper.paragraphs().T
    table["cosine-heading"] = query @ paper.headings().T
    theirs, names = [_names(p.text) for p in index.passages], [_names(p.text) for p in passages]
    table["names"] = np.array(
        [[len(a & b) / max(len(a), 1) for b in theirs] for a in names], dtype=np.float64
    )
    table |= _by_word_vectors(WordSpace(index.passages, embeddings), passages)
    table |= {f"{name}-rank": _ranks(table[name]) for name in _RANKED}
    table |= _of_other_citances(table, query)
    shape = (len(citances), len(index))
    table |= {
        name: np.broadcast_to(row, shape) for name, row in _sentence_columns(index, paper).items()
    }
    of_citances = _citance_columns(index, passages, counts)
    table |= {name: np.broadcast_to(row[:, None], shape) for name, row in of_citances.items()}
    return SpanFeatures(tuple(table), np.stack(list(table.values()), axis=-1))


def _lexical(paper: "PaperVectors", passages: list[Passage], counts: Floats) -> Table:
    """Return lexical similarities of citances, with (c, V) counts, and sentences: (c, n) each."""
    own, query, present = paper.counts, paper.weighted(counts), (counts > 0).astype(np.float64)
    lengths, shares = own.sum(axis=1), own.sum(axis=0) / max(float(own.sum()), 1.0)
    # Gain of log-likelihood by each stem, with Dirichlet smoothing.
    gains = np.log1p(own / np.maximum(MU * shares, 1e-9))
    common = present @ (own > 0).T
    sizes = present.sum(axis=1)[:, None] + (own > 0).sum(axis=1)
    bigrams, directions = [set(p.stem_bigrams) for p in paper.index.passages], paper.latent()
    near, scores = query @ paper.near.T, present @ bm25(own, lengths).T
    likelihood = counts @ gains.T / np.maximum(counts.sum(axis=1, keepdims=True), 1.0) + np.log(
        MU / (MU + lengths)
    )
    return {
        "cosine": query @ paper.vectors.T,
        "cosine-near": near,
        "cosine-wide": query @ paper.weighted(_windows(own, 2)).T,
        "bm25": scores,
        "bm25-share": _shares(scores),
        "likelihood": likelihood,
        "jaccard": common / np.maximum(sizes - common, 1.0),
        "bigrams": np.array(
            [[len(set(p.stem_bigrams) & b) for b in bigrams] for p in passages], dtype=np.float64
        ),
        "latent": unit(query @ directions) @ unit(paper.near @ directions).T,
        "cosine-near-share": _shares(near),
        **{f"bm25-share{step:+d}": _shifted(_shares(scores), step) for step in (-2, -1, 1, 2)},
    }


def _by_word_vectors(space: "WordSpace", passages: list[Passage]) -> Table:
    """Return similarities of word vectors, (c, n) each."""
    aligned = np.array([space.alignment(p) for p in passages])
    queries = unit(np.array([space.centroid(p) for p in passages]))
    return {
        "aligned": aligned,
        "aligned-near": (_shifted(aligned, -1) + aligned + _shifted(aligned, 1)) / 3.0,
        "aligned-share": _shares(aligned),
        "centroid": queries @ unit(space.centroids).T,
        "centroid-near": queries @ unit(_windows(space.centroids, 1)).T,
    }


def _of_other_citances(known: Table, query: Floats) -> Table:
    """Return the similarity of a sentence to the other citances, (c, n) each."""
    table: Table = {}
    for name in ("bm25-share", "cosine-near", "aligned"):
        mean = table[f"others-{name}"] = (known[name].sum(axis=0) - known[name]) / max(
            len(query) - 1, 1
        )
        table[f"others-{name}-rank"] = _ranks(mean)
    similarity, share = query @ query.T, known["bm25-share"]
    np.fill_diagonal(similarity, 0.0)
    table["others-alike"] = (
        similarity @ share / np.maximum(similarity.sum(axis=1, keepdims=True), 1e-9)
    )
    best = np.sort(share, axis=0)[::-1]
    for place in range(3):
        table[f"all-bm25-share-{place + 1}"] = np.broadcast_to(
            best[min(place, len(best) - 1)], share.shape
        )
    return table


def _sentence_columns(index: SpanIndex, paper: "PaperVectors") -> Table:
    """Return the features of sentences, (n,) each."""
    n = len(index)
    kinds = [s.section for s in index.sentences]
    centrality = paper.vectors @ paper.vectors.sum(axis=0)
    in_abstract = [i for i in range(n) if kinds[i] == "abstract"] or list(range(min(8, n)))
    abstract = (
        paper.vectors @ paper.weighted(paper.counts[in_abstract].sum(axis=0, keepdims=True))[0]
    )
    begins = index.begins_paragraph
    columns: dict[str, Any] = {
        "central": centrality / max(n - 1, 1),
        "central-rank": _ranks(centrality[None])[0],
        "abstract-cosine": abstract,
        "abstract-rank": _ranks(abstract[None])[0],
        "place": np.linspace(0.0, 1.0, n),
        "place-in-section": _place_in_section(kinds),
        "begins-paragraph": begins,
        "ends-paragraph": [*begins[1:], True],
        "length": [s.end - s.start for s in index.sentences],
        "references": [len(_REFERENCE.findall(s.text)) for s in index.sentences],
        "figure": [bool(_FIGURE.search(s.text)) for s in index.sentences],
    }
    columns |= {f"section-{kind}": [k == kind for k in kinds] for kind in _SECTIONS}
    columns |= {f"cue-{name}": _has_cue(name, index.passages) for name in _CUES}
    return {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}


def _citance_columns(index: SpanIndex, passages: list[Passage], counts: Floats) -> Table:
    """Return the features of citances, (c,) each."""
    sizes = np.array([max(len(p.content_stems), 1) for p in passages], dtype=np.float64)
    columns = {"citance-stems": counts.sum(axis=1), "citance-known": counts.sum(axis=1) / sizes}
    columns |= {
        f"citance-{name}": _has_cue(name, passages) for name in ("finding", "method", "may")
    }
    totals = {"citances": len(passages), "sentences": len(index)}
    return columns | {name: np.full(len(passages), float(total)) for name, total in totals.items()}


def _has_cue(name: str, passages: Sequence[Passage]) -> Floats:
    """Return 1 for passages with a cue word, else 0."""
    return np.array([not _CUES[name].isdisjoint(p.words) for p in passages], dtype=np.float64)


def _shares(values: Floats) -> Floats:
    """Divide each row by its maximum."""
    return np.asarray(values / np.maximum(values.max(axis=1, keepdims=True), 1e-9))


def _citing_sentence(citance: Citance) -> str:
    """Return the sentence of the citance that has the marker, or the whole citance if there is
    none.
    """
    text = citance.text
    if citance.marker is not None:
        place = citance.marker.start - citance.start
        text = next(
            (text[start:end] for start, end in split_sentences(text) if start <= place < end), text
        )
    return strip_markers(text)


def _names(text: str) -> set[str]:
    """Return the words with digits or inner capitals, such as gene and molecule names."""
    return {name.lower() for name in _NAME.findall(text)}


def _context(citance: Citance, text: str) -> str:
    """Return a citance with the text around it in the citing paper, within its paragraph."""
    if not text:
        return citance.text
    before = text[max(0, citance.start - _CONTEXT) : citance.start].rpartition("\n")[2]
    after = text[citance.end : citance.end + _CONTEXT].partition("\n")[0]
    return f"{before} {citance.text} {after}"


def _ranks(values: Floats) -> Floats:
    """Return the rank of each value in its row, from 0 for the highest to 1 for the lowest: (c,
    n).
    """
    order = np.argsort(np.argsort(-values, axis=-1, kind="stable"), axis=-1, kind="stable")
    return np.asarray(order / max(values.shape[-1] - 1, 1))


def _shifted(values: Floats, step: int) -> Floats:
    """Return the value of the sentence `step` positions later, 0 beyond the ends: (c, n)."""
    result = np.zeros_like(values)
    n = values.shape[1]
    if abs(step) < n:
        result[:, max(0, -step) : n - max(0, step)] = values[:, max(0, step) : n - max(0, -step)]
    return result


def _place_in_section(kinds: Sequence[str]) -> Floats:
    """Return the relative position of each sentence in its section, from 0 to below 1: (n,)."""
    sizes = [len(list(section)) for _, section in groupby(kinds)]
    return np.concatenate([np.arange(size) / size for size in sizes])


class PaperVectors:
    """Vectors of a paper's n sentences over its V stems.

    Attributes:
        index: the paper.
        counts: (n, V) occurrences of stems.
        idf: (V,) log(1 + n / df).
        vectors: (n, V) tf-idf vectors.
        near: (n, V) tf-idf vectors of each sentence with a neighbour on either side.
    """

    def __init__(self, index: SpanIndex) -> None:
        self.index, self.counts = index, index.counts
        self.idf = np.log1p(max(len(index), 1) / np.maximum((self.counts > 0).sum(axis=0), 1))
        self.vectors, self.near = (
            self.weighted(self.counts),
            self.weighted(_windows(self.counts, 1)),
        )

    def weighted(self, counts: Floats) -> Floats:
        """Return (rows, V) tf-idf vectors from (rows, V) counts."""
        return tf_idf(counts, self.idf)

    def bag(self, passages: Sequence[Passage]) -> Floats:
        """Return (c, V) counts of the paper's stems in passages."""
        return counted([passage.content_stems for passage in passages], self.index.vocabulary)

    def latent(self) -> Floats:
        """Return the (V, k) leading latent directions of sentence windows (Deerwester et al.
        1990).
        """
        # The (n, n) Gram matrix is the smaller one. Cosines do not depend on the signs of
        # eigenvectors.
        values, left = np.linalg.eigh(self.near @ self.near.T)
        keep = np.argsort(-values)[:LATENT]
        keep = keep[values[keep] > 1e-9]
        return np.asarray(self.near.T @ (left[:, keep] / np.sqrt(values[keep])))

    def paragraphs(self) -> Floats:
        """Return (n, V) tf-idf vectors of each sentence's paragraph."""
        owner = np.cumsum(self.index.begins_paragraph, dtype=np.int64) - 1
        sums = np.zeros((int(owner.max(initial=0)) + 1, self.counts.shape[1]))
        np.add.at(sums, owner, self.counts)
        return np.asarray(self.weighted(sums)[owner])

    def headings(self) -> Floats:
        """Return (n, V) tf-idf vectors of the heading above each sentence."""
        blocks = outline(self.index.document)
        starts = [block.start for block in blocks]
        places = np.searchsorted(starts, [s.start for s in self.index.sentences], side="right") - 1
        above = [blocks[place].heading if place >= 0 else "" for place in places.tolist()]
        distinct = {heading: k for k, heading in enumerate(dict.fromkeys(above))}
        vectors = self.weighted(self.bag([Passage(heading) for heading in distinct]))
        return np.asarray(vectors[[distinct[heading] for heading in above]])


class WordSpace:
    """The words of a paper's n sentences as word vectors."""

    def __init__(self, passages: Sequence[Passage], embeddings: Embeddings) -> None:
        self._embeddings = embeddings
        rows = [self._rows(passage) for passage in passages]
        self._lengths = np.array([len(row) for row in rows], dtype=np.int64)
        self._distinct, self._tokens = np.unique(
            np.concatenate([*rows, np.zeros(0, np.int64)]), return_inverse=True
        )
        self._vectors = unit(embeddings.vectors[self._distinct].astype(np.float64))
        weighted = self._vectors * embeddings.idf[self._distinct][:, None]
        owner = np.repeat(np.arange(len(rows)), self._lengths)
        self.centroids = np.zeros((len(rows), self._vectors.shape[1]))
        np.add.at(self.centroids, owner, weighted[self._tokens])

    def _rows(self, passage: Passage) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return self._embeddings.rows(word for word in passage.words if word not in STOP_WORDS)

    def alignment(self, query: Passage) -> Floats:
        """Return (n,) the IDF-weighted mean over query words of the largest cosine with a word of
        each sentence.

        After the word-by-word alignment of Mihalcea, Corley and Strapparava (2006), in one
        direction; 0 if sentence or query has no known words.
        """
        rows = np.unique(self._rows(query))
        result = np.zeros(len(self._lengths))
        filled = self._lengths > 0
        idf = self._embeddings.idf[rows]
        if not len(rows) or not filled.any() or idf.sum() <= 0:
            return result
        cosines = unit(self._embeddings.vectors[rows].astype(np.float64)) @ self._vectors.T
        starts = (np.cumsum(self._lengths) - self._lengths)[filled]
        nearest = np.maximum.reduceat(cosines[:, self._tokens], starts, axis=1)
        result[filled] = idf @ np.maximum(nearest, 0.0) / idf.sum()
        return result

    def centroid(self, query: Passage) -> Floats:
        """Return the IDF-weighted sum of the query's word vectors: (d,)."""
        rows = self._rows(query)
        vectors = (
            unit(self._embeddings.vectors[rows].astype(np.float64))
            * self._embeddings.idf[rows][:, None]
        )
        return np.asarray(vectors.sum(axis=0))


def _windows(counts: Floats, reach: int) -> Floats:
    """Return (n, V) sums over each sentence and up to `reach` neighbours on either side."""
    sums = np.vstack([np.zeros((1, counts.shape[1])), np.cumsum(counts, axis=0)])
    places = np.arange(len(counts))
    return np.asarray(
        sums[np.minimum(places + reach + 1, len(counts))] - sums[np.maximum(places - reach, 0)]
    )
