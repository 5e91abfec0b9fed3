"""The discourse facet of a citance, from its text and the text that it cites (TAC 2014, Task 1b).

Features are the tf-idf of the content stems of the citation text and of the reference text, each a vector of length
one (Cohan et al. 2014); beyond the paper, the share of the reference text that stands in each kind of section.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.text import Passage
from ilpsum.citances.classifiers import CLASSIFIERS, Classifier, restore
from ilpsum.io.persistence import pack, unpack
from ilpsum.papers.layout import SECTION_KINDS
from ilpsum.records import Facet

FACETS: tuple[Facet, ...] = ("hypothesis", "method", "results", "implication", "discussion")


@dataclass(frozen=True)
class FacetExample:
    """A citance as the classifier sees it.

    Attributes:
        citation: its text, without markers.
        reference: the text that it cites.
        sections: for each kind of section, how many characters of the reference text stand there.
        votes: for each facet, how many annotators name it; CL-SciSumm's `aim` counts as a hypothesis.
    """

    citation: str
    reference: str
    sections: Mapping[str, int]
    votes: Mapping[str, float]


@dataclass(frozen=True)
class FacetFeatures:
    """Texts to numbers.

    Attributes:
        citation, reference: columns of the stems of either text.
        citation_idf, reference_idf: their idf, log(1 + N / df) over the training examples.
        sections: weight of the columns of sections; 0 leaves them out.
    """

    citation: Mapping[str, int]
    reference: Mapping[str, int]
    citation_idf: Floats
    reference_idf: Floats
    sections: float

    @classmethod
    def fit(cls, examples: Sequence[FacetExample], sections: float) -> "FacetFeatures":
        """Stems that stand in two training examples or more, and their idf."""
        citation, citation_idf = _vocabulary([e.citation for e in examples])
        reference, reference_idf = _vocabulary([e.reference for e in examples])
        return cls(citation, reference, citation_idf, reference_idf, sections)

    def __call__(self, examples: Sequence[FacetExample]) -> Floats:
        """(n, columns) the features of examples: citation, reference, sections."""
        blocks = [
            _vectors([e.citation for e in examples], self.citation, self.citation_idf),
            _vectors([e.reference for e in examples], self.reference, self.reference_idf),
        ]
        if self.sections:
            shares = np.array([[e.sections.get(kind, 0) for kind in SECTION_KINDS] for e in examples], dtype=np.float64)
            shares = shares.reshape(len(examples), len(SECTION_KINDS))
            blocks.append(self.sections * shares / np.maximum(shares.sum(axis=1, keepdims=True), 1.0))
        return np.hstack(blocks)


@dataclass(frozen=True)
class FacetModel:
    """A trained classifier of facets.

    Attributes:
        features: texts to numbers.
        classifier: numbers to the probabilities of `FACETS`.
        method: its name among `CLASSIFIERS`.
    """

    features: FacetFeatures
    classifier: Classifier
    method: str

    def probabilities(self, examples: Sequence[FacetExample]) -> Floats:
        """(n, 5) a probability, or a score that adds up to 1, for each of `FACETS`."""
        if not examples:
            return np.zeros((0, len(FACETS)))
        return self.classifier.probabilities(self.features(examples))

    def predict(self, examples: Sequence[FacetExample]) -> list[Facet]:
        """The most probable facet of each example; of equals the first of `FACETS`."""
        return [FACETS[i] for i in self.probabilities(examples).argmax(axis=1)]

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What is kept: a JSON-ready description and arrays."""
        f = self.features
        described, arrays = self.classifier.state()
        own: dict[str, NDArray[Any]] = {
            "citation": pack(f.citation),
            "reference": pack(f.reference),
            "citation_idf": f.citation_idf.astype(np.float32),
            "reference_idf": f.reference_idf.astype(np.float32),
        }
        return {"method": self.method, "sections": f.sections, "classifier": described}, arrays | own

    @classmethod
    def from_state(cls, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "FacetModel":
        """The model of what was kept."""
        features = FacetFeatures(
            _rows(arrays["citation"]),
            _rows(arrays["reference"]),
            arrays["citation_idf"].astype(np.float64),
            arrays["reference_idf"].astype(np.float64),
            float(description["sections"]),
        )
        return cls(features, restore(description["classifier"], arrays), description["method"])


def fit(examples: Sequence[FacetExample], method: str, *, sections: float = 0.0, seed: int = 1) -> FacetModel:
    """Trains a classifier; an example counts once for each of its annotators, with the facet that they name.

    Args:
        examples: with votes; those without any are left out.
        method: a name of `CLASSIFIERS`.
        sections: weight of the features of sections.
        seed: of what is random.

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
    counts = Counter(stem for text in texts for stem in dict.fromkeys(_stems(text)))
    stems = sorted(stem for stem, count in counts.items() if count > 1)
    idf = np.array([np.log1p(len(texts) / counts[stem]) for stem in stems])
    return {stem: j for j, stem in enumerate(stems)}, idf


def _vectors(texts: Sequence[str], vocabulary: Mapping[str, int], idf: Floats) -> Floats:
    """(n, V) tf-idf vectors of length one: (1 + log tf) idf."""
    matrix = np.zeros((len(texts), len(vocabulary)))
    for row, text in zip(matrix, texts, strict=True):
        for stem, count in Counter(_stems(text)).items():
            if stem in vocabulary:
                row[vocabulary[stem]] = (1.0 + np.log(count)) * idf[vocabulary[stem]]
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(np.divide(matrix, lengths, out=matrix, where=lengths > 0))


@lru_cache(maxsize=10_000)
def _stems(text: str) -> tuple[str, ...]:
    return Passage(text).content_stems


def _rows(packed: NDArray[Any]) -> dict[str, int]:
    return {stem: j for j, stem in enumerate(unpack(packed))}
