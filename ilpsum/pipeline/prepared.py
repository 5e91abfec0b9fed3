"""A topic ready for selection: its candidates, the model's predictions for them, and the rules in force."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from features.arrays import Floats
from features.concepts import Concept, concepts
from features.context import Context
from ilpsum.learning.log_linear import length_features
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline.coherence.rules import Stage
from ilpsum.pipeline.objective import alphas
from ilpsum.pipeline.system import System
from ilpsum.records import Sentence, Topic

# The learned weight of each concept.
Weights = Mapping[Concept, float]

# Share of the word limit from which a text counts as full, so that no further rule is relaxed.
FULL = 0.9


@dataclass(frozen=True)
class Prepared:
    """A topic ready for selection.

    Attributes:
        sentences: the n candidates with their predicted relevance.
        features: (n, columns) raw features.
        weights: learned concept weights; None if all concepts weigh the same.
        gold_words: predicted length of a human summary in words; None unless F1 is maximised.
        stages: the coherence rules, first in full, then after each relaxation.
        lengths, most: (n,) lengths in the format's unit and the limit of their sum; empty and None if the format
            limits words only.
        keep: indices of candidates that the reader requires, whatever rule excludes them.
        bar: indices of candidates that the reader rejects.
    """

    topic: Topic
    sentences: tuple[Sentence, ...]
    context: Context
    features: Floats
    weights: Weights | None = None
    gold_words: float | None = None
    stages: tuple[Stage, ...] = ()
    lengths: tuple[int, ...] = ()
    most: int | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    keep: tuple[int, ...] = ()
    bar: tuple[int, ...] = ()

    @property
    def stage(self) -> Stage:
        """The rules in force."""
        return self.stages[-1]

    @property
    def refused(self) -> bool:
        """Whether the candidates do not answer the topic's question."""
        return self.topic.search is not None and not self.topic.search.outcome.is_answer

    @property
    def relevance(self) -> Floats:
        """(n,) predicted relevance."""
        return np.array([s.relevance for s in self.sentences])


def concept_weights_of(system: System, model: SystemModel | None, prepared: Prepared) -> Weights | None:
    """Return the learned weights of the candidates' concepts; None if the system learns none."""
    if model is None or model.weights is None or system.selection.weights != "learned":
        return None
    alpha = alphas(prepared.relevance, "topic")
    known = concepts(prepared.context, alpha, system.selection.concepts, order=model.weights.order)
    return dict(zip(known.names, model.weights.predict(known.matrix).tolist(), strict=True))


def gold_words_of(model: SystemModel | None, prepared: Prepared, weights: Weights | None) -> float | None:
    """Return the predicted length of a human summary in words; None without candidates or a length model."""
    if not prepared.sentences or weights is None or model is None or model.length is None:
        return None
    features = length_features(prepared.context, prepared.relevance, np.array(list(weights.values())))
    return model.length.predict(features, prepared.topic.kind)
