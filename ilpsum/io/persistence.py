"""How every model is kept: one .npz of plain arrays and a JSON description, never a pickle.

The description holds the kind of model, the version of its format, a digest of the arrays, what it was trained on and
with which library versions. A file that is damaged, of another kind or of a version this program does not know is
refused with one line that says so.
"""

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ilpsum.errors import ModelError
from ilpsum.io.atomic import write_atomically
from ilpsum.version import __version__

_FORMAT = "ilpsum-model"
_META = "description"


@dataclass(frozen=True)
class Stored:
    """What a model file holds: its description and its arrays by name."""

    description: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def save(path: str | Path, kind: str, protocol: int, description: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Writes a model file as a whole or not at all; equal content gives equal bytes.

    Args:
        path: where to; a file there is replaced.
        kind: the kind of model, such as `relevance`.
        protocol: version of the kind's format.
        description: JSON-ready facts about the model.
        arrays: arrays of numbers by name.
    """
    plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    meta = {
        "format": _FORMAT,
        "kind": kind,
        "protocol": protocol,
        "digest": _digest(plain),
        "versions": {"ilpsum": __version__, **library_versions("numpy", "scikit-learn")},
        **description,
    }
    text = json.dumps(meta, ensure_ascii=False, sort_keys=True).encode()
    buffer = io.BytesIO()
    everything: dict[str, Any] = {_META: np.frombuffer(text, dtype=np.uint8), **plain}
    np.savez_compressed(buffer, **everything)
    with write_atomically(path) as stream:
        stream.write(buffer.getvalue())


def load(path: str | Path, kind: str, protocol: int) -> Stored:
    """Reads a model file.

    Raises:
        ModelError: it is not there, damaged, of another kind, or of a format version that this program does not know.
    """
    try:
        # Opened here, since numpy leaves the file open when it turns out to be no archive.
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        description = json.loads(arrays.pop(_META).tobytes())
        if description["format"] != _FORMAT:
            raise KeyError(_FORMAT)
    except FileNotFoundError:
        raise ModelError("no such model file; train one with `ilpsum train`", path) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile, zlib.error):
        raise ModelError("not an ilpsum model, or a damaged one; train it again with `ilpsum train`", path) from None
    if description.get("kind") != kind:
        raise ModelError(f"a {description.get('kind')} model, but a {kind} model is needed here", path)
    if description.get("protocol") != protocol:
        made = description.get("versions", {}).get("ilpsum", "unknown")
        raise ModelError(
            f"format version {description.get('protocol')} (written by ilpsum {made}), this is ilpsum {__version__}, "
            f"which reads version {protocol}; train it again with `ilpsum train`",
            path,
        )
    if description.get("digest") != _digest(arrays):
        raise ModelError("damaged: its numbers do not match its digest; train it again with `ilpsum train`", path)
    return Stored(description, arrays)


def library_versions(*names: str) -> dict[str, str]:
    """The installed versions of libraries, without importing them."""
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def _digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape};".encode())
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()
