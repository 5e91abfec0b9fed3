"""What may not be written over: pipes, devices, folders, and files that are not ours."""

import os
import sys
from pathlib import Path

import pytest

from ilpsum import resources
from ilpsum.cli import main
from ilpsum.errors import UsageError
from ilpsum.sweeps.journal import Journal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pipes in folders there")


@pytest.mark.parametrize("kind", ["pipe", "folder", "link to a pipe"])
@pytest.mark.parametrize("verb", ["train", "embed", "link", "report"])
def test_only_a_file_is_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tac_topic: object, verb: str, kind: str
) -> None:
    topic = tac_topic()  # type: ignore[operator]
    (tmp_path / "text").write_text("newts sing\n")
    place = out = tmp_path / "out.npz"
    if kind.startswith("link"):
        place = tmp_path / "pipe"
        out.symlink_to(place)
    place.mkdir() if kind == "folder" else os.mkfifo(place)
    before = sorted(os.listdir(tmp_path))
    calls = {
        "train": ["train", topic, "--system", "ilp-sum-2", "--force"],
        "embed": ["embed", tmp_path / "text", "--force"],
        "link": ["link", topic, "--query", "bm25", "--force", "--quiet"],
        "report": ["report", topic],
    }
    assert main([*map(str, calls[verb]), "--out", str(out)]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert str(out) in error
    assert sorted(os.listdir(tmp_path)) == before


def test_rows_are_not_appended_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text('{"a": 1}\nhalf a line')
    (tmp_path / "rows.jsonl").symlink_to("precious")
    with pytest.raises(UsageError, match=r"rows\.jsonl: a file of ilpsum was expected here, got a link"):
        Journal(tmp_path / "rows.jsonl", dict).append({"b": 2})
    assert (tmp_path / "precious").read_text() == '{"a": 1}\nhalf a line'


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("verb", ["sweep", "embed"])
def test_a_link_of_another_user_is_not_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "link").symlink_to("theirs")
    os.chown(tmp_path / "link", 65534, 65534, follow_symlinks=False)
    (tmp_path / "text").write_text("newts sing\n")
    (tmp_path / "s.toml").write_text('description = "one"\nsystem = "lead"\n')
    calls = {
        "sweep": ["sweep", tmp_path / "s.toml", "--topics", resources.demo(), "--out", tmp_path / "link"],
        "embed": ["embed", tmp_path / "text", "--out", tmp_path / "link" / "v.npz"],
    }
    assert main([*map(str, calls[verb]), "--quiet"]) == 2
    assert "link is a link that another user made" in capsys.readouterr().err
    assert os.listdir(tmp_path / "theirs") == []
