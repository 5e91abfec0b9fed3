"""The trained model of Task 1 and its file: the facet classifier and, for learned spans, the ranker."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from ilpsum.errors import InputError
from ilpsum.files.arrays import prefixed
from ilpsum.files.persistence import load, model_errors, save
from ilpsum.records import Topic
from ilpsum.task1 import facets, ranker
from ilpsum.task1.facets import FacetDescription, FacetModel, gold_examples
from ilpsum.task1.queries import Query
from ilpsum.task1.ranker import Ranker, RankerDescription

KIND, PROTOCOL = "task1", 1


class LinkDescription(msgspec.Struct):
    """The model file's description, in addition to the common fields."""

    facets: FacetDescription
    spans: RankerDescription | None = None
    facts: dict[str, Any] = {}


@dataclass(frozen=True)
class LinkModel:
    """A model of Task 1 with training metadata; no ranker for queries without learned spans."""

    facets: FacetModel
    ranker: Ranker | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def save(self, path: str | Path) -> None:
        """Write the model file."""
        facets, own = self.facets.state()
        arrays = {f"facets.{name}": array for name, array in own.items()}
        spans = None
        if self.ranker is not None:
            spans, own = self.ranker.state()
            arrays |= {f"spans.{name}": array for name, array in own.items()}
        description = LinkDescription(facets, spans, dict(self.metadata))
        save(path, KIND, PROTOCOL, msgspec.to_builtins(description), arrays)

    @classmethod
    def load(cls, path: str | Path) -> "LinkModel":
        """Read a model file; `ModelError` if the file is missing, damaged, or not a model of Task 1."""
        stored = load(path, KIND, PROTOCOL)
        with model_errors(path):
            known = msgspec.convert(stored.description, LinkDescription)
            facets = FacetModel.from_state(known.facets, prefixed(stored.arrays, "facets."))
            spans = known.spans
            ranker = Ranker.from_state(spans, prefixed(stored.arrays, "spans.")) if spans is not None else None
            return cls(facets, ranker, known.facts)


def train(query: Query, topics: Iterable[Topic], seed: int = 1) -> LinkModel:
    """Train the model of a query: the facet classifier and, for learned spans, the ranker.

    Topics without annotated citances are skipped.

    Raises:
        InputError: no citance is annotated.
    """
    annotated = [
        topic
        for topic in topics
        if topic.reference and any(a.spans and a.facets for c in topic.citances for a in c.annotations)
    ]
    voted = [example for topic in annotated for example in gold_examples(topic)]
    if not voted:
        raise InputError("no citance has gold spans and facets; expected annotated topics")
    classifier = facets.fit(voted, sections=query.facets.sections, seed=seed)
    learned = None
    if query.spans.method == "learned":
        learned = ranker.train([examples for t in annotated if (examples := ranker.examples(t))], seed)
    metadata = {"query": query.name, "topics": [topic.id for topic in annotated], "citances": len(voted), "seed": seed}
    return LinkModel(classifier, learned, metadata)
