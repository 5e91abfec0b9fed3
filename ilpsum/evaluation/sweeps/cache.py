"""On-disk cache of the summaries of sweeps, with a digest of what they depend on as the key.

A key covers texts, settings, the code of ilpsum and the versions of the libraries, so an entry is never stale, only
unused. The folder can be deleted at any time, and several processes may share it.
"""

import hashlib
import platform
from functools import cache as once
from pathlib import Path
from typing import Any, TypeVar

import msgspec

import features
from ilpsum import resources
from ilpsum.files.atomic import write_file
from ilpsum.files.records import UNFIT, encode
from ilpsum.version import library_versions

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "nltk", "python-Levenshtein", "highspy")

Value = TypeVar("Value")


class Cache:
    """A folder of JSON entries, created with the first one, by key (`digest`)."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def get(self, key: str, kind: type[Value]) -> Value | None:
        """Return an entry; None if it is missing or damaged."""
        try:
            return msgspec.json.decode(self._path(key).read_bytes(), type=kind)
        except (OSError, *UNFIT):
            return None

    def put(self, key: str, value: Any) -> None:
        """Store an entry, a JSON-ready record."""
        self._path(key).parent.mkdir(parents=True, exist_ok=True)
        write_file(self._path(key), encode(value))

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"


def digest(*parts: Any) -> str:
    """Return a cache key for a value that depends on these JSON-ready values, and on the code."""
    return hashlib.sha256(_code().encode() + msgspec.json.encode(parts)).hexdigest()


@once
def _code() -> str:
    """Return a digest of all code that an entry may depend on: ours by content, libraries by version."""
    digest = hashlib.sha256(repr((platform.python_version(), library_versions(*_LIBRARIES))).encode())
    for package in (Path(features.__file__).parent, Path(resources.__file__).parent):
        for path in sorted(package.rglob("*.py")):
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
