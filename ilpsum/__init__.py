"""Extractive multi-document summaries by exact integer linear programming."""

from typing import TYPE_CHECKING, Any

from ilpsum.records import Citance, Document, Sentence, Span, Summary, Topic
from ilpsum.version import __version__

if TYPE_CHECKING:
    from ilpsum.pipeline.summarizer import Summarizer

__all__ = ["Citance", "Document", "Sentence", "Span", "Summarizer", "Summary", "Topic", "__version__"]


def __getattr__(name: str) -> Any:
    # The summarizer brings numpy along, which `ilpsum --help` has no use for.
    if name == "Summarizer":
        from ilpsum.pipeline.summarizer import Summarizer

        return Summarizer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
