"""Runs of Task 2: written completely or not at all, never over another run, every error found."""

import gzip
import io
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ilpsum.cli import main
from ilpsum.errors import IlpsumError, InputError, UsageError
from ilpsum.records import (
    BrokenTopic,
    ObjectiveSettings,
    RunSettings,
    Sentence,
    Summary,
    SystemSettings,
)
from ilpsum.runs.provenance import read_provenance
from ilpsum.runs.writer import RunWriter
from ilpsum.tasks.jsonl import JsonlWriter
from ilpsum.tasks.registry import CHECKED, FORMATS, READ, WRITTEN
from ilpsum.tasks.submissions import FormatWriter
from ilpsum.tasks.task2 import TacWriter

Damage = Callable[[Path], object]

check = FORMATS["tac"].check


SETTINGS = RunSettings(system=SystemSettings("test"), objective=ObjectiveSettings(0.8))


def summary(
    topic: str, text: str = "Reeds hum in the wind.\nThey can be counted.", **more: object
) -> Summary:
    candidates = (
        Sentence(
            "Reeds hum in the wind.", "R.txt", 10, 32, 5, "abstract", 0.25, "first of the abstract"
        ),
        Sentence("Nobody knew.", "R.txt", 40, 52, 2),
        Sentence("They can be counted.", "R.txt", 60, 80, 4, relevance=0.5, holds_answer=0.25),
    )
    complete = Summary(
        topic,
        (candidates[0], candidates[2]),
        text,
        candidates,
        (0, 2),
        "test",
        1.5,
        1.5,
        0.0,
        settings=SETTINGS,
        seconds={"build": 0.1},
    )
    return replace(complete, **more)  # type: ignore[arg-type]


def written(out: Path, *topics: str, name: str = "SYSX1", **options: bool) -> Path:
    with RunWriter(out, TacWriter(name), **options) as run:
        for topic in topics or ("D1", "D2"):
            run.write(summary(topic))
    return out / name


# --- writing
# ----------------------------------------------------------------------------------------------------------


def test_a_run_is_a_directory_its_archive_and_its_provenance(tmp_path):
    run = written(tmp_path / "new" / "out")
    assert sorted(path.name for path in run.parent.iterdir()) == [
        "SYSX1",
        "SYSX1.provenance.jsonl",
        "SYSX1.tar.gz",
    ]
    assert {path.name: path.read_text() for path in run.iterdir()} == dict.fromkeys(
        ("D1", "D2"), "Reeds hum in the wind.\nThey can be counted.\n"
    )
    with tarfile.open(f"{run}.tar.gz") as tar:
        assert tar.getnames() == ["SYSX1", "SYSX1/D1", "SYSX1/D2"]
        assert {(m.mtime, m.uid, m.gid, m.uname, m.gname) for m in tar.getmembers()} == {
            (0, 0, 0, "", "")
        }
    # The header of gzip: no name, no time.
    assert (run.parent / "SYSX1.tar.gz").read_bytes()[3:8] == bytes(5)


def test_runs_3_to_5_of_task_2_are_doubtful(tmp_path):
    for number in range(1, 6):
        findings = check(written(tmp_path, name=f"SYSX{number}"))
        expected = [] if number < 3 else [(f"run number {number}", True)]
        assert [(f.message.partition(":")[0], f.warning) for f in findings] == expected


def test_the_same_run_is_the_same_bytes_whatever_the_order(tmp_path):
    one = written(tmp_path / "a", "D1", "D2", "D3")
    two = written(tmp_path / "b", "D3", "D1", "D2")
    os.utime(two / "D1", (1, 1))
    assert Path(f"{one}.tar.gz").read_bytes() == Path(f"{two}.tar.gz").read_bytes()


def test_nothing_appears_before_the_run_is_complete(tmp_path):
    with RunWriter(tmp_path, TacWriter("SYSX1")) as run:
        run.write(summary("D1"))
        assert not [path for path in tmp_path.iterdir() if not path.name.startswith(".")]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "SYSX1",
        "SYSX1.provenance.jsonl",
        "SYSX1.tar.gz",
    ]


def test_a_topic_that_failed_has_an_empty_file(tmp_path):
    with RunWriter(tmp_path, TacWriter("SYSX1")) as run:
        run.write(summary("D1"))
        run.fail("D2", InputError("no paper", "D2/x", 3))
        run.fail("D1", "a second topic with this id")
        run.fail("../D3", "cannot name a file")
    assert (tmp_path / "SYSX1" / "D2").read_bytes() == b""
    # A summary stays although another topic of that id failed.
    assert (tmp_path / "SYSX1" / "D1").stat().st_size > 0
    assert sorted(path.name for path in (tmp_path / "SYSX1").iterdir()) == ["D1", "D2"]
    entries = read_provenance(tmp_path / "SYSX1.provenance.jsonl")
    failures = [entry for entry in entries if isinstance(entry, BrokenTopic)]
    assert [(f.id, str(f.error)) for f in failures] == [
        ("D2", "D2/x:3: no paper"), ("D1", "a second topic with this id"), ("../D3", "cannot name a file")
    ]  # fmt: skip


@pytest.mark.parametrize("topic", ["../D1", "a/b", "", ".", ".hidden", "a\nb", " x", "a" * 300])
def test_a_topic_id_that_cannot_name_a_file(topic, tmp_path):
    with RunWriter(tmp_path / "out", TacWriter("SYSX1")) as run:
        with pytest.raises(InputError, match="it cannot name a file"):
            run.write(summary(topic))
        run.write(summary("D1"))
    assert [path.name for path in (tmp_path / "out" / "SYSX1").iterdir()] == ["D1"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


@pytest.mark.parametrize(
    "name", ["SYSX", "SYSX0", "SYSX6", "1", "../X1", "X/1", "SYS X1", "-X1", "X\u00e41", ".X1"]
)
def test_names_that_a_run_cannot_have(name, tmp_path):
    with pytest.raises(UsageError, match="is not the name of a run"):
        RunWriter(tmp_path, TacWriter(name))


def test_a_run_is_not_overwritten_by_accident(tmp_path):
    run = written(tmp_path)
    with pytest.raises(
        UsageError,
        match=r"SYSX1 exists already; choose another name \(--run\), .*--resume.*--force",
    ):
        RunWriter(tmp_path, TacWriter("SYSX1"))
    written(tmp_path, name="SYSX2")
    with RunWriter(tmp_path, TacWriter("SYSX1"), force=True) as new:
        new.write(summary("D9"))
        assert (run / "D1").exists()
    assert [path.name for path in run.iterdir()] == ["D9"]
    assert check(run) == []
    with pytest.raises(
        UsageError,
        match=r"SYSX1 is of a run SYSX1 in another format; move it away, .* \(--run\)",
    ):
        RunWriter(tmp_path, JsonlWriter("SYSX1"), force=True)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
    # Any part of a run counts as one.
    shutil.rmtree(run)
    with pytest.raises(UsageError, match=r"SYSX1\.tar\.gz exists already"):
        RunWriter(tmp_path, TacWriter("SYSX1"))


def test_an_interrupted_run_is_resumed(tmp_path):
    def interrupted() -> None:
        with RunWriter(tmp_path, TacWriter("SYSX1")) as run:
            run.write(summary("D1"))
            run.fail("D2", "interrupted")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with pytest.raises(UsageError, match="holds an unfinished run SYSX1"):
        RunWriter(tmp_path, TacWriter("SYSX1"))
    with RunWriter(tmp_path, TacWriter("SYSX1"), resume=True) as run:
        assert ("D1" in run.finished, "D2" in run.finished) == (True, False)
        run.write(summary("D2"))
    assert check(tmp_path / "SYSX1") == []
    assert [entry.topic for entry in read_provenance(tmp_path / "SYSX1.provenance.jsonl")] == [
        "D1",
        "D2",
    ]
    # The same as without the interruption.
    whole = written(tmp_path / "whole")
    assert (tmp_path / "SYSX1.tar.gz").read_bytes() == Path(f"{whole}.tar.gz").read_bytes()


def test_damaged_files_of_a_resumed_run_are_made_again(tmp_path):
    run = written(tmp_path, "D1", "D2", "D3")
    (run / "D2").write_text("something else")
    (run / "D9").write_text("of another run")
    (run / "sub").mkdir()
    provenance = tmp_path / "SYSX1.provenance.jsonl"
    provenance.write_bytes(provenance.read_bytes()[:-50])
    with RunWriter(tmp_path, TacWriter("SYSX1"), resume=True) as again:
        # The files are made again from the provenance. Its last line is what a killed process
        # leaves, and no damage.
        assert [topic in again.finished for topic in ("D1", "D2", "D3", "D9")] == [
            True,
            True,
            False,
            False,
        ]
        again.write(summary("D3"))
    assert sorted(path.name for path in run.iterdir()) == ["D1", "D2", "D3"]
    assert (run / "D2").read_text() == (run / "D1").read_text()
    assert check(run) == []


def test_a_run_without_provenance_is_not_resumed(tmp_path):
    run = written(tmp_path)
    (tmp_path / "SYSX1.provenance.jsonl").unlink()
    before = {path: path.read_bytes() for path in run.iterdir()}
    with pytest.raises(UsageError, match=r"SYSX1 has no provenance beside it.*--force"):
        RunWriter(tmp_path, TacWriter("SYSX1"), resume=True)
    assert {path: path.read_bytes() for path in run.iterdir()} == before


def test_a_run_interrupted_while_it_is_moved_is_resumed(tmp_path, monkeypatch):
    written(tmp_path, "D1")
    real = Path.replace

    def replacing(self: Path, target: Path) -> Path:
        if self.name == "SYSX1.tar.gz":
            raise OSError(28, "No space left on device", str(target))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replacing)
    with pytest.raises(IlpsumError, match=r"SYSX1.tar.gz: cannot be written \(No space left"):
        written(tmp_path, "D2", "D3", force=True)
    monkeypatch.undo()
    with RunWriter(tmp_path, TacWriter("SYSX1"), resume=True) as run:
        assert "D2" in run.finished
        assert "D3" in run.finished
    assert sorted(path.name for path in (tmp_path / "SYSX1").iterdir()) == ["D2", "D3"]
    assert check(tmp_path / "SYSX1") == []


def test_a_run_without_topics_leaves_nothing(tmp_path):
    with pytest.raises(InputError), RunWriter(tmp_path, TacWriter("SYSX1")):
        raise InputError("no topics")
    assert list(tmp_path.iterdir()) == []


_HOLD = """
import sys
from ilpsum.records import Summary
from ilpsum.tasks.task2 import TacWriter
from ilpsum.runs.writer import RunWriter
run = RunWriter(sys.argv[1], TacWriter("SYSX1"))
run.write(Summary("D1", (), "text"))
print("held", flush=True)
sys.stdin.read()
"""


def test_two_processes_cannot_write_one_run_and_a_dead_one_does_not_lock_it(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        assert process.stdout.readline() == "held\n"
        for options in ({}, {"force": True}, {"resume": True}):
            with pytest.raises(UsageError, match="another process is writing this run"):
                RunWriter(tmp_path, TacWriter("SYSX1"), **options)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdin.close()
        process.stdout.close()
    # The lock file still exists but locks nothing.
    assert (tmp_path / ".SYSX1.lock").exists()
    with RunWriter(tmp_path, TacWriter("SYSX1"), resume=True) as run:
        assert "D1" in run.finished
    assert not (tmp_path / ".SYSX1.lock").exists()


# --- provenance
# -------------------------------------------------------------------------------------------------------


def test_provenance_has_everything_that_a_proof_needs(tmp_path):
    given = summary("D1", objective=float("nan"), gap=np.float64(0.5))
    with RunWriter(tmp_path, TacWriter("SYSX1")) as run:
        run.write(given)
    (line,) = (tmp_path / "SYSX1.provenance.jsonl").read_text().splitlines()
    fields = json.loads(line, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert fields["objective"] is None
    assert (fields["version"], fields["gap"], fields["settings"]["objective"]["lambda_"]) == (
        4,
        0.5,
        0.8,
    )
    assert [c["chosen"] for c in fields["candidates"]] == [True, False, True]
    assert fields["candidates"][0] == {
        "document": "R.txt", "start": 10, "end": 32, "words": 5, "relevance": 0.25, "text": "Reeds hum in the wind.",
        "section": "abstract", "why": "first of the abstract", "chosen": True,
    }  # fmt: skip
    assert {"ilpsum", "python", "highspy", "pulp"} <= fields["versions"].keys()


def test_provenance_is_read_back(tmp_path):
    given = summary("D1")
    written(tmp_path, "D1")
    (read,) = read_provenance(tmp_path / "SYSX1.provenance.jsonl")
    assert isinstance(read, Summary)
    assert read.versions["ilpsum"]
    assert replace(read, versions={}) == given
    (tmp_path / "x.jsonl").write_text('{"topic": "D1"}\n')
    with pytest.raises(InputError, match=r"x.jsonl:1: expected a JSON object of provenance"):
        list(read_provenance(tmp_path / "x.jsonl"))


@pytest.mark.parametrize(
    ("version", "remedy"), [(2, "write the run again"), (99, "update ilpsum"), ("x", "update")]
)
def test_provenance_of_another_version_is_one_clear_line(tmp_path, version, remedy):
    (tmp_path / "x.jsonl").write_text(json.dumps({"version": version, "topic": "D1"}) + "\n")
    with pytest.raises(
        InputError, match=f"x.jsonl:1: .*provenance of version {version}, expected 4; {remedy}"
    ):
        list(read_provenance(tmp_path / "x.jsonl"))


def test_null_is_read_as_nan(tmp_path):
    with RunWriter(tmp_path, TacWriter("SYSX1")) as run:
        run.write(summary("D1", bound=float("inf")))
    (read,) = read_provenance(tmp_path / "SYSX1.provenance.jsonl")
    assert isinstance(read, Summary)
    assert math.isnan(read.bound)


# --- checking
# ---------------------------------------------------------------------------------------------------------


def repacked(change: Callable[[tarfile.TarFile], object], mode: str = "w:gz") -> Damage:
    """Damage that packs the run again with another member."""

    def damage(run: Path) -> None:
        with tarfile.open(f"{run}.tar.gz", mode) as tar:  # type: ignore[call-overload]
            for topic in ("D1", "D2"):
                tar.add(run / topic, f"SYSX1/{topic}")
            change(tar)

    return damage


def member(
    name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE
) -> Callable[[tarfile.TarFile], object]:
    def put(tar: tarfile.TarFile) -> None:
        info = tarfile.TarInfo(name)
        info.type, info.size, info.linkname = kind, len(data), "SYSX1/D1"
        tar.addfile(info, io.BytesIO(data))

    return put


def packed_again(damage: Damage) -> Damage:
    """Damage that the directory and its archive share, so that nothing else is found."""

    def both(run: Path) -> None:
        damage(run)
        with tarfile.open(f"{run}.tar.gz", "w:gz") as tar:
            tar.add(run, run.name)

    return both


ERRORS: dict[str, tuple[Damage, str, str]] = {
    "a topic missing": (packed_again(lambda r: (r / "D2").unlink()), "/D2", "is missing; every topic needs a file"),
    "a topic too many": (packed_again(lambda r: (r / "D7").write_text("x")), "/D7", "is not a topic"),
    "an extension": (packed_again(lambda r: (r / "D2").rename(r / "D2.txt")), "/D2.txt",
                     "is not a topic"),
    "another case": (packed_again(lambda r: (r / "D2").rename(r / "d2")), "/d2", "is not a topic"),
    "a hidden file": (packed_again(lambda r: (r / ".DS_Store").write_text("x")), "/.DS_Store", "is not a topic"),
    "a directory in it": (lambda r: (r / "sub").mkdir(), "/sub", "is not a file"),
    "a link in it": (lambda r: (r / "D3").symlink_to("D1"), "/D3", "is not a file"),
    "a pipe in it": (lambda r: os.mkfifo(r / "D3"), "/D3", "is not a file"),
    "not UTF-8": (packed_again(lambda r: (r / "D1").write_bytes(b"a\nna\xefve\n")), "/D1", "is not UTF-8 (byte 4)"),
    "UTF-16": (packed_again(lambda r: (r / "D1").write_bytes("text".encode("utf-16"))), "/D1", "is not UTF-8"),
    "byte order mark": (packed_again(lambda r: (r / "D1").write_text("\ufeffa")), "/D1", "byte order mark"),
    "NUL": (packed_again(lambda r: (r / "D1").write_text("a\n\0")), "/D1", "a NUL character"),
    "251 words": (packed_again(lambda r: (r / "D1").write_text("w " * 200 + "\n" + "w " * 51)), "/D1",
                  "has 251 words; at most 250"),
    "no archive": (lambda r: Path(f"{r}.tar.gz").unlink(), "SYSX1.tar.gz", "is missing"),
    "a broken archive": (lambda r: Path(f"{r}.tar.gz").write_bytes(gzip.compress(b"x" * 2000)), "SYSX1.tar.gz",
                                "not a tar archive"),
    "an archive that ends early": (lambda r: Path(f"{r}.tar.gz").write_bytes(Path(f"{r}.tar.gz").read_bytes()[:-30]),
                                   "SYSX1.tar.gz", "data are cut off"),
    "an archive without gzip": (repacked(lambda _: None, "w"), "SYSX1.tar.gz", "is not compressed with gzip"),
    "an archive of another text": (lambda r: (r / "D1").write_text("Changed.\n"), "SYSX1.tar.gz: SYSX1/D1", "differs"),
    "an archive with more": (repacked(member("SYSX1/D9", b"x")), ": SYSX1/D9", "is not in the directory"),
    "an archive with a topic twice": (repacked(lambda t: t.add(__file__, "SYSX1/D1")), ": SYSX1/D1", "differs"),
    "an archive with files elsewhere": (repacked(member("D3", b"x")), ": D3", "is not in the directory"),
    "an archive with deeper files": (repacked(member("SYSX1/a/D3")), ": SYSX1/a/D3", "is not in the directory"),
    "an archive with absolute paths": (repacked(member("/SYSX1/D3")), ": /SYSX1/D3", "is not in the directory"),
    "an archive with a link": (repacked(member("SYSX1/D3", kind=tarfile.SYMTYPE)), ": SYSX1/D3", "is not a file"),
    "an archive with a folder": (repacked(member("SYSX1/sub", kind=tarfile.DIRTYPE)), ": SYSX1/sub", "is not a file"),
    "an archive that lacks a topic": (lambda r: (r / "D3").write_text("x\n"), ": SYSX1/D3", "is missing; pack"),
}  # fmt: skip


@pytest.fixture
def topics(tac_topic: Callable[..., Path]) -> Path:
    return tac_topic("D2", root=tac_topic("D1").parent).parent


@pytest.mark.parametrize("damage", ERRORS)
def test_every_error_is_found_with_its_place(damage, topics, tmp_path):
    inflict, place, message = ERRORS[damage]
    run = written(tmp_path / "out")
    assert check(run, topics=topics) == []
    inflict(run)
    findings = [finding for finding in check(run, topics=topics) if not finding.warning]
    assert [
        finding
        for finding in findings
        if finding.place.endswith(place) and message in finding.message
    ], findings
    assert all(str(finding).startswith(str(run.parent)) for finding in findings)


def test_warnings(tmp_path):
    run = written(tmp_path, name="SYSX2")
    (run / "D1").write_text("")
    (run / "D2").write_text("one\r\ntwo\r\n", newline="")
    with tarfile.open(f"{run}.tar.gz", "w:gz") as tar:
        tar.add(run, "SYSX2")
    assert [(finding.warning, str(finding).removeprefix(str(run))) for finding in check(run)] == [
        (True, "/D1: warning: is empty: the topic has no summary")
    ]


def test_runs_with_a_wrong_name_or_shape(tmp_path):
    for name in ("SYSX", "SYSX6", "summaries"):
        (tmp_path / name).mkdir()
        findings = check(tmp_path / name)
        assert "is not the name of a run" in findings[0].message
        assert [f.message for f in findings[1:2]] == ["is empty; expected one file a topic"]
    (tmp_path / "FILE1").write_text("x")
    assert [f.message for f in check(tmp_path / "FILE1")] == [
        "is not a directory; expected a directory with one file a topic"
    ]
    with tarfile.open(tmp_path / "SYSX1.tar.gz", "w:gz") as tar:
        tar.add(tmp_path / "SYSX", "SYSX1")
    assert [f.message for f in check(tmp_path / "SYSX1.tar.gz")] == [
        "is an archive; name the run's directory, whose archive is checked with it"
    ]
    with pytest.raises(InputError, match="NONE1: no such run"):
        check(tmp_path / "NONE1")
    with pytest.raises(UsageError, match="--pmids"):
        check(tmp_path / "FILE1", pmids=tmp_path / "x")


def test_without_topics_an_extension_is_an_error(tmp_path):
    run = written(tmp_path, "D1", "D2.txt")
    assert [str(f).removeprefix(str(run)) for f in check(run)] == [
        "/D2.txt: is not a topic; expected files named exactly as topics, without extension"
    ]


def test_without_topics_names_unlike_those_of_the_task_are_told(tmp_path):
    run = written(tmp_path, "D1", "C90-2039_TRAIN", "5118dd1305c10fae75000001")
    (finding,) = check(run)
    assert finding.warning
    assert finding.message.startswith("1 file not named as topics of TAC are (D1401_TRAIN): 5118dd")


def test_the_verb_check(topics, tmp_path, capsys):
    run = written(tmp_path / "out")
    assert main(["check", str(run), "--as", "tac", "--topics", str(topics)]) == 0
    assert capsys.readouterr() == ("", f"ilpsum: {run} is valid as tac\n")
    assert main(["check", str(run), "--as", "tac"]) == 0
    verdict = f"ilpsum: {run} is valid as tac; not checked: its topics (--topics)\n"
    assert capsys.readouterr() == ("", verdict)
    (run / "D2").write_text("")
    assert main(["check", str(run), "--as", "tac"]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        f"{run}/D2: warning: is empty: the topic has no summary",
        f"{run.parent}/SYSX1.tar.gz: SYSX1/D2: differs from the directory, or is in it twice; pack it again",
    ]
    assert err.endswith("has 1 error as tac\n")
    assert main(["check", str(tmp_path / "nothing"), "--as", "tac"]) == 2


def test_places_are_named_as_typed(tmp_path, monkeypatch, capsys):
    run = written(tmp_path)
    Path(f"{run}.tar.gz").unlink()
    monkeypatch.chdir(tmp_path)
    missing = "SYSX1.tar.gz: is missing; the directory is submitted as this archive"
    for typed, place in (("SYSX1", ""), (str(run), f"{tmp_path}/"), ("./SYSX1/", "")):
        assert main(["check", typed, "--as", "tac"]) == 1
        assert capsys.readouterr().out == f"{place}{missing}\n"
    # `.` has no name of its own.
    monkeypatch.chdir(run)
    assert main(["check", ".", "--as", "tac"]) == 1
    assert capsys.readouterr().out == f"{tmp_path}/{missing}\n"


def test_names_of_formats():
    assert READ == ("tac", "scisumm", "bioasq", "biogen", "jsonl", "references")
    assert CHECKED == ("tac", "bioasq", "biogen-2024", "biogen-2025", "task1")
    assert WRITTEN == ("tac", "bioasq", "biogen-2024", "biogen-2025", "jsonl")
    assert all(issubclass(FORMATS[name].writer, FormatWriter) for name in WRITTEN)
    assert FORMATS["tac"].writer is TacWriter
    assert all(FORMATS[name].cites == name.startswith("biogen-") for name in FORMATS)
