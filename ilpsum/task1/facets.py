"""Predicts the discourse facet of a citance from its text and the cited text (TAC 2014, Task 1b).

Features are tf-idf vectors of the content stems of the citation text and of the reference text
(Cohan et al. 2014); beyond the paper, the share of the reference text in each section type.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from features.arrays import Floats
from features.text import Passage
from ilpsum.files.persistence import fitted, pack, unpack
from ilpsum.files.records import Number
from ilpsum.metrics.spans import union
from ilpsum.papers.layout import SECTION_KINDS, outline
from ilpsum.records import FACETS, Citance, Document, Facet, Span, Topic
from ilpsum.task1.terms import counted, tf_idf, without_markers

ABSENT = -1e3
"""Score of a class without training examples."""


@dataclass(frozen=True)
class FacetExample:
    """Classifier input for a citance: its text without markers, and the cited text.

    Attributes:
        sections: number of characters of the reference text in each section type.
        votes: number of annotators who chose each facet; CL-SciSumm's `aim` counts as `hypothesis`.
    """

    citation: str
    reference: str
    sections: Mapping[str, int]
    votes: Mapping[str, float]


def examples(
    paper: Document, citances: Sequence[Citance], cited: Sequence[Sequence[Span]]
) -> list[FacetExample]:
    """Return an example for each citance of a paper, with the votes of its annotations (none in
    test topics).

    `cited` has the gold or predicted spans of each citance.
    """
    blocks = outline(paper)
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
        examples.append(FacetExample(without_markers(citance), text, sections, votes))
    return examples


def gold_examples(topic: Topic) -> list[FacetExample]:
    """Return an example for each citance with annotated facets; its spans are the union over
    annotators.
    """
    if topic.reference is None:
        return []
    annotated = [c for c in topic.citances if any(a.facets for a in c.annotations)]
    cited = [union(s for a in c.annotations for s in a.spans) for c in annotated]
    return examples(topic.reference, annotated, cited)


@dataclass(frozen=True)
class Vocabulary:
    """The V stems of training texts: their columns in tf-idf vectors, and their (V,) IDF, log(1 + N
    / df).
    """

    columns: Mapping[str, int]
    idf: Floats

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Vocabulary":
        """Collect the stems that occur in at least two texts."""
        counts = Counter[str]()
        for text in texts:
            counts.update(set(Passage(text).content_stems))
        stems = sorted(stem for stem, count in counts.items() if count > 1)
        idf = np.array([np.log1p(len(texts) / counts[stem]) for stem in stems])
        return cls({stem: j for j, stem in enumerate(stems)}, idf)

    def __call__(self, texts: Sequence[str]) -> Floats:
        """Return (n, V) vectors of texts."""
        stems = [Passage(text).content_stems for text in texts]
        return tf_idf(counted(stems, self.columns), self.idf)


@dataclass(frozen=True)
class LinearClassifier:
    """Softmax of `scale` times linear scores: (columns, k) weights and a (k,) bias, `ABSENT` for
    unseen classes.
    """

    weights: Floats
    bias: Floats
    scale: float = 1.0

    def probabilities(self, x: Floats) -> Floats:
        """Return class probabilities (n, k) of rows (n, columns)."""
        return softmax(self.scale * (x @ self.weights + self.bias))


def svm(x: Floats, votes: Floats, seed: int) -> LinearClassifier:
    """Train a one-vs-rest linear SVM with squared hinge loss.

    `x` is (n, columns); `votes` is (n, k), the number of annotators who chose each class.
    """
    from sklearn.svm import LinearSVC

    k = votes.shape[1]
    rows, classes, weights = instances(x, votes)
    if len(np.unique(classes)) < 2:
        return LinearClassifier(np.zeros((x.shape[1], k)), np.where(votes.any(axis=0), 0.0, ABSENT))
    model = LinearSVC(C=0.3, random_state=seed, max_iter=5000).fit(
        rows, classes, sample_weight=weights
    )
    coefficients, intercept = model.coef_, model.intercept_
    if len(model.classes_) == 2:
        # scikit-learn returns scores only for the second of two classes.
        coefficients = np.vstack([-coefficients, coefficients])
        intercept = np.concatenate([-intercept, intercept])
    columns = np.zeros((x.shape[1], k))
    columns[:, model.classes_] = coefficients.T
    bias = np.full(k, ABSENT)
    bias[model.classes_] = intercept
    return LinearClassifier(columns, bias, scale=2.0)


def instances(x: Floats, votes: Floats) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Return one row per example and voted class, with the class and its votes as weight."""
    index, classes = np.nonzero(votes)
    return x[index], classes, votes[index, classes]


def softmax(scores: Floats) -> Floats:
    """Return (n, k) probabilities from (n, k) scores."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


class ClassifierDescription(msgspec.Struct, omit_defaults=True):
    """The classifier's description in a model file."""

    kind: Literal["linear"]
    scale: Number = 1.0


class FacetDescription(msgspec.Struct):
    """The facet model's description in a model file."""

    method: Literal["svm"]
    sections: Number
    classifier: ClassifierDescription


@dataclass(frozen=True)
class FacetModel:
    """A trained classifier of `FACETS`; `sections` is the weight of the section features, 0 to
    leave them out.
    """

    citation: Vocabulary
    reference: Vocabulary
    sections: float
    classifier: LinearClassifier

    def probabilities(self, examples: Sequence[FacetExample]) -> Floats:
        """Return probabilities, or scores that sum to 1, of `FACETS`: (n, 5)."""
        if not examples:
            return np.zeros((0, len(FACETS)))
        features = _features(examples, self.citation, self.reference, self.sections)
        return self.classifier.probabilities(features)

    def predict(self, examples: Sequence[FacetExample]) -> list[Facet]:
        """Return the most probable facet of each example; ties go to the first of `FACETS`."""
        return [FACETS[i] for i in self.probabilities(examples).argmax(axis=1)]

    def state(self) -> tuple[FacetDescription, dict[str, NDArray[Any]]]:
        """Return the description and arrays for a model file."""
        arrays: dict[str, NDArray[Any]] = {
            "weights": self.classifier.weights.astype(np.float32),
            "bias": self.classifier.bias,
        }
        for name, stems in (("citation", self.citation), ("reference", self.reference)):
            arrays[name] = pack(stems.columns)
            arrays[f"{name}_idf"] = stems.idf.astype(np.float32)
        classifier = ClassifierDescription("linear", self.classifier.scale)
        return FacetDescription("svm", self.sections, classifier), arrays

    @classmethod
    def from_state(
        cls, known: FacetDescription, arrays: Mapping[str, NDArray[Any]]
    ) -> "FacetModel":
        """Restore a model from its state; `ValueError` if these are not the arrays of a model."""
        stems = []
        for name in ("citation", "reference"):
            fitted(arrays, {name: "t bytes"})
            columns = {stem: j for j, stem in enumerate(unpack(arrays[name]))}
            fitted(arrays, {f"{name}_idf": "f stems"}, stems=len(columns))
            stems.append(Vocabulary(columns, arrays[f"{name}_idf"].astype(np.float64)))
        width = sum(len(vocabulary.columns) for vocabulary in stems)
        if known.sections:
            width += len(SECTION_KINDS)
        fitted(arrays, {"weights": "f columns k", "bias": "f k"}, columns=width, k=len(FACETS))
        weights = arrays["weights"].astype(np.float64)
        classifier = LinearClassifier(weights, arrays["bias"], known.classifier.scale)
        return cls(stems[0], stems[1], known.sections, classifier)


def fit(
    examples: Sequence[FacetExample],
    *,
    sections: float = 0.0,
    seed: int = 1,
    train: Callable[[Floats, Floats, int], LinearClassifier] = svm,
) -> FacetModel:
    """Train a classifier with `train`, with `sections` as the weight of the section features.

    Each annotator's vote is a training instance; examples without votes are skipped.

    Raises:
        ValueError: no example has a vote.
    """
    voted = [e for e in examples if any(e.votes.values())]
    if not voted:
        raise ValueError("no annotated citances to train on")
    citation = Vocabulary.of([e.citation for e in voted])
    reference = Vocabulary.of([e.reference for e in voted])
    votes = np.array([[e.votes.get(facet, 0.0) for facet in FACETS] for e in voted])
    x = _features(voted, citation, reference, sections)
    return FacetModel(citation, reference, sections, train(x, votes, seed))


def _features(
    examples: Sequence[FacetExample], citation: Vocabulary, reference: Vocabulary, sections: float
) -> Floats:
    """Return the features of examples, (n, columns): citation, reference, sections."""
    blocks = [citation([e.citation for e in examples]), reference([e.reference for e in examples])]
    if sections:
        shares = np.array(
            [[float(e.sections.get(kind, 0)) for kind in SECTION_KINDS] for e in examples]
        )
        blocks.append(sections * shares / np.maximum(shares.sum(axis=1, keepdims=True), 1.0))
    return np.hstack(blocks)
