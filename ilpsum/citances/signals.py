"""What speaks for a sentence of the reference paper being cited by a citance: the features of the learned ranker.

All of them are computed for all citances and all sentences of a topic at once. They are of four kinds: how like the
two texts are (several measures, of the sentence and of the sentences around it); how the other citances of the topic
like the sentence, since what one paper is cited for others cite it for too; what the sentence is by itself (section,
place, centrality, wording); what the citance is by itself.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from features.context import Floats
from features.text import Passage
from ilpsum.citances.index import SpanIndex
from ilpsum.citances.markers import strip_markers, without_markers
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
_K1, _B, _MU = 1.2, 0.75, 30.0
_CONTEXT = 400
_LATENT = 60


@dataclass(frozen=True)
class Signals:
    """The features of a topic.

    Attributes:
        columns: their names.
        values: (c, n, columns) for c citances and n sentences.
    """

    columns: tuple[str, ...]
    values: Floats


def signals(index: SpanIndex, citances: Sequence[Citance], documents: Sequence[Document] = ()) -> Signals:
    """The features of every citance with every sentence of the index.

    Args:
        index: the reference paper.
        citances: all citances of the topic.
        documents: the citing papers, for what stands around a citance; it may lack some.
    """
    paper = _Paper(index)
    texts = {d.id: d.text for d in documents}
    passages = [Passage(without_markers(c)) for c in citances]
    around = [Passage(strip_markers(_around(c, texts.get(c.document, "")))) for c in citances]
    table: dict[str, Floats] = {}
    _likeness(table, paper, passages, around)
    _company(table, paper, passages)
    for name, column in _sentence_columns(index, paper).items():
        table[name] = np.broadcast_to(column, (len(citances), len(index)))
    for name, row in _citance_columns(paper, passages).items():
        table[name] = np.broadcast_to(row[:, None], (len(citances), len(index)))
    return Signals(tuple(table), np.stack(list(table.values()), axis=-1))


class _Paper:
    """The sentences of a paper as vectors: tf-idf, of windows of sentences, and latent."""

    def __init__(self, index: SpanIndex) -> None:
        self.index, self.counts = index, index.counts
        n = max(len(index), 1)
        self.df = (self.counts > 0).sum(axis=0)
        self.idf = np.log1p(n / np.maximum(self.df, 1))
        self.lengths = self.counts.sum(axis=1)
        self.vectors = self.weighted(self.counts)
        self.near = self.weighted(_windows(self.counts, 1))
        self.wide = self.weighted(_windows(self.counts, 2))
        damped = self.counts + _K1 * (1.0 - _B + _B * self.lengths / max(self.lengths.mean(), 1.0))[:, None]
        idf = np.log1p((n - self.df + 0.5) / (self.df + 0.5))
        self.bm25 = self.counts * (_K1 + 1.0) / np.maximum(damped, 1e-9) * idf
        share = self.counts.sum(axis=0) / max(float(self.counts.sum()), 1.0)
        self.likelihood = np.log1p(self.counts / np.maximum(_MU * share, 1e-9))

    def weighted(self, counts: Floats) -> Floats:
        """(rows, V) tf-idf vectors of length one: (1 + log tf) log(1 + n / df)."""
        return _unit(np.where(counts > 0, 1.0 + np.log(np.maximum(counts, 1.0)), 0.0) * self.idf)

    def bag(self, passages: Sequence[Passage]) -> Floats:
        """(c, V) counts of the paper's stems in passages."""
        counts = np.zeros((len(passages), len(self.index.vocabulary)))
        for row, passage in zip(counts, passages, strict=True):
            for stem, count in Counter(passage.content_stems).items():
                if stem in self.index.vocabulary:
                    row[self.index.vocabulary[stem]] = count
        return counts

    def latent(self) -> Floats:
        """(V, k) the directions in which the windows of sentences vary most (Deerwester et al. 1990)."""
        # From the smaller side, the (n, n) matrix of inner products; eigenvectors up to sign, which cosines ignore.
        values, left = np.linalg.eigh(self.near @ self.near.T)
        keep = np.argsort(-values)[:_LATENT]
        keep = keep[values[keep] > 1e-9]
        return np.asarray(self.near.T @ (left[:, keep] / np.sqrt(values[keep])))


def _likeness(table: dict[str, Floats], paper: _Paper, passages: list[Passage], around: list[Passage]) -> None:
    """Adds how like citances and sentences are, (c, n) each."""
    counts = paper.bag(passages)
    query = paper.weighted(counts)
    there = (counts > 0).astype(np.float64)
    table["cosine"] = query @ paper.vectors.T
    table["cosine-near"] = query @ paper.near.T
    table["cosine-wide"] = query @ paper.wide.T
    table["cosine-around"] = paper.weighted(paper.bag(around)) @ paper.near.T
    table["bm25"] = there @ paper.bm25.T
    share = table["bm25"] / np.maximum(table["bm25"].max(axis=1, keepdims=True), 1e-9)
    table["bm25-share"] = share
    smoothed = np.log(_MU / (_MU + paper.lengths))
    table["likelihood"] = counts @ paper.likelihood.T / np.maximum(counts.sum(axis=1, keepdims=True), 1.0) + smoothed
    common = there @ (paper.counts > 0).T
    sizes = there.sum(axis=1)[:, None] + (paper.counts > 0).sum(axis=1)
    table["jaccard"] = common / np.maximum(sizes - common, 1.0)
    own = [set(p.stem_bigrams) for p in paper.index.passages]
    table["bigrams"] = np.array([[len(set(p.stem_bigrams) & b) for b in own] for p in passages], dtype=np.float64)
    directions = paper.latent()
    table["latent"] = _unit(query @ directions) @ _unit(paper.near @ directions).T
    for name in ("cosine", "cosine-near", "cosine-wide", "cosine-around", "bm25", "latent"):
        table[f"{name}-rank"] = _ranks(table[name])
    table["cosine-near-share"] = table["cosine-near"] / np.maximum(
        table["cosine-near"].max(axis=1, keepdims=True), 1e-9
    )
    for step in (-2, -1, 1, 2):
        table[f"bm25-share{step:+d}"] = _shifted(share, step)


def _company(table: dict[str, Floats], paper: _Paper, passages: list[Passage]) -> None:
    """Adds how the other citances like a sentence, (c, n) each."""
    query = paper.weighted(paper.bag(passages))
    others = max(len(passages) - 1, 1)
    for name in ("bm25-share", "cosine-near"):
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


def _sentence_columns(index: SpanIndex, paper: _Paper) -> dict[str, Floats]:
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


def _citance_columns(paper: _Paper, passages: list[Passage]) -> dict[str, Floats]:
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


def _around(citance: Citance, text: str) -> str:
    """A citance with what stands around it in the citing paper, up to the ends of its paragraph."""
    if not text:
        return citance.text
    before = text[max(0, citance.start - _CONTEXT) : citance.start].rpartition("\n")[2]
    after = text[citance.end : citance.end + _CONTEXT].partition("\n")[0]
    return f"{before} {citance.text} {after}"


def _windows(counts: Floats, reach: int) -> Floats:
    """(n, V) the sums of each sentence and up to `reach` sentences to either side."""
    sums = np.vstack([np.zeros((1, counts.shape[1])), np.cumsum(counts, axis=0)])
    places = np.arange(len(counts))
    return np.asarray(sums[np.minimum(places + reach + 1, len(counts))] - sums[np.maximum(places - reach, 0)])


def _unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0))


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
