"""Relevance: the one step that says how relevant each candidate of a topic is, and which of them
may be chosen.

A `Scorer` takes the `Candidates` of a topic and returns their `Scores`. `ModelScorer` is the
system's trained model, `FunctionScorer` calls a function of the user's, and
`ilpsum.pipeline.scores.ScoreFile` looks the scores up in a file. Nothing else decides relevance.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from features.arrays import Floats
from features.aspects import tells
from features.context import Context
from features.sets import FeatureSet
from ilpsum.errors import ArgumentError, counted
from ilpsum.learning.models import SystemModel
from ilpsum.pipeline.candidates import query_of
from ilpsum.pipeline.claims import for_claim
from ilpsum.pipeline.coherence.rules import discounted
from ilpsum.records import Outcome, Sentence, Topic

Notes = Mapping[str, str | int | float]
"""What the provenance says of relevance that was given, such as the file and its digest."""

RelevanceFunction = Callable[[str, Sequence[str]], Iterable[float]]
"""Returns the relevance of n sentences to a question, from the question and their texts: (n,)
finite numbers on any scale."""


def question_of(topic: Topic) -> str:
    """Return what a topic asks: its question, else what its citances say, else the subject of its
    documents.
    """
    return query_of(topic) or " ".join(citance.text for citance in topic.citances)


@dataclass(frozen=True, eq=False)
class Candidates:
    """The n candidate sentences of a topic, with their features and relevance.

    Features and the model's relevance are computed when they are first read.

    Attributes:
        topic: the topic.
        sentences: (n,) the candidates; their relevance is 0 until a scorer has scored them.
        context: what features are computed from.
        feature_set: the features of the system; None if it has none.
        model: the scorer of the system's model; None without a model.
        computed: (n, columns) raw features, if the caller has them.
    """

    topic: Topic
    sentences: tuple[Sentence, ...]
    context: Context
    feature_set: FeatureSet | None = None
    model: "ModelScorer | None" = None
    computed: Floats | None = None

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def question(self) -> str:
        """What the topic asks; see `question_of`."""
        return question_of(self.topic)

    @property
    def texts(self) -> list[str]:
        """(n,) the texts, white space collapsed."""
        return [s.text for s in self.sentences]

    @property
    def documents(self) -> list[str]:
        """(n,) the ids of their documents."""
        return [s.document for s in self.sentences]

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """(n,) start and end of each in the text of its document."""
        return [(s.start, s.end) for s in self.sentences]

    @property
    def relevance(self) -> Floats:
        """(n,) relevance."""
        return np.array([s.relevance for s in self.sentences])

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of `features`."""
        return self.feature_set.columns if self.feature_set else ()

    @cached_property
    def features(self) -> Floats:
        """(n, columns) raw features."""
        if self.computed is not None:
            return self.computed
        if self.feature_set is None:
            return np.zeros((len(self), 0))
        return self.feature_set.matrix(self.context)

    @cached_property
    def predicted(self) -> "Scores | None":
        """The scores of the system's model; None without a model."""
        return self.model.score(self) if self.model else None

    def scored(self, relevance: Floats) -> "Candidates":
        """Return the candidates with (n,) relevance."""
        values = zip(self.sentences, relevance.tolist(), strict=True)
        return self.changed(sentences=tuple(s.predicted(value) for s, value in values))

    def changed(self, **fields: Any) -> "Candidates":
        """Return the candidates with other `sentences` or another `topic`; features and the model's
        relevance stay.
        """
        candidates = replace(self, **fields)
        for name in ("features", "predicted"):
            if name in self.__dict__:
                candidates.__dict__[name] = self.__dict__[name]
        return candidates


@dataclass(frozen=True, eq=False)
class Scores:
    """What a scorer says of the n candidates of a topic.

    Attributes:
        relevance: (n,) finite numbers, also for candidates that must not be chosen: relevance is
            scaled by the range of all.
        excluded: the candidates that must not be chosen, by index, each with the reason.
        why: what readers are told of a chosen candidate, by index.
        opening: (n,) how well each opens an answer, in [0,1]; None to leave it to the model of
            opening sentences.
        outcome: whether the candidates answer the topic's question; None to leave it to the model
            of answers, which then reads the relevance that the system's own model predicts.
        doubt: why `outcome` is no answer, or only weak evidence, in a line; empty for an answer.
        notes: facts for the provenance.
        warnings: what users are told.
        inputs: (n, columns) features that the relevance was predicted from, None if it was not.
        undiscounted: (n,) relevance before uninformative sentences are discounted; None if it is
            the same.
    """

    relevance: Floats
    excluded: Mapping[int, str] = field(default_factory=dict)
    why: Mapping[int, str] = field(default_factory=dict)
    opening: Floats | None = None
    outcome: Outcome | None = None
    doubt: str = ""
    notes: Notes = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    inputs: Floats | None = None
    undiscounted: Floats | None = None

    @property
    def refusal(self) -> str:
        """Why no candidate answers, in a line; empty if one does, or if the scorer does not say."""
        return self.doubt if self.outcome is Outcome.NOTHING else ""

    @property
    def before_discount(self) -> Floats:
        """(n,) relevance before uninformative sentences are discounted."""
        return self.relevance if self.undiscounted is None else self.undiscounted


class Scorer(ABC):
    """Says how relevant the candidates of a topic are; must be picklable for runs in several
    processes.

    Attributes:
        name: who it is, for messages and provenance: a function, a file, a model.
        digest: digest of what it reads; empty if unknown.
        in_units: whether relevance is in [0,1] and means the same in every topic, as that of a
            model does. If not, `selection.stop` does not apply, and `selection.lists` takes
            relevance scaled over the topic.
        reads_model: whether it reads `Candidates.predicted`, so that the system's model is loaded.
    """

    name: str = ""
    digest: str = ""
    in_units: bool = False
    reads_model: bool = False

    @abstractmethod
    def score(self, candidates: Candidates) -> Scores:
        """Return the scores of one or more candidates.

        Raises:
            IlpsumError: this topic cannot be scored; it fails alone.
            ScoresError: no topic can be scored.
        """


@dataclass(frozen=True, eq=False)
class ModelScorer(Scorer):
    """The trained model of a system.

    Attributes:
        model: the model.
        claims: share of relevance that background, aims and methods lose for claims.
        discount: factor on the relevance of sentences uninformative on their own.
        aspect: the same for those that lack the aspect a question asks for (`features.aspects`).
    """

    model: SystemModel
    claims: float = 0.0
    discount: float = 1.0
    aspect: float = 1.0
    in_units = reads_model = True

    def score(self, candidates: Candidates) -> Scores:
        """Return the predicted relevance."""
        topic, context = candidates.topic, candidates.context
        relevance = self.model.predict(candidates.features, context)
        relevance = for_claim(topic.query, relevance, context, self.claims)
        less = discounted(topic, candidates.sentences, relevance, self.discount)
        if topic.search is not None:
            told = [tells(topic.query, text) for text in candidates.texts]
            less = np.where(told, less, less * self.aspect)
        return Scores(less, inputs=candidates.features, undiscounted=relevance)


class FunctionScorer(Scorer):
    """A function of the user's; see `RelevanceFunction`.

    Raises:
        ArgumentError: it is not callable.
    """

    def __init__(self, function: RelevanceFunction) -> None:
        if not callable(function):
            raise ArgumentError(
                "relevance: expected a function of a question and its sentences, a file of scores "
                f"or a scorer, got {type(function).__name__}"
            )
        self.function = function
        self.name = getattr(function, "__name__", type(function).__name__)

    def score(self, candidates: Candidates) -> Scores:
        """Return what the function returns; `ArgumentError` if it raises an error, or returns
        anything but a finite number for each candidate.
        """
        texts = candidates.texts
        where = f"topic {candidates.topic.id}: the relevance function {self.name}"
        try:
            relevance = np.asarray(self.function(candidates.question, texts), dtype=np.float64)
        except Exception as error:  # whatever a user's function raises
            what = f"failed: {type(error).__name__}: {error}"
            raise ArgumentError(f"{where} {what}") from error
        if relevance.shape != (len(texts),):
            raise ArgumentError(
                f"{where} returned an array of shape {relevance.shape}; expected a number for each "
                f"of {counted(len(texts), 'sentence')}"
            )
        if not np.isfinite(relevance).all():
            i = int(np.flatnonzero(~np.isfinite(relevance))[0])
            raise ArgumentError(
                f"{where} returned {relevance[i]} for sentence {i}; expected finite numbers"
            )
        return Scores(relevance)
