"""Paths of files shipped with ilpsum (systems, models, demo topics), and of the user's cache."""

import os
from pathlib import Path

_PACKAGE = Path(__file__).parent


def configs() -> Path:
    """Return the folder of system files: inside an installed package, beside the package in a
    checkout.
    """
    installed = _PACKAGE / "configs"
    return installed if installed.is_dir() else _PACKAGE.parent / "configs"


def models() -> Path:
    """Return the folder of the shipped models."""
    return _PACKAGE / "data" / "models"


def embeddings() -> Path:
    """Return the file of the shipped word vectors."""
    return _PACKAGE / "data" / "embeddings" / "default.npz"


def demo() -> Path:
    """Return the folder of the demo topics."""
    return _PACKAGE / "data" / "demo"


def mesh(name: str) -> Path:
    """Return a shipped file of names: `synonyms` or `names` of MeSH, or `abbreviations`."""
    return _PACKAGE / "data" / "mesh" / f"{name}.txt.gz"


def installs(extra: str) -> str:
    """Return the command that installs an extra."""
    return f"pip install 'ilpsum[{extra}]'"


def user_cache() -> Path:
    """Return the folder `ilpsum` in the user's cache (`XDG_CACHE_HOME`)."""
    base = os.environ.get("XDG_CACHE_HOME") or ""
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "ilpsum"
