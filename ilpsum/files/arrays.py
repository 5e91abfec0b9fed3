"""Read the arrays of an .npz file: every header is checked before any array is read, and pickled arrays are refused.

A schema gives the number kind and the axes of each array: `{"support": "f v columns", "dual": "f v"}`.
An axis name stands for the same length in all arrays; a number is a fixed length.
"""

import io
import math
import zipfile
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]

_MOST_ARRAYS = 256
# Our models compress to a quarter at most, a single array to a twenty-fifth. A zip file can expand 1,000-fold.
_FREE, _RATIO = 16 * 2**20, 32
_LONGEST_HEADER = 10_000
_DEEPEST = 4

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


def read_arrays(stream: BinaryIO, size: int) -> dict[str, NDArray[Any]]:
    """Read the arrays of an .npz file of `size` bytes; unpacked, they take at most 32 times its size, or 16 MB.

    Raises:
        ValueError: an array is not of plain numbers, or the arrays claim more bytes than that.
        Exception: the file is damaged; `zipfile` raises errors of many kinds.
    """
    with zipfile.ZipFile(stream) as archive:
        members = archive.infolist()
        if len(members) > _MOST_ARRAYS or len({member.filename for member in members}) < len(members):
            raise ValueError("too many arrays, or two of one name")
        if sum(member.file_size for member in members) > max(_FREE, _RATIO * size):
            raise ValueError("arrays that claim far more bytes than the file has")
        return {member.filename.removesuffix(".npy"): _read(archive, member) for member in members}


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"the array {member.filename} is encrypted, or compressed in an unknown way")
    data = io.BytesIO(archive.read(member))
    major, _ = np.lib.format.read_magic(data)
    read = {1: np.lib.format.read_array_header_1_0, 2: np.lib.format.read_array_header_2_0}[major]
    shape, _, kind = read(data, max_header_size=_LONGEST_HEADER)
    if kind.kind not in "biuf" or len(shape) > _DEEPEST or min(shape, default=0) < 0:
        raise ValueError(f"the array {member.filename} is not of plain numbers")
    # numpy allocates what the header claims before it reads.
    if math.prod(shape) * kind.itemsize != len(data.getbuffer()) - data.tell():
        raise ValueError(f"the array {member.filename} does not have the bytes that it claims")
    data.seek(0)
    return np.asarray(np.lib.format.read_array(data, max_header_size=_LONGEST_HEADER))


def prefixed(arrays: Arrays, prefix: str) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names begin with a prefix, keyed without the prefix."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def fitted(arrays: Arrays, schema: Mapping[str, str], **sizes: int) -> dict[str, int]:
    """Check arrays against a schema, and return the length of each named axis.

    Kinds: `f` numbers up to 1e30, `F` numbers or infinities, `i` integers, `n` any numbers, `t` UTF-8 bytes.
    `sizes` gives the lengths of known axes. `ValueError` if an array is missing, or has a dtype, value or shape that
    the schema does not allow.
    """
    lengths = dict(sizes)
    for name, expected in schema.items():
        if name not in arrays:
            raise ValueError(f"no array {name!r}")
        _fit(name, arrays[name], expected, lengths)
    return lengths


def _fit(name: str, array: NDArray[Any], expected: str, lengths: dict[str, int]) -> None:
    kind, *axes = expected.split()
    wanted = tuple(int(axis) if axis.isdigit() else lengths.get(axis, -1) for axis in axes)
    letters, what = _KINDS[kind]
    if array.dtype.kind not in letters or (kind == "t" and array.dtype.itemsize != 1):
        raise ValueError(f"the array {name!r} has the type {array.dtype}, expected {what}")
    if array.ndim != len(axes) or any(w not in (-1, length) for w, length in zip(wanted, array.shape, strict=True)):
        shown = ", ".join(axis if w in (-1, axis) else f"{axis} = {w}" for axis, w in zip(axes, wanted, strict=True))
        raise ValueError(f"arrays differ in their shapes: {name!r} has {array.shape}, expected ({shown})")
    lengths.update((axis, length) for axis, length in zip(axes, array.shape, strict=True) if not axis.isdigit())
    if array.dtype.kind == "f" and array.size:
        low, high = float(array.min()), float(array.max())
        if math.isnan(low) or (kind != "F" and not -LARGEST <= low <= high <= LARGEST):
            raise ValueError(f"the array {name!r} has a number beyond {LARGEST:g}, or none where one is expected")


def within(name: str, array: NDArray[Any], low: float, high: float) -> None:
    """Check that all numbers of an array are in the closed range [low, high]; `ValueError` if not."""
    if array.size and not low <= float(array.min()) <= float(array.max()) <= high:
        raise ValueError(
            f"the array {name!r} has numbers from {array.min()} to {array.max()}, expected {low} to {high}"
        )
