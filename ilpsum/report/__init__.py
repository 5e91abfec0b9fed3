"""Runs as a web page: summaries beside the gold, the source of each sentence, and the scores."""

from ilpsum.report.content import Report
from ilpsum.report.gathering import gather
from ilpsum.report.page import page

__all__ = ["Report", "gather", "page"]
