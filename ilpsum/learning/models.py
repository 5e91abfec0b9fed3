"""What training a system gives, in one file: the relevance model, the concept model where there is one, and lambda."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ilpsum.errors import ModelError
from ilpsum.io import persistence
from ilpsum.learning.bigram_weights import BigramWeights
from ilpsum.learning.relevance import RelevanceModel

_KIND, _PROTOCOL = "system", 1

# Papers with their citances; questions with the snippets that experts marked, best first; questions with abstracts.
KINDS = ("papers", "snippets", "abstracts")


@dataclass(frozen=True)
class SystemModel:
    """The trained parts of a system.

    Attributes:
        relevance: predicts the relevance of a sentence.
        concepts: predicts the weight of a bigram; None where every bigram counts alike.
        lambda_: the weight of relevance that training found best; None where the system fixes it.
        word_cost: the price of a word that training found best; None where the system fixes it.
        metadata: what it was trained on and how it fared, for its card; JSON-ready.
    """

    relevance: RelevanceModel
    concepts: BigramWeights | None = None
    lambda_: float | None = None
    word_cost: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def save(self, path: str | Path) -> None:
        """Writes the model to a file; see `ilpsum.io.persistence`."""
        relevance, arrays = self.relevance.state()
        kept = {f"relevance.{name}": array for name, array in arrays.items()}
        if self.concepts:
            kept |= {f"concepts.{name}": array for name, array in self.concepts.arrays().items()}
        description = {
            "relevance": relevance,
            "has_concepts": self.concepts is not None,
            "lambda": self.lambda_,
            "word_cost": self.word_cost,
            "facts": dict(self.metadata),
        }
        persistence.save(path, _KIND, _PROTOCOL, description, kept)

    @classmethod
    def load(cls, path: str | Path, columns: Sequence[str], *, concepts: bool = False) -> "SystemModel":
        """Reads a model from a file.

        Args:
            path: the file.
            columns: the feature columns of the system that it is for.
            concepts: whether the system needs a concept model.

        Raises:
            ModelError: no such file, damaged, of another version, or made for other features.
        """
        stored = persistence.load(path, _KIND, _PROTOCOL)
        try:
            description = stored.description
            relevance = RelevanceModel.from_state(description["relevance"], _part(stored.arrays, "relevance"))
            has_concepts = description["has_concepts"]
            trained = BigramWeights.from_arrays(_part(stored.arrays, "concepts")) if has_concepts else None
            cost = description.get("word_cost")
            model = cls(relevance, trained, description["lambda"], cost, description["facts"])
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise ModelError(f"a part of the model is missing or odd ({error}); train it again", path) from None
        if tuple(columns) != (made_for := relevance.features):
            raise ModelError(
                f"made for other features ({_few(made_for, columns)}) than the system has "
                f"({_few(columns, made_for)}); "
                "train one with `ilpsum train --system`",
                path,
            )
        if concepts and trained is None:
            raise ModelError("made for a system without learned concepts; train one with `ilpsum train --system`", path)
        return model


def _part(arrays: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key.removeprefix(f"{name}."): array for key, array in arrays.items() if key.startswith(f"{name}.")}


def _few(names: Sequence[str], others: Sequence[str]) -> str:
    """How many columns there are, and some of them: those that the others lack come first."""
    first = sorted(names, key=lambda name: name in others)[:3]
    told = [name for name in names if name in first]
    return f"{len(names)} columns: {', '.join(told)}{', ...' if len(names) > len(told) else ''}"
