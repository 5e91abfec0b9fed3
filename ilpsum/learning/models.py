"""The model of a system in a single file: relevance, concept weights if learned, and tuned
parameters.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from features.arrays import Floats
from features.context import Context
from features.stacking import COLUMNS, stacked
from ilpsum import resources
from ilpsum.errors import ModelError, counted, listed
from ilpsum.files import persistence
from ilpsum.files.records import Number, Share
from ilpsum.learning import stored
from ilpsum.learning.boosted_trees import TreeParameters
from ilpsum.learning.log_linear import ConceptWeights
from ilpsum.learning.recipe import Recipe
from ilpsum.learning.relevance import RegressionParameters, RelevanceModel
from ilpsum.learning.seen import TrainedOn, has_chosen, has_seen
from ilpsum.records import Topic

_KIND, _PROTOCOL = "system", 3
# Number of sentences that the second model predicts again.
_LOOKED_AT = 64


class ModelMetadata(msgspec.Struct, frozen=True, kw_only=True):
    """Training data and results of a model.

    Attributes:
        topics: number of topics with gold summaries and candidates.
        topics_without_gold: number of other topics, which were left out.
        sentences: number of training candidates, out of `sentences_before_sampling`.
        digest: digest of all training topics.
        kind: kind of the training topics (`papers`, `snippets`, `abstracts`).
        fold: the fold that was left out, such as `2/5`; empty without folds.
        vectors: digest of the word vectors in training; empty if the features need none, and in
            files of ilpsum 0.3.
        criterion: what tuning maximised.
        tuned: lambda, word cost and cross-validated criterion of each pair compared.
        thresholds: threshold of the selector `greedy` and cross-validated criterion of each value
            compared.
    """

    system: str = ""
    features: str = ""
    target: str = ""
    topics: int = 0
    topics_without_gold: int = 0
    sentences: int = 0
    sentences_before_sampling: int = 0
    seed: int = 0
    digest: str = ""
    kind: str = ""
    fold: str = ""
    vectors: str = ""
    criterion: str = "recall"
    tuned: tuple[tuple[float, float, float], ...] = ()
    thresholds: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class SystemModel:
    """The trained parts of a system.

    Attributes:
        relevance: predicts the relevance of a sentence from its features.
        second: predicts it again, from the features of `features.stacking` as well; None without.
        weights: predicts the weight of a concept; None if all weights are equal.
        lambda_: best lambda found in training; None if it was not tuned.
        word_cost: best price of a word found in training; None if it was not tuned.
        threshold: best threshold of the selector `greedy` found in training; None if it was not
            tuned.
        topics: the topics it was trained on; see `ilpsum.learning.seen`.
        name: name of its file without `.npz`; empty if it has none.
    """

    relevance: RelevanceModel
    weights: ConceptWeights | None = None
    lambda_: Share | None = None
    word_cost: Number | None = None
    threshold: Share | None = None
    second: RelevanceModel | None = None
    metadata: ModelMetadata = field(default_factory=ModelMetadata)
    topics: TrainedOn = None
    name: str = ""

    def __post_init__(self) -> None:
        if self.second and self.second.columns != (*self.relevance.columns, *COLUMNS):
            raise ValueError("the second look has other features than the first")

    def predict(self, features: Floats, context: Context) -> Floats:
        """Return the (n,) relevance of a topic's sentences from their `relevance.extended`
        features.

        The second model predicts only the most relevant sentences again; the others keep their
        first prediction.
        """
        predicted = self.relevance.predict(features)
        if self.second is None:
            return predicted
        again = looked_again(features, context, predicted)
        best = np.argsort(-predicted, kind="stable")[:_LOOKED_AT]
        predicted[best] = self.second.predict(again[best], among=again)
        return predicted

    def tuned(self, recipe: Recipe) -> dict[str, float]:
        """Return the values of the settings that a recipe tunes, by key."""
        tuned = dict[str, float]()
        for name, tried, best in (
            ("lambda", recipe.tune, self.lambda_),
            ("threshold", recipe.tune_threshold, self.threshold),
            ("word_cost", recipe.tune_word_cost, self.word_cost),
        ):
            if tried and best is not None:
                tuned[f"selection.{name}"] = best
        return tuned

    def save(self, path: str | Path) -> None:
        """Write the model to a file; see `ilpsum.files.persistence`."""
        stored.write(self, path, _KIND, _PROTOCOL)

    @classmethod
    def load(cls, path: str | Path) -> "SystemModel":
        """Read a model from a file; `ModelError` if it is missing, damaged, or of another
        version.
        """
        return stored.read(cls, path, _KIND, _PROTOCOL)

    def require(
        self,
        columns: Sequence[str],
        *,
        weights: bool = False,
        vectors: str = "",
        path: str | Path | None = None,
    ) -> None:
        """Raise `ModelError` unless the model, of a file, fits a system with these columns, with or
        without learned weights, and with word vectors of this digest.
        """
        trained = self.relevance.columns
        if tuple(columns) != trained:
            how = (
                f"on other features ({_differing(trained, columns)}) than the system has "
                f"({_differing(columns, trained)})"
            )
        elif weights and self.weights is None:
            how = "for a system without learned concept weights"
        elif self.metadata.vectors not in ("", vectors):
            how = "with other word vectors than the system has"
        else:
            return
        raise ModelError(f"trained {how}; train one with `ilpsum train --system`", path)

    def describe(self, name: str = "") -> str:
        """Return lines on training data and tuned parameters; `name` is the system's, if it differs
        from the model's.
        """
        m = self.metadata
        data = f"{counted(m.topics, 'topic')}, {counted(m.sentences, 'sentence')}"
        lines = [f"trained {name or m.system} on {data}: {_written(self.relevance.parameters)}"]
        score = f"cross-validated ROUGE-2/SU4 {m.criterion}"
        if m.tuned:
            tuned = [("lambda", self.lambda_), ("word cost", self.word_cost)]
            best = ", ".join(f"{name} {value:g}" for name, value in tuned if value is not None)
            scores = ", ".join(f"{value:g}/{cost:g}: {score:.4f}" for value, cost, score in m.tuned)
            lines.append(f"{best} ({score} at lambda/word cost: {scores})")
        if m.thresholds:
            scores = ", ".join(f"{value:g}: {score:.4f}" for value, score in m.thresholds)
            lines.append(f"threshold of the selector greedy {self.threshold:g} ({score}: {scores})")
        if m.topics_without_gold:
            lines.append(
                "left out, without gold summaries or sentences: "
                f"{counted(m.topics_without_gold, 'topic')}"
            )
        return "\n".join(lines)


def _written(parameters: RegressionParameters) -> str:
    kind = "trees" if isinstance(parameters, TreeParameters) else "SVR"
    values = msgspec.to_builtins(parameters)
    return f"{kind} with {', '.join(f'{name} {value:.12g}' for name, value in values.items())}"


def looked_again(features: Floats, context: Context, predicted: Floats) -> Floats:
    """Return the input of the second model: the features, and those of `stacked` from the (n,)
    first predictions.
    """
    return np.column_stack([features, stacked(context, predicted)])


@cache
def included_model(path: Path) -> SystemModel:
    """Load an included model, once per process."""
    return SystemModel.load(path)


def chosen_on(topics: str, topic: Topic) -> bool | None:
    """Return whether a system's settings were chosen on a topic; None if that is unknown.

    `topics` is the system's key `chosen_on`: digests of topics (`ilpsum.learning.seen.choosing`),
    or `model NAME` for the topics that the included model of this name was trained on.
    """
    kind, _, name = topics.partition(" ")
    if kind == "model":
        return has_seen(included_model(resources.models() / f"{name}.npz").topics, topic)
    return has_chosen(topics, topic)


def describe(path: str | Path) -> dict[str, Any]:
    """Return the description of a model file, which has a digest of its arrays; `ModelError` if it
    is missing, damaged or of another version.
    """
    return persistence.describe(path, _KIND, _PROTOCOL)


def read_metadata(path: str | Path) -> ModelMetadata:
    """Return the metadata of a model file; errors as for `describe`."""
    description = describe(path)
    with persistence.model_errors(path):
        return msgspec.convert(description["metadata"], ModelMetadata)


def _differing(names: Sequence[str], others: Sequence[str]) -> str:
    """Return the number of columns, and up to three names of those that the others lack."""
    lacking = [name for name in names if name not in others]
    shown = f", {listed(lacking, 3)} among them" if lacking else ""
    return f"{counted(len(names), 'column')}{shown}"
