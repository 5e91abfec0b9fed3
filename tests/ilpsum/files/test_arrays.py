"""Hostile files of arrays: what they claim is checked before it is allocated."""

import io
import struct
import sys
import zipfile

import numpy as np
import pytest

from ilpsum.errors import ModelError
from ilpsum.files import persistence
from ilpsum.files.persistence import fitted, read_arrays, within
from tests.measures import peak, resident_peak


def _npy(header: str, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    size = struct.pack("<H" if version[0] == 1 else "<I", len(header))
    return b"\x93NUMPY" + version + size + header.encode("latin-1") + data


def _archive(**members: bytes) -> io.BytesIO:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    stream.seek(0)
    return stream


def _read(stream: io.BytesIO) -> dict[str, np.ndarray]:
    return read_arrays(stream, len(stream.getvalue()))


def test_what_numpy_writes_is_read():
    stream = io.BytesIO()
    given = {
        "a": np.arange(6.0).reshape(2, 3),
        "b": np.asfortranarray(np.eye(3, dtype=np.float16)),
        "c": np.zeros(0),
    }
    np.savez_compressed(stream, **given)
    stream.seek(0)
    read = _read(stream)
    assert list(read) == ["a", "b", "c"]
    for name, array in given.items():
        np.testing.assert_array_equal(read[name], array)
        assert read[name].dtype == array.dtype


@pytest.mark.parametrize(
    ("header", "data"),
    [
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }", b"x"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (1000, 500000), }", b"12345678"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", b"12345678"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 8), }", b"x"),
        ("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", b"x"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': " + "(" * 900 + ")" * 900 + ", }", b""),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is measured as on Linux")
def test_a_claim_beyond_the_bytes_is_refused_and_takes_no_memory(header, data, tmp_path):
    path = tmp_path / "m.npz"
    path.write_bytes(_archive(a=_npy(header, data)).getvalue())

    def load():
        with pytest.raises(ModelError, match=r"m\.npz: not an ilpsum model, or a damaged one"):
            persistence.load(path, "system", 1)

    assert resident_peak(load) < 2**25


def test_a_bomb_takes_no_memory():
    zeros = 256 * 2**20
    stream = _archive(
        a=_npy(f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({zeros},), }}", bytes(zeros))
    )

    def read():
        with pytest.raises(ValueError, match="far more bytes"):
            _read(stream)

    assert peak(read) < 2**22


def test_encrypted_members_are_refused(tmp_path):
    data = bytearray(
        _archive(
            a=_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", bytes(8))
        ).getvalue()
    )
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(RuntimeError, match="encrypted"):
        _read(io.BytesIO(bytes(data)))
    path = tmp_path / "m.npz"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=r"m\.npz: not an ilpsum model, or a damaged one"):
        persistence.load(path, "system", 1)


def test_members_that_are_no_arrays_fit_no_schema(tmp_path):
    with pytest.raises(ValueError, match="the array 'a' has the type"):
        fitted(_read(_archive(a=b"newts")), {"a": "t bytes"})
    path = tmp_path / "m.npz"
    persistence.save(path, "pond", 1, {}, {})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("a.npy", b"newts")
    with pytest.raises(ModelError, match="do not match its digest"):
        persistence.load(path, "pond", 1)


@pytest.mark.parametrize(
    ("arrays", "schema", "said"),
    [
        ({}, {"a": "f v"}, "no array 'a'"),
        ({"a": np.zeros(2, np.int8)}, {"a": "f v"}, "type int8"),
        ({"a": np.zeros(2)}, {"a": "f v w"}, r"has \(2,\)"),
        (
            {"a": np.zeros(2), "b": np.zeros(3)},
            {"a": "f v", "b": "f v"},
            r"'b' has \(3,\), expected \(v = 2\)",
        ),
        ({"a": np.array([np.nan])}, {"a": "f v"}, "beyond"),
        ({"a": np.array([np.inf])}, {"a": "f v"}, "beyond"),
        ({"a": np.array([np.nan])}, {"a": "F v"}, "beyond"),
    ],
)
def test_arrays_that_do_not_fit_a_schema_are_refused(arrays, schema, said):
    with pytest.raises(ValueError, match=said):
        fitted(arrays, schema)


def test_a_schema_gives_the_lengths_of_its_axes():
    arrays = {
        "a": np.zeros((2, 3)),
        "b": np.array([np.inf, 0.0, 1.0]),
        "c": np.zeros((2,), np.uint8),
    }
    assert fitted(arrays, {"a": "f v columns", "b": "F columns", "c": "n 2"}) == {
        "v": 2,
        "columns": 3,
    }
    within("c", arrays["c"], 0, 1)
    with pytest.raises(ValueError, match=r"from 0\.0 to 0\.0, expected 1 to 2"):
        within("a", arrays["a"], 1, 2)
