"""The code that a score depends on: ilpsum's sources, and the versions of plug-ins."""

import hashlib
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

import features
from ilpsum.version import __version__

# The entry points of plug-ins whose code makes summaries.
_GROUPS = ("ilpsum.features", "ilpsum.selectors")


@cache
def code_digests() -> tuple[str, ...]:
    """Return what identifies the code that a sweep runs: ilpsum's version and sources, then name
    and version of each installed package with selectors or features.
    """
    points = [point for group in _GROUPS for point in entry_points(group=group)]
    plugins = {f"{point.dist.name} {point.dist.version}" for point in points if point.dist}
    own = _sources(Path(__file__).parents[2]), _sources(Path(features.__path__[0]))
    return (__version__, *own, *sorted(plugins))


def _sources(folder: Path) -> str:
    """Return a digest of the sources in a folder."""
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
