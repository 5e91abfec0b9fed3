"""`ilpsum.select` in retrieval pipelines: each module adapts it to one library, which it needs to be installed."""

import logging
from collections.abc import Sequence

from ilpsum.passages import Passage, Passages, select

SEPARATOR = "\n\n"
"""What pipelines usually put between the texts of a prompt."""

OPTIONS = (
    *("budget", "count", "separator", "relevance", "mix", "concepts", "lambda_"),
    *("keep", "bar", "per_source", "system"),
)
"""The arguments of `ilpsum.passages.select` that adapters have, as attributes."""


def passages_of(adapter: object, query: str, texts: Sequence[str]) -> Passages:
    """Return the best passages of texts for a query, as an adapter with the `OPTIONS` asks for them.

    Warnings, such as that nothing fits the budget, go to the logger `ilpsum`.

    Raises:
        ArgumentError: see `ilpsum.passages.select`.
    """
    found = select(query, texts, **{name: getattr(adapter, name) for name in OPTIONS})
    for line in found.warnings:
        logging.getLogger("ilpsum").warning(line)
    return found


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
