"""Scripts that cannot have processes of their own, memory that is limited, and odd names of files:
each is one line, whatever the program.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ilpsum
from ilpsum.errors import ArgumentError
from ilpsum.records import BrokenTopic
from ilpsum.tasks import read_topics
from tests.fuzz import seeds

ROOT = Path(__file__).parents[3]
CALL = """
import sys, ilpsum

def write():
    ilpsum.write_run(sys.argv[1], "concepts", sys.argv[2], settings={"method": "lead"}, jobs=2)
"""
GUARD = 'put the calls of a script under `if __name__ == "__main__":`'
DAEMON = """
if __name__ == "__main__":
    import multiprocessing
    process = multiprocessing.get_context("fork").Process(target=write, daemon=True)
    process.start()
    process.join()
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no fork server there")


def told(arguments, script, folder):
    """What Python prints, or the last line of its error, given a script as a file or, for `-`, on standard input."""
    topics = seeds.tac(folder / "topics")
    command = [sys.executable, *arguments, str(topics), str(folder / "runs")]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(folder)}
    done = subprocess.run(
        command, input=script, env=environment, capture_output=True, text=True, cwd=folder
    )
    assert not list((folder / "runs").glob("*"))
    return done.stdout or done.stderr.splitlines()[-1]


def test_a_script_without_a_guard_is_told_of_it(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"{CALL}\nwrite()\n")
    assert GUARD in told([str(script)], "", tmp_path)


def test_a_script_on_standard_input_has_one_process(tmp_path):
    assert "jobs: processes cannot read the script again" in told(
        ["-"], f"{CALL}\nwrite()\n", tmp_path
    )


def test_a_daemonic_process_has_no_processes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(CALL + DAEMON)
    what = "jobs: a daemonic process has no processes of its own; use jobs=1"
    assert what in told([str(script)], "", tmp_path)


def test_a_worker_that_dies_of_a_guarded_script_is_no_script_without_a_guard(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "from ilpsum.files.processes import Processes\n"
        "from ilpsum.errors import IlpsumError\n"
        "if __name__ == '__main__':\n"
        "    import os\n"
        "    try:\n"
        "        list(Processes(2).map(os._exit, [1]))\n"
        "    except IlpsumError as error:\n"
        "        print(error)\n"
    )
    assert told([str(script)], "", tmp_path).startswith("a worker process died")


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")
def test_without_memory_there_is_one_line(tmp_path):
    topics = seeds.tac(tmp_path / "topics")
    (tmp_path / "text.txt").write_text("Newts sing in ponds.\n" * 9)
    verbs = (
        f"summarize {topics} --jobs 2 --system ilp-sum-1 --out runs",
        "embed text.txt --min-count 1 --out vectors.npz",
    )
    for verb in verbs:
        call = f"ulimit -v 150000; exec {sys.executable} -m ilpsum {verb}"
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            ["/bin/sh", "-c", call], env=environment, capture_output=True, text=True, cwd=tmp_path
        )
        assert done.returncode == 1, done
        assert done.stderr.count("\n") == 1, done.stderr
        assert "memory" in done.stderr.lower()
    assert not (tmp_path / "vectors.npz").exists()


LONG = "Newts sing in ponds. " * 400


@pytest.mark.parametrize(
    "call",
    [
        lambda: ilpsum.ask("Do newts sing?", LONG),
        lambda: ilpsum.ask("Do newts sing?", ["newts.txt", LONG]),
        lambda: ilpsum.summarize(Path(LONG)),
        lambda: ilpsum.topics_of(LONG),
        lambda: ilpsum.evaluate(LONG, []),
        lambda: ilpsum.Sources(documents=[LONG]),
    ],
)
def test_a_long_text_given_as_a_path_is_too_long(call):
    with pytest.raises(ArgumentError, match="too long for a path; to use a text, write it to a"):
        call()


def test_an_empty_path_is_not_the_working_folder():
    for call in (lambda: ilpsum.summarize(""), lambda: ilpsum.topics_of([""])):
        with pytest.raises(ArgumentError, match="expected a path, got ''"):
            call()


NAMES = [b"n\xe9wts", b"\xed\xa0\x80", "two\u00a0newts".encode(), "\u202enewts".encode(), b"a\nb"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_any_name_is_read_or_refused_in_one_line(tmp_path, capsys, name):
    from ilpsum.cli import main

    text = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name + b".txt")))
    text.write_text("Newts sing in ponds.")
    assert main(["ask", "Do newts sing?", str(text)]) == 0
    shown = capsys.readouterr().out
    assert "Newts sing in ponds. [1]" in shown
    assert shown.replace("\n", "").replace("\u00a0", " ").isprintable()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
@pytest.mark.parametrize("name", NAMES)
def test_a_topic_in_a_folder_of_any_name_is_read_or_one_line(tmp_path, name):
    topic = tmp_path / "topics" / os.fsdecode(name)
    shutil.copytree(seeds.given() / "D9001_DEMO", topic)
    (read,) = read_topics([topic])
    assert isinstance(read, BrokenTopic)
    assert "the Topic ID 'D9001_DEMO'" in str(read.error)
    assert str(read.error).isprintable()


def test_a_topic_whose_name_has_a_no_break_space_is_summarised(tmp_path):
    topic = seeds.tac(tmp_path, "two\u00a0newts")
    run = ilpsum.write_run(topic, "concepts", tmp_path / "runs", settings={"method": "lead"})
    assert not run.failed
    assert [file.name for file in (tmp_path / "runs" / "SYS1").iterdir()] == ["two\u00a0newts"]
