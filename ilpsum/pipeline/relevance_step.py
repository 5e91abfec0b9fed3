"""From a topic to its scored candidates: the candidates of a system, and their relevance."""

from dataclasses import dataclass, replace

import numpy as np

from features.arrays import Floats
from features.context import Context
from ilpsum.errors import UsageError, counted
from ilpsum.learning.models import SystemModel
from ilpsum.papers.printed import clean
from ilpsum.pipeline.candidates import as_read, bounded, candidates, context
from ilpsum.pipeline.options import PipelineOptions
from ilpsum.pipeline.relevance import Candidates, ModelScorer, Scorer, Scores
from ilpsum.pipeline.scores import given_scorer
from ilpsum.pipeline.system import System
from ilpsum.records import Sentence, Topic

# Precomputed candidates of a topic, their context and raw features.
CandidateFeatures = tuple[tuple[Sentence, ...], Context, Floats]


@dataclass(frozen=True, eq=False)
class RelevanceStep:
    """The candidates and the relevance of a system.

    Attributes:
        system: the system, without `kinds`.
        options: the user's settings.
        trained: the scorer of the system's model; None without a model.
        external: the scorer that takes its place, such as a judge; None without one.
    """

    system: System
    options: PipelineOptions
    trained: ModelScorer | None = None
    external: Scorer | None = None

    @classmethod
    def of(
        cls,
        system: System,
        model: SystemModel | None,
        options: PipelineOptions,
    ) -> "RelevanceStep":
        """Return the step of a system with its model.

        Raises:
            UsageError: the system needs a model, or other relevance, and has none.
        """
        scorer = given_scorer(system, options.relevance, options.tell)
        if model is None and system.needs_model(scorer):
            raise UsageError(f"the system {system.name} needs a model")
        trained = None
        if model and system.relevance:
            selection = system.selection
            trained = ModelScorer(
                model, system.relevance.claims, selection.discount, selection.aspect
            )
        if trained is None and scorer is None and system.selector.needs_relevance:
            raise UsageError(
                f"the system {system.name} has no relevance: add features, or scores, to its table "
                "[relevance]"
            )
        return cls(system, options, trained, scorer)

    @property
    def scorer(self) -> Scorer | None:
        """The scorer in force."""
        return self.external or self.trained

    @property
    def in_units(self) -> bool:
        """Whether relevance means the same in every topic; see `Scorer.in_units`."""
        return self.scorer is None or self.scorer.in_units

    @property
    def source(self) -> str:
        """Where external relevance comes from, with its digest; empty if from the model."""
        return f"{self.external.name} {self.external.digest}".rstrip() if self.external else ""

    def candidates(
        self,
        topic: Topic,
        words: int,
        computed: CandidateFeatures | None = None,
    ) -> Candidates:
        """Return a topic's candidates; of too many, only the first of each document, with a
        warning.
        """
        features = self.system.feature_set
        if computed is not None:
            return Candidates(topic, computed[0], computed[1], features, self.trained, computed[2])
        limits = self.options.format_limits
        read = as_read(topic, self.system.candidates)
        sentences = self.system.selector.candidates(read, words, limits.holds)
        if sentences is None:
            sentences = candidates(read, self.system.candidates)
        elif limits.allows:
            sentences = tuple(s for s in sentences if clean(s.text))
        first = bounded(sentences)
        if len(first) < len(sentences):
            warning = (
                f"{counted(len(sentences), 'sentence')}: only {len(first)}, the first of each "
                "document, are candidates"
            )
            topic = replace(topic, warnings=(*topic.warnings, warning))
        around = context(read, first, self.system.vectors)
        return Candidates(topic, first, around, features, self.trained)

    def scores(self, candidates: Candidates) -> Scores:
        """Return the scores of the candidates; without a scorer, all are equally relevant."""
        if candidates and self.external:
            return self.external.score(candidates)
        predicted = candidates.predicted if candidates else None
        return predicted or Scores(np.zeros(len(candidates)))
