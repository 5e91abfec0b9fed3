"""The command line as a whole: quick to start, clear when it is used wrongly."""

import errno
import io
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ilpsum import resources
from ilpsum.cli import VERBS, main
from tests.json_lines import lines_of, read_lines

HEAVY = set("sklearn gensim nltk pulp highspy scipy matplotlib joblib numpy sacrebleu tqdm".split())


def test_help_imports_nothing_heavy():
    code = "import sys\nfrom ilpsum.cli import main\ntry:\n    main(['--help'])\nfinally:\n    print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    imported = set(done.stdout.splitlines()[-1].split())
    assert "ilpsum.cli" in imported
    assert not HEAVY & imported


LIGHT = """
import sys
from ilpsum.cli import main
pile, topics, folder = sys.argv[1:]
question = ["ask", "Do newts sing in ponds?"]
assert main([*question, pile]) == main([*question, "--documents", pile, "--index", f"{folder}/index"]) == 0
for system in ("concepts", "ilp-sum-2-tuned", "task2"):
    assert main(["summarize", topics, "--system", system, "--team", system, "--out", folder]) == 0
    assert main(["evaluate", f"{folder}/{system}1", topics, "--stem"]) == 0
print(*sys.modules)
"""


def test_questions_runs_and_scores_load_no_library_of_training_and_other_solvers(
    tmp_path, tac_topic
):
    pile = tmp_path / "pile.jsonl"
    abstract = "Newts sing in cold ponds at dusk. Toads hum."
    pile.write_text(lines_of([{"pmid": "1", "title": "Newts", "abstract": abstract}]))
    arguments = [str(path) for path in (pile, tac_topic().parent, tmp_path / "out")]
    command = [sys.executable, "-c", LIGHT, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    modules = done.stdout.splitlines()[-1].split()
    # `np.unique` without options imports it: 15 ms.
    assert "numpy.ma" not in modules
    # Only those who name a judge or a service pay for asking it.
    asking = {f"ilpsum.{name}" for name in ("learning.judging.asking", "literature.client")}
    assert not asking.intersection(modules)
    imported = {name.partition(".")[0] for name in modules}
    assert "numpy" in imported
    assert imported & HEAVY == {"numpy", "highspy"} & imported


@pytest.mark.parametrize("name", ["sklearn", "numpy"])
def test_a_library_that_was_left_out_is_named(monkeypatch, capsys, name):
    def run(_: list[str]) -> int:
        raise ModuleNotFoundError(f"No module named '{name}.svm'", name=f"{name}.svm")

    monkeypatch.setattr("ilpsum.cli._parsed", run)
    assert main([]) == 1
    package = {"sklearn": "scikit-learn"}.get(name, name)
    assert capsys.readouterr().err == f"ilpsum: {name} is not installed: pip install {package}\n"


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_a_verb_fits_a_terminal_and_has_an_example(verb, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as end:
        main([verb, "--help"])
    assert end.value.code == 0
    printed = capsys.readouterr().out
    assert f"usage: ilpsum {verb}" in printed
    lines = printed.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[-2] == "example:"
    assert lines[-1].startswith(f"  ilpsum {verb}")


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("sumarize x", "ilpsum: there is no verb 'sumarize' (did you mean summarize?); see `ilpsum --help`"),
        ("summarize --lamda 1", "no option --lamda (did you mean --lambda?); see `ilpsum summarize --help`"),
        ("summarize --threshold 1", "no option --threshold (did you mean --set selection.threshold=VALUE?)"),
        ("summarize --contact-email=x", "(did you mean --set run.contact_email=VALUE?)"),
        ("train x --threshold 1", "there is no option --threshold; see `ilpsum train --help`"),
        ("check x --as tac --zyx", "ilpsum check: there is no option --zyx; see `ilpsum check --help`"),
        ("systems x y", "there is no argument y; see `ilpsum systems --help`"),
        ("systems -x", "there is no option -x; see `ilpsum systems --help`"),
        ("fetch --quary x", "there is no option --quary (did you mean --query?); see `ilpsum fetch --help`"),
        ("evaluate --hlep", "there is no option --hlep (did you mean --help?); see `ilpsum evaluate --help`"),
    ],
)  # fmt: skip
def test_an_unknown_word_is_answered_with_the_nearest_known_one(capsys, call, told):
    with pytest.raises(SystemExit, match="2"):
        main(call.split())
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line


@pytest.mark.parametrize("call", ["no-such-verb", "summarize --words 0", "summarize --node-limit 0", ""])  # fmt: skip
def test_wrong_usage_is_status_2(capsys, call):
    with pytest.raises(SystemExit) as end:
        main(call.split())
    assert end.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_run_without_input_is_wrong_usage(capsys):
    assert main(["summarize", "--out", "nowhere"]) == 2
    assert "nothing to summarise" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full on this system")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_told_in_one_line(unbuffered):
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "ilpsum", "systems"]
        environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
        done = subprocess.run(
            command, env=environment, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr.startswith("ilpsum: standard output: No space left")
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("closed", "expected"),
    [(">&-", (1, "ilpsum: standard output: Bad file descriptor\n")), ("2>&-", (0, ""))],
)
def test_a_closed_stream_is_no_traceback(closed, expected):
    command = ["sh", "-c", f'"$0" -m ilpsum systems {closed}', sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == expected


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
        (MemoryError(), "out of memory; free memory, or give less at a time (fewer --jobs)"),
        (RuntimeError("can't start new thread"), "out of memory; free memory, or give less at a"),
    ],
)
def test_an_error_of_the_system_is_one_line(monkeypatch, capsys, error, said):
    def fail(_: object) -> int:
        raise error

    monkeypatch.setattr("ilpsum.cli.summarize.run", fail)
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert main(["summarize"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"ilpsum: {said}")


StatusOf = Callable[[Callable[[object], int]], int]


@pytest.fixture
def status_of(monkeypatch: pytest.MonkeyPatch) -> Iterator[StatusOf]:
    """A verb that does some work, given as a function, and the status of `ilpsum`; handlers of signals are restored."""

    def run(work: Callable[[object], int]) -> int:
        monkeypatch.setattr("ilpsum.cli.systems.run", work)
        return main(["systems"])

    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    yield run
    for each, handler in before.items():
        signal.signal(each, handler)


@pytest.mark.skipif(sys.platform == "win32", reason="no signals there")
@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_one_signal_ends_the_work_and_a_second_does_not_disturb_the_cleanup(
    status_of, capsys, name, status
):
    cleaned = []

    def work(_: object) -> int:
        try:
            os.kill(os.getpid(), getattr(signal, name))
            time.sleep(60)
        finally:
            for again in (signal.SIGINT, signal.SIGTERM):
                os.kill(os.getpid(), again)
            cleaned.append(True)
        return 0

    assert status_of(work) == status
    assert cleaned == [True]
    assert capsys.readouterr().err == "ilpsum: interrupted\n"


def test_an_interrupt_in_a_finalizer_ends_the_work(status_of, capsys):
    class Interrupting:
        def __del__(self) -> None:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0)

    def work(_: object) -> int:
        Interrupting()
        time.sleep(5)
        return 0

    assert status_of(work) == 130
    assert capsys.readouterr().err == "ilpsum: interrupted\n"


def test_an_interrupt_that_a_library_turns_into_another_error_is_one(status_of, capsys):
    def work(_: object) -> int:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)
        finally:
            raise ValueError("the archive is still open")

    assert status_of(work) == 130
    assert capsys.readouterr().err == "ilpsum: interrupted\n"


def test_an_interrupt_before_the_work_is_one_line(monkeypatch, capsys):
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ilpsum.cli.threading.main_thread", interrupted)
    assert main(["systems"]) == 130
    assert capsys.readouterr().err == "ilpsum: interrupted\n"


def test_the_summarizer_is_at_the_top():
    import ilpsum

    assert ilpsum.Summarizer.__name__ == "Summarizer"
    with pytest.raises(AttributeError, match="no attribute 'Summariser'"):
        _ = ilpsum.Summariser


def test_both_packages_are_ours():
    import features
    import ilpsum

    assert (features.__doc__ or "").startswith("Text to numbers")
    assert (ilpsum.__doc__ or "").startswith("Extractive")


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            "summarize DEMO --system concepst --out x",
            "unknown system 'concepst' (did you mean concepts?); there are: ",
        ),
        ("sweep lamda --out x", "unknown sweep 'lamda' (did you mean lambda?); there are: "),
        (
            "evaluate RUN DEMO --metrics ROUGE-22",
            "unknown metric 'ROUGE-22' (did you mean ROUGE-2?); there are: ",
        ),
        ("check RUN --as tca", "tac"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_known_one(tmp_path, capsys, call, told):
    (tmp_path / "run.jsonl").write_text('{"id": "D9001_DEMO", "summary": "Newts sing."}\n')
    places = {"RUN": str(tmp_path / "run.jsonl"), "DEMO": str(resources.demo())}
    try:
        status = main([places.get(word, word) for word in call.split()])
    except SystemExit as end:
        status = end.code
    (line,) = capsys.readouterr().err.splitlines()
    assert status == 2
    assert told in line


def test_tables_are_json_too(tmp_path, tac_topic, capsys):
    topics, title = str(tac_topic().parent), tmp_path / "title.txt"
    title.write_text("Newts in ponds: a study of newts\n")
    for team in ("A", "B"):
        options = shlex.split(f"--method lead --team '{team}' --out '{tmp_path}' --quiet")
        assert main(["summarize", topics, *options]) == 0
    runs = [str(tmp_path / name) for name in ("A1", "B1")]
    (tmp_path / "bad").mkdir()
    check = shlex.split(f"--as tac --topics '{topics}' --json --quiet")
    calls = {
        "name": ["systems", "--json"],
        "topic": ["evaluate", runs[0], topics, "--json"],
        "kind": ["compare", *runs, "--gold", topics, "--json"],
        "source": ["compress", str(title), "--json"],
        "message": ["check", str(tmp_path / "bad"), *check],
    }
    for field, call in calls.items():
        capsys.readouterr()
        assert main(call) == (1 if call[0] == "check" else 0)
        rows = read_lines(capsys.readouterr().out)
        assert rows
        assert all(field in row for row in rows)
    verdict = {"place": str(tmp_path / "bad"), "message": "has 3 errors as tac", "valid": False}
    assert rows[-1] == verdict | {"errors": 3, "warnings": 0}
    assert main(["check", runs[0], *check]) == 0
    (valid,) = read_lines(capsys.readouterr().out)
    verdict = {"place": runs[0], "message": "is valid as tac", "valid": True}
    assert valid == verdict | {"errors": 0, "warnings": 0}


@pytest.mark.parametrize("verb", ["summarize demo --out", "demo --out", "train demo --out"])
def test_an_empty_name_is_no_place(verb, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*verb.split(), "", "--system", "task2"] if verb[0] != "d" else [*verb.split(), ""])
    assert ended.value.code == 2
    assert "--out is empty; name a file or folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["ask", "Do newts sing?", ""], "FILE"),
        (["ask", "Do newts sing?", "--documents", ""], "--documents"),
        (["ask", "Do newts sing?", "--model", ""], "--model"),
        (["summarize", "", "--out", "o"], "INPUT"),
        (["evaluate", "", "gold"], "RUN"),
        (["evaluate", "run", ""], "GOLD"),
        (["check", "", "--as", "tac"], "RUN"),
        (["compress", ""], "FILE"),
        (["embed", "", "--out", "o"], "TEXT"),
    ],
)
def test_an_empty_name_of_an_input_is_not_the_working_folder(arguments, name, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert f"{name} is empty; name a file or folder" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["--out=--", "--min-count=--"])
def test_the_end_of_the_options_is_no_value(word, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["embed", "t.txt", "--out", "v.npz", word])
    assert ended.value.code == 2
    name = word.partition("=")[0]
    assert f"argument {name}: expected one argument" in capsys.readouterr().err


def test_ctrl_c_before_the_handler_stands_leaves_no_traceback():
    """The command's first statement gives SIGINT its default, which ends a process silently."""
    code = (
        "import signal, sys, ilpsum.__main__ as program\n"
        "sys.modules['ilpsum.cli'] = type('late', (), {'main': lambda: signal.raise_signal(2)})\n"
        "program.run()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGINT
    assert done.stderr == ""
