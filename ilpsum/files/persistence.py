"""Model files: an .npz of plain arrays and a JSON description, never a pickle.

The description holds the kind of model, its format version (protocol), a digest of the arrays, the
training data and the library versions. `load` refuses a damaged file, another kind or an unknown
protocol, with a one-line message.
"""

import hashlib
import io
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from ilpsum.errors import InputError, ModelError
from ilpsum.files.atomic import write_file
from ilpsum.files.reading import open_file
from ilpsum.files.records import UNFIT, reason
from ilpsum.version import __version__, library_versions

Arrays = Mapping[str, NDArray[Any]]

# Our models compress to a quarter at most, a single array to a twenty-fifth. A zip file can expand
# 1,000-fold.
_FREE, _RATIO = 16 * 2**20, 32

# Number kinds: numpy's letters, and their names in messages.
_KINDS = {
    "f": ("f", "numbers"),
    "F": ("f", "numbers or infinities"),
    "n": ("biuf", "numbers"),
    "i": ("iu", "whole numbers"),
    "t": ("u", "bytes of text"),
}
LARGEST = 1e30
"""Largest magnitude of kind `f`: its square and products still fit in a double."""


def read_arrays(stream: BinaryIO, size: int, only: str = "") -> dict[str, NDArray[Any]]:
    """Read the arrays of an .npz file of `size` bytes, or `only` one of them; unpacked, all take at
    most 32 times its size, or 16 MB.

    Raises:
        ValueError: an array is of Python objects, or the arrays claim more bytes than that.
        Exception: the file is damaged; numpy and `zipfile` raise errors of many kinds.
    """
    with np.load(stream, allow_pickle=False) as archive:
        if sum(member.file_size for member in archive.zip.infolist()) > max(_FREE, _RATIO * size):
            raise ValueError("arrays that claim far more bytes than the file has")
        # numpy returns the bytes of a member that is no array; as an array of bytes it fits no
        # schema.
        names = [only] if only else archive.files
        return {name: np.asarray(archive[name]) for name in names}


def prefixed(arrays: Arrays, prefix: str) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin with a prefix, keyed without the prefix."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def fitted(arrays: Arrays, schema: Mapping[str, str], **sizes: int) -> dict[str, int]:
    """Check arrays against a schema, and return the length of each named axis.

    Kinds: `f` numbers up to 1e30, `F` numbers or infinities, `i` integers, `n` any numbers, `t`
    UTF-8 bytes. `sizes` gives the lengths of known axes. `ValueError` if an array is missing, or
    has a dtype, value or shape that the schema does not allow.
    """
    lengths = dict(sizes)
    for name, expected in schema.items():
        if name not in arrays:
            raise ValueError(f"no array {name!r}")
        _fit(name, arrays[name], expected, lengths)
    return lengths


def _fit(name: str, array: NDArray[Any], expected: str, lengths: dict[str, int]) -> None:
    kind, *axes = expected.split()
    letters, what = _KINDS[kind]
    if array.dtype.kind not in letters or (kind == "t" and array.dtype.itemsize != 1):
        raise ValueError(f"the array {name!r} has the type {array.dtype}, expected {what}")
    shape = tuple(
        int(axis) if axis.isdigit() else lengths.setdefault(axis, length)
        for axis, length in zip(axes, array.shape, strict=False)
    )
    if array.ndim != len(axes) or array.shape != shape:
        sizes = ", ".join(f"{axis} = {lengths.get(axis, axis)}" for axis in axes)
        what = f"{name!r} has {array.shape}, expected ({sizes})"
        raise ValueError(f"arrays differ in their shapes: {what}")
    if array.dtype.kind == "f" and array.size:
        low, high = float(array.min()), float(array.max())
        if math.isnan(low) or (kind != "F" and not -LARGEST <= low <= high <= LARGEST):
            what = f"a number beyond {LARGEST:g}, or none where one is expected"
            raise ValueError(f"the array {name!r} has {what}")


def within(name: str, array: NDArray[Any], low: float, high: float) -> None:
    """Check that all numbers of an array are in the closed range [low, high]; `ValueError` if
    not.
    """
    if array.size and not low <= float(array.min()) <= float(array.max()) <= high:
        raise ValueError(
            f"{name!r} has numbers from {array.min()} to {array.max()}, expected {low} to {high}"
        )


_FORMAT = "ilpsum-model"
REINSTALL = "reinstall ilpsum"
"""Advice for files that come with the package."""

_META = "description"
_TRAIN_AGAIN = "train it again with `ilpsum train`"


@dataclass(frozen=True)
class Stored:
    """Content of a model file: its description, and its arrays by name."""

    description: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


def save(
    path: str | Path,
    kind: str,
    protocol: int,
    description: Mapping[str, Any],
    arrays: Mapping[str, Any],
) -> None:
    """Write a model file completely or not at all, replacing an existing one; equal content gives
    equal bytes.

    `kind` is the kind of model, such as `parser`, and `protocol` the version of its format;
    `description` is JSON-ready metadata; the arrays are numeric.
    """
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    meta = {
        "format": _FORMAT,
        "kind": kind,
        "protocol": protocol,
        "digest": _digest(contiguous),
        "versions": {"ilpsum": __version__, **library_versions("numpy", "scikit-learn")},
        **description,
    }
    text = json.dumps(meta, ensure_ascii=False, sort_keys=True).encode()
    packed: dict[str, Any] = {_META: np.frombuffer(text, dtype=np.uint8), **contiguous}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **packed)
    write_file(path, buffer.getvalue())


def load(
    path: str | Path,
    kind: str,
    protocol: int,
    advice: str = _TRAIN_AGAIN,
) -> Stored:
    """Read a model file; `ModelError` if it does not exist, is damaged, or has another kind or
    protocol.
    """
    stored = _read(path, kind, protocol, advice)
    if stored.description["digest"] != _digest(stored.arrays):
        raise ModelError(f"damaged: its numbers do not match its digest; {advice}", path)
    return stored


def describe(
    path: str | Path,
    kind: str,
    protocol: int,
    advice: str = _TRAIN_AGAIN,
) -> dict[str, Any]:
    """Read the description of a model file, without its arrays; errors as for `load`."""
    return _read(path, kind, protocol, advice, only=_META).description


def _read(
    path: str | Path,
    kind: str,
    protocol: int,
    advice: str,
    only: str = "",
) -> Stored:
    """Read a model file, or `only` its description, without checking its digest."""
    if not os.path.lexists(path):
        raise ModelError(f"no such model file; {advice.replace('it again', 'one')}", path)
    try:
        with open_file(path) as file:
            arrays = read_arrays(file, os.fstat(file.fileno()).st_size, only)
        description = msgspec.json.decode(arrays.pop(_META).tobytes(), type=dict[str, Any])
        head = msgspec.convert(description, _Head)
    except InputError as error:
        raise ModelError(error.message, path) from None
    except Exception:  # damaged archives raise errors of any type
        raise ModelError(f"not an ilpsum model, or a damaged one; {advice}", path) from None
    if head.kind != kind:
        raise ModelError(f"expected a model of the kind {kind!r}, got {head.kind!r}", path)
    if head.protocol != protocol:
        writer = head.versions.get("ilpsum", "unknown")
        written = f"format version {head.protocol} (written by ilpsum {writer})"
        needed = f"ilpsum {__version__} reads version {protocol}"
        raise ModelError(f"{written}, but {needed}; {advice}", path)
    return Stored(description, arrays)


@contextmanager
def model_errors(path: str | Path, advice: str = "train it again") -> Iterator[None]:
    """Turn errors caused by invalid content of a model file into a `ModelError`, while the model is
    rebuilt.

    Readers check descriptions by `msgspec.convert` and arrays by `ilpsum.files.persistence.fitted`.
    """
    try:
        yield
    except ModelError as error:
        raise ModelError(error.message, error.file or path, error.line) from None
    except UNFIT as error:
        what = f"a part of the model is missing or invalid ({reason(error)})"
        raise ModelError(f"{what}; {advice}", path) from None


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
        ValueError: the strings could not be restored: one has a line break, or the only one is
            empty.
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
