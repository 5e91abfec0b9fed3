"""Adapters of `ilpsum.select` for retrieval pipelines; each module requires the library it adapts
to.
"""

import logging
from collections.abc import Sequence

from ilpsum.passages import Passage, Passages, select

SEPARATOR = "\n\n"
"""Usual separator between the texts of a prompt."""

OPTIONS = (
    "budget", "count", "separator", "relevance", "concepts", "lambda_", "keep", "bar", "per_source",
    "system",
)  # fmt: skip
"""Arguments of `ilpsum.passages.select` that adapters store as attributes."""


def passages_of(adapter: object, query: str, texts: Sequence[str]) -> Passages:
    """Select the best passages of texts for a query, with the `OPTIONS` of an adapter; raises as
    `ilpsum.select` does.

    Warnings, for example that nothing fits the budget, go to the logger `ilpsum`.
    """
    selected = select(query, texts, **{name: getattr(adapter, name) for name in OPTIONS})
    for line in selected.warnings:
        logging.getLogger("ilpsum").warning(line)
    return selected


def metadata(passage: Passage) -> dict[str, int | float | str]:
    """Return the metadata that adapters add to the source's; start and end are offsets into the
    input text.
    """
    return {
        f"passage_{name}": getattr(passage, name) for name in ("start", "end", "relevance", "why")
    }
