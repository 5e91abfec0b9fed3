"""Adapters of `ilpsum.select` for retrieval pipelines; each module requires the library it adapts to."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from ilpsum.files.progress import Progress, no_progress
from ilpsum.passages import Passage, Passages, select

SEPARATOR = "\n\n"
"""Usual separator between the texts of a prompt."""

OPTIONS = (
    *("budget", "count", "separator", "relevance", "mix", "concepts", "lambda_"),
    *("keep", "bar", "per_source", "system", "progress"),
)
"""Arguments of `ilpsum.passages.select` that adapters store as attributes."""


Tell = Callable[[str, int | None, bool], None]
"""Progress callback: step of the selection, number of items or None, and whether the step has ended."""


def passages_of(adapter: object, query: str, texts: Sequence[str], tell: Tell | None = None) -> Passages:
    """Select the best passages of texts for a query, with the `OPTIONS` of an adapter.

    Warnings, for example that nothing fits the budget, go to the logger `ilpsum`; `tell` receives each step. Raises as
    `ilpsum.passages.select` does.
    """
    options = {name: getattr(adapter, name) for name in OPTIONS}
    if tell:
        options["progress"] = partial(_told, tell, options["progress"] or no_progress)
    found = select(query, texts, **options)
    for line in found.warnings:
        logging.getLogger("ilpsum").warning(line)
    return found


def _told(tell: Tell, progress: Progress, items: Iterable[Any], what: str, total: int | None = None) -> Iterator[Any]:
    tell(what, total, False)
    yield from progress(items, what, total)
    tell(what, total, True)


def metadata(passage: Passage) -> dict[str, int | float | str]:
    """Return the metadata that adapters add to the source's.

    `passage_start` and `passage_end` are character offsets into the input text.
    """
    return {
        "passage_start": passage.start,
        "passage_end": passage.end,
        "passage_relevance": passage.relevance,
        "passage_why": passage.why,
    }
