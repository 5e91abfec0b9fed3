"""What is opened, and what is not."""

import os

import pytest

from ilpsum.errors import InputError
from ilpsum.files.reading import open_file, read_bytes


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
