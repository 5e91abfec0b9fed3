"""Atomic writes and lock files."""

import os
import stat
import sys

import pytest

from ilpsum.errors import UsageError
from ilpsum.io.atomic import Lock, write_atomically


def test_a_file_appears_complete_or_not_at_all(tmp_path):
    path = tmp_path / "file"
    with write_atomically(path) as stream:
        stream.write(b"one")
        assert not path.exists()

    def fail():
        with write_atomically(path) as stream:
            stream.write(b"two")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask


def test_an_unwritable_folder_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError), write_atomically(tmp_path / "none" / "file"):
        pass


def test_a_lock_has_one_holder(tmp_path):
    path = tmp_path / ".lock"
    with Lock(path, "is testing") as lock:
        assert path.read_text() == f"{os.getpid()}\n"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with pytest.raises(UsageError, match=r"another process \(its id is in \.lock\) is testing; wait"):
            Lock(path, "is testing")
        lock.release()
        Lock(path, "is testing").release()
    assert not path.exists()


def test_the_lock_of_a_dead_process_is_taken_over(tmp_path):
    path = tmp_path / ".lock"
    path.write_text("123456\n")
    with Lock(path, "is testing"):
        assert path.read_text() == f"{os.getpid()}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need privileges there")
@pytest.mark.parametrize("target", ["precious", "nothing"])
def test_a_lock_follows_no_link(tmp_path, target):
    (tmp_path / "precious").write_text("keep me")
    (tmp_path / ".lock").symlink_to(tmp_path / target)
    with pytest.raises(UsageError, match="a lock file was expected here"):
        Lock(tmp_path / ".lock", "is testing")
    assert (tmp_path / "precious").read_text() == "keep me"
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("text", ["keep me", "12 34\n", "123456789012345678"])
def test_a_lock_leaves_other_files_alone(tmp_path, text):
    (tmp_path / ".lock").write_text(text)
    with pytest.raises(UsageError, match="a lock file was expected here"):
        Lock(tmp_path / ".lock", "is testing")
    assert (tmp_path / ".lock").read_text() == text
