"""What may not be written over: pipes, devices, folders, and files that are not ours."""

import os
import shlex
import sys

import pytest

from ilpsum.cli import main
from tests.systems import placed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pipes in folders there")


@pytest.mark.parametrize("kind", ["pipe", "folder", "link to a pipe"])
@pytest.mark.parametrize("verb", ["train", "embed", "link", "report"])
def test_only_a_file_is_replaced(tmp_path, capsys, tac_topic, verb, kind):
    topic = tac_topic()  # type: ignore[operator]
    (tmp_path / "text").write_text("newts sing\n")
    place = out = tmp_path / "out.npz"
    if kind.startswith("link"):
        place = tmp_path / "pipe"
        out.symlink_to(place)
    place.mkdir() if kind == "folder" else os.mkfifo(place)
    before = sorted(os.listdir(tmp_path))
    calls = {
        "train": ["train", topic, "--system", "ilp-sum-2-tuned", "--force"],
        "embed": ["embed", tmp_path / "text", "--force"],
        "link": ["link", topic, "--query", "bm25", "--force", "--quiet"],
        "report": ["report", topic],
    }
    assert main([*map(str, calls[verb]), "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert str(out) in error
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("verb", ["sweep", "summarize"])
def test_a_file_is_no_folder_of_results(tmp_path, capsys, tac_topic, verb):
    topic = tac_topic()  # type: ignore[operator]
    (tmp_path / "s.toml").write_text(placed('system = "LEAD"'))
    (tmp_path / "file").write_text("precious")
    calls = {
        "sweep": ["sweep", tmp_path / "s.toml", "--topics", topic],
        "summarize": ["summarize", topic],
    }
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        assert main([*map(str, calls[verb]), "--out", str(out)]) == 2
        error = capsys.readouterr().err.splitlines()
        assert error == [
            f"ilpsum: {tmp_path / 'file'} is a file, expected a folder; name another with --out"
        ]
    assert (tmp_path / "file").read_text() == "precious"


@pytest.mark.parametrize("call", [("summarize", "--out", "o"), ("evaluate", "gold"), ("compress",)])
def test_a_pipe_for_a_file_is_refused_with_advice(tmp_path, capsys, call):
    reading, writing = os.pipe()
    os.write(writing, b"Newts sing.\n")
    os.close(writing)
    try:
        assert main([call[0], f"/dev/fd/{reading}", *call[1:]]) == 2
    finally:
        os.close(reading)
    assert (
        "write its content to a file, or pass it on standard input (-)" in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    "call", [("check", "--as", "tac"), ("evaluate", "gold"), ("summarize", "--out", "o")]
)
def test_links_that_lead_to_each_other_are_no_input(tmp_path, capsys, call):
    (tmp_path / "SYSX1").symlink_to("SYSX1")
    assert main([call[0], str(tmp_path / "SYSX1"), *call[1:]]) in (1, 2)
    said = capsys.readouterr()
    assert "SYSX1" in said.out + said.err
    assert "a bug in ilpsum" not in said.err


def test_words_that_no_file_of_vectors_can_hold_are_refused(tmp_path, capsys):
    (tmp_path / "v.bin").write_bytes(b"1 2\na\nb " + bytes(8))
    (tmp_path / "text").write_text("newts sing\n")
    call = shlex.split(
        f"embed '{tmp_path}/text' --vectors '{tmp_path}/v.bin' --out '{tmp_path}/v.npz'"
    )
    assert main([*map(str, call), "--quiet"]) == 2
    assert (
        capsys.readouterr().err
        == "ilpsum: the word 'a\\nb' is empty or has a line break, which no .npz can hold; remove it\n"
    )
