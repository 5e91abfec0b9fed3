"""The discourse facet of a citance, predicted from its text and the text that it cites (TAC 2014, Task 1b).

Features are tf-idf vectors of the content stems of the citation text and of the reference text (Cohan et al. 2014);
beyond the paper, the share of the reference text in each kind of section.
"""

from collections import Counter
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
from ilpsum.citances.classifiers import CLASSIFIERS, Classifier, restore
from ilpsum.io.arrays import fitted
from ilpsum.io.persistence import pack, unpack
from ilpsum.io.records import Number
from ilpsum.papers.layout import SECTION_KINDS
from ilpsum.records import Facet

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


class _Description(msgspec.Struct):
    """What a model's file says of the classifier of facets."""

    method: str
    sections: Number
    classifier: dict[str, Any]


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

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return a JSON-ready description and arrays to save."""
        features = self.features
        description, arrays = self.classifier.state()
        arrays |= {name: pack(getattr(features, name)) for name in ("citation", "reference")}
        arrays |= {name: getattr(features, name).astype(np.float32) for name in ("citation_idf", "reference_idf")}
        return {"method": self.method, "sections": features.sections, "classifier": description}, arrays

    @classmethod
    def from_state(cls, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "FacetModel":
        """Restore a model from its state.

        Raises:
            ValueError: this is not the state of a model.
        """
        known = msgspec.convert(description, _Description)
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
