"""Extractive multi-document summaries by exact integer linear programming."""

from ilpsum.records import Citance, Document, Sentence, Span, Summary, Topic
from ilpsum.version import __version__

__all__ = ["Citance", "Document", "Sentence", "Span", "Summary", "Topic", "__version__"]
