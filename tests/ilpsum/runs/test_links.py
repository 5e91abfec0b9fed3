"""A run folder that is not ours is refused, and no link leads a run out of its folder."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ilpsum.errors import IlpsumError, UsageError
from ilpsum.records import Summary
from ilpsum.runs.writer import RunWriter
from ilpsum.tasks.jsonl import JsonlWriter
from ilpsum.tasks.submissions import FormatWriter
from ilpsum.tasks.task2 import TacWriter

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="symbolic links need privileges there"
)


def answer(topic: str) -> Summary:
    return Summary(topic, (), f"Newts of {topic}.")


def unfinished(out: Path, kind: type[FormatWriter] = TacWriter, **options: bool) -> Path:
    """Write one topic of two and stop; return the work folder."""

    run = RunWriter(out, kind("SYSX1"), **options)
    run.write(answer("D1"))
    run.abandon()
    return out / ".SYSX1.part"


def contents(folder: Path) -> dict[str, object]:
    """Every entry below a folder: what a link points to, what a file holds."""
    return {
        str(path.relative_to(folder)): path.readlink()
        if path.is_symlink()
        else path.is_file() and path.read_bytes()
        for path in sorted(folder.rglob("*"))
    }


def a_link_for_the_topics(part: Path, theirs: Path) -> None:
    (part / "SYSX1").symlink_to(theirs)


def a_link_for_a_topic(part: Path, theirs: Path) -> None:
    (part / "SYSX1").mkdir()
    (part / "SYSX1" / "D2").symlink_to(theirs / "D2")


def a_link_for_the_provenance(part: Path, theirs: Path) -> None:
    (part / "SYSX1.provenance.jsonl").rename(theirs / "lines")
    (part / "SYSX1.provenance.jsonl").symlink_to(theirs / "lines")


def a_link_for_the_folder(part: Path, theirs: Path) -> None:
    part.rename(theirs / "part")
    part.symlink_to(theirs / "part")


def a_pipe_for_a_topic(part: Path, theirs: Path) -> None:
    (part / "SYSX1").mkdir()
    os.mkfifo(part / "SYSX1" / "D2")


def a_file_for_the_folder(part: Path, theirs: Path) -> None:
    part.rename(theirs / "part")
    part.write_text("keep me")


HOSTILE = [a_link_for_the_folder, a_file_for_the_folder]
REPLACED = [
    a_link_for_a_topic,
    a_pipe_for_a_topic,
    a_link_for_the_topics,
    a_link_for_the_provenance,
]


@pytest.mark.parametrize("option", ["resume", "force"])
@pytest.mark.parametrize("change", HOSTILE, ids=lambda change: change.__name__)
def test_a_work_folder_that_is_not_ours_is_refused(tmp_path, change, option):
    out, theirs = tmp_path / "out", tmp_path / "theirs"
    theirs.mkdir()
    for name in ("D1", "D2", "precious"):
        (theirs / name).write_text("keep me")
    change(unfinished(out), theirs)
    before = contents(tmp_path)
    with pytest.raises(UsageError) as refused:
        RunWriter(out, TacWriter("SYSX1"), **{option: True})
    assert len(str(refused.value).splitlines()) == 1
    assert contents(tmp_path) == before


@pytest.mark.parametrize("option", ["resume", "force"])
@pytest.mark.parametrize("change", REPLACED, ids=lambda change: change.__name__)
def test_what_is_no_answer_of_an_unfinished_run_is_removed_and_never_written_to(
    tmp_path, change, option
):
    out, theirs = tmp_path / "out", tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "D2").write_text("keep me")
    change(unfinished(out), theirs)
    with RunWriter(out, TacWriter("SYSX1"), **{option: True}) as run:
        run.write(answer("D2"))
    assert (theirs / "D2").read_text() == "keep me"
    assert (out / "SYSX1" / "D2").read_text() == "Newts of D2.\n"
    assert not (out / "SYSX1" / "D2").is_symlink()


@pytest.mark.parametrize("option", ["resume", "force"])
def test_a_published_run_that_is_a_link_is_replaced_only_itself(tmp_path, option):
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    with RunWriter(out, TacWriter("SYSX1")) as run:
        run.write(answer("D1"))
    (out / "SYSX1").rename(elsewhere)
    (out / "SYSX1").symlink_to(elsewhere)
    with pytest.raises(UsageError, match="exists already"):
        RunWriter(out, TacWriter("SYSX1"))
    with RunWriter(out, TacWriter("SYSX1"), **{option: True}) as run:
        run.write(answer("D2"))
    assert not (out / "SYSX1").is_symlink()
    assert sorted(os.listdir(out / "SYSX1")) == (["D1", "D2"] if option == "resume" else ["D2"])
    assert os.listdir(elsewhere) == ["D1"]


def test_links_in_a_published_run_are_not_taken_over(tmp_path):
    with RunWriter(tmp_path, TacWriter("SYSX1")) as run:
        for topic in ("D1", "D2"):
            run.write(answer(topic))
    (tmp_path / "precious").write_text("keep me")
    (tmp_path / "SYSX1" / "D2").unlink()
    (tmp_path / "SYSX1" / "D2").symlink_to(tmp_path / "precious")
    with RunWriter(tmp_path, TacWriter("SYSX1"), resume=True) as run:
        run.write(answer("D3"))
    assert (tmp_path / "SYSX1" / "D2").read_text() == "Newts of D2.\n"
    assert not (tmp_path / "SYSX1" / "D2").is_symlink()
    assert (tmp_path / "precious").read_text() == "keep me"


def test_an_out_folder_behind_a_link_of_ours(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to("disk")
    with RunWriter(tmp_path / "link" / "runs", TacWriter("SYSX1")) as run:
        run.write(answer("D1"))
    assert (tmp_path / "disk" / "runs" / "SYSX1" / "D1").exists()
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("nothing")
    for out in (tmp_path / "link", tmp_path / "link" / "runs"):
        with pytest.raises(UsageError, match="link is a link to nothing, expected a folder"):
            RunWriter(out, TacWriter("SYSX1"))
    assert not (tmp_path / "nothing").exists()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="pipe is a file, expected a folder"):
        RunWriter(tmp_path / "pipe", TacWriter("SYSX1"))


def test_the_work_folder_is_private(tmp_path):
    part = unfinished(tmp_path)
    assert part.stat().st_mode & 0o777 == 0o700
    with RunWriter(tmp_path, TacWriter("SYSX1"), resume=True):
        assert (tmp_path / ".SYSX1.lock").stat().st_mode & 0o777 == 0o600
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "SYSX1").stat().st_mode & 0o777 == 0o777 & ~umask


class DiedError(BaseException):
    """Stands for the end of the process."""


def die_at(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Let every change of a folder from the one of this number on fail."""
    left = [number]

    def dying(real: Callable[..., object]) -> Callable[..., object]:
        def change(*arguments: object, **options: object) -> object:
            left[0] -= 1
            if left[0] < 0:
                raise DiedError
            return real(*arguments, **options)

        return change

    for name in ("mkdir", "rename", "replace", "write_bytes"):
        monkeypatch.setattr(Path, name, dying(getattr(Path, name)))
    for module, name in ((shutil, "rmtree"), (os, "replace")):
        monkeypatch.setattr(module, name, dying(getattr(module, name)))


def complete(out: Path, kind: type[FormatWriter]) -> None:
    with RunWriter(out, kind("SYSX1"), resume=True) as run:
        for topic in ("D2", "D3"):
            if topic not in run.finished:
                run.write(answer(topic))


def published(out: Path) -> dict[str, object]:
    return {name: data for name, data in contents(out).items() if "provenance" not in name}


@pytest.mark.parametrize("kind", [TacWriter, JsonlWriter])
@pytest.mark.parametrize("earlier", [(), ("D1",)], ids=["new", "extended"])
def test_a_run_that_dies_before_any_change_of_a_folder_is_resumed(
    tmp_path, monkeypatch, kind, earlier
):
    """D2 and D3 are written; D1 is in the published run and no longer in the input."""

    def begin(out: Path) -> Path:
        if earlier:
            with RunWriter(out, kind("SYSX1")) as run:
                for topic in earlier:
                    run.write(answer(topic))
        return out

    complete(begin(tmp_path / "whole"), kind)
    expected, number, died = published(tmp_path / "whole"), 0, True
    while died:
        out = begin(tmp_path / str(number))
        die_at(monkeypatch, number)
        try:
            complete(out, kind)
            died = False
        except DiedError:
            pass
        monkeypatch.undo()
        complete(out, kind)
        assert published(out) == expected, number
        number += 1
    assert number > 7  # folder, provenance, files, publication: each change was the last once


def test_an_unwritable_folder_of_a_run_is_one_line(tmp_path):
    out = tmp_path / "out"
    run = RunWriter(out, TacWriter("SYSX1"))
    run.write(answer("D1"))
    (out / "SYSX1.provenance.jsonl").mkdir()
    (out / ".SYSX1.part" / "SYSX1.provenance.jsonl").unlink()
    with pytest.raises(IlpsumError, match=r"provenance\.jsonl: no such file") as refused:
        run.close()
    assert len(str(refused.value).splitlines()) == 1
