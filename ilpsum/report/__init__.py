"""Runs as a page to read: summaries side by side with the gold, where each sentence comes from, and the scores."""

from ilpsum.report.content import Report, gather
from ilpsum.report.page import page

__all__ = ["Report", "gather", "page"]
