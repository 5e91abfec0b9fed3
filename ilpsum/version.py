"""The version of the package, and those of the libraries a summary depends on."""

import platform
from functools import cache

__version__ = "0.1.0"

_PACKAGES = ("pulp", "highspy", "numpy", "scikit-learn", "tantivy")


@cache
def versions() -> dict[str, str]:
    """The versions of all that a summary depends on."""
    from importlib import metadata

    found = {"ilpsum": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found
