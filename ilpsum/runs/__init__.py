"""Writes, reads and checks runs: each format is one record with its limits, its writer and its check.

Writing is atomic: a run is built in a hidden folder beside its target and renamed when complete. Overwriting an
existing run needs an explicit option, and a lock keeps two processes from writing the same run.
"""

from ilpsum.runs.formats import FORMATS, Finding, Format

__all__ = ["FORMATS", "Finding", "Format"]
