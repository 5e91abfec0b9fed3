"""Remembered digests."""

import hashlib
import os

import pytest

from ilpsum.errors import InputError
from ilpsum.files import digests
from ilpsum.files.digests import Digests


@pytest.fixture
def read(monkeypatch):
    """An entry for each time that a file is read."""
    names = []
    real = hashlib.file_digest

    def digest(stream, name):
        names.append(name)
        return real(stream, name)

    monkeypatch.setattr(hashlib, "file_digest", digest)
    monkeypatch.setattr(digests, "_FRESH", -1)
    return names


def sha(data):
    return hashlib.sha256(data).hexdigest()


def test_an_unchanged_file_is_read_once(tmp_path, read):
    path, known = tmp_path / "file", tmp_path / "digests.json"
    path.write_bytes(b"one")
    for _ in range(3):
        files = Digests(known)
        assert files(path) == files(path) == sha(b"one")
        files.save()
    assert len(read) == 1


def test_a_changed_file_is_read_again(tmp_path, read):
    path, files = tmp_path / "file", Digests(tmp_path / "digests.json")
    for data in (b"one", b"two", b"three"):
        path.write_bytes(data)
        # The same modification time; the change time gives it away.
        os.utime(path, ns=(10**18 + 1, 10**18 + 1))
        assert files(path) == sha(data)
    os.replace(path, tmp_path / "moved")
    path.write_bytes(b"other")
    assert files(path) == sha(b"other")
    assert len(read) == 4


def test_a_file_that_has_just_changed_is_not_trusted(tmp_path, read, monkeypatch):
    monkeypatch.setattr(digests, "_FRESH", 10**15)
    path, files = tmp_path / "file", Digests(tmp_path / "digests.json")
    path.write_bytes(b"one")
    assert files(path) == files(path) == sha(b"one")
    assert len(read) == 2


def test_a_damaged_memory_is_an_empty_one(tmp_path, read):
    path, known = tmp_path / "file", tmp_path / "digests.json"
    path.write_bytes(b"one")
    damaged = [
        "",
        "{",
        "[]",
        "null",
        '{"format": 1}',
        '{"format": 1, "files": {"a": [1]}}',
        '{"format": 9, "files": {}}',
    ]
    for text in damaged:
        known.write_text(text)
        files = Digests(known)
        assert files(path) == sha(b"one")
    files.save()
    Digests(known)(path)
    assert len(read) == 7


def test_what_is_gone_is_forgotten_and_an_unwritable_folder_is_no_error(tmp_path, monkeypatch):
    monkeypatch.setattr(digests, "_FRESH", -1)
    path, known = tmp_path / "file", tmp_path / "digests.json"
    path.write_bytes(b"one")
    files = Digests(known)
    files(path)
    path.unlink()
    files.save()
    assert str(path) not in known.read_text()
    (tmp_path / "other").write_bytes(b"two")
    files = Digests(tmp_path / "none" / "digests.json")
    files(tmp_path / "other")
    files.save()
    with pytest.raises(InputError, match="no such file or folder; check the path"):
        files(path)
