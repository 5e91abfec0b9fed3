"""`ilpsum.select` in retrieval pipelines: each module adapts it to one library, which it needs to be installed."""

from ilpsum.passages import Passage

SEPARATOR = "\n\n"
"""What pipelines usually put between the texts of a prompt."""


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
