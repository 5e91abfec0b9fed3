"""Sentences from texts, verbatim and under any budget: what `ilpsum.select` does."""

from ilpsum.passages.records import Passage, Passages
from ilpsum.passages.selecting import select

__all__ = ["Passage", "Passages", "select"]
