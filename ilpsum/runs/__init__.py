"""Summaries to files: a format is one record with its limits, its writer and its check.

A run appears all at once: it is built in a hidden folder beside its target and renamed when complete. An existing run
is never overwritten by accident, and two processes never write the same one.
"""

from ilpsum.runs.formats import FORMATS, Finding, Format

__all__ = ["FORMATS", "Finding", "Format"]
