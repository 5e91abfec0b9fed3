"""The model file of Task 1: the classifier of facets and, for learned spans, the ranker."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from ilpsum.citances.facets import FacetModel
from ilpsum.citances.ranker import Ranker
from ilpsum.io.arrays import prefixed
from ilpsum.io.persistence import load, model_errors, save

KIND, PROTOCOL = "task1", 1


class _Description(msgspec.Struct):
    """What the description of a model's file holds, besides that of every kind."""

    facets: dict[str, Any]
    spans: dict[str, Any] | None = None
    facts: dict[str, Any] = {}


@dataclass(frozen=True)
class LinkModel:
    """A model of Task 1.

    Attributes:
        facets: the classifier of facets.
        ranker: predicts how many annotators mark a sentence; None for queries without learned spans.
        metadata: description of the training, JSON-ready.
    """

    facets: FacetModel
    ranker: Ranker | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def save(self, path: str | Path) -> None:
        """Write the model file."""
        facets, own = self.facets.state()
        arrays = {f"facets.{name}": array for name, array in own.items()}
        description: dict[str, Any] = {"facets": facets, "facts": dict(self.metadata)}
        if self.ranker is not None:
            description["spans"], own = self.ranker.state()
            arrays |= {f"spans.{name}": array for name, array in own.items()}
        save(path, KIND, PROTOCOL, description, arrays)

    @classmethod
    def load(cls, path: str | Path) -> "LinkModel":
        """Read a model file.

        Raises:
            ModelError: the file is missing, damaged, or not a model of Task 1.
        """
        stored = load(path, KIND, PROTOCOL)
        with model_errors(path):
            known = msgspec.convert(stored.description, _Description)
            facets = FacetModel.from_state(known.facets, prefixed(stored.arrays, "facets."))
            spans = known.spans
            ranker = Ranker.from_state(spans, prefixed(stored.arrays, "spans.")) if spans is not None else None
            return cls(facets, ranker, known.facts)
