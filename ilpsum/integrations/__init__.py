"""`ilpsum.select` in retrieval pipelines: each module adapts it to one library, which it needs to be installed."""

from collections.abc import Callable, Sequence
from typing import Protocol

from ilpsum.passages import Passage, Passages, select
from ilpsum.pipeline.summarizer import Summarizer

SEPARATOR = "\n\n"
"""What pipelines usually put between the texts of a prompt."""


class Adapter(Protocol):
    """The arguments of `ilpsum.passages.select` that an adapter has."""

    budget: float
    count: Callable[[str], float] | None
    separator: str
    relevance: Callable[[str], float] | None
    per_source: int | None
    system: str | Summarizer


def passages_of(adapter: Adapter, query: str, texts: Sequence[str]) -> Passages:
    """Return the best passages of texts for a query, as an adapter asks for them.

    Raises:
        ArgumentError: see `ilpsum.passages.select`.
    """
    return select(
        query,
        texts,
        adapter.budget,
        adapter.count,
        separator=adapter.separator,
        relevance=adapter.relevance,
        per_source=adapter.per_source,
        system=adapter.system,
    )


def metadata(passage: Passage) -> dict[str, int | float | str]:
    """Return what an adapter adds to the metadata of a passage's source.

    `passage_start` and `passage_end` are offsets into the text that the adapter was given.
    """
    return {
        "passage_start": passage.start,
        "passage_end": passage.end,
        "passage_relevance": passage.relevance,
        "passage_why": passage.why,
    }
