"""A Haystack component; needs `haystack-ai`."""

from typing import Any

import msgspec
from haystack import Document, component, default_from_dict, default_to_dict
from haystack.utils import deserialize_callable, serialize_callable

from ilpsum.integrations import OPTIONS, SEPARATOR, metadata, passages_of
from ilpsum.learning.judging.judge import Judge
from ilpsum.passages.costs import Count
from ilpsum.passages.scoring import Concepts, Relevance, Reranker
from ilpsum.passages.selecting import Predicate

_FUNCTIONS = ("count", "relevance", "concepts", "keep", "bar")


@component
class PassageSelector:
    """Reduces documents to their best passages under a budget.

    Each passage becomes a document with the metadata and score of its source, plus `passage_start`,
    `passage_end`, `passage_relevance` and `passage_why`.

    Arguments are as for `ilpsum.passages.select`. The budget applies to the contents joined by
    `separator`; metadata added by a prompt is not counted. A pipeline can be saved if its functions
    are module-level, or a `Judge`.
    """

    def __init__(
        self,
        budget: float = 300,
        count: Count | None = None,
        separator: str = SEPARATOR,
        relevance: Relevance | Reranker | Judge | None = None,
        concepts: Concepts | None = None,
        lambda_: float | None = None,
        keep: Predicate | None = None,
        bar: Predicate | None = None,
        per_source: int | None = None,
        system: str = "concepts",
    ) -> None:
        self.budget, self.count, self.separator = budget, count, separator
        self.relevance, self.concepts, self.lambda_ = relevance, concepts, lambda_
        self.keep, self.bar, self.per_source, self.system = keep, bar, per_source, system

    @component.output_types(documents=list[Document])
    def run(self, query: str, documents: list[Document]) -> dict[str, list[Document]]:
        """Return the best passages of documents for a query, in document order, as `{"documents":
        [...]}`.

        Raises:
            ArgumentError: see `ilpsum.passages.select`.
        """
        passages = passages_of(self, query, [document.content or "" for document in documents])
        selected = []
        for passage in passages:
            source = documents[int(passage.source)]
            meta = {**source.meta, **metadata(passage)}
            selected.append(Document(content=passage.text, meta=meta, score=source.score))
        return {"documents": selected}

    def to_dict(self) -> dict[str, Any]:
        """Serialise the component for a saved pipeline."""
        options = {name: getattr(self, name) for name in OPTIONS}
        for name in _FUNCTIONS:
            if callable(options[name]):
                options[name] = serialize_callable(options[name])
        if isinstance(self.relevance, Judge):
            options["relevance"] = msgspec.to_builtins(self.relevance.table)
        return default_to_dict(self, **options)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "PassageSelector":
        """Restore the component of a saved pipeline."""
        options = data["init_parameters"]
        for name in _FUNCTIONS:
            if isinstance(value := options.get(name), str):
                options[name] = deserialize_callable(value)
        if isinstance(judge := options.get("relevance"), dict):
            options["relevance"] = Judge(**judge)
        return default_from_dict(cls, data)
