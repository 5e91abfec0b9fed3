"""Features of the ranker: does a citance cite a sentence of the reference paper?

They are computed for all citances and sentences of a topic at once, in four groups: similarity of citance and sentence,
including neighbouring sentences; similarity of the sentence to the topic's other citances, since papers often cite the
same passages; properties of the sentence (section, position, centrality, wording); and properties of the citance.
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
from features.text import Passage
from ilpsum.records import Citance, Document
from ilpsum.task1.index import SpanIndex
from ilpsum.task1.markers import strip_markers, without_markers
from ilpsum.task1.terms import unit
from ilpsum.task1.vectors import MU, PaperVectors, WordSpace, windows

Table = dict[str, Floats]

_SECTIONS = ("abstract", "introduction", "methods", "results", "discussion", "conclusion", "other", "highlights")
_CUES = {
    name: frozenset(cues.split())
    for name, cues in {
        "we": "we our",
        "finding": "show shows showed shown find found demonstrate demonstrated identified revealed observed detected",
        "claim": "suggest suggests suggesting indicate indicates indicating conclude propose thus therefore",
        "method": "using used performed described method methods approach assay protocol analyzed",
        "may": "may might could potential possible likely",
    }.items()
}
_REFERENCE = re.compile(r"\[\d|\(\d{4}|et al")
_FIGURE = re.compile(r"\b(fig(ure)?s?|tables?)\b", re.IGNORECASE)
_CONTEXT = 400
_NAME = re.compile(r"\b(?=\w*[^\W\d_])\w*(?:\d|(?<=\w)[A-Z])\w*\b")
_RANKED = (
    "cosine", "cosine-near", "cosine-wide", "cosine-around", "cosine-citing", "bm25", "latent", "aligned",
    "aligned-near", "centroid-near",
)  # fmt: skip


@dataclass(frozen=True)
class SpanFeatures:
    """The named features of a topic: (c, n, columns) values for c citances and n sentences."""

    columns: tuple[str, ...]
    values: Floats


def span_features(
    index: SpanIndex, citances: Sequence[Citance], documents: Sequence[Document], embeddings: Embeddings
) -> SpanFeatures:
    """Compute the features of all pairs of a citance of a topic and a sentence of its reference paper.

    `documents` are the citing papers, for the text around citances; some may be missing.
    """
    paper = PaperVectors(index)
    texts = {d.id: d.text for d in documents}
    passages = [Passage(without_markers(c)) for c in citances]
    contexts = [Passage(strip_markers(_context(c, texts.get(c.document, "")))) for c in citances]
    table: Table = {}
    _add_lexical(table, paper, passages)
    _add_context(table, paper, passages, contexts, [Passage(_citing_sentence(c)) for c in citances])
    _add_word_vectors(table, WordSpace(index.passages, embeddings), passages)
    for name in _RANKED:
        table[f"{name}-rank"] = _ranks(table[name])
    _add_other_citances(table, paper, passages)
    for name, column in _sentence_columns(index, paper).items():
        table[name] = np.broadcast_to(column, (len(citances), len(index)))
    for name, row in _citance_columns(paper, passages).items():
        table[name] = np.broadcast_to(row[:, None], (len(citances), len(index)))
    return SpanFeatures(tuple(table), np.stack(list(table.values()), axis=-1))


def _add_lexical(table: Table, paper: PaperVectors, passages: list[Passage]) -> None:
    """Add lexical similarities of citances and sentences, (c, n) each."""
    counts = paper.bag(passages)
    query = paper.weighted(counts)
    present = (counts > 0).astype(np.float64)
    table["cosine"] = query @ paper.vectors.T
    table["cosine-near"] = query @ paper.near.T
    table["cosine-wide"] = query @ paper.wide.T
    table["bm25"] = present @ paper.bm25.T
    share = table["bm25-share"] = _shares(table["bm25"])
    smoothed = np.log(MU / (MU + paper.lengths))
    table["likelihood"] = counts @ paper.likelihood.T / np.maximum(counts.sum(axis=1, keepdims=True), 1.0) + smoothed
    common = present @ (paper.counts > 0).T
    sizes = present.sum(axis=1)[:, None] + (paper.counts > 0).sum(axis=1)
    table["jaccard"] = common / np.maximum(sizes - common, 1.0)
    own = [set(p.stem_bigrams) for p in paper.index.passages]
    table["bigrams"] = np.array([[len(set(p.stem_bigrams) & b) for b in own] for p in passages], dtype=np.float64)
    directions = paper.latent()
    table["latent"] = unit(query @ directions) @ unit(paper.near @ directions).T
    table["cosine-near-share"] = _shares(table["cosine-near"])
    for step in (-2, -1, 1, 2):
        table[f"bm25-share{step:+d}"] = _shifted(share, step)


def _add_context(
    table: Table, paper: PaperVectors, passages: list[Passage], contexts: list[Passage], citing: list[Passage]
) -> None:
    """Add similarities with the context of citance and sentence, (c, n) each."""
    query = paper.weighted(paper.bag(passages))
    table["cosine-around"] = paper.weighted(paper.bag(contexts)) @ paper.near.T
    table["cosine-citing"] = paper.weighted(paper.bag(citing)) @ paper.near.T
    table["cosine-paragraph"] = query @ paper.paragraphs().T
    table["cosine-heading"] = query @ paper.headings().T
    names = [_names(p.text) for p in passages]
    own = [_names(p.text) for p in paper.index.passages]
    table["names"] = np.array([[len(a & b) / max(len(a), 1) for b in own] for a in names], dtype=np.float64)


def _add_word_vectors(table: Table, space: WordSpace, passages: list[Passage]) -> None:
    """Add the similarity of word vectors, (c, n) each."""
    aligned = table["aligned"] = np.array([space.alignment(p) for p in passages])
    table["aligned-near"] = (_shifted(aligned, -1) + aligned + _shifted(aligned, 1)) / 3.0
    table["aligned-share"] = _shares(aligned)
    queries = unit(np.array([space.centroid(p) for p in passages]))
    table["centroid"] = queries @ unit(space.centroids).T
    table["centroid-near"] = queries @ unit(windows(space.centroids, 1)).T


def _add_other_citances(table: Table, paper: PaperVectors, passages: list[Passage]) -> None:
    """Add the similarity of a sentence to the other citances, (c, n) each."""
    query = paper.weighted(paper.bag(passages))
    others = max(len(passages) - 1, 1)
    for name in ("bm25-share", "cosine-near", "aligned"):
        mean = table[f"others-{name}"] = (table[name].sum(axis=0) - table[name]) / others
        table[f"others-{name}-rank"] = _ranks(mean)
    similarity = query @ query.T
    np.fill_diagonal(similarity, 0.0)
    table["others-alike"] = similarity @ table["bm25-share"] / np.maximum(similarity.sum(axis=1, keepdims=True), 1e-9)
    best = np.sort(table["bm25-share"], axis=0)[::-1]
    for place in range(3):
        row = best[min(place, len(best) - 1)]
        table[f"all-bm25-share-{place + 1}"] = np.broadcast_to(row, table["cosine"].shape)


def _sentence_columns(index: SpanIndex, paper: PaperVectors) -> dict[str, Floats]:
    """Return the features of sentences, (n,) each."""
    n = len(index)
    kinds = [s.section for s in index.sentences]
    centrality = paper.vectors @ paper.vectors.sum(axis=0)
    in_abstract = [i for i in range(n) if kinds[i] == "abstract"] or list(range(min(8, n)))
    abstract = paper.vectors @ paper.weighted(paper.counts[in_abstract].sum(axis=0, keepdims=True))[0]
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


def _citance_columns(paper: PaperVectors, passages: list[Passage]) -> dict[str, Floats]:
    """Return the features of citances, (c,) each."""
    counts = paper.bag(passages)
    sizes = np.array([max(len(p.content_stems), 1) for p in passages], dtype=np.float64)
    columns = {"citance-stems": counts.sum(axis=1), "citance-known": counts.sum(axis=1) / sizes}
    columns |= {f"citance-{name}": _has_cue(name, passages) for name in ("finding", "method", "may")}
    totals = {"citances": len(passages), "sentences": len(paper.index)}
    return columns | {name: np.full(len(passages), float(total)) for name, total in totals.items()}


def _has_cue(name: str, passages: Sequence[Passage]) -> Floats:
    """Return 1 for passages with a cue word, else 0."""
    return np.array([not _CUES[name].isdisjoint(p.words) for p in passages], dtype=np.float64)


def _shares(values: Floats) -> Floats:
    """Divide each row by its maximum."""
    return np.asarray(values / np.maximum(values.max(axis=1, keepdims=True), 1e-9))


def _citing_sentence(citance: Citance) -> str:
    """Return the sentence of the citance that has the marker, or the whole citance if there is none."""
    text = citance.text
    if citance.marker is not None:
        place = citance.marker.start - citance.start
        text = next((text[start:end] for start, end in split_sentences(text) if start <= place < end), text)
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
    """Return the rank of each value in its row, from 0 for the highest to 1 for the lowest: (c, n)."""
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
