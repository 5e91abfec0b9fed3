"""The models of Task 1 in one file: the classifier of facets and, for a learned choice of spans, its ranker."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ilpsum.citances.facets import FacetModel
from ilpsum.citances.ranker import Ranker
from ilpsum.errors import ModelError
from ilpsum.io.persistence import load, save

KIND, PROTOCOL = "task1", 1


@dataclass(frozen=True)
class LinkModel:
    """What linking needs.

    Attributes:
        facets: the classifier of facets.
        ranker: predicts how many annotators mark a sentence; None for queries that need no learning.
        metadata: what it was trained on, JSON-ready.
    """

    facets: FacetModel
    ranker: Ranker | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def save(self, path: str | Path) -> None:
        """Writes the model file."""
        described, kept = self.facets.state()
        arrays = {f"facets.{name}": array for name, array in kept.items()}
        description: dict[str, Any] = {"facets": described, "facts": dict(self.metadata)}
        if self.ranker is not None:
            described, kept = self.ranker.state()
            description["spans"] = described
            arrays |= {f"spans.{name}": array for name, array in kept.items()}
        save(path, KIND, PROTOCOL, description, arrays)

    @classmethod
    def load(cls, path: str | Path) -> "LinkModel":
        """Reads a model file.

        Raises:
            ModelError: it is not there, damaged, or no model of Task 1.
        """
        stored = load(path, KIND, PROTOCOL)

        def part(prefix: str) -> dict[str, Any]:
            return {n.removeprefix(prefix): a for n, a in stored.arrays.items() if n.startswith(prefix)}

        try:
            facets = FacetModel.from_state(stored.description["facets"], part("facets."))
            spans = stored.description.get("spans")
            ranker = Ranker.from_state(spans, part("spans.")) if spans is not None else None
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"no model of Task 1 as this program keeps them ({error}); train it again", path) from None
        return cls(facets, ranker, stored.description.get("facts", {}))
