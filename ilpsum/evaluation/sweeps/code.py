"""The code that a score depends on: ilpsum's own, and that of plug-ins."""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

from ilpsum.version import __version__

# The entry points of plug-ins whose code makes summaries.
_GROUPS = ("ilpsum.features", "ilpsum.selectors")


@cache
def code_digests() -> tuple[str, ...]:
    """Return what identifies the code that a sweep runs.

    That is ilpsum's version and sources, then the distribution, version and sources of each
    installed plug-in with selectors or features.
    """
    plugins = {_plugin(point) for group in _GROUPS for point in entry_points(group=group)}
    return (__version__, _sources("ilpsum"), _sources("features"), *sorted(plugins))


def _plugin(point: EntryPoint) -> str:
    package = point.module.partition(".")[0]
    name, version = (point.dist.name, point.dist.version) if point.dist else ("", "")
    return f"{name} {version} {_sources(package)}"


def _sources(package: str) -> str:
    """Return a digest of the sources of a package or module."""
    digest = hashlib.sha256()
    for file in _files(package):
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _files(package: str) -> Iterator[Path]:
    spec = find_spec(package)
    if spec is None:
        return
    if spec.submodule_search_locations is None:
        yield from [Path(spec.origin)] if spec.origin else []
        return
    for folder in spec.submodule_search_locations:
        yield from sorted(Path(folder).rglob("*.py"))
