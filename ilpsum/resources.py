"""Paths of files shipped with ilpsum (systems, models, demo topics), and of the user's cache."""

import json
import os
import sys
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

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
    """Return a shipped file of MeSH: `synonyms` or `names`."""
    return _PACKAGE / "data" / "mesh" / f"{name}.txt.gz"


def installs(extra: str) -> str:
    """Return the command that installs an extra in the way and from the place that ilpsum was
    installed.

    >>> installs("pdf").endswith("[pdf]'")
    True
    """
    own = next(iter(distributions(name="ilpsum")), None)
    origin = json.loads((own and own.read_text("direct_url.json")) or "{}")
    source, place = (
        unquote(origin.get("url", "ilpsum").removeprefix("file://")),
        Path(sys.prefix).parts,
    )
    edit = "--editable " * origin.get("dir_info", {}).get("editable", False)
    tool = "pip install" if find_spec("pip") else "uv pip install"
    if "pipx" in place or {"uv", "tools"} <= {*place}:
        tool = "pipx install --force" if "pipx" in place else "uv tool install"
    return f"{tool} {edit}'{source}[{extra}]'"


def user_cache() -> Path:
    """Return the folder `ilpsum` in the user's cache (`XDG_CACHE_HOME`)."""
    base = os.environ.get("XDG_CACHE_HOME") or ""
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "ilpsum"
