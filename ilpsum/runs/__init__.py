"""Runs as a whole: made from topics, written atomically, resumed, described by their provenance and
read again.

Writing is atomic: a run is built in a hidden folder beside its target and renamed when complete.
Overwriting an existing run needs an explicit option, and a lock keeps two processes from writing
the same run.
"""

DEFAULT_SYSTEM = "concepts"
"""Default system."""
