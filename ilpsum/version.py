"""The version of the package, and versions of the libraries that summaries depend on."""

import platform
from functools import cache

__version__ = "0.4.0"

_PACKAGES = ("pulp", "highspy", "numpy", "scikit-learn", "tantivy")


@cache
def versions() -> dict[str, str]:
    """Return the versions of everything that a summary depends on, by name."""
    return {
        "ilpsum": __version__,
        "python": platform.python_version(),
        **library_versions(*_PACKAGES),
    }


def library_versions(*names: str) -> dict[str, str]:
    """Return the installed versions of libraries, without importing them."""
    from importlib import metadata

    return {
        name: next(
            (distribution.version for distribution in metadata.distributions(name=name)),
            "not installed",
        )
        for name in names
    }
