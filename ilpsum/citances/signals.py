"""What speaks for a sentence of the reference paper being cited by a citance: the features of the learned ranker.

All of them are computed for all citances and all sentences of a topic at once. They are of four kinds: how like the
two texts are (several measures, of the sentence and of the sentences around it); how the other citances of the topic
like the sentence, since what one paper is cited for others cite it for too; what the sentence is by itself (section,
place, centrality, wording); what the citance is by itself.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from features.arrays import Floats
from features.embeddings import Embeddings
from features.sentences import split_sentences
from features.text import Passage
from ilpsum.citances.index import SpanIndex
from ilpsum.citances.markers import strip_markers, without_markers
from ilpsum.citances.vectors import MU, PaperVectors, WordSpace, unit, windows
from ilpsum.records import Citance, Document

_SECTIONS = ("abstract", "introduction", "methods", "results", "discussion", "conclusion", "other", "highlights")
_CUES = {
    "we": "we our",
    "finding": "show shows showed shown find found demonstrate demonstrated identified revealed observed detected",
    "claim": "suggest suggests suggesting indicate indicates indicating conclude propose thus therefore",
    "method": "using used performed described method methods approach assay protocol analyzed",
    "may": "may might could potential possible likely",
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
class Signals:
    """The features of a topic.

    Attributes:
        columns: their names.
        values: (c, n, columns) for c citances and n sentences.
    """

    columns: tuple[str, ...]
    values: Floats


def signals(
    index: SpanIndex, citances: Sequence[Citance], documents: Sequence[Document], embeddings: Embeddings
) -> Signals:
    """The features of every citance with every sentence of the index.

    Args:
        index: the reference paper.
        citances: all citances of the topic.
        documents: the citing papers, for what stands around a citance; it may lack some.
        embeddings: word vectors with IDF.
    """
    paper = PaperVectors(index)
    texts = {d.id: d.text for d in documents}
    passages = [Passage(without_markers(c)) for c in citances]
    around = [Passage(strip_markers(_around(c, texts.get(c.document, "")))) for c in citances]
    table: dict[str, Floats] = {}
    _likeness(table, paper, passages)
    _places(table, paper, around, [Passage(_citing_sentence(c)) for c in citances], passages)
    _meaning(table, WordSpace(index.passages, embeddings), passages)
    for name in _RANKED:
        table[f"{name}-rank"] = _ranks(table[name])
    _company(table, paper, passages)
    for name, column in _sentence_columns(index, paper).items():
        table[name] = np.broadcast_to(column, (len(citances), len(index)))
    for name, row in _citance_columns(paper, passages).items():
        table[name] = np.broadcast_to(row[:, None], (len(citances), len(index)))
    return Signals(tuple(table), np.stack(list(table.values()), axis=-1))


def _likeness(table: dict[str, Floats], paper: PaperVectors, passages: list[Passage]) -> None:
    """Adds how like citances and sentences are, (c, n) each."""
    counts = paper.bag(passages)
    query = paper.weighted(counts)
    there = (counts > 0).astype(np.float64)
    table["cosine"] = query @ paper.vectors.T
    table["cosine-near"] = query @ paper.near.T
    table["cosine-wide"] = query @ paper.wide.T
    table["bm25"] = there @ paper.bm25.T
    share = table["bm25"] / np.maximum(table["bm25"].max(axis=1, keepdims=True), 1e-9)
    table["bm25-share"] = share
    smoothed = np.log(MU / (MU + paper.lengths))
    table["likelihood"] = counts @ paper.likelihood.T / np.maximum(counts.sum(axis=1, keepdims=True), 1.0) + smoothed
    common = there @ (paper.counts > 0).T
    sizes = there.sum(axis=1)[:, None] + (paper.counts > 0).sum(axis=1)
    table["jaccard"] = common / np.maximum(sizes - common, 1.0)
    own = [set(p.stem_bigrams) for p in paper.index.passages]
    table["bigrams"] = np.array([[len(set(p.stem_bigrams) & b) for b in own] for p in passages], dtype=np.float64)
    directions = paper.latent()
    table["latent"] = unit(query @ directions) @ unit(paper.near @ directions).T
    table["cosine-near-share"] = table["cosine-near"] / np.maximum(
        table["cosine-near"].max(axis=1, keepdims=True), 1e-9
    )
    for step in (-2, -1, 1, 2):
        table[f"bm25-share{step:+d}"] = _shifted(share, step)


def _places(
    table: dict[str, Floats],
    paper: PaperVectors,
    around: list[Passage],
    citing: list[Passage],
    passages: list[Passage],
) -> None:
    """Adds how like the texts around are: of the citance, and of the sentence, (c, n) each."""
    query = paper.weighted(paper.bag(passages))
    table["cosine-around"] = paper.weighted(paper.bag(around)) @ paper.near.T
    table["cosine-citing"] = paper.weighted(paper.bag(citing)) @ paper.near.T
    table["cosine-paragraph"] = query @ paper.paragraphs().T
    table["cosine-heading"] = query @ paper.headings().T
    names = [_names(p.text) for p in passages]
    own = [_names(p.text) for p in paper.index.passages]
    table["names"] = np.array([[len(a & b) / max(len(a), 1) for b in own] for a in names], dtype=np.float64)


def _meaning(table: dict[str, Floats], space: WordSpace, passages: list[Passage]) -> None:
    """Adds how near the words are in the space of word vectors, (c, n) each."""
    aligned = np.array([space.alignment(p) for p in passages])
    table["aligned"] = aligned
    table["aligned-near"] = (_shifted(aligned, -1) + aligned + _shifted(aligned, 1)) / 3.0
    table["aligned-share"] = aligned / np.maximum(aligned.max(axis=1, keepdims=True), 1e-9)
    queries = unit(np.array([space.centroid(p) for p in passages]))
    table["centroid"] = queries @ unit(space.centroids).T
    table["centroid-near"] = queries @ unit(windows(space.centroids, 1)).T


def _company(table: dict[str, Floats], paper: PaperVectors, passages: list[Passage]) -> None:
    """Adds how the other citances like a sentence, (c, n) each."""
    query = paper.weighted(paper.bag(passages))
    others = max(len(passages) - 1, 1)
    for name in ("bm25-share", "cosine-near", "aligned"):
        mean = (table[name].sum(axis=0) - table[name]) / others
        table[f"others-{name}"] = mean
        table[f"others-{name}-rank"] = _ranks(mean)
    alike = query @ query.T
    np.fill_diagonal(alike, 0.0)
    table["others-alike"] = alike @ table["bm25-share"] / np.maximum(alike.sum(axis=1, keepdims=True), 1e-9)
    best = np.sort(table["bm25-share"], axis=0)[::-1]
    for place in range(3):
        row = best[min(place, len(best) - 1)]
        table[f"all-bm25-share-{place + 1}"] = np.broadcast_to(row, table["cosine"].shape)


def _sentence_columns(index: SpanIndex, paper: PaperVectors) -> dict[str, Floats]:
    """What a sentence is by itself: (n,) each."""
    n = len(index)
    kinds = [s.section for s in index.sentences]
    alike = paper.vectors @ paper.vectors.sum(axis=0)
    abstract = [i for i in range(n) if kinds[i] == "abstract"] or list(range(min(8, n)))
    whole = paper.weighted(paper.counts[abstract].sum(axis=0, keepdims=True))[0]
    text = index.document.text
    breaks = [
        True,
        *("\n" in text[a.end : b.start] for a, b in zip(index.sentences, index.sentences[1:], strict=False)),
    ]
    columns = {
        "central": alike / max(n - 1, 1),
        "central-rank": _ranks(alike[None])[0],
        "abstract-cosine": paper.vectors @ whole,
        "abstract-rank": _ranks((paper.vectors @ whole)[None])[0],
        "place": np.linspace(0.0, 1.0, n),
        "place-in-section": _within(kinds),
        "begins-paragraph": np.array(breaks[:n], dtype=np.float64),
        "ends-paragraph": np.array([*breaks[1:], True][:n], dtype=np.float64),
        "length": np.array([s.end - s.start for s in index.sentences], dtype=np.float64),
        "references": np.array([len(_REFERENCE.findall(s.text)) for s in index.sentences], dtype=np.float64),
        "figure": np.array([bool(_FIGURE.search(s.text)) for s in index.sentences], dtype=np.float64),
    }
    columns |= {f"section-{kind}": np.array([k == kind for k in kinds], dtype=np.float64) for kind in _SECTIONS}
    cues = {name: frozenset(cue.split()) for name, cue in _CUES.items()}
    for name, cue in cues.items():
        columns[f"cue-{name}"] = np.array([not cue.isdisjoint(p.words) for p in index.passages], dtype=np.float64)
    return columns


def _citance_columns(paper: PaperVectors, passages: list[Passage]) -> dict[str, Floats]:
    """What a citance is by itself: (c,) each."""
    counts = paper.bag(passages)
    sizes = np.array([max(len(p.content_stems), 1) for p in passages], dtype=np.float64)
    columns = {"citance-stems": counts.sum(axis=1), "citance-known": counts.sum(axis=1) / sizes}
    for name in ("finding", "method", "may"):
        cue = frozenset(_CUES[name].split())
        columns[f"citance-{name}"] = np.array([not cue.isdisjoint(p.words) for p in passages], dtype=np.float64)
    columns["citances"] = np.full(len(passages), float(len(passages)))
    columns["sentences"] = np.full(len(passages), float(len(paper.index)))
    return columns


def _citing_sentence(citance: Citance) -> str:
    """The sentence of the citance that has the marker; the whole citance where none has."""
    if citance.marker is None:
        return strip_markers(citance.text)
    place = citance.marker.start - citance.start
    for start, end in split_sentences(citance.text):
        if start <= place < end:
            return strip_markers(citance.text[start:end])
    return strip_markers(citance.text)


def _names(text: str) -> set[str]:
    """The words that are names of things: with digits or inner capitals, as genes and molecules have."""
    return {name.lower() for name in _NAME.findall(text)}


def _around(citance: Citance, text: str) -> str:
    """A citance with what stands around it in the citing paper, up to the ends of its paragraph."""
    if not text:
        return citance.text
    before = text[max(0, citance.start - _CONTEXT) : citance.start].rpartition("\n")[2]
    after = text[citance.end : citance.end + _CONTEXT].partition("\n")[0]
    return f"{before} {citance.text} {after}"


def _ranks(values: Floats) -> Floats:
    """(c, n) the rank of each value in its row as a share: 0 for the highest, 1 for the lowest."""
    order = np.argsort(np.argsort(-values, axis=-1, kind="stable"), axis=-1, kind="stable")
    return np.asarray(order / max(values.shape[-1] - 1, 1))


def _shifted(values: Floats, step: int) -> Floats:
    """The value of the sentence `step` further on; 0 beyond the ends."""
    result = np.zeros_like(values)
    n = values.shape[1]
    if abs(step) < n:
        result[:, max(0, -step) : n - max(0, step)] = values[:, max(0, step) : n - max(0, -step)]
    return result


def _within(kinds: Sequence[str]) -> Floats:
    """(n,) how far through its run of sentences of one section a sentence stands, from 0 to below 1."""
    result = np.zeros(len(kinds))
    start = 0
    for i in range(1, len(kinds) + 1):
        if i == len(kinds) or kinds[i] != kinds[start]:
            result[start:i] = np.arange(i - start) / (i - start)
            start = i
    return result
