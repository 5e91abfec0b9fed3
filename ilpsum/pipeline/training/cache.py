"""On-disk cache of values computed from topics, settings and code, with a digest of these as the key.

It stores candidates with features and targets, relevance models, system models, and the summaries of sweeps. An entry
is an `.npz` of plain arrays with a JSON description (`ilpsum.files.persistence`). Its name is a digest of everything it
depends on: texts, settings, the code of ilpsum and the versions of the libraries. So an entry is never stale, only
unused. The folder can be deleted at any time, and several processes may share it.
"""

import hashlib
import platform
from collections.abc import Callable, Mapping
from functools import cache as once
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

import features
from ilpsum import resources
from ilpsum.errors import ModelError
from ilpsum.files import persistence
from ilpsum.files.persistence import Stored
from ilpsum.files.records import UNFIT
from ilpsum.version import library_versions

_PROTOCOL = 1
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "nltk", "python-Levenshtein", "highspy")

Value = TypeVar("Value")


class Cache:
    """A folder of entries, created with the first one. An entry has a kind, such as `models`, and a key (`digest`)."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def get(self, kind: str, key: str, restore: Callable[[Stored], Value]) -> Value | None:
        """Return `restore` of an entry; None if the entry is missing or damaged."""
        try:
            return restore(persistence.load(self.path(kind, key), kind, _PROTOCOL))
        except (ModelError, *UNFIT):
            return None

    def put(self, kind: str, key: str, description: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        """Store an entry: a JSON-ready description and arrays."""
        persistence.save(self.path(kind, key), kind, _PROTOCOL, description, arrays)

    def path(self, kind: str, key: str) -> Path:
        """Return the file of an entry; its folder exists."""
        path = self.folder / kind / key[:2] / f"{key}.npz"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def size(self) -> int:
        """Return the total size of all entries in bytes."""
        return sum(path.stat().st_size for path in self.folder.rglob("*.npz"))


def digest(*parts: Any) -> str:
    """Return a cache key for a value that depends on these texts, arrays and JSON-ready values, and on the code."""
    whole = hashlib.sha256(_code().encode())
    for part in parts:
        if isinstance(part, np.ndarray):
            content = f"{part.dtype.str} {part.shape};".encode() + part.tobytes()
        elif isinstance(part, str):
            content = part.encode("utf-8", "backslashreplace")
        else:
            content = part if isinstance(part, bytes) else msgspec.json.encode(part)
        whole.update(len(content).to_bytes(8, "big") + content)
    return whole.hexdigest()


@once
def _code() -> str:
    """Return a digest of all code that an entry may depend on: ours by content, libraries by version."""
    digest = hashlib.sha256(repr((platform.python_version(), library_versions(*_LIBRARIES))).encode())
    for package in (Path(features.__file__).parent, Path(resources.__file__).parent):
        for path in sorted(package.rglob("*.py")):
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
