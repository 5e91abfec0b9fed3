"""The code that a score depends on: ilpsum's own, and that of plug-ins."""

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path

from features.sets import FEATURES, feature_set
from ilpsum.pipeline.system import System
from ilpsum.selection import SELECTORS
from ilpsum.version import __version__


def code_of(system: System) -> tuple[str, ...]:
    """Return what identifies the code that a system runs.

    That is ilpsum's version and sources, then the distribution, version and sources of each plug-in
    that provides its selector or one of its features.
    """
    points = [SELECTORS.entry_point(system.selection.method)]
    if system.relevance is not None:
        features = feature_set(system.relevance.features).features
        points += [FEATURES.entry_point(name) for name in features]
    plugins = {_plugin(point) for point in points if point is not None}
    return (__version__, _sources("ilpsum"), _sources("features"), *sorted(plugins))


def _plugin(point: EntryPoint) -> str:
    package = point.module.partition(".")[0]
    name, version = (point.dist.name, point.dist.version) if point.dist else ("", "")
    return f"{name} {version} {_sources(package)}"


@cache
def _sources(package: str) -> str:
    """Return a digest of the sources of a package or module, once per process."""
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
