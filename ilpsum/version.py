"""The version of the package, and the versions of the libraries that summaries depend on."""

import platform
from functools import cache

__version__ = "0.2.0"

_PACKAGES = ("pulp", "highspy", "numpy", "scikit-learn", "tantivy")


@cache
def versions() -> dict[str, str]:
    """Return the versions of everything that a summary depends on, by name."""
    from importlib import metadata

    installed = {"ilpsum": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return installed
