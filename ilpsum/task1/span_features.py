"""Features of the ranker: does a citance cite a sentence of the reference paper?

They are computed for all citances and sentences of a topic at once, in four groups: similarity of
citance and sentence, including neighbouring sentences; similarity of the sentence to the topic's
other citances, since papers often cite the same passages; properties of the sentence (section,
position, centrality, wording); and properties of the citance.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from features.arrays import Floats, Ints, lag, ranks, unit
from features.embeddings import Embeddings
from features.sentences import split_sentences
from features.text import STOP_WORDS, Passage
from features.tokens import Numbers
from ilpsum.papers.layout import outline
from ilpsum.records import Citance, Document
from ilpsum.task1.retrieval import SpanIndex
from ilpsum.task1.terms import bm25, counted, strip_markers, tf_idf, without_markers

MU = 30.0
LATENT = 60
Table = dict[str, Floats]

_SECTIONS = tuple(
    "abstract introduction methods results discussion conclusion other highlights".split()
)
_CUES = {
    "we": "we our",
    "finding": "show shows showed shown find found demonstrate demonstrated identified revealed "
    "observed detected",
    "claim": "suggest suggests suggesting indicate indicates indicating conclude propose thus "
    "therefore",
    "method": "using used performed described method methods approach assay protocol analyzed",
    "may": "may might could potential possible likely",
}
_REFERENCE = re.compile(r"\[\d|\(\d{4}|et al")
_FIGURE = re.compile(r"\b(fig(ure)?s?|tables?)\b", re.IGNORECASE)
_CONTEXT = 400
_NAME = re.compile(r"\b(?=\w*[^\W\d_])\w*(?:\d|(?<=\w)[A-Z])\w*\b")
# Features that also count as ranks among the sentences.
_RANKED = (
    "cosine cosine-near cosine-wide cosine-around cosine-citing bm25 latent aligned aligned-near "
    "centroid-near"
).split()


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
    paper = PaperVectors(index)
    texts = {document.id: document.text for document in documents}
    passages = [Passage(without_markers(citance)) for citance in citances]
    counts = paper.bag(passages)
    query = paper.weighted(counts)
    table = _lexical(paper, passages, counts)
    table |= _by_context(paper, citances, texts)
    table["cosine-paragraph"] = query @ paper.paragraphs().T
    table["cosine-heading"] = query @ paper.headings().T
    table["names"] = _shared_names(passages, index.passages)
    table |= _by_word_vectors(WordSpace(index.passages, embeddings), passages)
    for name in _RANKED:
        table[f"{name}-rank"] = _ranks(table[name])
    table |= _of_other_citances(table, query)
    table |= _sentence_columns(index, paper)
    table |= _citance_columns(index, passages, counts)
    columns = np.broadcast_arrays(*table.values())
    return SpanFeatures(tuple(table), np.stack(columns, axis=-1))


def _by_context(
    paper: "PaperVectors",
    citances: Sequence[Citance],
    texts: Mapping[str, str],
) -> Table:
    """Return cosines of the text around citances, and of their citing sentence, with sentences and
    their neighbours: (c, n) each.
    """
    around = []
    citing = []
    for citance in citances:
        context = _context(citance, texts.get(citance.document, ""))
        around.append(Passage(strip_markers(context)))
        citing.append(Passage(_citing_sentence(citance)))
    return {
        "cosine-around": paper.weighted(paper.bag(around)) @ paper.near.T,
        "cosine-citing": paper.weighted(paper.bag(citing)) @ paper.near.T,
    }


def _shared_names(citances: Sequence[Passage], sentences: Sequence[Passage]) -> Floats:
    """Return (c, n) the share of the names in a citance that a sentence has."""
    names = [_names(passage.text) for passage in citances]
    sizes = np.array([max(len(of_citance), 1) for of_citance in names])
    names_of_paper = [_names(passage.text) for passage in sentences]
    return _shared(names, names_of_paper) / sizes[:, None]


def _shared(citances: Sequence[set[Any]], sentences: Sequence[set[Any]]) -> Floats:
    """Return (c, n) the number of members that the sets of a citance and of a sentence share."""
    counts = np.zeros((len(citances), len(sentences)))
    for row, of_citance in zip(counts, citances, strict=True):
        row[:] = [len(of_citance & of_sentence) for of_sentence in sentences]
    return counts


def _lexical(paper: "PaperVectors", passages: list[Passage], counts: Floats) -> Table:
    """Return lexical similarities of citances, with (c, V) counts, and sentences: (c, n) each."""
    query = paper.weighted(counts)
    is_present = (counts > 0).astype(np.float64)
    in_sentence = paper.counts > 0
    lengths = paper.counts.sum(axis=1)
    # Gain of log-likelihood by each stem, with Dirichlet smoothing.
    background = paper.counts.sum(axis=0) / max(float(paper.counts.sum()), 1.0)
    gains = np.log1p(paper.counts / np.maximum(MU * background, 1e-9))
    gain = counts @ gains.T / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    common = is_present @ in_sentence.T
    union = is_present.sum(axis=1)[:, None] + in_sentence.sum(axis=1) - common
    latent = paper.latent()
    near = query @ paper.near.T
    scores = is_present @ bm25(paper.counts, lengths).T
    score_shares = _shares(scores)
    bigrams = [set(passage.stem_bigrams) for passage in passages]
    bigrams_of_paper = [set(passage.stem_bigrams) for passage in paper.index.passages]
    table = {
        "cosine": query @ paper.vectors.T,
        "cosine-near": near,
        "cosine-wide": query @ paper.weighted(_windows(paper.counts, 2)).T,
        "bm25": scores,
        "bm25-share": score_shares,
        "likelihood": gain + np.log(MU / (MU + lengths)),
        "jaccard": common / np.maximum(union, 1.0),
        "bigrams": _shared(bigrams, bigrams_of_paper),
        "latent": unit(query @ latent) @ unit(paper.near @ latent).T,
        "cosine-near-share": _shares(near),
    }
    for step in (-2, -1, 1, 2):
        table[f"bm25-share{step:+d}"] = _shifted(score_shares, step)
    return table


def _by_word_vectors(space: "WordSpace", passages: list[Passage]) -> Table:
    """Return similarities of word vectors, (c, n) each."""
    aligned = np.array([*map(space.alignment, passages)])
    with_neighbours = _shifted(aligned, -1) + aligned + _shifted(aligned, 1)
    queries = unit(np.array([*map(space.centroid, passages)]))
    centroids = unit(space.centroids)
    near_centroids = unit(_windows(space.centroids, 1))
    return {
        "aligned": aligned,
        "aligned-near": with_neighbours / 3.0,
        "aligned-share": _shares(aligned),
        "centroid": queries @ centroids.T,
        "centroid-near": queries @ near_centroids.T,
    }


def _of_other_citances(similarities: Table, query: Floats) -> Table:
    """Return the similarity of a sentence to the other citances, (c, n) each."""
    table: Table = {}
    others = max(len(query) - 1, 1)
    for name in ("bm25-share", "cosine-near", "aligned"):
        mean = (similarities[name].sum(axis=0) - similarities[name]) / others
        table[f"others-{name}"] = mean
        table[f"others-{name}-rank"] = _ranks(mean)
    similarity = query @ query.T
    np.fill_diagonal(similarity, 0.0)
    share = similarities["bm25-share"]
    total = similarity.sum(axis=1, keepdims=True)
    table["others-alike"] = similarity @ share / np.maximum(total, 1e-9)
    falling = np.sort(share, axis=0)[::-1]
    for place in range(3):
        best = falling[min(place, len(falling) - 1)]
        table[f"all-bm25-share-{place + 1}"] = np.broadcast_to(best, share.shape)
    return table


def _sentence_columns(index: SpanIndex, paper: "PaperVectors") -> Table:
    """Return the features of sentences, (n,) each."""
    n = len(index)
    sentences = index.sentences
    kinds = [sentence.section for sentence in sentences]
    centrality = paper.vectors @ paper.vectors.sum(axis=0)
    in_abstract = [i for i, kind in enumerate(kinds) if kind == "abstract"] or range(min(8, n))
    counts = paper.counts[list(in_abstract)].sum(axis=0, keepdims=True)
    like_abstract = paper.vectors @ paper.weighted(counts)[0]
    begins = index.begins_paragraph
    lengths = [sentence.end - sentence.start for sentence in sentences]
    references = [len(_REFERENCE.findall(sentence.text)) for sentence in sentences]
    names_figure = [_FIGURE.search(sentence.text) is not None for sentence in sentences]
    columns: dict[str, Any] = {
        "central": centrality / max(n - 1, 1),
        "central-rank": _ranks(centrality[None])[0],
        "abstract-cosine": like_abstract,
        "abstract-rank": _ranks(like_abstract[None])[0],
        "place": np.linspace(0.0, 1.0, n),
        "place-in-section": _place_in_section(kinds),
        "begins-paragraph": begins,
        "ends-paragraph": [*begins[1:], True],
        "length": lengths,
        "references": references,
        "figure": names_figure,
    }
    for section in _SECTIONS:
        columns[f"section-{section}"] = [kind == section for kind in kinds]
    for cue in _CUES:
        columns[f"cue-{cue}"] = _has_cue(cue, index.passages)
    return {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}


def _citance_columns(index: SpanIndex, passages: list[Passage], counts: Floats) -> Table:
    """Return the features of citances, (c, 1) each."""
    sizes = np.array([max(len(passage.content_stems), 1) for passage in passages])
    in_paper = counts.sum(axis=1)
    columns = {"citance-stems": in_paper, "citance-known": in_paper / sizes}
    for name in ("finding", "method", "may"):
        columns[f"citance-{name}"] = _has_cue(name, passages)
    columns["citances"] = np.full(len(passages), float(len(passages)))
    columns["sentences"] = np.full(len(passages), float(len(index)))
    return {name: column[:, None] for name, column in columns.items()}


def _has_cue(name: str, passages: Sequence[Passage]) -> Floats:
    """Return 1 for passages with a cue word, else 0."""
    cues = frozenset(_CUES[name].split())
    return np.array([not cues.isdisjoint(p.words) for p in passages], dtype=np.float64)


def _shares(values: Floats) -> Floats:
    """Divide each row by its maximum."""
    return values / np.maximum(values.max(axis=1, keepdims=True), 1e-9)


def _citing_sentence(citance: Citance) -> str:
    """Return the sentence of the citance that has the marker, or the whole citance if there is
    none.
    """
    if citance.marker is not None:
        marker = citance.marker.start - citance.start
        for start, end in split_sentences(citance.text):
            if start <= marker < end:
                return strip_markers(citance.text[start:end])
    return strip_markers(citance.text)


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
    return np.array([*map(ranks, values)]) / max(values.shape[1] - 1, 1)


def _shifted(values: Floats, step: int) -> Floats:
    """Return the value of the sentence `step` positions later, 0 beyond the ends: (c, n)."""
    one_paper = np.zeros(values.shape[1], dtype=np.int64)
    return lag(values.T, one_paper, -step).T


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
        self.index = index
        self.counts = index.counts
        frequency = np.maximum((self.counts > 0).sum(axis=0), 1)
        self.idf = np.log1p(max(len(index), 1) / frequency)
        self.vectors = self.weighted(self.counts)
        self.near = self.weighted(_windows(self.counts, 1))

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
        return self.near.T @ (left[:, keep] / np.sqrt(values[keep]))

    def paragraphs(self) -> Floats:
        """Return (n, V) tf-idf vectors of each sentence's paragraph."""
        paragraph = np.cumsum(self.index.begins_paragraph) - 1
        # Counts of each paragraph; there are at most as many as sentences.
        counts = np.zeros_like(self.counts)
        np.add.at(counts, paragraph, self.counts)
        return self.weighted(counts)[paragraph]

    def headings(self) -> Floats:
        """Return (n, V) tf-idf vectors of the heading above each sentence."""
        blocks = outline(self.index.document)
        starts = [block.start for block in blocks]
        above = []
        for sentence in self.index.sentences:
            block = bisect_right(starts, sentence.start) - 1
            above.append(blocks[block].heading if block >= 0 else "")
        numbers = Numbers[str]()
        heading = numbers.of(above)
        return self.weighted(self.bag([*map(Passage, numbers)]))[heading]


class WordSpace:
    """The words of a paper's n sentences as word vectors."""

    def __init__(self, passages: Sequence[Passage], embeddings: Embeddings) -> None:
        self._embeddings = embeddings
        rows = [self._rows(passage) for passage in passages]
        distinct = np.unique(np.concatenate([*rows, embeddings.rows(())]))
        self._vectors = unit(embeddings.vectors[distinct].astype(np.float64))
        # The words of each sentence, as rows of `_vectors`.
        self._sentences = [np.searchsorted(distinct, of_sentence) for of_sentence in rows]
        weighted = self._vectors * embeddings.idf[distinct][:, None]
        self.centroids = np.zeros((len(passages), weighted.shape[1]))
        for i, words in enumerate(self._sentences):
            self.centroids[i] = weighted[words].sum(axis=0)

    def _rows(self, passage: Passage) -> Ints:
        return self._embeddings.rows(word for word in passage.words if word not in STOP_WORDS)

    def alignment(self, query: Passage) -> Floats:
        """Return (n,) the IDF-weighted mean over query words of the largest cosine with a word of
        each sentence.

        After the word-by-word alignment of Mihalcea, Corley and Strapparava (2006), in one
        direction; 0 if sentence or query has no known words.
        """
        rows = np.unique(self._rows(query))
        result = np.zeros(len(self._sentences))
        idf = self._embeddings.idf[rows]
        if not len(rows) or idf.sum() <= 0:
            return result
        queries = unit(self._embeddings.vectors[rows].astype(np.float64))
        cosines = np.maximum(queries @ self._vectors.T, 0.0)
        total = idf.sum()
        for i, words in enumerate(self._sentences):
            if len(words):
                result[i] = idf @ cosines[:, words].max(axis=1) / total
        return result

    def centroid(self, query: Passage) -> Floats:
        """Return the IDF-weighted sum of the query's word vectors: (d,)."""
        rows = self._rows(query)
        vectors = unit(self._embeddings.vectors[rows].astype(np.float64))
        weighted = vectors * self._embeddings.idf[rows][:, None]
        return weighted.sum(axis=0)


def _windows(counts: Floats, reach: int) -> Floats:
    """Return (n, V) sums over each sentence and up to `reach` neighbours on either side."""
    sums = np.zeros_like(counts)
    for i, of_window in enumerate(sums):
        counts[max(i - reach, 0) : i + reach + 1].sum(axis=0, out=of_window)
    return sums
