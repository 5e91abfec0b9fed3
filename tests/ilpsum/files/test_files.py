"""What is opened, and what is not."""

import os
from pathlib import Path

import pytest

from ilpsum.errors import InputError
from ilpsum.files.folders import walk
from ilpsum.files.reading import head, open_file, read_bytes


def test_a_name_with_a_nul_is_that_of_no_file():
    assert head(Path("newts\0")) == b""
    with pytest.raises(InputError, match="embedded null"):
        open_file("newts\0")


def test_a_pipe_or_a_device_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(
        InputError, match=r"expected a file, got a pipe, .*; write its content to a file"
    ):
        open_file(tmp_path / "pipe")
    with pytest.raises(InputError, match="expected a file, got a device"):
        read_bytes("/dev/zero")
    with pytest.raises(InputError, match=r"expected a file, got a folder$"):
        read_bytes(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        open_file("a\0b")
    (tmp_path / "file").touch()
    for missing in ("none", "file/none"):
        with pytest.raises(InputError, match=r"none: no such file or folder; check the path$"):
            read_bytes(tmp_path / missing)


def test_only_so_much_is_read(tmp_path):
    (tmp_path / "long").write_bytes(bytes(3000))
    with pytest.raises(InputError, match="expected a text of a topic, got more than 2 kB"):
        read_bytes(tmp_path / "long", 2048)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="a system without /proc")
def test_folders_of_the_system_are_not_walked(tmp_path):
    with pytest.raises(InputError, match="/proc: a folder of the system; expected a folder of"):
        list(walk(Path("/proc")))
    (tmp_path / "link").symlink_to("/proc/self")
    (tmp_path / "proc").mkdir()
    walked = [folder.name for folder, _, _ in walk(tmp_path)]
    assert walked == [tmp_path.name, "proc"]
