"""Predicts the discourse facet of a citance from its text and the cited text (TAC 2014, Task 1b).

Features are tf-idf vectors of the content stems of the citation text and of the reference text
(Cohan et al. 2014); beyond the paper, the share of the reference text in each section type, and the
section type of the citing paper in which the citance stands: methods are cited in methods.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Annotated

import numpy as np

from features.arrays import Floats
from features.text import Passage
from ilpsum.files.records import Number
from ilpsum.metrics.spans import union
from ilpsum.papers.layout import SECTION_KINDS, Block, outline
from ilpsum.records import FACETS, Citance, Document, Facet, Span, Topic
from ilpsum.task1.classifiers import CLASSIFIERS, Ensemble, Forest, LinearClassifier
from ilpsum.task1.terms import counted, tf_idf, without_markers


@dataclass(frozen=True)
class FacetExample:
    """Classifier input for a citance: its text without markers, and the cited text.

    Attributes:
        sections: number of characters of the reference text in each section type.
        votes: number of annotators who chose each facet; CL-SciSumm's `aim` counts as `hypothesis`.
        citing: section type of the citance in the citing paper; empty if that paper is missing.
    """

    citation: str
    reference: str
    sections: Mapping[str, int]
    votes: Mapping[str, float]
    citing: str = ""


def examples(
    paper: Document,
    citances: Sequence[Citance],
    cited: Sequence[Sequence[Span]],
    documents: Sequence[Document],
) -> list[FacetExample]:
    """Return an example for each citance of a paper, with the votes of its annotations (none in
    test topics).

    `cited` has the gold or predicted spans of each citance; `documents` are the citing papers, of
    which some may be missing.
    """
    blocks = outline(paper)
    citing = {document.id: outline(document) for document in documents}
    examples = []
    for citance, spans in zip(citances, cited, strict=True):
        sections = Counter[str]()
        votes = defaultdict[str, float](float)
        for span, block in product(spans, blocks):
            inside = min(span.end, block.end) - max(span.start, block.start)
            if inside > 0:
                sections[block.section] += inside
        for annotation in citance.annotations:
            for facet in annotation.facets:
                # CL-SciSumm's annotators may choose several facets; each annotator has one vote.
                votes["hypothesis" if facet == "aim" else facet] += 1 / len(annotation.facets)
        text = " ".join(paper.text[span.start : span.end] for span in spans)
        section = _section_at(citing.get(citance.document, ()), citance.start)
        examples.append(FacetExample(without_markers(citance), text, sections, votes, section))
    return examples


def _section_at(blocks: Sequence[Block], position: int) -> str:
    """Return the section of the first block that ends after a position; empty if none does."""
    return next((block.section for block in blocks if block.end > position), "")


def gold_examples(topic: Topic) -> list[FacetExample]:
    """Return an example for each citance with annotated facets; its spans are the union over
    annotators.
    """
    if topic.reference is None:
        return []
    annotated = [c for c in topic.citances if any(a.facets for a in c.annotations)]
    cited = [union(s for a in c.annotations for s in a.spans) for c in annotated]
    return examples(topic.reference, annotated, cited, topic.documents)


@dataclass(frozen=True)
class Vocabulary:
    """The V stems of training texts, and their (V,) IDF, log(1 + N / df)."""

    stems: tuple[str, ...]
    idf: Annotated[Floats, "f stems"]

    def __post_init__(self) -> None:
        if len(self.stems) != len(self.idf):
            raise ValueError("a vocabulary needs one IDF per stem")

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {stem: column for column, stem in enumerate(self.stems)}

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Vocabulary":
        """Collect the stems that occur in at least two texts."""
        counts = Counter[str]()
        for text in texts:
            counts.update(set(Passage(text).content_stems))
        stems = sorted(stem for stem, count in counts.items() if count > 1)
        idf = np.array([np.log1p(len(texts) / counts[stem]) for stem in stems])
        return cls(tuple(stems), idf)

    def __call__(self, texts: Sequence[str]) -> Floats:
        """Return (n, V) vectors of texts."""
        stems = [Passage(text).content_stems for text in texts]
        return tf_idf(counted(stems, self._columns), self.idf)


@dataclass(frozen=True)
class FacetModel:
    """A trained classifier of `FACETS`; `sections` is the weight of the section features, 0 to
    leave them out.
    """

    citation: Vocabulary
    reference: Vocabulary
    sections: Number
    classifier: LinearClassifier | Forest | Ensemble

    def __post_init__(self) -> None:
        width = len(self.citation.stems) + len(self.reference.stems)
        if self.sections:
            width += 2 * len(SECTION_KINDS)
        if not self.classifier.fits(width, len(FACETS)):
            raise ValueError("the classifier has other features or facets")

    def features(self, examples: Sequence[FacetExample]) -> Floats:
        """Return the features of examples, (n, columns): citation, reference, cited and citing
        sections.
        """
        return _features(examples, self.citation, self.reference, self.sections)

    def probabilities(self, examples: Sequence[FacetExample]) -> Floats:
        """Return probabilities, or scores that sum to 1, of `FACETS`: (n, 5)."""
        if not examples:
            return np.zeros((0, len(FACETS)))
        return self.classifier.probabilities(self.features(examples))

    def predict(self, examples: Sequence[FacetExample]) -> list[Facet]:
        """Return the most probable facet of each example; ties go to the first of `FACETS`."""
        return [FACETS[i] for i in self.probabilities(examples).argmax(axis=1)]


def fit(
    examples: Sequence[FacetExample],
    classifier: str = "svm",
    *,
    sections: float = 0.0,
    seed: int = 1,
) -> FacetModel:
    """Train a classifier by its name in `CLASSIFIERS`, with `sections` as the weight of the section
    features.

    Each annotator's vote is a training instance; examples without votes are skipped.

    Raises:
        ValueError: no example has a vote.
    """
    voted = [e for e in examples if any(e.votes.values())]
    if not voted:
        raise ValueError("no annotated citances to train on")
    citation = Vocabulary.of([e.citation for e in voted])
    reference = Vocabulary.of([e.reference for e in voted])
    x = _features(voted, citation, reference, sections)
    trained = CLASSIFIERS[classifier](x, votes_of(voted), seed)
    return FacetModel(citation, reference, sections, trained)


def votes_of(examples: Sequence[FacetExample]) -> Floats:
    """Return (n, 5) the number of annotators who chose each of `FACETS`."""
    return _columns((example.votes for example in examples), FACETS)


def _columns(rows: Iterable[Mapping[str, float]], names: Sequence[str]) -> Floats:
    """Return (n, names) the values of each row by name; 0 for a missing one."""
    values = [[row.get(name, 0.0) for name in names] for row in rows]
    return np.array(values, dtype=np.float64).reshape(-1, len(names))


def _features(
    examples: Sequence[FacetExample],
    citation: Vocabulary,
    reference: Vocabulary,
    sections: float,
) -> Floats:
    blocks = [citation([e.citation for e in examples]), reference([e.reference for e in examples])]
    if sections:
        lengths = _columns((e.sections for e in examples), SECTION_KINDS)
        citing = _columns(({e.citing: 1.0} for e in examples), SECTION_KINDS)
        shares = lengths / np.maximum(lengths.sum(axis=1, keepdims=True), 1.0)
        blocks += [sections * shares, sections * citing]
    return np.hstack(blocks)
