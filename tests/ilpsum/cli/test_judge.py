"""Runs with a judge: in processes, interrupted and resumed, swept and reported."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from ilpsum import resources
from ilpsum.cli import main
from tests.ilpsum.learning.judging.conftest import standin  # noqa: F401  # a fixture
from tests.ilpsum.learning.judging.standin import Fault
from tests.json_lines import read_lines

DEMO = str(resources.demo())
ABSTRACTS = str(resources.demo() / "abstracts.xml")
QUESTIONS = [
    "How does gentamicin kill kidney tubule cells?",
    "Does mirolone heal leg ulcers?",
    "What protects the kidney?",
]


@pytest.fixture
def command(standin, tmp_path):  # noqa: F811
    """Returns the arguments of a run of the questions with the stand-in, by its team."""
    topics = tmp_path / "questions.json"
    asked = [
        {"id": n, "topic": "", "question": question, "narrative": ""}
        for n, question in enumerate(QUESTIONS)
    ]
    topics.write_text(json.dumps(asked))

    def arguments(team, *more):
        named = ["--judge", standin.url, "--judge-model", "newt-7b"]
        read = ["--from", "biogen", "--documents", ABSTRACTS, "--index", str(tmp_path / "index")]
        written = ["--to", "jsonl", "--words", "60", "--out", str(tmp_path / "o"), "--team", team]
        return ["summarize", str(topics), *read, *written, *named, "--quiet", *more]

    return arguments


def summaries(tmp_path, team):
    lines = read_lines(tmp_path / "o" / f"{team}1.jsonl")
    return {line["id"]: line["summary"] for line in lines}


@pytest.mark.long
def test_processes_share_the_cache_and_give_the_same_bytes(command, standin, tmp_path):  # noqa: F811
    assert main(command("A")) == 0
    asked = len(standin.asked)
    assert asked >= len(QUESTIONS)
    # In a program of their own: a server of processes keeps the environment of its first test.
    program = [sys.executable, "-m", "ilpsum"]
    assert subprocess.run([*program, *command("B", "--jobs", "2")]).returncode == 0
    assert len(standin.asked) == asked
    assert subprocess.run([*program, *command("C", "--jobs", "2", "--refresh")]).returncode == 0
    assert len(standin.asked) == 2 * asked
    first = (tmp_path / "o/A1.jsonl").read_bytes()
    for team in "BC":
        assert (tmp_path / f"o/{team}1.jsonl").read_bytes() == first
    assert all(summaries(tmp_path, "A").values())


def test_a_failed_topic_alone_is_asked_again(command, standin, tmp_path, capsys):  # noqa: F811
    standin.faults = [Fault(401, b'{"error": "bad key"}')]
    assert main(command("A")) == 1
    assert "refused (status 401: 'bad key')" in capsys.readouterr().err
    assert summaries(tmp_path, "A")["0"] == ""
    asked = len(standin.asked)
    assert main(command("A", "--resume")) == 0
    grading = {body["messages"][1]["content"] for body in standin.asked[asked:]}
    assert all(QUESTIONS[0] in message for message in grading)
    assert main(command("B")) == 0
    assert summaries(tmp_path, "A") == summaries(tmp_path, "B")


@pytest.mark.long
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupted_run_goes_on_where_it_was(command, standin, tmp_path, jobs):  # noqa: F811
    assert main(command("A")) == 0
    before = len(standin.asked)
    standin.faults = [Fault(slow=60)] * 99
    interrupted = subprocess.Popen(
        [sys.executable, "-m", "ilpsum", *command("B", "--jobs", jobs, "--refresh")],
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    end = time.monotonic() + 120
    while len(standin.asked) == before and time.monotonic() < end:
        time.sleep(0.05)
    interrupted.send_signal(signal.SIGINT)
    said = interrupted.communicate(timeout=30)[1].decode()
    assert interrupted.returncode == 130, said
    assert said.count("\n") == 1
    assert "interrupted" in said
    standin.faults = []
    assert main(command("B", "--jobs", jobs, "--resume")) == 0
    assert summaries(tmp_path, "B") == summaries(tmp_path, "A")


def test_settings_of_a_judge_are_swept(standin, tmp_path, capsys):  # noqa: F811
    sweep = tmp_path / "sweep.toml"
    system = tmp_path / "judged.toml"
    system.write_text(f'base = "concepts"\n[judge]\nurl = "{standin.url}"\nmodel = "newt-7b"\n')
    sweep.write_text(
        f'system = "{system}"\n[parameters]\n'
        'words = [60]\n"selection.lambda" = [0.6, 1.0]\n"judge.top" = [5, 45]\n'
    )
    out = str(tmp_path / "sweep")
    assert main(["sweep", str(sweep), "--topics", DEMO, "--out", out, "--quiet"]) == 0
    table = capsys.readouterr().out
    assert table.splitlines()[0].startswith("system\twords\tlambda\tjudge.top\tscore")
    assert len({row.split("\t")[4] for row in table.splitlines()[1:5]}) > 1
    asked = len(standin.asked)
    assert main(["sweep", str(sweep), "--topics", DEMO, "--out", out, "--quiet"]) == 0
    assert capsys.readouterr().out == table
    assert len(standin.asked) == asked


def test_a_report_says_who_graded(standin, tmp_path, capsys):  # noqa: F811
    named = ["--judge", standin.url, "--judge-model", "newt-7b"]
    run = ["summarize", DEMO, "--words", "60", "--out", str(tmp_path), "--quiet"]
    assert main([*run, "--team", "J", *named]) == 0
    assert main([*run, "--team", "B"]) == 0
    page = tmp_path / "report.html"
    runs = [str(tmp_path / team) for team in ("J1", "B1")]
    assert main(["report", *runs, "--gold", DEMO, "--out", str(page), "--quiet"]) == 0
    text = page.read_text()
    assert f"by newt-7b at {standin.host}" in text
    assert f"judge.url {standin.url}" in text
