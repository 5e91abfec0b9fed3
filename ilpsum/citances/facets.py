"""The discourse facet of a citance, predicted from its text and the text that it cites (TAC 2014, Task 1b).

Features are tf-idf vectors of the content stems of the citation text and of the reference text (Cohan et al. 2014);
beyond the paper, the share of the reference text in each kind of section.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.text import Passage
from ilpsum.citances.arrays import counted, tf_idf
from ilpsum.citances.classifiers import Classifier, ClassifierDescription, restore
from ilpsum.citances.fitting import CLASSIFIERS
from ilpsum.citances.markers import without_markers
from ilpsum.io.arrays import fitted
from ilpsum.io.persistence import pack, unpack
from ilpsum.io.records import Number
from ilpsum.metrics.spans import union
from ilpsum.papers.layout import SECTION_KINDS, Block, outline
from ilpsum.records import Citance, Document, Facet, Span, Topic

FACETS: tuple[Facet, ...] = ("hypothesis", "method", "results", "implication", "discussion")


@dataclass(frozen=True)
class FacetExample:
    """The classifier's input for a citance.

    Attributes:
        citation: text of the citance, without markers.
        reference: the text that it cites.
        sections: characters of the reference text in each kind of section.
        votes: number of annotators who name each facet; CL-SciSumm's `aim` counts as a hypothesis.
    """

    citation: str
    reference: str
    sections: Mapping[str, int]
    votes: Mapping[str, float]


def examples(paper: Document, citances: Sequence[Citance], cited: Sequence[Sequence[Span]]) -> list[FacetExample]:
    """Return an example for each citance of a paper, with the votes of its annotations (none in test topics).

    The spans cited by each are gold or predicted.
    """
    blocks = outline(paper)
    return [_example(citance, paper, blocks, spans) for citance, spans in zip(citances, cited, strict=True)]


def gold_examples(topic: Topic) -> list[FacetExample]:
    """Return an example for each citance with annotated facets; its spans are the union over annotators."""
    paper = topic.reference
    if paper is None:
        return []
    annotated = [c for c in topic.citances if any(a.facets for a in c.annotations)]
    return examples(paper, annotated, [union(s for a in c.annotations for s in a.spans) for c in annotated])


def _example(citance: Citance, paper: Document, blocks: Sequence[Block], cited: Sequence[Span]) -> FacetExample:
    votes: defaultdict[str, float] = defaultdict(float)
    for annotation in citance.annotations:
        for facet in annotation.facets:
            # CL-SciSumm's annotators may name several facets; each annotator has one vote.
            votes["hypothesis" if facet == "aim" else facet] += 1 / len(annotation.facets)
    text = " ".join(paper.text[span.start : span.end] for span in cited)
    return FacetExample(without_markers(citance), text, _sections(blocks, cited), votes)


def _sections(blocks: Sequence[Block], cited: Sequence[Span]) -> Counter[str]:
    """Count the characters of spans in each kind of section."""
    characters: Counter[str] = Counter()
    for span in cited:
        for block in blocks:
            inside = min(span.end, block.end) - max(span.start, block.start)
            if inside > 0:
                characters[block.section] += inside
    return characters


@dataclass(frozen=True)
class FacetFeatures:
    """The features of the classifier.

    Attributes:
        citation, reference: columns of the stems of either text.
        citation_idf, reference_idf: IDF of these stems, log(1 + N / df) over the training examples.
        sections: weight of the columns of sections; 0 leaves them out.
    """

    citation: Mapping[str, int]
    reference: Mapping[str, int]
    citation_idf: Floats
    reference_idf: Floats
    sections: float

    @classmethod
    def fit(cls, examples: Sequence[FacetExample], sections: float) -> "FacetFeatures":
        """Collect the stems that occur in two training examples or more, and their IDF."""
        citation, citation_idf = _vocabulary([e.citation for e in examples])
        reference, reference_idf = _vocabulary([e.reference for e in examples])
        return cls(citation, reference, citation_idf, reference_idf, sections)

    def __call__(self, examples: Sequence[FacetExample]) -> Floats:
        """Return the features of examples, (n, columns): citation, reference, sections."""
        citations, references = [_stems(e.citation) for e in examples], [_stems(e.reference) for e in examples]
        blocks = [
            tf_idf(counted(citations, self.citation), self.citation_idf),
            tf_idf(counted(references, self.reference), self.reference_idf),
        ]
        if self.sections:
            shares = np.array([[float(e.sections.get(kind, 0)) for kind in SECTION_KINDS] for e in examples])
            shares = shares.reshape(len(examples), len(SECTION_KINDS))
            blocks.append(self.sections * shares / np.maximum(shares.sum(axis=1, keepdims=True), 1.0))
        return np.hstack(blocks)


class FacetDescription(msgspec.Struct):
    """What a model file says of the prediction of facets."""

    method: str
    sections: Number
    classifier: ClassifierDescription


@dataclass(frozen=True)
class FacetModel:
    """A trained classifier of facets.

    Attributes:
        features: computes the classifier's input.
        classifier: predicts probabilities of `FACETS`.
        method: the classifier's name in `CLASSIFIERS`.
    """

    features: FacetFeatures
    classifier: Classifier
    method: str

    def probabilities(self, examples: Sequence[FacetExample]) -> Floats:
        """Return probabilities, or scores that sum to 1, of `FACETS`: (n, 5)."""
        if not examples:
            return np.zeros((0, len(FACETS)))
        return self.classifier.probabilities(self.features(examples))

    def predict(self, examples: Sequence[FacetExample]) -> list[Facet]:
        """Return the most probable facet of each example; ties go to the first of `FACETS`."""
        return [FACETS[i] for i in self.probabilities(examples).argmax(axis=1)]

    def state(self) -> tuple[FacetDescription, dict[str, NDArray[Any]]]:
        """Return what a model file holds: a description, and arrays."""
        features = self.features
        description, arrays = self.classifier.state()
        arrays |= {name: pack(getattr(features, name)) for name in ("citation", "reference")}
        arrays |= {name: getattr(features, name).astype(np.float32) for name in ("citation_idf", "reference_idf")}
        return FacetDescription(self.method, features.sections, description), arrays

    @classmethod
    def from_state(cls, known: FacetDescription, arrays: Mapping[str, NDArray[Any]]) -> "FacetModel":
        """Restore a model from its state.

        Raises:
            ValueError: these are not the arrays of a model.
        """
        fitted(arrays, {"citation": "t bytes", "reference": "t others"})
        stems = [{stem: j for j, stem in enumerate(unpack(arrays[name]))} for name in ("citation", "reference")]
        fitted(arrays, {"citation_idf": "f c", "reference_idf": "f r"}, c=len(stems[0]), r=len(stems[1]))
        idf = [arrays[name].astype(np.float64) for name in ("citation_idf", "reference_idf")]
        features = FacetFeatures(stems[0], stems[1], idf[0], idf[1], known.sections)
        columns = len(stems[0]) + len(stems[1]) + (len(SECTION_KINDS) if known.sections else 0)
        return cls(features, restore(known.classifier, arrays, columns=columns, k=len(FACETS)), known.method)


def fit(examples: Sequence[FacetExample], method: str, *, sections: float = 0.0, seed: int = 1) -> FacetModel:
    """Train a classifier by its name in `CLASSIFIERS`, with `sections` as the weight of the features of sections.

    Each vote of an annotator is a training instance; examples without votes are skipped.

    Raises:
        ValueError: no example has a vote.
    """
    voted = [e for e in examples if any(e.votes.values())]
    if not voted:
        raise ValueError("no annotated citances to train on")
    features = FacetFeatures.fit(voted, sections)
    votes = np.array([[e.votes.get(facet, 0.0) for facet in FACETS] for e in voted])
    return FacetModel(features, CLASSIFIERS[method](features(voted), votes, seed), method)


def _vocabulary(texts: Sequence[str]) -> tuple[dict[str, int], Floats]:
    counts = Counter(stem for text in texts for stem in set(_stems(text)))
    stems = sorted(stem for stem, count in counts.items() if count > 1)
    idf = np.array([np.log1p(len(texts) / counts[stem]) for stem in stems])
    return {stem: j for j, stem in enumerate(stems)}, idf


@lru_cache(maxsize=10_000)
def _stems(text: str) -> tuple[str, ...]:
    return Passage(text).content_stems
