"""`ilpsum.select` in retrieval pipelines: each module adapts it to one library, which it needs to be installed."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from ilpsum.io.progress import Progress, no_progress
from ilpsum.passages import Passage, Passages, select

SEPARATOR = "\n\n"
"""What pipelines usually put between the texts of a prompt."""

OPTIONS = (
    *("budget", "count", "separator", "relevance", "mix", "concepts", "lambda_"),
    *("keep", "bar", "per_source", "system", "progress"),
)
"""The arguments of `ilpsum.passages.select` that adapters have, as attributes."""


Tell = Callable[[str, int | None, bool], None]
"""Is told a step of a selection, of how many items it is, and whether it ends (or begins)."""


def passages_of(adapter: object, query: str, texts: Sequence[str], tell: Tell | None = None) -> Passages:
    """Return the best passages of texts for a query, as an adapter with the `OPTIONS` asks for them.

    Warnings, such as that nothing fits the budget, go to the logger `ilpsum`; `tell` receives each step. Errors are
    those of `ilpsum.passages.select`.
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
    """Return what an adapter adds to the metadata of a passage's source.

    `passage_start` and `passage_end` are offsets into the text that the adapter was given.
    """
    return {
        "passage_start": passage.start,
        "passage_end": passage.end,
        "passage_relevance": passage.relevance,
        "passage_why": passage.why,
    }
