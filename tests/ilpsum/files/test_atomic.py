"""Atomic writes, lock files, and folders in which no link is followed."""

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from ilpsum.errors import UsageError
from ilpsum.files.atomic import locked, write_atomically, write_errors


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


def test_an_error_names_the_file_that_was_asked_for(tmp_path):
    with (
        pytest.raises(OSError, match="nowhere") as refused,
        write_atomically(tmp_path / "nowhere" / "file"),
    ):
        pass
    assert refused.value.filename == str(tmp_path / "nowhere" / "file")
    with (
        pytest.raises(OSError, match="No space left") as full,
        write_atomically(tmp_path / "file"),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert full.value.filename == str(tmp_path / "file")


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="a system without /proc")
def test_where_nothing_can_be_written_another_place_is_asked_for():
    place = Path("/proc/newts")
    message = "/proc/newts: cannot be written .*; name another place"
    with pytest.raises(UsageError, match=message), write_errors(place):
        place.mkdir(parents=True)


def test_a_lock_has_one_holder(tmp_path):
    path = tmp_path / ".lock"
    with locked(path, "is testing"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with (
            pytest.raises(UsageError, match="another process is testing; wait"),
            locked(path, "is testing"),
        ):
            pass
    assert not path.exists()
    with locked(path, "is testing"):
        assert path.exists()


def test_the_lock_of_a_dead_process_is_taken_over(tmp_path):
    path = tmp_path / ".lock"
    path.touch()
    with locked(path, "is testing"), pytest.raises(UsageError), locked(path, "is testing"):
        pass
    assert not path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need privileges there")
@pytest.mark.parametrize("target", ["precious", "nothing"])
def test_a_lock_follows_no_link(tmp_path, target):
    (tmp_path / "precious").write_text("keep me")
    (tmp_path / ".lock").symlink_to(tmp_path / target)
    with pytest.raises(OSError, match="symbolic link"), locked(tmp_path / ".lock", "is testing"):
        pass
    assert (tmp_path / "precious").read_text() == "keep me"
    assert not (tmp_path / "nothing").exists()


def test_a_link_is_replaced_not_followed(tmp_path):
    (tmp_path / "precious").write_text("keep me")
    (tmp_path / "out").symlink_to("precious")
    with write_atomically(tmp_path / "out") as stream:
        stream.write(b"new")
    assert not (tmp_path / "out").is_symlink()
    assert ((tmp_path / "out").read_text(), (tmp_path / "precious").read_text()) == (
        "new",
        "keep me",
    )


def test_a_second_name_of_a_file_keeps_what_it_has(tmp_path):
    (tmp_path / "precious").write_text("keep me")
    (tmp_path / "out").hardlink_to(tmp_path / "precious")
    with write_atomically(tmp_path / "out") as stream:
        stream.write(b"new")
    (tmp_path / ".lock").hardlink_to(tmp_path / "precious")
    (tmp_path / "precious").write_text("123\n")
    with locked(tmp_path / ".lock", "is testing"):
        pass
    assert (tmp_path / "precious").read_text() == "123\n"


@pytest.mark.parametrize("kind", ["pipe", "folder", "link to a pipe", "link to a folder"])
def test_only_files_are_replaced(tmp_path, kind):
    place = tmp_path / "real"
    os.mkfifo(place) if kind.endswith("pipe") else place.mkdir()
    if kind.startswith("link"):
        (tmp_path / "link").symlink_to(place)
        place = tmp_path / "link"
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(UsageError, match="expected a file, got a"), write_atomically(place):
        pass
    assert sorted(os.listdir(tmp_path)) == before


def test_two_writers_of_a_file_have_temporary_files_of_their_own(tmp_path):
    with write_atomically(tmp_path / "out") as stream:
        with write_atomically(tmp_path / "out") as second:
            second.write(b"2")
        stream.write(b"1")
    assert os.listdir(tmp_path) == ["out"]
    assert (tmp_path / "out").read_text() == "1"


def test_a_long_name_has_a_temporary_file_too(tmp_path):
    name = "ü" * 125
    with write_atomically(tmp_path / name) as stream:
        stream.write(b"1")
    assert os.listdir(tmp_path) == [name]
