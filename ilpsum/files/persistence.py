"""Model files: an .npz of plain arrays and a JSON description, never a pickle.

The description holds the kind of model, its format version (protocol), a digest of the arrays, the training data and
the library versions. `load` refuses a damaged file, another kind or an unknown protocol, with a one-line message.
"""

import hashlib
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from ilpsum.errors import InputError, ModelError
from ilpsum.files.arrays import read_arrays
from ilpsum.files.atomic import write_file
from ilpsum.files.reading import open_file
from ilpsum.files.records import reason
from ilpsum.version import __version__, library_versions

_FORMAT = "ilpsum-model"
REINSTALL = "reinstall ilpsum"
"""Advice for files that come with the package."""

_META = "description"


@dataclass(frozen=True)
class Stored:
    """Content of a model file: its description, and its arrays by name."""

    description: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def save(path: str | Path, kind: str, protocol: int, description: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write a model file completely or not at all, replacing an existing one; equal content gives equal bytes.

    `kind` is the kind of model, such as `parser`, and `protocol` the version of its format; `description` is JSON-ready
    metadata; the arrays are numeric.
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
    write_file(path, buffer.getvalue())


def load(path: str | Path, kind: str, protocol: int) -> Stored:
    """Read a model file; `ModelError` if it does not exist, is damaged, or has another kind or protocol."""
    try:
        with open_file(path) as file:
            arrays = read_arrays(file, os.fstat(file.fileno()).st_size)
        description = msgspec.json.decode(arrays.pop(_META).tobytes(), type=dict[str, Any])
        head = msgspec.convert(description, _Head)
    except FileNotFoundError:
        raise ModelError("no such model file; train one with `ilpsum train`", path) from None
    except InputError as error:
        raise ModelError(error.message, path) from None
    except Exception:  # damaged archives raise errors of any type
        raise ModelError("not an ilpsum model, or a damaged one; train it again with `ilpsum train`", path) from None
    if head.kind != kind:
        raise ModelError(f"a {head.kind} model, but a {kind} model is needed here", path)
    if head.protocol != protocol:
        written = f"format version {head.protocol} (written by ilpsum {head.versions.get('ilpsum', 'unknown')})"
        raise ModelError(f"{written}, but ilpsum {__version__} reads version {protocol}; train it again", path)
    if head.digest != _digest(arrays):
        raise ModelError("damaged: its numbers do not match its digest; train it again with `ilpsum train`", path)
    return Stored(description, arrays)


def load_included(path: str | Path, kind: str, protocol: int) -> Stored:
    """Read a model file like `load`, but one that no user trains: the `ModelError` advises to reinstall ilpsum."""
    try:
        return load(path, kind, protocol)
    except ModelError as error:
        raise ModelError(f"{error.message.split('; ')[0]}; {REINSTALL}", error.file) from None


@contextmanager
def model_errors(path: str | Path, advice: str = "train it again") -> Iterator[None]:
    """Turn errors caused by invalid content of a model file into a `ModelError`, while the model is rebuilt.

    Readers check descriptions by `msgspec.convert` and arrays by `ilpsum.files.arrays.fitted`.
    """
    try:
        yield
    except ModelError as error:
        raise ModelError(error.message, error.file or path, error.line) from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError) as error:
        raise ModelError(f"a part of the model is missing or invalid ({reason(error)}); {advice}", path) from None


class _Head(msgspec.Struct):
    """Description fields that all kinds share."""

    format: Literal["ilpsum-model"]
    kind: str
    protocol: int
    digest: str
    versions: dict[str, str] = {}


def pack(strings: Iterable[str]) -> NDArray[np.uint8]:
    """Encode strings as UTF-8 lines, the form of all string tables in model files.

    Raises:
        ValueError: the strings could not be restored: one has a line break, or the only one is empty.
    """
    listed = tuple(strings)
    packed = np.frombuffer("\n".join(listed).encode(), dtype=np.uint8)
    if unpack(packed) != listed:
        raise ValueError("a string table cannot hold line breaks, nor a single empty string")
    return packed


def unpack(packed: NDArray[Any]) -> tuple[str, ...]:
    """Decode the result of `pack`; `ValueError` if the bytes are not UTF-8."""
    text = packed.tobytes().decode()
    return tuple(text.split("\n")) if text else ()


def _digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape};".encode())
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()
