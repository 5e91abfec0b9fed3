"""Topics over a Dask cluster: a real scheduler, and workers in processes of their own."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ilpsum import resources
from ilpsum.answers.attaching import Attaching
from ilpsum.answers.searching import AbstractSearch
from ilpsum.cli import main
from ilpsum.errors import IlpsumError, UsageError
from ilpsum.files import processes as engines
from ilpsum.files.processes import connect
from ilpsum.tasks import biogen
from tests.ilpsum.learning.judging.conftest import standin  # noqa: F401  # a fixture
from tests.json_lines import lines_of, read_lines

pytest.importorskip("distributed")

ROOT = Path(__file__).parents[3]


class Processes:
    """A scheduler and its workers, each a process; all are gone after `close`."""

    def __init__(self, folder, *options, **settings):
        self.folder, self.file = folder, folder / "scheduler.json"
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT), **settings}
        self.running = []
        self.start("dask_scheduler", "--port", "0", "--host", "127.0.0.1", *options)
        until = time.monotonic() + 30
        while not self.file.exists():
            assert time.monotonic() < until, (folder / "log").read_text()
            time.sleep(0.05)

    def start(self, name, *options):
        command = [
            sys.executable,
            "-m",
            f"distributed.cli.{name}",
            "--scheduler-file",
            self.file,
            "--no-dashboard",
        ]
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [*command, *options],
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.running.append(process)
        return process

    def worker(self, *options):
        spill = ["--local-directory", self.folder]
        return self.start("dask_worker", "--nthreads", "1", *spill, *(options or ("--no-nanny",)))

    @property
    def address(self):
        return json.loads(self.file.read_text())["address"].replace("tcp://", "dask://")

    def close(self):
        # Each has a process group of its own, which a nanny shares with its worker.
        for process in self.running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """Two workers for all tests that leave them alive."""
    processes = Processes(tmp_path_factory.mktemp("cluster"))
    processes.worker()
    processes.worker()
    yield processes
    processes.close()


@pytest.fixture
def fresh(tmp_path):
    """A scheduler for a test that kills workers; a topic may see one worker die, no more."""
    processes = Processes(tmp_path, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="1")
    yield processes
    processes.close()


def test_results_come_in_order_and_few_items_are_under_way(two):
    taken = 0

    def items():
        nonlocal taken
        for n in range(500):
            taken += 1
            yield n

    with connect(two.address) as engine:
        assert list(engine.map(lambda n: n * n, range(60))) == [n * n for n in range(60)]
        results = engine.map(lambda n: n, items())
        assert [next(results) for _ in range(5)] == list(range(5))
        assert taken <= 5 + 2 * 8
        results.close()


def test_the_workers_do_the_work(two):
    def where(_):
        import os
        import time

        time.sleep(0.05)
        return os.getpid()

    with connect(two.address) as engine:
        engine.client.wait_for_workers(2)
        assert set(engine.map(where, range(20))) == {process.pid for process in two.running[1:]}


def test_what_the_work_raises_is_raised(two):
    def refuse(n):
        from ilpsum.errors import InputError

        raise InputError("no such thing", "file.xml", n)

    with (
        connect(two.address) as engine,
        pytest.raises(UsageError.__bases__[0], match=r"file\.xml:3: no such thing"),
    ):
        list(engine.map(refuse, [3]))


def files(folder):
    """All files of a folder but the provenance, which holds times."""
    found = {
        p.relative_to(folder): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }
    return {name: content for name, content in found.items() if "provenance" not in name.name}


@pytest.fixture
def both(two, tmp_path):
    """Runs a command on this machine and on the cluster; returns the two output folders."""

    def run(*arguments, out):
        folders = []
        for name, options in (("here", []), ("there", ["--engine", two.address])):
            folder = tmp_path / name
            folder.mkdir()
            command = [str(a).replace("OUT", str(folder)) for a in (*arguments, "--out", out)]
            assert main([*command, "--quiet", *options]) == 0
            folders.append(folder)
        return folders

    return run


def test_a_run_is_the_same_to_the_byte(both):
    here, there = both("summarize", resources.demo(), "--team", "SYSX", out="OUT")
    assert files(here) == files(there)
    assert len(files(here)) >= 4


@pytest.fixture
def pond(tmp_path):
    """Topics to search for, and the options of their search."""
    abstracts, topics = tmp_path / "abstracts.jsonl", tmp_path / "topics.json"
    texts = (
        "Grey newts sing in cold ponds. They sing at dusk.",
        "Moths shed scales in frost.",
        "Olms hum in caves.",
    )
    rows = [{"pmid": str(n), "title": "", "abstract": text} for n, text in enumerate(texts, 1)]
    abstracts.write_text(lines_of(rows))
    questions = ("Do newts sing in ponds?", "When do moths shed scales?", "Where do olms hum?")
    listed = [
        {"id": n, "topic": "", "question": text, "narrative": ""}
        for n, text in enumerate(questions)
    ]
    topics.write_text(json.dumps(listed))
    return topics, abstracts, tmp_path / "index"


def test_answers_are_the_same(pond, two, tmp_path):
    topics, abstracts, index = pond
    command = [
        "summarize",
        topics,
        "--documents",
        abstracts,
        "--index",
        index,
        "--to",
        "biogen-2025",
        "--quiet",
    ]
    found = []
    for name, options in (("here", []), ("there", ["--engine", two.address])):
        assert main([str(a) for a in (*command, "--out", tmp_path / name, *options)]) == 0
        records = read_lines(tmp_path / name / "SYS1.provenance.jsonl")
        found.append(
            [
                {key: value for key, value in record.items() if key != "seconds"}
                for record in records
            ]
        )
    assert found[0] == found[1]
    assert all(record["search"]["found"] for record in found[0])


def test_workers_share_the_cache_of_a_judge(pond, standin, tmp_path):  # noqa: F811
    topics, abstracts, index = pond
    cluster = Processes(tmp_path, XDG_CACHE_HOME=os.environ["XDG_CACHE_HOME"])
    cluster.worker()
    read = ["--documents", str(abstracts), "--index", str(index), "--to", "biogen-2025"]
    judge = ["--judge", standin.url, "--judge-model", "newt-7b", "--quiet"]
    command = ["summarize", str(topics), *read, *judge, "--out", str(tmp_path / "o"), "--team"]
    try:
        assert main([*command, "A", "--engine", cluster.address]) == 0
    finally:
        cluster.close()
    asked = len(standin.asked)
    assert asked == 3
    assert main([*command, "B"]) == 0
    assert len(standin.asked) == asked
    first, second = (files(tmp_path / "o")[Path(f"{team}1.jsonl")] for team in "AB")
    assert first.replace(b'"A1"', b'"B1"').replace(b'"team_id": "A"', b'"team_id": "B"') == second


def test_an_index_that_is_absent_or_another_one_at_the_worker_is_said(two, pond):
    topics, abstracts, index = pond
    attaching = Attaching(AbstractSearch([abstracts], index))
    with connect(two.address) as engine:
        assert all(topic.documents for topic in engine.map(attaching, biogen.read(topics)))
        for damage in (
            lambda: next(index.glob("*/meta.json")).write_text("{}"),
            lambda: shutil.rmtree(index),
        ):
            damage()
            expected = f"the index in {index} is absent, another one or not writable on {socket.gethostname()}"
            with pytest.raises(UsageError, match=re.escape(expected)):
                list(engine.map(attaching, biogen.read(topics)))
    assert not index.exists()


def test_a_model_is_the_same_to_the_byte(both, tmp_path):
    system = tmp_path / "small.toml"
    recipe = "C = [1.0]\ngamma = [0.1]\nepsilon = [0.1]\ntune = [0.2, 0.8]"
    system.write_text(
        f'description = "small"\n[relevance]\nfeatures = "ilp-sum-1"\n[recipe]\n{recipe}\n'
    )
    here, there = both("train", resources.demo(), "--system", system, out="OUT/small.npz")
    assert files(here) == files(there) != {}


def test_a_sweep_is_the_same(both, tmp_path):
    sweep = tmp_path / "sweep.toml"
    sweep.write_text('system = "ilp-sum-1-tuned"\n[parameters]\nlambda = "path"\nwords = [50]\n')
    here, there = both("sweep", sweep, "--topics", resources.demo(), out="OUT/sweep")
    written = [path.name for path in (here / "sweep").glob("*.jsonl")]
    assert len(written) == 3
    for name in written:
        assert (here / "sweep" / name).read_bytes() == (there / "sweep" / name).read_bytes()


def test_a_killed_worker_costs_no_item(fresh):
    killed = fresh.worker()
    fresh.worker()

    def slow(n):
        import time

        time.sleep(0.05)
        return n * n

    with connect(fresh.address) as engine:
        results = engine.map(slow, range(60))
        found = [next(results)]
        os.kill(killed.pid, signal.SIGKILL)
        found += results
    assert found == [n * n for n in range(60)]


def test_an_item_that_kills_every_worker_is_an_error(tmp_path):
    processes = Processes(tmp_path, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0")
    processes.worker("--nanny")

    def work(n):
        import os

        os.kill(os.getpid(), 9)

    try:
        with (
            connect(processes.address) as engine,
            pytest.raises(IlpsumError, match="workers repeatedly died"),
        ):
            list(engine.map(work, range(2)))
    finally:
        processes.close()


def test_a_scheduler_that_goes_away_is_told(fresh):
    fresh.worker()

    def slow(n):
        import time

        time.sleep(0.1)
        return n

    with connect(fresh.address) as engine:
        results = engine.map(slow, range(100))
        next(results)
        fresh.running[0].kill()
        with pytest.raises(IlpsumError, match="the scheduler is gone"):
            list(results)


def told(capsys, *arguments):
    assert main([str(a) for a in arguments]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


@pytest.mark.parametrize(
    "address", ["dask://", "dask://host", "node:8786", "ray://h:1", "dask://a b:1"]
)
def test_an_address_that_cannot_be_read(capsys, tmp_path, address):
    error = told(
        capsys, "summarize", resources.demo(), "--out", tmp_path / "o", "--engine", address
    )
    assert f"--engine {address}: expected dask://HOST:PORT" in error
    assert not (tmp_path / "o").exists()


def test_no_scheduler_there(capsys, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    error = told(
        capsys,
        "summarize",
        resources.demo(),
        "--out",
        tmp_path / "o",
        "--engine",
        f"dask://127.0.0.1:{port}",
    )
    assert "no Dask scheduler answers there" in error


def test_dask_not_installed(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "distributed", None)
    error = told(
        capsys, "link", resources.demo(), "--out", tmp_path / "o", "--engine", "dask://127.0.0.1:1"
    )
    assert "[dask]'" in error


def test_jobs_and_engine_exclude_each_other(capsys, tmp_path):
    error = told(
        capsys,
        "summarize",
        resources.demo(),
        "--out",
        tmp_path,
        "--jobs",
        2,
        "--engine",
        "dask://127.0.0.1:1",
    )
    assert "choose one" in error


def test_workers_of_another_version_are_refused(two, monkeypatch):
    monkeypatch.setattr(engines, "versions", lambda: {"ilpsum": "99.0"})
    with (
        connect(two.address) as engine,
        pytest.raises(UsageError, match=r"other versions \(ilpsum 99\.0 here\)"),
    ):
        list(engine.map(len, ["one"]))
