"""Read gensim's `.kv`, a pickle, without running anything from it and without gensim.

Python's own unpickler in C allocates what a few bytes claim: a memo of four thousand million entries, an array of TiB.
So the one in Python reads here, from a file that ends where it ends, with no opcode that allocates on demand; and of
classes only stand-ins are constructed, whose arrays must have their bytes in the file.
"""

import math
import pickle
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np
from numpy.typing import NDArray

from ilpsum.errors import InputError
from ilpsum.io.arrays import plain_header
from ilpsum.io.files import open_file
from ilpsum.io.records import reason

_LONGEST = 10_000


def read_kv(path: Path) -> tuple[list[str], NDArray[Any]]:
    """Return words and (V, d) vectors; vectors in a file of their own, `.kv.vectors.npy`, are memory-mapped.

    Raises:
        InputError: a file is missing, or is not what gensim saves.
    """
    try:
        with open_file(path) as stream:
            content = _Unpickler(_Ending(stream)).load()
        if not isinstance(content, _Record):
            raise ValueError("no KeyedVectors")
        words = msgspec.convert(content.__dict__.get("index_to_key"), list[str])
        vectors = content.__dict__.get("vectors")
        array = _mapped(Path(f"{path}.vectors.npy")) if vectors is None else _value(vectors)
    except FileNotFoundError as error:
        raise InputError("no such file; the vectors of a gensim .kv are in .kv.vectors.npy", error.filename) from None
    except InputError:
        raise
    except Exception as error:  # damaged pickles raise anything
        raise InputError(f"not word vectors saved by gensim as KeyedVectors ({reason(error)})", path) from None
    if not isinstance(array, np.ndarray) or array.ndim != 2 or len(array) != len(words) or array.dtype.kind != "f":
        raise InputError("words and vectors do not fit together; save them again with gensim", path)
    if not all(np.isfinite(part).all() for part in np.array_split(array, len(array) // 2**14 + 1)):
        raise InputError("expected finite numbers in the vectors; save them again with gensim", path)
    return words, array


def _mapped(path: Path) -> NDArray[Any]:
    """Return the array of an .npy file, mapped into memory; its header must fit the file."""
    with open_file(path) as stream:
        size = stream.seek(0, 2)
        stream.seek(0)
        kind, shape, by_column, begin = plain_header(stream, path.name)
        if math.prod(shape) * kind.itemsize != size - begin:
            raise ValueError(f"{path.name} does not have the bytes that it claims")
        order = "F" if by_column else "C"
        if not math.prod(shape):
            return np.zeros(shape, kind)
        return np.memmap(stream, kind, "r", begin, shape, order)  # type: ignore[call-overload,no-any-return]


class _Ending:
    """A file of which no more than the rest is read, however much is asked for."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._left = stream, stream.seek(0, 2)
        stream.seek(0)

    def read(self, size: int) -> bytes:
        """Return the next bytes, up to the end."""
        return self._counted(self._stream.read(max(0, min(size, self._left))))

    def readline(self) -> bytes:
        """Return the rest of a line of an old pickle, which names something."""
        return self._counted(self._stream.readline(_LONGEST))

    def _counted(self, data: bytes) -> bytes:
        self._left -= len(data)
        return data


class _Record:
    """A stand-in for gensim's classes: takes their attributes and does nothing."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


class _Dtype:
    """A stand-in for numpy's types of numbers."""

    def __init__(self, name: Any, *_: Any) -> None:
        self.name, self.order = msgspec.convert(name, str), "="

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.order = msgspec.convert(state[1], str)

    def resolved(self) -> np.dtype[Any]:
        """Return the type; a `ValueError` if it is not one of plain numbers."""
        kind = np.dtype(self.name[:8])
        kind = kind.newbyteorder(">") if self.order == ">" else kind
        if kind.kind not in "biuf" or kind.itemsize > 8:
            raise ValueError(f"it contains numbers of the type {kind}")
        return kind


class _Array:
    """A stand-in for numpy's arrays."""

    value: NDArray[Any] | None = None

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, shape, kind, by_column, data = state
        self.value = _array(data, kind, shape, "F" if by_column else "C")


def _array(data: Any, kind: Any, shape: Any, order: Any) -> NDArray[Any]:
    sizes = msgspec.convert(shape, tuple[int, ...])
    if not isinstance(kind, _Dtype) or not isinstance(data, bytes):
        raise ValueError("it contains an array without its bytes")
    plain = kind.resolved()
    if min(sizes, default=0) < 0 or math.prod(sizes) * plain.itemsize != len(data):
        raise ValueError("it contains an array that does not have the bytes that it claims")
    return np.frombuffer(data, plain).reshape(sizes, order="F" if order == "F" else "C")


def _value(found: Any) -> Any:
    return found.value if isinstance(found, _Array) else found


def _reconstruct(*_: Any) -> _Array:
    return _Array()


def _nothing(*_: Any) -> None:
    """A stand-in for what nobody reads: a scalar, the class of arrays."""


_KNOWN = {
    ("gensim.models.keyedvectors", "KeyedVectors"): _Record,
    ("numpy", "ndarray"): _nothing,
    ("numpy", "dtype"): _Dtype,
    **{(f"numpy.{core}.multiarray", "_reconstruct"): _reconstruct for core in ("core", "_core")},
    **{(f"numpy.{core}.multiarray", "scalar"): _nothing for core in ("core", "_core")},
    **{(f"numpy.{core}.numeric", "_frombuffer"): _array for core in ("core", "_core")},
}
# Opcodes that allocate what they claim, or reach outside the file.
_REFUSED = "BYTEARRAY8 NEXT_BUFFER READONLY_BUFFER PERSID BINPERSID EXT1 EXT2 EXT4 INST OBJ".split()


class _Unpickler(pickle._Unpickler):
    """Constructs stand-ins only."""

    dispatch = {  # noqa: RUF012  # as in the base class
        code: load
        for code, load in pickle._Unpickler.dispatch.items()
        if code not in {getattr(pickle, name)[0] for name in _REFUSED}
    }

    def find_class(self, module: str, name: str) -> Any:
        """Return the stand-in of a class or function; any other is an `UnpicklingError`."""
        if (module, name) not in _KNOWN:
            raise pickle.UnpicklingError(f"it contains {module}.{name}")
        return _KNOWN[module, name]
