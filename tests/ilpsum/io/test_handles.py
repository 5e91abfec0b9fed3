"""Open folders: nothing done in one follows a link, leaves it, or touches what others have."""

import os
import sys
from pathlib import Path

import pytest

from ilpsum.errors import UsageError
from ilpsum.io.atomic import Lock, write_atomically
from ilpsum.io.handles import Folder, part_name

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be opened there")
OTHER = 65534
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")


def test_what_is_done_happens_in_the_folder_that_was_opened(tmp_path: Path) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    mine.mkdir()
    theirs.mkdir()
    (theirs / "old").write_text("keep me")
    with Folder(mine) as folder:
        mine.rename(tmp_path / "moved")
        mine.symlink_to(theirs)
        with folder.write("new") as stream:
            stream.write(b"1")
        folder.create("newer").close()
        folder.make("inner")
        folder.remove("old")
    assert sorted(os.listdir(tmp_path / "moved")) == ["inner", "new", "newer"]
    assert os.listdir(theirs) == ["old"]


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "/etc/passwd"])
def test_only_names_of_entries_are_taken(tmp_path: Path, name: str) -> None:
    with Folder(tmp_path) as folder, pytest.raises(ValueError, match="the name of an entry"):
        folder.open(name, os.O_RDONLY)


def test_links_are_replaced_and_removed_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("keep me")
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir" / "file").write_text("keep me")
    for name, target in (("1", "precious"), ("2", "precious"), ("3", "dir"), ("4", "precious")):
        (tmp_path / name).symlink_to(tmp_path / target)
    with Folder(tmp_path) as folder:
        with folder.write("1") as stream:
            stream.write(b"new")
        with folder.create("2") as stream:
            stream.write(b"new")
        folder.remove("3")
        with pytest.raises(OSError, match="4"):
            folder.open("4", os.O_WRONLY)
        with pytest.raises(UsageError, match="expected here, got a link"):
            folder.folder("4")
    assert (tmp_path / "1").read_text() == (tmp_path / "2").read_text() == "new"
    assert not (tmp_path / "1").is_symlink()
    assert not os.path.lexists(tmp_path / "3")
    assert (tmp_path / "precious").read_text() == (tmp_path / "dir" / "file").read_text() == "keep me"


def test_a_second_name_of_a_file_keeps_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("keep me")
    (tmp_path / "out").hardlink_to(tmp_path / "precious")
    with write_atomically(tmp_path / "out") as stream:
        stream.write(b"new")
    (tmp_path / ".lock").hardlink_to(tmp_path / "precious")
    (tmp_path / "precious").write_text("123\n")
    with pytest.raises(UsageError, match="a lock file was expected here"):
        Lock(tmp_path / ".lock", "is testing")
    assert (tmp_path / "precious").read_text() == "123\n"


@pytest.mark.parametrize("kind", ["pipe", "folder", "link to a pipe", "link to a folder"])
def test_only_files_are_replaced(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "real"
    os.mkfifo(place) if kind.endswith("pipe") else place.mkdir()
    if kind.startswith("link"):
        (tmp_path / "link").symlink_to(place)
        place = tmp_path / "link"
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(UsageError, match="expected a file, got a"), write_atomically(place):
        pass
    assert sorted(os.listdir(tmp_path)) == before


def test_a_pipe_is_no_lock(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".lock")
    with pytest.raises(UsageError, match="a lock file was expected here, got a pipe"):
        Lock(tmp_path / ".lock", "is testing")


@as_root
def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".lock").write_text("123\n")
    (tmp_path / "part").mkdir()
    for name in (".lock", "part"):
        os.chown(tmp_path / name, OTHER, OTHER)
    with pytest.raises(UsageError, match="belongs to another user"):
        Lock(tmp_path / ".lock", "is testing")
    assert (tmp_path / ".lock").read_text() == "123\n"
    with Folder(tmp_path) as folder, pytest.raises(UsageError, match="belongs to another user"):
        folder.folder("part")


@as_root
def test_a_file_system_that_gives_all_files_one_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "part").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: OTHER)
    with Folder(tmp_path) as folder:
        folder.folder("part").close()
        assert folder.names() == ["part"]


@as_root
@pytest.mark.parametrize("place", ["link", "link/runs", "link/../runs", "to-link/runs", "dir/link"])
def test_links_of_others_are_not_followed(tmp_path: Path, place: str) -> None:
    (tmp_path / "dir").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "dir")
    (tmp_path / "to-link").symlink_to("link")
    (tmp_path / "dir" / "link").symlink_to("../dir")
    with Folder(tmp_path / place, create=True):
        pass
    for link in (tmp_path / "link", tmp_path / "dir" / "link"):
        os.chown(link, OTHER, OTHER, follow_symlinks=False)
    with pytest.raises(UsageError, match="is a link that another user made"):
        Folder(tmp_path / place, create=True)


def test_links_that_go_round_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="a"):
        Folder(tmp_path / "a" / "c", create=True)


def test_temporary_files_of_killed_processes_go_and_those_of_living_ones_stay(tmp_path: Path) -> None:
    left, other = tmp_path / part_name("out"), tmp_path / part_name("another")
    left.write_text("half")
    other.write_text("half")
    with write_atomically(tmp_path / "out") as stream:
        (own,) = set(os.listdir(tmp_path)) - {other.name}
        with write_atomically(tmp_path / "out") as second:
            second.write(b"2")
            assert own in os.listdir(tmp_path)
        stream.write(b"1")
    assert sorted(os.listdir(tmp_path)) == sorted([other.name, "out"])
    assert (tmp_path / "out").read_text() == "1"


def test_a_long_name_has_a_temporary_file_too(tmp_path: Path) -> None:
    name = "ü" * 125
    with write_atomically(tmp_path / name) as stream:
        stream.write(b"1")
    assert os.listdir(tmp_path) == [name]
