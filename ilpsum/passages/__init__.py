"""Implementation of `ilpsum.select`: verbatim sentences from texts under any budget."""

from ilpsum.passages.records import Passage, Passages
from ilpsum.passages.selecting import select

__all__ = ["Passage", "Passages", "select"]
